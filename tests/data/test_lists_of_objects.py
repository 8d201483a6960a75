"""Hand-made JSON: a list of flat objects is a table; anything deeper or broken is named and refused."""

from __future__ import annotations

import json

from data.readers import read_bytes
from tests.data.reading import accept, only, read_object, read_sample

ROWS = [
    {"gpu": "H100", "model": "m", "concurrency": 4, "ttft_ms": 41.5, "output_tok_s": 400.5, "isl": 512, "osl": 128},
    {"gpu": "H100", "model": "m", "concurrency": 8, "ttft_ms": 1.234, "output_tok_s": None, "isl": 512, "osl": 128},
]


def test_a_list_of_rows_is_a_table_with_a_path_for_every_cell() -> None:
    """JSON writes numbers with a point: 1.234 is no 1,234, and nothing is asked about marks."""
    result = read_object(ROWS)
    first, second = result.runs
    assert (result.format, result.status) == ("table", "taken")
    assert (first.values["ttft_mean_ms"], first.values["output_tps"]) == (41.5, 400.5)
    assert (second.values["ttft_mean_ms"], "output_tps" in second.values) == (1.234, False)
    assert first.fields["output_tps"].path.startswith("$[0].output_tok_s")
    assert (first.values["hardware"], first.values["isl_mean"]) == ("H100", 512)


def test_lines_of_objects_and_a_list_are_the_same_runs() -> None:
    lines = "\n".join(json.dumps(row) for row in ROWS)
    ids = [run.run_id for run in read_bytes("r.jsonl", lines.encode()).runs]
    assert ids == [run.run_id for run in read_object(ROWS).runs]
    assert len(ids) == 2


def test_keys_that_only_some_objects_have_stay_empty_elsewhere() -> None:
    runs = read_object([*ROWS, {"model": "n", "tpot_ms": 9.5, "ttft_ms": 50.0}]).runs
    assert runs[2].values["tpot_mean_ms"] == 9.5
    assert "tpot_mean_ms" not in runs[0].values
    assert "concurrency" not in runs[2].values


def test_not_a_number_is_missing() -> None:
    runs = read_bytes("r.json", json.dumps([*ROWS, {**ROWS[0], "ttft_ms": float("nan")}]).encode()).runs
    assert "ttft_mean_ms" not in runs[2].values


def test_one_object_or_nested_ones_are_no_table() -> None:
    assert read_object(ROWS[0]).status == "refused"
    assert read_object([{**ROWS[0], "more": {"a": 1}}, ROWS[1]]).status == "refused"


def test_a_list_without_a_measurement_names_what_it_has() -> None:
    result = read_object([{"name": "a", "value": 1}, {"name": "b", "value": 2}])
    assert result.status == "refused"
    assert "name, value" in result.reason


def test_broken_json_says_where() -> None:
    whole = json.dumps(ROWS, indent=1)
    result = read_bytes("r.json", whole[: len(whole) * 2 // 3].encode())
    assert result.status == "refused"
    assert "line 1" in result.reason
    assert "breaks off" in result.reason


def test_a_users_script_for_llama_cpp() -> None:
    """avg_tok_s may be of output or of all tokens: asked. accept_rate 0.797 is a share, no accepted length."""
    result = read_sample("llama_mtp_summary.json")
    assert (result.status, len(result.runs)) == ("questions", 12)
    open_ones = [one for one in result.questions if one.blocking]
    assert [one.field for one in open_ones] == ["column:avg_tok_s"]
    taken = read_sample("llama_mtp_summary.json", accept(result))
    assert taken.status == "taken"
    assert taken.runs[1].values["output_tps"] == 12.4
    assert "spec_accept_len" not in taken.runs[1].values
    assert only(read_object([ROWS[0]])).values["output_tps"] == 400.5
