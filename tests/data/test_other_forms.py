"""The same results in other clothes: inside wrappers, as tables, with other separators, in several files."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.readers import joined, read_bytes, readers, sample_path
from tests.data.reading import kinds, only, read_object, read_text, vllm


def test_results_at_any_depth_of_a_wrapper_are_found() -> None:
    """Two runs three levels down, told apart by their throughput; the wrapper is named."""
    two = {"c10": vllm(), "c20": vllm(max_concurrency=20, output_throughput=1500.0)}
    result = read_object({"gpu": "H100", "results": {"tp4": [two]}})
    assert (result.format, result.status) == ("vllm_serve", "taken")
    assert [run.values["output_tps"] for run in result.runs] == [1000.0, 1500.0]
    assert result.runs[0].fields["output_tps"].path == "$.results.tp4[0].c10.output_throughput"
    assert "other_form" in kinds(result)


@pytest.mark.parametrize("reader", readers(), ids=lambda reader: reader.key)
def test_every_json_sample_reads_the_same_inside_an_object(reader) -> None:
    """Wrapped as {"outer": {"inner": ...}}: the same runs as without, for every format whose sample is one value."""
    path = sample_path(reader)
    if path.suffix != ".json" or reader.fallback or reader.key == "waferline_export":
        pytest.skip("not one JSON value")
    plain = read_bytes(path.name, path.read_bytes())
    wrapped = read_object({"outer": {"inner": json.loads(path.read_text())}})
    assert wrapped.format == plain.format
    assert [run.values for run in wrapped.runs] == [run.values for run in plain.runs]


def test_what_stands_beside_wrapped_results_is_proposed_not_taken() -> None:
    """A wrapper that says 4x H100 once is a proposal; one that says it of a part of the results is none."""
    result = read_object({"gpu": "4x H100 SXM", "tp": 4, "runs": [vllm()]})
    asked = {one.field: (one.proposal, one.because) for one in result.questions}
    assert asked["hardware"] == ("H100 SXM", "beside the runs stands 'gpu' 'H100 SXM'")
    assert (asked["device_count"][0], asked["tp"][0]) == ("4", "4")
    assert "hardware" not in only(result).values
    two = read_object({"a": {"gpu": "H100", "run": vllm()}, "b": {"gpu": "A100", "run": vllm(max_concurrency=20)}})
    assert next(one.proposal for one in two.questions if one.field == "hardware") == ""


def _as_csv(records: list[dict[str, Any]], delimiter: str = ",", comma: bool = False) -> str:
    names = list(dict.fromkeys(name for record in records for name in record))
    out = io.StringIO()
    table = csv.writer(out, delimiter=delimiter)
    table.writerow(names)
    for record in records:
        cells = [str(record.get(name, "")) for name in names]
        table.writerow([cell.replace(".", ",") if comma and _is_number(cell) else cell for cell in cells])
    return out.getvalue()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_json_records_as_a_table_read_as_json() -> None:
    """A sweep's summary.csv holds the JSON keys as columns: no question, seconds stay seconds."""
    records = [vllm(), vllm(max_concurrency=20, output_throughput=1500.0)]
    plain, table = read_object(records), read_text(_as_csv(records))
    assert (table.status, table.format) == ("taken", "vllm_serve")
    assert [run.values for run in table.runs] == [run.values for run in plain.runs]
    assert only(read_text(_as_csv(records[:1]))).fields["output_tps"].path == "row 2.output_throughput"


@pytest.mark.parametrize(("delimiter", "comma"), [(";", True), ("\t", False), (";", False)])
def test_tables_of_tools_saved_by_a_spreadsheet(delimiter: str, comma: bool) -> None:
    """Locust's statistics with semicolons and decimal commas: mean 210.5 ms, 9.5 requests/s, never 2105 or 95."""
    record = {"Type": "", "Name": "Aggregated", "Request Count": "100", "Failure Count": "0",
              "Median Response Time": "200", "Average Response Time": "210.5", "Min Response Time": "100.1",
              "Max Response Time": "500.9", "Requests/s": "9.5", "95%": "350"}  # fmt: skip
    result = read_text(_as_csv([record], delimiter, comma))
    run = only(result)
    assert result.format == "locust"
    assert (run.values["e2e_mean_ms"], run.values["request_rps"]) == (210.5, 9.5)
    assert "other_form" in kinds(result)


def test_a_table_printed_with_blanks() -> None:
    text = "model        gpu   conc  ttft_ms  out tok/s\nllama-3-8b   H100  1     20.1     138.0\n"
    run = only(read_text(text, "x.txt"))
    assert (run.values["ttft_mean_ms"], run.values["output_tps"], run.values["concurrency"]) == (20.1, 138.0, 1)


