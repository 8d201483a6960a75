"""llmperf, inference-perf and llm-d reports, against figures read off the files by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from data.readers import read_bytes
from tests.data.reading import kinds, only, read_object, read_sample, read_text


def llmperf(**changes: Any) -> dict[str, Any]:
    """A summary of 20 requests, 120 completed a minute; None drops a key."""
    record: dict[str, Any] = {
        "version": "2023-08-31", "model": "m", "mean_input_tokens": 550, "mean_output_tokens": 150,
        "num_concurrent_requests": 5, "results_ttft_s_quantiles_p50": 0.5, "results_ttft_s_mean": 0.6,
        "results_end_to_end_latency_s_mean": 2.4, "results_inter_token_latency_s_mean": 0.024,
        "results_number_input_tokens_mean": 550.0, "results_number_output_tokens_mean": 100.0,
        "results_num_requests_started": 20, "results_number_errors": 0, "results_num_completed_requests": 20,
        "results_num_completed_requests_per_min": 120.0, "results_mean_output_throughput_token_per_s": 200.0,
    }  # fmt: skip
    return {key: value for key, value in {**record, **changes}.items() if value is not None}


def stage(**changes: Any) -> dict[str, Any]:
    """One inference-perf stage of 100 requests at 10 a second, tokens and times agreeing."""
    one: dict[str, Any] = {
        "load_summary": {"count": 100, "requested_rate": 10.0, "achieved_rate": 10.0, "send_duration": 10.0},
        "successes": {
            "count": 100,
            "latency": {
                "request_latency": {"mean": 1.0, "median": 0.9, "p99": 2.0, "p99.9": 2.5, "max": 3.0},
                "time_to_first_token": {"mean": 0.1, "median": 0.09},
                "time_per_output_token": {"mean": 0.01},
                "inter_token_latency": {"mean": 0.01, "median": 0.01},
            },
            "throughput": {"output_tokens_per_sec": 910.0, "requests_per_sec": 10.0},
            "prompt_len": {"mean": 200.0},
            "output_len": {"mean": 91.0, "p10": 91.0, "p90": 91.0},
        },
        "failures": {"count": 0},
    }  # fmt: skip
    return {**one, **changes}


def test_llmperf_counts_a_minute_and_seconds() -> None:
    """120 completed a minute are 2 a second, as 2.0 requests/s of any other tool; 0.5 s are 500 ms."""
    run = only(read_object(llmperf()))
    assert run.values["request_rps"] == pytest.approx(2.0)
    assert (run.fields["request_rps"].origin, run.fields["request_rps"].unit) == ("converted", "1/min")
    assert run.values["ttft_p50_ms"] == 500.0
    assert (run.values["isl_nominal"], run.values["isl_mean"], run.values["load_mode"]) == (550, 550, "concurrency")


def test_llmperf_gap_between_tokens_is_neither_tpot_nor_itl() -> None:
    """Its figure is E2E / tokens with the first token inside (2.4 s / 100); what TPOT would be is offered, 18.18 ms."""
    result = read_object(llmperf())
    assert not any(name.startswith(("tpot", "itl")) for name in only(result).values)
    assert any("inter_token_latency" in one.why for one in result.skipped)
    offer = next(one for one in result.questions if one.field == "meaning:tpot")
    assert "18.18" in offer.text
    taken = only(read_object(llmperf(), **{"meaning:tpot": "derive"}))
    assert taken.values["tpot_mean_ms"] == pytest.approx(1800 / 99)
    assert taken.fields["tpot_mean_ms"].origin == "derived"


def test_llmperf_errors_make_a_partial_run() -> None:
    run = only(read_object(llmperf(results_num_completed_requests=15, results_number_errors=5)))
    assert (run.outcome, run.values["failed"], run.values["completed"]) == ("partial", 5, 15)


def test_llmperf_single_requests_become_one_run() -> None:
    """E2E 1.1 and 2.1 s, TTFT 0.1 s, 11 and 21 tokens: TPOT (1.1 - 0.1) / 10 = 100 ms for both; the error counts."""
    rows = [
        {"error_code": None, "ttft_s": 0.1, "end_to_end_latency_s": 1.1, "number_output_tokens": 11,
         "number_input_tokens": 50, "inter_token_latency_s": 0.1},
        {"error_code": None, "ttft_s": 0.1, "end_to_end_latency_s": 2.1, "number_output_tokens": 21,
         "number_input_tokens": 70, "inter_token_latency_s": 0.1},
        {"error_code": 429, "error_msg": "rate limit", "ttft_s": 0, "end_to_end_latency_s": 0,
         "number_output_tokens": 0, "number_input_tokens": 50},
    ]  # fmt: skip
    run = only(read_object(rows))
    assert (run.outcome, run.values["num_requests"], run.values["completed"]) == ("partial", 3, 2)
    assert run.values["tpot_mean_ms"] == pytest.approx(100.0)
    assert run.values["e2e_mean_ms"] == pytest.approx(1600.0)
    assert (run.values["isl_mean"], run.values["osl_mean"]) == (60, 16)


def test_llmperf_reference_files() -> None:
    """89.0358867148797 a minute are 1.4839 a second; 8 concurrencies of the variant, its lengths nominal only."""
    run = only(read_sample("llmperf_summary_together_7b.json"))
    assert run.values["request_rps"] == pytest.approx(89.0358867148797 / 60)
    assert run.values["ttft_p99_ms"] == pytest.approx(936.1088764299665)
    assert run.values["e2e_mean_ms"] == pytest.approx(2317.345946679995)
    assert (run.values["output_tps"], run.values["osl_mean"]) == (255.82978116075432, 172.4)
    table = read_sample("llmperf_variant_tgi_concurrency_map.json")
    assert [run.values["concurrency"] for run in table.runs] == [1, 2, 4, 8, 16, 32, 64, 128]
    last = table.runs[-1].values
    assert (last["ttft_mean_ms"], last["output_tps"]) == (17327.640365461037, 396.16427670787317)
    assert "tpot_mean_ms" not in last
    assert "isl_mean" not in last
    records = read_sample("llmperf_variant_results_records.json")
    assert len(records.runs) == 8
    assert records.runs[0].values["isl_mean"] == 603.01


def test_inference_perf_150_without_streaming_there_is_no_first_token() -> None:
    latency = {"request_latency": {"mean": 1.0}, "time_to_first_token": None, "time_per_output_token": None}
    result = read_object(stage(successes={"count": 100, "latency": latency, "throughput": {"requests_per_sec": 10.0}}))
    assert not any(name.startswith(("ttft", "tpot", "itl")) for name in only(result).values)
    assert "not_streaming" in kinds(result)
    assert only(result).values["e2e_mean_ms"] == 1000.0


def test_inference_perf_stage_is_in_seconds_and_rates_are_of_successes() -> None:
    """100 / 10 a second: 10 s; "p99.9" and "median" by name."""
    result = read_object(stage())
    run = only(result)
    assert (run.values["e2e_p50_ms"], run.values["e2e_p999_ms"], run.values["ttft_mean_ms"]) == (900, 2500, 100)
    assert (run.values["duration_s"], run.fields["duration_s"].origin) == (10.0, "derived")
    assert (run.values["request_rate"], run.values["load_mode"]) == (10.0, "rate")
    assert kinds(result) == set()


def test_inference_perf_stream_events_are_not_tokens() -> None:
    """TPOT 5 ms, but (1000 - 100) / 90 = 10 ms: two events a token. Said, offered, not replaced."""
    latency = {**stage()["successes"]["latency"], "time_per_output_token": {"mean": 0.005}}
    result = read_object(stage(successes={**stage()["successes"], "latency": latency}))
    text = next(one.text for one in result.warnings if one.kind == "stream_events")
    assert "5 ms" in text
    assert "10 ms" in text
    assert "2.00 times" in text
    assert only(result).values["tpot_mean_ms"] == 5.0
    record = stage(successes={**stage()["successes"], "latency": latency})
    assert only(read_object(record, **{"meaning:tpot": "derive"})).values["tpot_mean_ms"] == 10.0


def test_inference_perf_failures_and_a_load_that_fell_behind() -> None:
    load = {"count": 100, "requested_rate": 20.0, "achieved_rate": 12.0}
    record = stage(load_summary=load, failures={"count": 20}, successes={**stage()["successes"], "count": 80})
    result = read_object(record)
    assert only(result).outcome == "partial"
    assert "rate_not_reached" in kinds(result)


def test_inference_perf_concurrency_wins_over_the_made_up_rate() -> None:
    load = {"count": 100, "requested_rate": 50.0, "concurrency": 8}
    run = only(read_object(stage(load_summary=load)))
    assert (run.values["concurrency"], run.values["load_mode"]) == (8, "concurrency")
    assert "request_rate" not in run.values


def test_inference_perf_pool_of_stages_is_left_out_by_default() -> None:
    pool = stage(load_summary={"count": 300, "schedule_delay": {"mean": 9.0}})
    asked = read_object(pool)
    assert asked.status == "questions"
    assert read_object(pool, **{"meaning:pool": "take"}).status == "taken"
    both = read_object([stage(), pool])
    assert (both.status, len(both.runs)) == ("taken", 1)
    assert any("pools the stages" in one.why for one in both.skipped)


def test_inference_perf_server_view_is_kept_apart_and_its_lengths_are_none() -> None:
    """Lengths follow from the rates: 2000 / 10 and 900 / 10. Without an ITL of its own "TPOT" is the old ITL."""
    good = {"count": 700, "rate": 10.0, "prompt_len": {"mean": 5869, "rate": 2000.0}, "output_len": {"mean": 1833,
            "rate": 900.0}, "request_latency": {"mean": 1.0, "median": 0.9}, "time_per_output_token": {"mean": 0.01},
            "prefix_cache_hit_percent": {"mean": 25.0}}  # fmt: skip
    result = read_object({"load_summary": {}, "successes": good, "failures": {}})
    run = only(result)
    assert "server_side" in kinds(result)
    assert (run.values["isl_mean"], run.values["osl_mean"]) == (200.0, 90.0)
    assert (run.values["itl_mean_ms"], run.values["prefix_hit_rate"]) == (10.0, 0.25)
    assert "tpot_mean_ms" not in run.values
    newer = {**good, "inter_token_latency": {"mean": 0.009}}
    run = only(read_object({"load_summary": {}, "successes": newer, "failures": {}}))
    assert (run.values["tpot_mean_ms"], run.values["itl_mean_ms"]) == (10.0, 9.0)


def test_inference_perf_reference_files() -> None:
    """Stage 2: (679.55 - 34.94) / 61.386 = 10.50 ms against a stated 4.988."""
    result = read_sample("inference_perf_stage_2_lifecycle.json")
    run = only(result)
    assert run.values["e2e_mean_ms"] == pytest.approx(679.5524652193883)
    assert run.values["request_rps"] == 61.24191005201567
    assert "10.5 ms" in next(one.text for one in result.warnings if one.kind == "stream_events")
    assert only(read_sample("inference_perf_lifecycle_as.yaml")).values["ttft_mean_ms"] == pytest.approx(33.3333333)
    assert read_sample("inference_perf_summary_lifecycle.json").status == "questions"
    assert "rate_not_reached" in kinds(read_sample("inference_perf_stage_6_lifecycle_overload.json"))
    server = only(read_sample("inference_perf_stage_2_prometheus.json"))
    assert server.values["isl_mean"] == pytest.approx(19639.289188 / 94.410599)
    assert server.values["ttft_p99_ms"] == pytest.approx(53.482)


def report(version: str = "0.2", **changes: Any) -> dict[str, Any]:
    """An llm-d report whose units differ from figure to figure."""
    aggregate = {
        "requests": {"total": 10, "failures": 1, "input_length": {"units": "count", "mean": 100},
                     "output_length": {"units": "count", "mean": 11, "stddev": 2.0}},
        "latency": {"time_to_first_token": {"units": "s", "mean": 0.05, "p99p9": 0.09},
                    "time_per_output_token": {"units": "ms/token", "mean": 20.0},
                    "request_latency": {"units": "ms", "mean": 250.0, "p50": 240.0}},
        "throughput": {"output_token_rate": {"units": "tokens/s", "mean": 99.0}},
    }  # fmt: skip
    engine = {"kind": "inference_engine", "tool": "vllm", "tool_version": "0.11.0", "role": "replica", "replicas": 1,
              "model": {"name": "m"},
              "accelerator": {"model": "H100", "count": 4, "parallelism": {"tp": 4, "pp": 1}}}  # fmt: skip
    load = {"tool": "inference-perf", "concurrency": float("inf"), "rate_qps": 2.5,
            "input_seq_len": {"distribution": "fixed", "value": 128}}  # fmt: skip
    one: dict[str, Any] = {
        "version": version,
        "run": {"uid": "u", "time": {"duration": "PT1M2.5S", "start": "2025-11-05T18:00:42Z"}},
        "scenario": {"stack": [{"standardized": engine}], "load": {"standardized": load}},
        "results": {"request_performance": {"aggregate": aggregate}},
    }
    return {**one, **changes}


@pytest.mark.parametrize("version", ["0.2", "0.2.1"])
def test_llmd_report_converts_each_unit_it_states(version: str) -> None:
    """0.05 s = 50 ms, 20 ms/token, PT1M2.5S = 62.5 s; concurrency .inf is no limit; YAML and JSON are the same."""
    text = yaml.safe_dump(report(version))
    result = read_bytes("r.yaml", text.encode())
    run = only(result)
    assert (result.format, result.tool_version) == ("llmd_report", version)
    assert (run.values["ttft_mean_ms"], run.values["ttft_p999_ms"], run.values["tpot_mean_ms"]) == (50, 90, 20)
    assert (run.values["e2e_p50_ms"], run.values["duration_s"]) == (240, 62.5)
    assert (run.values["device_count"], run.values["tp"], run.values["hardware"]) == (4, 4, "H100")
    assert (run.values["request_rate"], "concurrency" in run.values) == (2.5, False)
    assert (run.outcome, run.values["completed"], run.values["started_at"]) == ("partial", 9, "2025-11-05T18:00:42Z")
    assert only(read_bytes("r.json", json.dumps(report(version)).encode())).values == run.values


def test_llmd_report_from_guidellm_takes_no_tpot() -> None:
    """GuideLLM's time per output token holds the first token."""
    load = {"standardized": {"tool": "guidellm", "tool_version": "0.8"}}
    result = read_object(report(scenario={"load": load}))
    assert "tpot_mean_ms" not in only(result).values
    assert any("GuideLLM" in one.why for one in result.skipped)


