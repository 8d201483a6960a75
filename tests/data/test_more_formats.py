"""Formats and generations beyond the ones with a sample of their own: console texts, arrays, records; by hand."""

from __future__ import annotations

import json

import pytest

from data.readers import read_bytes, sample_path
from data.readers.intake import content as content_module
from data.readers.intake.registry import readers
from tests.data.reading import kinds, only, read_object, read_text, vllm

OLD_TRTLLM = """[TensorRT-LLM][INFO] Engine loaded
===========================================================
= ENGINE DETAILS
===========================================================
Model:\t\t\tmeta-llama/Llama-2-7b-hf
TensorRT-LLM Version:\t0.12.0
Dtype:\t\t\tfloat16
KV Cache Dtype:\t\tFP8
Quantization:\t\tFP8
TP Size:\t\t2
PP Size:\t\t1
Issue Rate (req/sec):\t3.68e+18
Number of requests:\t\t3000
Average Input Length (tokens):\t128.0
Average Output Length (tokens):\t64.0
Token Throughput (tokens/sec):\t12800.0
Request Throughput (req/sec):\t200.0
Total Latency (seconds):\t15.0
"""


def test_trtllm_console_old_words_mean_output_tokens() -> None:
    """200 requests/s of 64 tokens are 12,800 output tokens/s; 3000 / 200 = 15 s."""
    result = read_text(OLD_TRTLLM, "x.log")
    run = only(result)
    assert (result.format, result.tool_version) == ("trtllm_console", "0.12.0")
    assert (run.values["output_tps"], run.values["request_rps"], run.values["duration_s"]) == (12800, 200, 15)
    assert (run.values["weight_format"], run.values["kv_format"], run.values["device_count"]) == ("FP8", "FP8", 2)
    assert run.values["request_rate"] is None


def test_trtllm_console_twice_in_one_log_is_two_runs() -> None:
    text = sample_path(next(one for one in readers() if one.key == "trtllm_console")).read_text()
    other = text.replace("1600.0000", "1500.0000")
    result = read_text(text + other, "x.log")
    assert [run.values["output_tps"] for run in result.runs] == [1600.0, 1500.0]
    run = result.runs[0]
    # 209 + 199 * 9 = 2000 ms; the latency of a line of lengths ("P50: 1000 200 1200") is none
    assert (run.values["e2e_mean_ms"], run.values["ttft_p99_ms"], run.values["tpot_p50_ms"]) == (2000, 380, 9)
    assert run.values["device_count"] == 2


def test_vllm_throughput_as_printed() -> None:
    """Total 4000, output 1000 tokens/s; 100,000 output tokens take 100 s; 5 requests/s are 500 requests."""
    text = ("Throughput: 5.00 requests/s, 4000.00 total tokens/s, 1000.00 output tokens/s\n"
            "Total num prompt tokens:  300000\nTotal num output tokens:  100000\n")  # fmt: skip
    values = only(read_text(text, "x.log")).values
    assert (values["total_tps"], values["output_tps"], values["request_rps"]) == (4000, 1000, 5)
    assert (values["duration_s"], values["completed"], values["isl_mean"], values["osl_mean"]) == (100, 500, 600, 200)
    older = only(read_text("Throughput: 5.00 requests/s, 4000.00 tokens/s\n", "x.log")).values
    assert "output_tps" not in older, "the older line counts prompts too"


def test_vllm_latency_as_printed() -> None:
    text = "Avg latency: 1.25 seconds\n50% percentile latency: 1.2 seconds\n99% percentile latency: 1.4 seconds\n"
    values = only(read_text(text, "x.log")).values
    assert (values["e2e_mean_ms"], values["e2e_p50_ms"], values["e2e_p99_ms"]) == (1250, 1200, 1400)


def test_a_rate_that_rises_is_no_unlimited_rate() -> None:
    result = read_object(vllm(ramp_up_strategy="linear", ramp_up_start_rps=1, ramp_up_end_rps=20))
    run = only(result)
    assert "request_rate" not in run.values
    assert run.values["load_mode"] == "rate"
    assert "from 1 to 20" in next(one.text for one in result.warnings if one.kind == "ramp")


def test_a_decimal_comma_in_a_console_block_is_no_thousands_mark() -> None:
    block = (
        "============ Serving Benchmark Result ============\nSuccessful requests: 1,000\n"
        "Mean TTFT (ms): 11512,99\nOutput token throughput (tok/s): 12,345.5\n" + "=" * 50 + "\n"
    )
    values = only(read_text(block, "x.log")).values
    assert (values["completed"], values["output_tps"]) == (1000, 12345.5)
    assert "ttft_mean_ms" not in values


