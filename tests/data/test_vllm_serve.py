"""vLLM serve files of every generation, against figures read off the files by hand."""

from __future__ import annotations

import json

import pytest

from data.readers import read_bytes
from tests.data.reading import kinds, only, read_object, read_sample, vllm


def test_one_object_an_array_lines_and_objects_in_a_row_are_the_same_runs() -> None:
    first, second = vllm(), vllm(date="20250102-040000", mean_ttft_ms=51.0)
    forms = [
        json.dumps([first, second]),
        json.dumps(first) + "\n" + json.dumps(second) + "\n",
        json.dumps(first, indent=2) + "\n" + json.dumps(second, indent=2),
        "\ufeff" + json.dumps(first) + "\r\n" + json.dumps(second),
    ]
    read = [read_bytes("f", form.encode()) for form in forms]
    assert {tuple(run.run_id for run in result.runs) for result in read} == {tuple(r.run_id for r in read[0].runs)}
    assert len(read[0].runs) == 2
    utf16 = read_bytes("f", forms[1].encode("utf-16"))
    assert [run.run_id for run in utf16.runs] == [run.run_id for run in read[0].runs]


def test_canonical_fields_and_where_they_come_from() -> None:
    run = only(read_object(vllm()))
    assert run.values["output_tps"] == 1000.0
    assert (run.fields["output_tps"].raw, run.fields["output_tps"].origin) == ("1000.0", "stated")
    assert run.fields["output_tps"].path == "$.output_throughput"
    assert (run.values["isl_mean"], run.values["osl_mean"]) == (1000.0, 100.0)
    assert run.fields["isl_mean"].origin == "derived"
    assert run.values["load_mode"] == "concurrency"
    assert run.values["started_at"] == "2025-01-02T03:04:05"
    assert run.outcome == "ok"
    assert "p50_ttft_ms" not in run.values
    assert "ttft_p50_ms" not in run.values, "what the file does not say is absent"


RATES = [("inf", None), (1e9, None), (float("inf"), None), (8.0, 8.0), ("8", 8.0)]


@pytest.mark.parametrize(("raw", "expected"), RATES)
def test_no_rate_limit_is_null_with_its_raw_text(raw: object, expected: float | None) -> None:
    run = only(read_object(vllm(request_rate=raw)))
    assert "request_rate" in run.values
    assert run.values["request_rate"] == expected
    assert run.fields["request_rate"].raw == str(raw)
    assert run.values["load_mode"] == ("concurrency" if expected is None else "rate")


def test_a_rate_without_any_limit_is_offline() -> None:
    assert only(read_object(vllm(max_concurrency=None))).values["load_mode"] == "offline"


def test_every_request_failed_gives_no_latency() -> None:
    """vLLM writes 0.0 everywhere then: none of the zeros is a measurement."""
    zeros = {"request_throughput": 0.0, "output_throughput": 0.0, "total_token_throughput": 0.0}
    zeros |= {"total_input_tokens": 0}
    latencies = {"mean_ttft_ms": 0.0, "mean_tpot_ms": 0.0, "mean_itl_ms": 0.0, "total_output_tokens": 0}
    run = only(read_object(vllm(completed=0, failed=100, **zeros, **latencies)))
    assert run.outcome == "failed"
    assert (run.values["completed"], run.values["failed"]) == (0, 100)
    assert not any(name.endswith("_ms") for name in run.values)
    assert not any(name in run.values for name in ("output_tps", "request_rps", "total_tps"))


def test_measurements_that_are_no_numbers_are_missing() -> None:
    run = only(read_object(vllm(mean_tpot_ms=float("nan"), mean_itl_ms=float("inf"))))
    assert "tpot_mean_ms" not in run.values
    assert "itl_mean_ms" not in run.values
    json.loads(run.native)


def test_free_keys_are_offered_not_taken_for_granted() -> None:
    """--metadata version=0.8.3 tp=2 gpu=H100 puts texts at the top level."""
    result = read_object(vllm(version="0.8.3", tp="2", gpu="H100"))
    run = only(result)
    assert (run.values["engine_version"], run.values["tp"], run.values["hardware"]) == ("0.8.3", 2, "H100")
    assert {run.fields[name].origin for name in ("engine_version", "tp", "hardware")} == {"assumed"}
    assert {"engine_version", "tp", "hardware"} <= {one.field for one in result.questions}
    assert result.status == "taken"