def test_llmd_report_several_documents_and_unknown_units() -> None:
    broken = report()
    broken["results"]["request_performance"]["aggregate"]["latency"]["request_latency"]["units"] = "parsecs"
    text = yaml.safe_dump_all([report(), broken], explicit_start=True)
    result = read_bytes("r.yaml", text.encode())
    assert len(result.runs) == 2
    assert "e2e_mean_ms" not in result.runs[1].values
    assert any("parsecs" in one.why for one in result.skipped)


def test_llmd_report_units_are_a_claim_to_check() -> None:
    """Version 0.1's example says ms for seconds: 0.0837 ms a token would be 11 948 tokens/s for one user."""
    result = read_sample("llmd_benchmark_report_v0.1.yaml")
    run = only(result)
    assert "unit_doubt" in kinds(result)
    assert run.values["e2e_mean_ms"] == 3.31325431142327
    assert (run.values["device_count"], run.values["disagg_prefill_count"], run.values["disagg_decode_count"]) == (
        17,
        1,
        16,
    )
    assert (run.values["completed"], run.values["incomplete"]) == (31, 1)
    assert run.values["weight_format"] == "fp16"
    seconds = only(read_sample("llmd_benchmark_report_v0.1.yaml", {"unit:latency": "s"}))
    assert seconds.values["e2e_mean_ms"] == pytest.approx(3313.25431142327)