def test_chinese_files_and_european_ones_are_told_apart() -> None:
    """GB18030 writes two bytes a character; an accented letter of cp1252 stands alone."""
    chinese = "模型,并发数,首token延迟 (ms),输出吞吐量 (tok/s)\nQwen3-32B,8,40,900\n"
    run = only(read_bytes("a.csv", chinese.encode("gb18030")))
    assert (run.values["model_raw"], run.values["concurrency"]) == ("Qwen3-32B", 8)
    assert (run.values["ttft_mean_ms"], run.values["output_tps"]) == (40, 900)
    german = "Modell,Bemerkung,output tok/s\nMüller-7B,größer schöner,900\n"
    assert only(read_bytes("a.csv", german.encode("cp1252"))).values["model_raw"] == "Müller-7B"


def test_any_parquet_table_is_read_like_its_rows() -> None:
    columns = {"model": ["a", "b"], "concurrency": [1, 8], "TTFT (ms)": [20.0, 40.0], "output tok/s": [138.0, None]}
    table = pa.table(columns)
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    result = read_bytes("t.parquet", buffer.getvalue())
    assert [run.values.get("ttft_mean_ms") for run in result.runs] == [20.0, 40.0]
    assert "output_tps" not in result.runs[1].values
    assert read_bytes("t.parquet", buffer.getvalue()[:200]).status == "refused"
    assert read_bytes("t.parquet", b"PAR1" + b"\0" * 300 + b"PAR1").status == "refused"


SCRAPE = """# TYPE vllm:generation_tokens counter
vllm:generation_tokens_total{{model_name="{model}",engine="0"}} {tokens}
vllm:request_success_total{{model_name="{model}",engine="0",finished_reason="stop"}} {done}
vllm:num_requests_running{{model_name="{model}",engine="0"}} {running}
process_start_time_seconds {started}
"""


def _scrape(tokens: int, done: int, running: int = 0, model: str = "m", started: float = 1.7e9) -> bytes:
    return SCRAPE.format(tokens=tokens, done=done, running=running, model=model, started=started).encode()


def test_two_scrapes_in_two_files_are_one_run() -> None:
    """6,000 tokens and 60 requests more, whichever file comes first; a queue that shrinks is no restart."""
    before, after = ("before.txt", _scrape(1000, 10, running=4)), ("after.txt", _scrape(7000, 70))
    for files in ([before, after], [after, before]):
        ((name, content),) = joined(files)
        result = read_bytes(name, content)
        run = only(result)
        assert name == "before.txt + after.txt"
        assert (run.values["total_output_tokens"], run.values["completed"]) == (6000, 60)
        assert {"since_start", "counter_reset"}.isdisjoint(kinds(result))
        assert "output_tps" not in run.values
        assert [one.field for one in result.questions if one.field == "duration_s"] == ["duration_s"]
        said = only(read_bytes(name, content, {"duration_s": "120"}))
        assert (said.values["output_tps"], said.values["request_rps"]) == (50.0, 0.5)


def test_times_in_the_names_give_the_duration() -> None:
    """1700000000 and 1700000060: 60 s, 100 tokens/s."""
    ((name, content),) = joined([("m_1700000000.txt", _scrape(1000, 10)), ("m_1700000060.txt", _scrape(7000, 70))])
    run = only(read_bytes(name, content))
    assert (run.values["duration_s"], run.values["output_tps"]) == (60.0, 100.0)


@pytest.mark.parametrize(
    "other",
    [
        _scrape(7000, 70, model="another"),
        _scrape(7000, 70, started=1.8e9),
        _scrape(1000, 10),
        _scrape(7000, 5),
        b'{"a": 1}',
    ],
    ids=["another model", "restarted", "nothing grew", "one counter fell", "no scrape"],
)
def test_scrapes_that_are_no_pair_stay_apart(other: bytes) -> None:
    files = [("a.txt", _scrape(1000, 10)), ("b.txt", other)]
    assert joined(files) == files


def test_limits_hold_before_anything_is_unpacked() -> None:
    """50,001 results in one file, and a small Parquet file of 16 million cells, are refused with what to do."""
    many = json.dumps(vllm()).encode()
    assert "too many vLLM serve records" in read_bytes("x", b"[" + b",".join([many] * 50_001) + b"]").reason
    buffer = io.BytesIO()
    pq.write_table(pa.table({f"c{n}": pa.array([0.0] * 40_000) for n in range(400)}), buffer)
    assert "too many cells" in read_bytes("x", buffer.getvalue()).reason
