"""Prometheus scrapes and query results, against arithmetic by hand."""

from __future__ import annotations

from typing import Any

import pytest

from data.readers.metrics_text.serving import quantile
from tests.data.reading import kinds, only, read_object, read_sample, read_text

LABELS = '{model_name="m",engine="0"}'


def counter(name: str, value: float, labels: str = LABELS) -> str:
    return f"vllm:{name}{labels} {value}\n"


def histogram(name: str, total: float, buckets: dict[str, float], engine: str = "0", prefix: str = "vllm:") -> str:
    labels = f'model_name="m",engine="{engine}"'
    lines = [f'{prefix}{name}_bucket{{le="{bound}",{labels}}} {count}\n' for bound, count in buckets.items()]
    count = list(buckets.values())[-1]
    return f"# TYPE {prefix}{name} histogram\n" + "".join(lines) + (
        f"{prefix}{name}_sum{{{labels}}} {total}\n{prefix}{name}_count{{{labels}}} {count}\n"
    )  # fmt: skip


def test_vllm_19776_old_time_per_token_is_the_gap_between_tokens() -> None:
    """Sum 0.190 over 6 gaps: 31.7 ms between tokens; no TPOT."""
    text = f"vllm:time_per_output_token_seconds_sum{LABELS} 0.190\nvllm:time_per_output_token_seconds_count{LABELS} 6\n"
    run = only(read_text(text, "m.txt"))
    assert run.values["itl_mean_ms"] == pytest.approx(190 / 6)
    assert not any(name.startswith("tpot") for name in run.values)
    newer = (
        text.replace("time_per_output", "request_time_per_output").replace("0.190", "3.641").replace(" 6\n", " 600\n")
    )
    run = only(read_text(newer, "m.txt"))
    assert run.values["tpot_mean_ms"] == pytest.approx(3641 / 600)
    assert "itl_mean_ms" not in run.values


def test_vllm_19776_both_names_are_never_added() -> None:
    old = histogram("time_per_output_token_seconds", 5.0, {"1.0": 100, "+Inf": 100})
    new = histogram("inter_token_latency_seconds", 1.0, {"0.1": 100, "+Inf": 100})
    assert only(read_text(old + new, "m.txt")).values["itl_mean_ms"] == 10.0


def test_one_scrape_is_the_life_of_the_server() -> None:
    text = counter("generation_tokens_total", 5000) + histogram("e2e_request_latency_seconds", 20.0, {"+Inf": 10})
    result = read_text(text, "m.txt")
    assert "since_start" in kinds(result)
    assert not any(name.endswith("_tps") for name in only(result).values)
    assert (only(result).values["model_raw"], only(result).values["engine"]) == ("m", "vllm")


def scrape(tokens: float, done: float, seconds: float, stamp: str = "") -> str:
    lines = counter("generation_tokens_total", tokens)
    lines += counter("request_success_total", done, '{finished_reason="length",model_name="m"}')
    lines += histogram("e2e_request_latency_seconds", seconds, {"1.0": done / 2, "2.0": done, "+Inf": done})
    return "".join(
        line + (f" {stamp}" if stamp and not line.startswith("#") else "") + "\n" for line in lines.splitlines()
    )


def test_two_scrapes_give_the_run_between_them() -> None:
    """100 s apart: 9000 tokens more, 90 a second; 90 requests more, 0.9 a second; 90 s of latencies, 1 s each."""
    text = scrape(1000, 10, 500.0, "1700000000000") + scrape(10_000, 100, 590.0, "1700000100000")
    result = read_text(text, "m.txt")
    run = only(result)
    assert "since_start" not in kinds(result)
    assert (run.values["duration_s"], run.values["output_tps"], run.values["request_rps"]) == (100, 90, 0.9)
    assert (run.values["completed"], run.values["e2e_mean_ms"]) == (90, 1000)
    dated = (
        f"# at 2026-01-02T01:00:00Z\n{scrape(1000, 10, 500.0)}# at 2026-01-02T01:01:40Z\n{scrape(10_000, 100, 590.0)}"
    )
    assert only(read_text(dated, "m.txt")).values["output_tps"] == 90
    untimed = only(read_text(scrape(1000, 10, 500.0) + scrape(10_000, 100, 590.0), "m.txt"))
    assert (untimed.values["completed"], "output_tps" in untimed.values) == (90, False)


def test_a_counter_that_falls_has_restarted() -> None:
    """1000, then after a restart 400: 400 tokens more, never 600 fewer."""
    text = scrape(1000, 10, 500.0, "1700000000000") + scrape(400, 4, 4.0, "1700000100000")
    result = read_text(text, "m.txt")
    assert "counter_reset" in kinds(result)
    assert only(result).values["total_output_tokens"] == 400
    assert only(result).values["output_tps"] == 4.0


def test_buckets_are_summed_over_engines_before_the_quantile() -> None:
    """10 below 0.1 s on one engine, 30 from 0.1 to 0.2 s on the other: the 20th of 40 lies 10/30 into the bucket."""
    zero = histogram("time_to_first_token_seconds", 0.5, {"0.1": 10, "0.2": 10, "+Inf": 10}, "0")
    one = histogram("time_to_first_token_seconds", 4.5, {"0.1": 0, "0.2": 30, "+Inf": 30}, "1")
    run = only(read_text(zero + one, "m.txt"))
    assert run.values["ttft_p50_ms"] == pytest.approx(100 + 100 / 3)
    assert run.values["ttft_mean_ms"] == pytest.approx(5000 / 40)