def test_llmd_report_reference_0_2() -> None:
    run = only(read_sample("llmd_benchmark_report_v0.2.yaml"))
    assert run.values["ttft_p999_ms"] == pytest.approx(57.014757215045425)
    assert (run.values["model_raw"], run.values["tp"]) == ("Qwen/Qwen3-0.6B", 8)
    assert run.fields["device_count"].origin == "assumed", "8 devices are named, 2 replicas of tp 8 need 16"
    assert run.values["duration_s"] == 49.97206788184121


BOMB = "version: '0.2'\nresults:\n  request_performance: {}\na0: &a0 [x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (BOMB, "aliases"),
        ("version: '0.2'\nresults: &r\n  request_performance: *r\n", "aliases"),
        ("version: '0.2'\nresults:\n  request_performance: " + "[" * 200, "too deeply"),
        ("version: '0.2'\nresults:\n  request_performance: !!python/object/apply:os.system ['x']\n", "does not parse"),
        ("load_summary: {count: 1}\nsuccesses: {count: [1, 2\n", "does not parse"),
    ],
    ids=["alias bomb", "alias of itself", "deep", "python object", "cut"],
)
def test_yaml_that_would_harm_is_refused_in_words(text: str, word: str) -> None:
    result = read_text(text, "r.yaml")
    assert result.status == "refused"
    assert word in result.reason


def test_yaml_aliases_that_stay_small_are_read() -> None:
    text = yaml.safe_dump(report()).replace("mean: 250.0", "mean: &m 250.0").replace("p50: 240.0", "p50: *m")
    assert only(read_text(text, "r.yaml")).values["e2e_p50_ms"] == 250.0


def test_a_configuration_is_no_result() -> None:
    text = "api:\n  type: chat\nload:\n  type: constant\nserver:\n  type: vllm\ndata:\n  type: random\n"
    result = read_text(text, "config.yaml")
    assert result.status == "refused"
    assert "configuration" in result.reason