def test_hardware_is_asked_with_the_file_name_as_proposal() -> None:
    result = read_bytes("h100sxm/run_1_TP4_DP2_CTX1024_C100.json", json.dumps(vllm()).encode())
    proposals = {one.field: one.proposal for one in result.questions}
    assert proposals["hardware"].lower() == "h100"
    assert proposals["tp"] == "4"
    assert "hardware" not in only(result).values, "a file name proposes, it does not say"


def test_the_person_is_believed_and_quoted() -> None:
    run = only(read_object(vllm(gpu="H100"), hardware="H200 SXM", device_count="8"))
    assert (run.values["hardware"], run.values["device_count"]) == ("H200 SXM", 8)
    assert run.fields["hardware"].origin == "person"
    assert "H100" in run.fields["hardware"].path


def test_an_answer_to_an_unknown_field_names_the_near_ones() -> None:
    result = read_object(vllm(), hardwear="x")
    assert result.status == "refused"
    assert "hardware" in result.reason


def test_lines_that_do_not_parse_are_listed() -> None:
    text = f"INFO starting\n{json.dumps(vllm())}\n{json.dumps(vllm(date='20250103-000000'))[:80]}\n"
    result = read_bytes("x", text.encode())
    assert len(result.runs) == 1
    assert [one.line for one in result.skipped] == [1, 3]


def test_the_same_run_twice_in_a_file_is_one() -> None:
    result = read_object([vllm(), vllm()])
    assert len(result.runs) == 1
    assert "repeats" in result.skipped[0].why


def test_2025_04_twelve_lines() -> None:
    result = read_sample("vllm_serve_2025-04_results.json")
    assert len(result.runs) == 12
    first = result.runs[0].values
    assert (first["num_requests"], first["request_rate"], first["failed"]) == (120, 1.0, 0)
    assert first["isl_mean"] == 120_000 / 120
    assert first["ttft_mean_ms"] == pytest.approx(45.037437366166465)
    assert "goodput_rps" not in first


def test_2025_11_partly_failed() -> None:
    """40 sent, 32 answered, no `failed` key, rate 1e9: 8 failed, 160000/32 = 5000 in, 8000/32 = 250 out."""
    run = only(read_sample("vllm_serve_2025-11_rate1e9_partialfail.json"))
    assert (run.outcome, run.values["failed"]) == ("partial", 8)
    assert (run.values["isl_mean"], run.values["osl_mean"]) == (5000, 250)
    assert run.values["request_rate"] is None
    assert run.values["concurrency_peak"] == 8


def test_old_chat_file_with_goodput_and_free_keys() -> None:
    run = only(read_sample("vllm_serve_old_chat_rate8_goodput.json"))
    assert run.values["goodput_rps"] == pytest.approx(6.977882520477026)
    assert run.fields["goodput_rps"].path == "$.request_goodput:"
    assert (run.values["engine_version"], run.values["tp"], run.values["hardware"]) == ("0.8.3", 2, "H100")


def test_fork_with_failures() -> None:
    """60 sent, 56 answered: 1209 / 56 = 21.589 tokens out."""
    run = only(read_sample("vllm_serve_fork_15pct_fail.json"))
    assert (run.outcome, run.values["failed"]) == ("partial", 4)
    assert run.values["osl_mean"] == pytest.approx(1209 / 56)
    assert run.values["e2e_p999_ms"] == pytest.approx(1423.815828385081)


def test_0_25_1_peak_in_flight_may_exceed_the_limit() -> None:
    result = read_sample("vllm_serve_v0.25.1.json")
    run = only(result)
    assert (run.values["concurrency"], run.values["concurrency_peak"]) == (2, 6)
    assert kinds(result) == set()


def test_sweep_summary_holds_the_single_runs() -> None:
    """run=0 alone and the summary's first element are one run; the repeats get faster, which is worth a warning."""
    single, summary = read_sample("vllm_sweep_v0.25.1_run0.json"), read_sample("vllm_sweep_v0.25.1_summary.json")
    assert only(single).run_id == summary.runs[0].run_id
    assert "warm_repeat" in kinds(summary)