def test_a_quantile_above_the_largest_bound_is_said_not_invented() -> None:
    text = histogram("e2e_request_latency_seconds", 100.0, {"1.0": 50, "2.5": 80, "+Inf": 100})
    result = read_text(text, "m.txt")
    assert "e2e_p95_ms" not in only(result).values
    assert "> 2500 ms" in next(one.text for one in result.warnings if one.kind == "above_largest_bucket")


@pytest.mark.parametrize(
    ("share", "buckets", "expected"),
    [
        (0.5, [(1.0, 10), (2.0, 10), (float("inf"), 10)], 0.5),
        (0.5, [(1.0, 0), (2.0, 10), (float("inf"), 10)], 1.5),
        (0.9, [(1.0, 50), (float("inf"), 100)], float("inf")),
        (0.5, [(1.0, 0), (float("inf"), 0)], None),
        (0.5, [], None),
    ],
)
def test_quantiles(share: float, buckets: list[tuple[float, float]], expected: float | None) -> None:
    assert quantile(share, buckets) == expected


def test_failed_requests_by_reason_and_created_lines_are_no_data() -> None:
    text = counter("request_success_total", 90, '{finished_reason="length",model_name="m"}')
    text += counter("request_success_total", 6, '{finished_reason="abort",model_name="m"}')
    text += counter("request_success_created", 1.7e9) + histogram("e2e_request_latency_seconds", 9.0, {"+Inf": 90})
    run = only(read_text(text, "m.txt"))
    assert (run.values["completed"], run.values["failed"], run.outcome) == (90, 6, "partial")


def test_sglang_and_tgi_names() -> None:
    sglang = histogram("e2e_request_latency_seconds", 20.0, {"+Inf": 10}, prefix="sglang:")
    assert only(read_text(sglang, "m.txt")).values["engine"] == "sglang"
    tgi = histogram("request_duration", 20.0, {"+Inf": 10}, prefix="tgi_")
    tgi += histogram("request_mean_time_per_token_duration", 5.0, {"+Inf": 10}, prefix="tgi_")
    tgi += histogram("request_generated_tokens", 500.0, {"+Inf": 10}, prefix="tgi_")
    run = only(read_text(tgi, "m.txt"))
    assert (run.values["e2e_mean_ms"], run.values["osl_mean"]) == (2000, 50)
    assert not any(name.startswith(("tpot", "itl")) for name in run.values), "a mean with the prefill inside"


def test_a_scrape_of_something_else_is_refused() -> None:
    result = read_text("# TYPE node_cpu_seconds_total counter\nnode_cpu_seconds_total 5\n", "m.txt")
    assert result.status == "refused"
    assert "serving engine" in result.reason


def query(*series: dict[str, Any], kind: str = "matrix") -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": kind, "result": list(series)}}


def test_query_range_values_are_texts() -> None:
    """1000 to 4000 tokens in 60 s: 50 a second; "NaN" is no value."""
    tokens = {"metric": {"__name__": "vllm:generation_tokens_total", "model_name": "m"},
              "values": [[1700000000, "1000"], [1700000030, "NaN"], [1700000060, "4000"]]}  # fmt: skip
    done = {"metric": {"__name__": "vllm:request_success_total", "finished_reason": "stop"},
            "values": [[1700000000, "0"], [1700000060, "30"]]}  # fmt: skip
    run = only(read_object(query(tokens, done)))
    assert (run.values["output_tps"], run.values["completed"], run.values["duration_s"]) == (50, 30, 60)


def test_query_without_a_name_is_asked_and_percentiles_are_never_averaged() -> None:
    result = query({"metric": {}, "values": [[1700000000, "100"], [1700000060, "300"]]})
    asked = read_object(result)
    assert asked.status == "questions"
    taken = read_object(result, **{"meaning:series": "output_tps"})
    assert only(taken).values["output_tps"] == 200
    refused = read_object(result, **{"meaning:series": "ttft_p99_ms"})
    assert refused.status == "refused"
    assert "averaged" in refused.reason


@pytest.mark.parametrize(
    "answer",
    [
        {"status": "error", "errorType": "bad_data", "error": "parse error"},
        query(),
        query({"metric": {}, "values": []}),
    ],
)
def test_queries_that_gave_nothing_are_refused(answer: dict[str, Any]) -> None:
    assert read_object(answer).status == "refused"


def test_reference_scrapes() -> None:
    """998.1225105317717 s over 164 629 gaps; 307 200 prompt tokens of 600 requests."""
    run = only(read_sample("prometheus_vllm_0.25.1_loaded.txt"))
    assert run.values["itl_mean_ms"] == pytest.approx(1000 * 998.1225105317717 / 164_629)
    assert run.values["tpot_mean_ms"] == pytest.approx(1000 * 3.6413589966192417 / 600)
    assert run.values["e2e_mean_ms"] == pytest.approx(1000 * 999.2306158542633 / 600)
    assert (run.values["isl_mean"], run.values["osl_mean"], run.values["completed"]) == (512, 256, 600)
    assert run.values["ttft_p50_ms"] == pytest.approx(1000 * (0.1 + 0.15 * (332 - 166) / (593 - 166)))
    assert run.values["prefix_hit_rate"] == pytest.approx(2480 / 339_968)
    old = only(read_sample("prometheus_vllm_old_names_excerpt.txt"))
    assert old.values["itl_mean_ms"] == pytest.approx(1000 * 0.19016313552856445 / 6)
    assert not any(name.startswith("tpot") for name in old.values)


def test_queries_and_power_series_are_named_and_refused() -> None:
    assert "PromQL" in read_sample("prometheus_queries_vllm_golden.txt").reason
    assert "power" in read_sample("dcgm_power_usage.csv").reason
