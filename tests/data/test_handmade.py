"""The ten spreadsheets of the reference collection, read as its README says once a person accepts the proposals."""

from __future__ import annotations

import pytest

from data.readers import ReadResult
from tests.data.reading import accept, kinds, read_sample

FILES = {
    "h01": "h01_tidy_units_in_headers.csv",
    "h02": "h02_semicolon_decimal_comma_bom.csv",
    "h03": "h03_us_thousands_percent_oom.csv",
    "h04": "h04_merged_header_rows.csv",
    "h05": "h05_mixed_s_and_ms_in_cells.csv",
    "h06": "h06_duplicate_columns_and_total_row.csv",
    "h07": "h07_wide_pivot_by_batch.csv",
    "h08": "h08_tps_per_user_vs_total.csv",
    "h09": "h09_negative_and_impossible.csv",
    "h10": "h10_not_latency_data.csv",
}


def first_look(key: str) -> ReadResult:
    """The file as it is read before anything is answered."""
    return read_sample(FILES[key], folder="handmade")


def agreed(key: str) -> ReadResult:
    """The file after every proposal was accepted."""
    return read_sample(FILES[key], accept(first_look(key)), folder="handmade")


def column(result: ReadResult, name: str) -> list[object]:
    """One field over all runs; None where it is absent."""
    return [run.values.get(name) for run in result.runs]


def blocking(result: ReadResult) -> dict[str, str]:
    return {one.field: one.proposal for one in result.questions if one.blocking}


def test_h01_tidy() -> None:
    before, after = first_look("h01"), agreed("h01")
    assert before.status == "questions"
    assert column(before, "output_tps") == [None] * 3, "nothing is taken before it is asked"
    assert blocking(before) == {"column:Throughput (tok/s)": "output_tps"}
    assert after.status == "taken"
    assert column(after, "output_tps") == [138, 968, 2822]
    assert column(after, "ttft_mean_ms") == [28.4, 61.0, 190.5]
    assert column(after, "tpot_mean_ms") == [7.1, 8.0, 10.6]
    assert column(after, "batch_size") == [1, 8, 32]
    assert column(after, "concurrency") == [None] * 3, "a batch is not a client's concurrency unless the person says so"
    assert column(after, "hardware") == ["H100 SXM"] * 3
    assert column(after, "device_count") == [1] * 3
    assert (column(after, "isl_nominal"), column(after, "osl_nominal")) == ([1024] * 3, [256] * 3)
    field = after.runs[0].fields["ttft_mean_ms"]
    assert field.origin == "assumed"
    assert "mean assumed" in field.path
    agreed_batch = read_sample(FILES["h01"], {**accept(before), "concurrency": "batch_size"}, folder="handmade")
    assert column(agreed_batch, "concurrency") == [1, 8, 32]
    assert agreed_batch.runs[0].fields["concurrency"].origin == "person"


def test_h02_decimal_comma() -> None:
    result = agreed("h02")
    assert column(result, "model_raw") == ["Qwen2.5-32B-Instruct"] * 3
    assert column(result, "ttft_mean_ms") == [112.5, 248.0, 1036.7]
    assert column(result, "tpot_mean_ms") == [21.8, 27.3, 44.9]
    assert column(result, "output_tps") == [176.4, 561.2, 1302.8]
    assert (column(result, "device_count"), column(result, "concurrency")) == ([2] * 3, [4, 16, 64])
    assert result.runs[2].fields["ttft_mean_ms"].raw == "1.036,7"
    assert {"isl_mean", "osl_mean"} <= {one.field for one in result.questions}


def test_h03_thousands_percent_out_of_memory() -> None:
    assert set(blocking(first_look("h03"))) == {"column:TPS", "column:p99 latency (s)"}
    result = agreed("h03")
    assert [run.outcome for run in result.runs] == ["ok", "partial", "partial", "oom"]
    assert column(result, "output_tps") == [1412, 3965, 6240, None]
    assert column(result, "e2e_p99_ms") == [9800, 15100, 41700, None]
    assert column(result, "failed") == [0, 8, 125, None]
    assert column(result, "num_requests") == [1000] * 4
    assert column(result, "hardware") == ["H100"] * 4
    assert column(result, "device_count") == [4, 4, 4, 2]
    assert column(result, "weight_format") == ["fp8"] * 3 + ["bf16"]
    assert result.runs[0].fields["weight_format"].origin == "assumed"
    assert (column(result, "engine"), column(result, "engine_version")) == (["vllm"] * 4, ["0.11"] * 4)
    worst = next(one for one in result.warnings if one.run == result.runs[2].run_id)
    assert "12.5%" in worst.text