def test_results_for_the_pytorch_database_are_named() -> None:
    entry = {"benchmark": {"name": "b"}, "model": {"name": "m"}, "metric": {"name": "x", "benchmark_values": [1]}}
    assert "without .pytorch" in read_object([entry]).reason


def _k6(**shape: object) -> dict[str, object]:
    return {"version": "1.0.0", **shape}


METRICS = [
    {"name": "http_reqs", "type": "counter", "values": {"count": 100, "rate": 10.0}},
    {"name": "http_req_duration", "type": "trend", "values": {"avg": 850.0, "med": 840.0, "p90": 900.0, "max": 1e3}},
    {"name": "http_req_failed", "type": "rate", "values": {"rate": 0.02, "matches": 2, "total": 100}},
]


@pytest.mark.parametrize("record", [_k6(metrics=METRICS), _k6(results={"metrics": METRICS})])
def test_k6_summary_with_a_list_of_metrics(record: dict[str, object]) -> None:
    """10 attempted a second, 2 of 100 failed: 9.8 successes a second."""
    run = only(read_object(record))
    assert (run.values["e2e_mean_ms"], run.values["e2e_p90_ms"], run.values["request_rps"]) == (850, 900, 9.8)
    assert run.outcome == "partial"


def test_oha_counts_errors_and_bad_statuses_as_failures() -> None:
    """95 answered with 200, 3 with 500, 2 broken off: 5 of 100 failed; seconds; 10/s attempted are 9.5 successes."""
    record = {
        "summary": {"total": 10.0, "slowest": 1.0, "fastest": 0.5, "average": 0.85, "requestsPerSec": 10.0},
        "latencyPercentiles": {"p50": 0.84, "p99": 0.99, "p99.9": 1.0},
        "statusCodeDistribution": {"200": 95, "500": 3}, "errorDistribution": {"timeout": 2},
    }  # fmt: skip
    result = read_object(record)
    run = only(result)
    assert (run.values["num_requests"], run.values["failed"], run.values["request_rps"]) == (100, 5, 9.5)
    assert (run.values["e2e_mean_ms"], run.values["e2e_p99_ms"], run.values["e2e_max_ms"]) == (850, 990, 1000)
    assert "contain_failures" in kinds(result)


def test_locust_json_counts_up_its_histogram() -> None:
    """60 of 100 at 200 ms, 30 at 300, 10 at 500: median 200, 90th 300, 99th 500; mean 21,000 / 100."""
    entry = {"name": "/v1", "num_requests": 100, "num_none_requests": 0, "num_failures": 0, "start_time": 100.0,
             "last_request_timestamp": 110.0, "total_response_time": 21000.0, "max_response_time": 490.0,
             "min_response_time": 100.0, "response_times": {"200": 60, "300": 30, "500": 10}}  # fmt: skip
    values = only(read_object([entry])).values
    assert (values["e2e_p50_ms"], values["e2e_p90_ms"], values["e2e_p99_ms"]) == (200, 300, 490)
    assert (values["e2e_mean_ms"], values["request_rps"]) == (210, 10)


def test_jmeter_report_with_decimal_commas() -> None:
    """1,50 % of 200 are 3 failures; 10,5/s attempted are 10.5 * 197 / 200 successes."""
    text = ('Label,# Samples,Average,Median,90% Line,Min,Max,Error %,Throughput\n'
            'chat,200,"850,5",840,900,500,1000,"1,50%","10,5/sec"\n')  # fmt: skip
    values = only(read_text(text)).values
    assert (values["failed"], values["e2e_mean_ms"]) == (3, 850.5)
    assert values["request_rps"] == pytest.approx(10.5 * 197 / 200)


def _request(start: float, events: list[float], tokens: int, error: object = None) -> dict[str, object]:
    info = {"input_tokens": 100, "output_tokens": tokens, "output_token_times": events}
    return {"start_time": start, "end_time": events[-1] if events else start, "info": info, "error": error}


def test_inference_perf_requests_pooled() -> None:
    """Tokens 0.1 s apart after a first one at 0.5 s; 11 tokens: TTFT 500, TPOT 100, E2E 1500 ms. 2 * 11 in 2.5 s."""
    one, two = (_request(t, [t + 0.5 + 0.1 * n for n in range(11)], 11) for t in (10.0, 11.0))
    result = read_object([one, two, _request(10.0, [], 0, {"error_type": "x"})])
    values = only(result).values
    assert (values["completed"], values["failed"]) == (2, 1)
    assert values["ttft_mean_ms"] == pytest.approx(500)
    assert values["tpot_mean_ms"] == pytest.approx(100)
    assert values["e2e_mean_ms"] == pytest.approx(1500)
    assert values["output_tps"] == pytest.approx(22 / 2.5)


