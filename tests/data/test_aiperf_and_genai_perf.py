"""AIPerf and GenAI-Perf in all their files, against figures read off the files by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.readers import ReadResult, read_bytes, readers, sample_path
from data.readers.intake.twins import same_run
from tests.data.reading import kinds, only, read_object, read_sample, read_text


def metric(unit: str, avg: float, **more: float) -> dict[str, Any]:
    return {"unit": unit, "avg": avg, **more}


def report(**changes: Any) -> dict[str, Any]:
    """An AIPerf report whose figures agree: 100 requests of 1000/101 tokens in 10 s, 10 in flight."""
    found: dict[str, Any] = {
        "aiperf_version": "0.3.0",
        "request_throughput": metric("requests/sec", 10.0),
        "request_latency": metric("ms", 950.0, p50=940.0, p99=990.0),
        "request_count": metric("requests", 100.0),
        "time_to_first_token": metric("ms", 50.0, p50=49.0, p99=60.0),
        "inter_token_latency": metric("ms", 9.0, p50=8.9, p99=9.9),
        "output_token_throughput": metric("tokens/sec", 1010.0),
        "output_sequence_length": metric("tokens", 101.0, min=101.0, max=101.0, std=0.0),
        "input_sequence_length": metric("tokens", 1000.0, std=0.0),
        "benchmark_duration": metric("sec", 10.0),
        "input_config": {
            "models": {"items": [{"name": "org/model"}]},
            "phases": [{"kind": "profiling", "type": "concurrency", "concurrency": 10}],
        },
    }
    return {key: value for key, value in {**found, **changes}.items() if value is not None}


def sample(key: str) -> ReadResult:
    path = sample_path(next(reader for reader in readers() if reader.key == key))
    return read_bytes(path.name, path.read_bytes())


def test_inter_token_latency_is_a_tpot_here() -> None:
    """One value a request: TPOT. The gaps between chunks are called inter chunk latency."""
    run = only(read_object(report(inter_chunk_latency=metric("ms", 9.1))))
    assert (run.values["tpot_mean_ms"], run.values["tpot_p99_ms"]) == (9.0, 9.9)
    assert run.values["itl_mean_ms"] == 9.1
    assert run.fields["tpot_mean_ms"].path == "$.inter_token_latency.avg"
    assert (run.values["model_raw"], run.values["concurrency"], run.values["load_mode"]) == (
        "org/model",
        10,
        "concurrency",
    )


UNITS = [("ns", 5e7, 50.0), ("us", 50_000.0, 50.0), ("ms", 50.0, 50.0), ("s", 0.05, 50.0), ("sec", 0.05, 50.0)]


@pytest.mark.parametrize(("unit", "value", "expected"), UNITS)
def test_every_metric_brings_its_own_unit(unit: str, value: float, expected: float) -> None:
    run = only(read_object(report(time_to_first_token=metric(unit, value))))
    assert run.values["ttft_mean_ms"] == pytest.approx(expected)
    assert run.fields["ttft_mean_ms"].unit == unit


def test_an_unknown_unit_is_left_out() -> None:
    result = read_object(report(time_to_first_token=metric("fortnights", 1.0)))
    assert "ttft_mean_ms" not in only(result).values
    assert "fortnights" in next(one.text for one in result.warnings if one.kind == "rejected_value")


def test_valid_and_failed_requests_are_told_apart() -> None:
    """`request_count` counts the valid ones, `completed_request_count` all that came back: 90 + 10 = 100."""
    counts = {"request_count": metric("requests", 90.0), "completed_request_count": metric("requests", 100.0)}
    counts["error_request_count"] = metric("requests", 10.0)
    run = only(read_object(report(**counts)))
    assert (run.values["completed"], run.values["failed"], run.values["num_requests"]) == (90, 10, 100)
    assert run.outcome == "partial"


def test_a_cancelled_benchmark_is_partial() -> None:
    result = read_object(report(was_cancelled=True))
    assert only(result).outcome == "partial"
    assert "cancelled" in kinds(result)


def test_error_adjusted_twins_are_not_the_series() -> None:
    text = (
        "Metric,avg,min,max,sum,p1,p50,p99,std\n"
        "Request Latency (ms),950.00,900.00,990.00,,900.00,950.00,990.00,1.00\n"
        "Request Latency (error-adjusted) (ms),700.00,,,,,,,\n"
        "Request Latency (ms) (error-adjusted),600.00,,,,,,,\n\n"
        "Metric,Value\nRequest Count,90.00\nError Request Count,10.00\n"
    )
    run = only(read_text(text))
    assert (run.values["e2e_mean_ms"], run.values["failed"]) == (950.0, 10)


@pytest.mark.parametrize("header", ["avg,min,max,p50", "avg,p99,std,p50,min,max,p90", "avg"])
def test_statistics_are_read_by_column_name(header: str) -> None:
    cells = {"avg": "5.00", "min": "1.00", "max": "9.00", "p50": "4.00", "p90": "8.00", "p99": "8.90", "std": "2.00"}
    row = ",".join(cells[name] for name in header.split(","))
    run = only(read_text(f"Metric,{header}\nTime to First Token (ms),{row}\n"))
    names = {"avg": "mean"}
    for name in header.split(","):
        assert run.values[f"ttft_{names.get(name, name)}_ms"] == float(cells[name])


def test_triton_437_old_names_and_nanoseconds() -> None:
    """Request latency 4,110,623,430 ns = 4110.6 ms; three rows only: not streamed."""
    text = (
        "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\r\n"
        'Request latency (ns),"4,110,623,430","4,000,000,000","4,200,000,000",N/A,N/A,N/A,N/A,"4,110,000,000",N/A\r\n'
        "Num output token,100,90,110,N/A,N/A,N/A,N/A,100,N/A\r\n"
        "Num input token,550,550,550,N/A,N/A,N/A,N/A,550,N/A\r\n\r\n"
        "Metric,Value\r\nOutput token throughput (per sec),24.33\r\nRequest throughput (per sec),0.24\r\n"
    )
    result = read_text(text)
    run = only(result)
    assert result.format == "genai_perf_csv"
    assert run.values["e2e_mean_ms"] == pytest.approx(4110.62343)
    assert (run.values["osl_mean"], run.values["isl_mean"], run.values["output_tps"]) == (100, 550, 24.33)
    assert not any(name.startswith(("ttft", "tpot", "itl")) for name in run.values)
    assert "e2e_p99_ms" not in run.values, "N/A is missing, not zero"


def test_thousands_marks_and_power_of_devices() -> None:
    """Two boards of 410.5 and 389.5 W: 800 W."""
    text = (
        "Metric,avg,min,max,p99,p50,p1\n"
        'Time To First Token (ms),"1,146.31","1,000.00","3,485.23","3,457.97",640.07,1.00\n\n'
        "Metric,GPU,avg,min,max,p99,p50,p1\n"
        "GPU Power Usage (W),gpu0,410.50,,,,,\nGPU Power Usage (W),gpu1,389.50,,,,,\n"
        "GPU Memory Used (GB),gpu1,4.00,,,,,\n\nMetric,GPU,Value\nGPU Power Limit (W),gpu0,700.00\n"
    )
    run = only(read_text(text))
    assert run.values["ttft_mean_ms"] == 1146.31
    assert (run.values["device_count"], run.values["power_w"], run.values["power_scope"]) == (2, 800.0, "gpu")


def test_a_row_with_cells_too_many_is_refused_alone() -> None:
    text = "Metric,avg,p99,p50\nTime To First Token (ms),5.0,8.9,4.0\nRequest Latency (ms),5.0,8.9,4.0,3.0,2.0\n"
    result = read_text(text)
    assert "e2e_mean_ms" not in only(result).values
    assert [(one.line, one.why) for one in result.skipped] == [(3, "6 cells under 4 headers")]


def test_semicolons_and_decimal_commas_of_a_spreadsheet() -> None:
    text = "Metric;avg;p99;p50\nTime To First Token (ms);5,25;8,9;4,0\nRequest Latency (ms);1.005,25;1.008,9;1.004,0\n"
    run = only(read_text(text))
    assert (run.values["ttft_mean_ms"], run.values["e2e_mean_ms"]) == (5.25, 1005.25)


GENAI_CONFIGS: list[dict[str, Any]] = [
    {"model": ["m"], "concurrency": 4, "request_rate": None, "synthetic_input_tokens_mean": 550},
    {
        "model_names": ["m"],
        "perf_analyzer": {"stimulus": {"concurrency": 4}},
        "input": {"synthetic_tokens": {"mean": 550}},
    },
    {
        "endpoint": {"model_names": ["m"], "streaming": True},
        "loadgen": {"concurrency": 4},
        "input": {"prompt": {"input_tokens": {"mean": 550}}},
    },
]


@pytest.mark.parametrize("config", GENAI_CONFIGS)
def test_settings_in_every_shape_they_have_had(config: dict[str, Any]) -> None:
    result = read_object(report(aiperf_version=None, input_config={**config, "output_tokens_mean": -1}))
    run = only(result)
    assert result.format == "genai_perf"
    assert (run.values["model_raw"], run.values["concurrency"], run.values["isl_nominal"]) == ("m", 4, 550)
    assert "osl_nominal" not in run.values, "-1 means that nothing was asked for"


def test_early_aiperf_keeps_metrics_under_records() -> None:
    whole = report(aiperf_version=None)
    config = whole.pop("input_config")
    result = read_object({"records": whole, "input_config": config, "was_cancelled": False, "error_summary": []})
    assert result.format == "aiperf"
    assert only(result).fields["ttft_mean_ms"].path == "$.records.time_to_first_token.avg"


def test_a_rate_in_place_of_a_concurrency() -> None:
    config = {"phases": [{"kind": "warmup", "concurrency": 1}, {"kind": "profiling", "type": "poisson", "rate": 10.0}]}
    run = only(read_object(report(input_config=config)))
    assert (run.values["request_rate"], run.values["load_mode"]) == (10.0, "rate")
    assert "concurrency" not in run.values


def test_prompts_are_not_a_result() -> None:
    result = read_sample("aiperf_0.13_inputs.json")
    assert result.status == "refused"
    assert "inputs.json" in result.reason
    assert "profile_export_aiperf" in result.reason


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ({"data": [{"payload": [{"model": "m", "messages": []}]}]}, "inputs.json"),
        ({"experiments": [{"experiment": {"mode": "concurrency", "value": 1}, "requests": []}], "version": "1"}, "raw"),
    ],
)
def test_what_comes_before_a_result_is_named(content: dict[str, Any], word: str) -> None:
    result = read_object(content)
    assert result.status == "refused"
    assert word in result.reason
    assert "profile_export_genai_perf" in result.reason


def test_vllm_44708_client_counts_twice_the_servers_tokens() -> None:
    """48 by the client, 24 by the server: 425.48 / 2 = 212.7 tokens/s and (424.85 - 80.14) / 23 = 14.99 ms offered."""
    result = read_sample("aiperf_0.13_c4.json")
    run = only(result)
    assert run.values["output_tps"] == pytest.approx(425.4847175549656)
    assert run.values["tpot_mean_ms"] == pytest.approx(7.3342791152482265)
    text = next(one.text for one in result.warnings if "2.0x the server's tokens" in one.text)
    assert "212.7" in text
    offers = {one.field: one.proposal for one in result.questions}
    assert float(offers["output_tps"]) == pytest.approx(212.74, abs=0.01)
    assert float(offers["tpot_mean_ms"]) == pytest.approx((424.8512752 - 80.1401568) / 23, abs=1e-3)
    assert "chunked_itl" not in kinds(result), "the miscount explains why ITL is twice TPOT"
    taken = only(read_sample("aiperf_0.13_c4.json", {"output_tps": "212.74"}))
    assert (taken.values["output_tps"], taken.fields["output_tps"].origin) == (212.74, "person")
    assert "425.48" in taken.fields["output_tps"].path


def test_perf_analyzer_433_reasoning_is_output_counted_once() -> None:
    """38 tokens of content, 474 of reasoning, 512 by the server: 512, never 550."""
    lengths = {"output_sequence_length": metric("tokens", 38.0), "output_token_count": metric("tokens", 38.0)}
    lengths["reasoning_token_count"] = metric("tokens", 474.0)
    lengths["usage_completion_tokens"] = metric("tokens", 512.0)
    result = read_object(report(**lengths))
    assert only(result).values["osl_mean"] == 512
    assert "content 38" in next(one.text for one in result.warnings if one.kind == "reasoning")


def test_one_run_in_three_files() -> None:
    """CSV rounds to 0.01, records are pooled anew: the same 24 requests, means of 80.14 and 424.85 ms."""
    names = ("aiperf_0.13_c4.json", "aiperf_0.13_c4.csv", "aiperf_0.13_c4_records.jsonl")
    whole, table, pooled = (only(read_sample(name)) for name in names)
    for run in (table, pooled):
        assert same_run(whole, run)
        assert same_run(run, whole)
        for name in ("ttft_mean_ms", "tpot_p99_ms", "itl_p50_ms", "e2e_p95_ms"):
            assert run.values[name] == pytest.approx(whole.values[name], abs=0.0051)
    assert pooled.values["duration_s"] == pytest.approx((1796036493204313518 - 1796036490507900000) / 1e9, rel=1e-3)
    assert not same_run(whole, only(read_sample("aiperf_0.13_nonstreaming_rate10.csv")))
    assert (whole.values["started_at"], whole.values["concurrency_peak"]) == ("2026-11-30T11:01:30.497814", 4)


def test_without_streaming_there_is_no_first_token() -> None:
    for name in ("aiperf_0.13_nonstreaming_rate10.json", "aiperf_0.13_nonstreaming_rate10.csv"):
        run = only(read_sample(name))
        assert run.values["e2e_mean_ms"] == pytest.approx(258.84, abs=0.01)
        assert not any(key.startswith(("ttft", "tpot", "itl")) for key in run.values)
        assert "not streamed" in str(run.values["notes"])
    assert only(read_sample("aiperf_0.13_nonstreaming_rate10.json")).values["request_rate"] == 10.0


def test_records_keep_warm_up_and_failures_apart() -> None:
    """Of 5 requests one warms up, one fails, one is cut off: 2 answered, mean TTFT (10 + 20) / 2 = 15 ms, 2 s."""

    def request(start_s: float, ttft: float | None, phase: str = "profiling", **more: Any) -> dict[str, Any]:
        metadata = {"request_start_ns": int(start_s * 1e9), "request_end_ns": int((start_s + 1) * 1e9)}
        metadata |= {"benchmark_phase": phase} | more.pop("meta", {})
        values = {"time_to_first_token": {"value": ttft, "unit": "ms"}, "request_latency": {"value": 1e3, "unit": "ms"}}
        values["output_sequence_length"] = {"value": 10, "unit": "tokens"}
        values["inter_chunk_latency"] = {"value": [1.0, 2.0, 3.0], "unit": "ms"}
        return {"metadata": metadata, "metrics": values if ttft else {}, "error": None, **more}

    lines = [
        request(99.0, 99.0, "warmup"),
        request(100.0, 10.0),
        request(101.0, 20.0),
        request(100.5, None, error={"message": "HTTP 500"}),
        request(100.5, 5.0, meta={"was_cancelled": True}),
    ]
    result = read_bytes("r.jsonl", "\n".join(json.dumps(line) for line in lines).encode())
    run = only(result)
    assert (run.values["num_requests"], run.values["completed"], run.values["failed"], run.values["incomplete"]) == (
        4,
        2,
        1,
        1,
    )
    assert (run.values["ttft_mean_ms"], run.values["itl_mean_ms"], run.values["itl_p50_ms"]) == (15.0, 2.0, 2.0)
    assert (run.values["duration_s"], run.values["output_tps"]) == (2.0, 10.0)
    assert run.outcome == "partial"
    assert "warmup" in result.skipped[0].why
    assert run.fields["ttft_mean_ms"].origin == "derived"


@pytest.mark.parametrize(("name", "streamed"), [(0, True), (2, False), (3, True)])
def test_genai_perf_of_the_collection(name: int, streamed: bool) -> None:
    """The tool's own unit test figures: TTFT 8, request latency 5, inter token latency 11, 3 requests."""
    result = read_sample(f"genai_perf_unit_expected_{name}.csv")
    run = only(result)
    assert (result.status, result.format) == ("taken", "genai_perf_csv")
    assert (run.values["e2e_mean_ms"], run.values["e2e_p90_ms"], run.values["request_rps"]) == (5.0, 5.8, 123.0)
    assert run.values["completed"] == 3
    assert ("ttft_mean_ms" in run.values, run.values.get("tpot_mean_ms")) == (streamed, 11.0 if streamed else None)
    assert "itl_mean_ms" not in run.values
    assert ("contradiction" in kinds(result)) == streamed, "a first token at 8 ms of a request that ends at 5 ms"
    assert run.values.get("power_w") == (45.85 if name == 3 else None)


@pytest.mark.parametrize("keys", [("aiperf", "aiperf_csv", "aiperf_records"), ("genai_perf", "genai_perf_csv")])
def test_samples_of_one_run_are_one(keys: tuple[str, ...]) -> None:
    first, *others = (only(sample(key)) for key in keys)
    assert all(same_run(first, other) for other in others)