def test_h04_merged_headers() -> None:
    result = agreed("h04")
    latencies = {"ttft_mean_ms": [95, 240], "ttft_p50_ms": [88, 221], "ttft_p99_ms": [210, 690]}
    latencies |= {"tpot_mean_ms": [12.1, 17.8], "tpot_p99_ms": [15.0, 26.4], "output_tps": [612, 1655]}
    assert {name: column(result, name) for name in latencies} == latencies
    assert "all times in ms" in result.runs[0].fields["ttft_mean_ms"].path
    assert [one.line for one in result.skipped] == [1, 6, 7]
    assert column(result, "device_count") == [2, 2]
    assert "hardware" in {one.field for one in result.questions}


def test_h05_units_in_cells() -> None:
    before = first_look("h05")
    assert list(blocking(before).values()) == ["s"]
    assert "below TTFT 1400 ms" in next(one.because for one in before.questions if one.blocking)
    result = agreed("h05")
    assert column(result, "ttft_mean_ms") == [85, 210, 1400]
    assert column(result, "itl_mean_ms") == [18.2, 22.0, pytest.approx(41)]
    assert column(result, "e2e_p95_ms") == [pytest.approx(4900), 6100, 12800]
    assert column(result, "output_tps") == [53.9, 350, 741]
    assert column(result, "tpot_mean_ms") == [None] * 3, "ITL is not TPOT"


def test_h06_duplicate_columns() -> None:
    before = first_look("h06")
    assert blocking(before) == {
        "column:Throughput (col 4)": "request_rps",
        "column:Throughput (col 5)": "output_tps",
        "column:Latency (col 6)": "e2e_p50_ms",
        "column:Latency (col 7)": "e2e_p95_ms",
        "unit:Latency (col 6)": "ms",
        "unit:Latency (col 7)": "ms",
    }
    text = next(one.text for one in before.questions if one.field == "column:Throughput (col 4)")
    assert "1.9, 14.2, 31.0" in text
    assert "214, 1610, 3480" in text
    result = agreed("h06")
    assert (column(result, "request_rps"), column(result, "output_tps")) == ([1.9, 14.2, 31.0], [214, 1610, 3480])
    assert column(result, "e2e_p50_ms") == [520, 1090, 2010]
    assert len(result.runs) == 3
    assert [one.line for one in result.skipped] == [5]


def test_h07_pivot() -> None:
    result = agreed("h07")
    assert len(result.runs) == 11
    assert [run.outcome for run in result.runs].count("oom") == 1
    oom = next(run for run in result.runs if run.outcome == "oom")
    assert (oom.values["hardware"], oom.values["weight_format"], oom.values["batch_size"]) == ("A100", "int8", 64)
    first = result.runs[0].values
    assert (first["model_raw"], first["hardware"], first["weight_format"]) == ("Llama-2-13B", "A100", "fp16")
    assert [value for value in column(result, "output_tps") if value] == [
        48, 178, 602, 1290, 61, 214, 655, 81, 309, 1104,
    ]  # fmt: skip
    assert [one.line for one in result.skipped] == [4]
    assert "without a reason" in result.skipped[0].why


def test_h08_three_throughputs() -> None:
    """64 * 14.9 = 953.6 = 8 * 119.2, but the total says 1953.6: both named, nothing replaced."""
    result = first_look("h08")
    assert result.status == "taken"
    assert column(result, "output_tps") == [38, 433.6, 1953.6]
    assert (column(result, "hardware"), column(result, "device_count")) == (["H200"] * 3, [8] * 3)
    assert column(result, "concurrency") == [1, 16, 64]
    contradictions = [one for one in result.warnings if one.kind == "contradiction"]
    assert {one.run for one in contradictions} == {result.runs[2].run_id}
    assert all("1953.6" in one.text and "953.6" in one.text for one in contradictions)


def test_h09_impossible_values() -> None:
    result = first_look("h09")
    assert (result.status, len(result.runs)) == ("taken", 4)
    assert {one.run for one in result.warnings} == {run.run_id for run in result.runs[1:]}, "row 2 is clean"
    second, third, fourth = result.runs[1:]
    assert "ttft_mean_ms" not in second.values
    assert second.values["tpot_mean_ms"] == 17.2
    assert third.values["output_tps"] == 9999
    assert "tpot_mean_ms" not in fourth.values
    assert (fourth.values["ttft_mean_ms"], fourth.values["e2e_mean_ms"]) == (2300, 1900)
    assert kinds(result) == {"rejected_value", "contradiction"}
    assert "781.68" in next(one.text for one in result.warnings if one.run == third.run_id)


def test_h10_is_no_benchmark() -> None:
    result = first_look("h10")
    assert (result.status, result.runs) == ("refused", ())
    assert "No column looks like a measurement (found: Datum, Kunde, Betrag)" in result.reason
    assert "column:" in result.reason, "the manual column map is offered"
    mapped = read_sample(FILES["h10"], {"column:Betrag": "output_tps"}, folder="handmade")
    assert column(mapped, "output_tps") == [1200.0, 340.5]