def test_inference_perf_two_events_a_token_leave_tpot_right() -> None:
    """21 events for 11 tokens 0.05 s apart: (last - first) / 10 = 100 ms a token, gaps of 50 ms."""
    result = read_object([_request(0.5, [1.0 + 0.05 * n for n in range(21)], 11)])
    values = only(result).values
    assert values["tpot_mean_ms"] == pytest.approx(100)
    assert values["itl_mean_ms"] == pytest.approx(50)
    assert "stream_events" in kinds(result)


def test_inference_perf_stages_are_not_pooled() -> None:
    records = [{**_request(t, [t + 0.5, t + 0.6], 2), "stage_id": stage} for stage, t in ((0, 10.0), (1, 20.0))]
    assert len(read_object(records).runs) == 2


def test_request_records_beyond_what_json_may_hold_are_pooled(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a limit of 50 JSON objects, 100 lines of AIPerf still give one run of 100 requests."""
    monkeypatch.setattr(content_module, "MAX_JSON_CONTAINERS", 50)
    line = {"metadata": {"request_start_ns": 0, "request_end_ns": 10**9, "benchmark_phase": "profiling"},
            "metrics": {"time_to_first_token": {"value": 50.0, "unit": "ms"}}, "error": None}  # fmt: skip
    lines = [json.dumps({**line, "metadata": {**line["metadata"], "request_end_ns": 10**9 + n}}) for n in range(100)]
    result = read_bytes("profile_export.jsonl", ("\n".join(lines) + "\nbroken\n").encode())
    run = only(result)
    assert (run.values["completed"], run.values["ttft_mean_ms"]) == (100, 50.0)
    assert [(one.line, one.why) for one in result.skipped] == [(101, "not valid JSON")]


def test_sglang_offline_is_over_the_wall_time() -> None:
    record = {"backend": "engine", "successful_requests": 100, "total_latency": 20.0, "total_input_tokens": 102400,
              "total_output_tokens": 12800, "request_throughput": 5.0, "input_throughput": 5120.0,
              "output_throughput": 640.0, "total_throughput": 5760.0}  # fmt: skip
    run = only(read_object(record))
    assert (run.values["isl_mean"], run.values["osl_mean"], run.values["output_tps"]) == (1024, 128, 640)
    assert run.values["load_mode"] == "offline"


def test_aiperf_with_falling_percentiles_is_still_aiperf() -> None:
    """GenAI-Perf writes no standard deviation and no duration."""
    text = "Metric,avg,min,max,p99,p90,std\nTime to First Token (ms),80,50,120,118,110,10\n"
    text += "\nMetric,Value\nRequest Count,24\n"
    assert read_text(text).format == "aiperf_csv"
    assert read_text(text.replace(",std", "").replace(",10\n", "\n")).format == "genai_perf_csv"


def test_guidellm_one_benchmark_alone() -> None:
    path = sample_path(next(one for one in readers() if one.key == "guidellm"))
    whole = json.loads(path.read_text())
    alone = read_object(whole["benchmarks"][0])
    assert alone.format == "guidellm"
    assert only(alone).values["e2e_mean_ms"] == read_object(whole).runs[0].values["e2e_mean_ms"]


def test_prometheus_answers_in_a_list_are_one_run() -> None:
    def query(name: str, first: str, last: str) -> dict[str, object]:
        series = {"metric": {"__name__": name}, "values": [[1700000000, first], [1700000060, last]]}
        return {"status": "success", "data": {"resultType": "matrix", "result": [series]}}

    answers = [query("vllm:generation_tokens_total", "1000", "7000"), query("vllm:request_success_total", "10", "70")]
    values = only(read_object(answers)).values
    assert (values["output_tps"], values["completed"]) == (100, 60)
    assert only(read_object(answers[0]["data"])).values["output_tps"] == 100


def test_llama_bench_rates_with_thousands_marks() -> None:
    text = "| model | size | params | test | t/s |\n|---|---|---|---|---|\n"
    text += "| llama 8B Q4_0 | 4 GiB | 8 B | pp512 | 1,200.5 ± 3 |\n"
    assert only(read_text(text, "x.md")).values["prefill_tps"] == 1200.5
