"""vLLM beyond the plain result: harnesses, console blocks, detailed arrays, throughput and latency benchmarks."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.readers import read_bytes
from tests.data.reading import kinds, only, read_object, read_sample, read_text, vllm

BLOCK = """\
============ Serving Benchmark Result ============
Successful requests:                     {done}
Benchmark duration (s):                  18.65
Total input tokens:                      127952
Total generated tokens:                  16000
Request throughput (req/s):              0.86
Output token throughput (tok/s):         857.78
Total Token throughput (tok/s):          7717.46
---------------Time to First Token----------------
Mean TTFT (ms):                          876.28
Median TTFT (ms):                        910.42
P99 TTFT (ms):                           1596.48
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          16.84
---------------Speculative Decoding---------------
Acceptance rate (%):                     37.03
Acceptance length:                       1.37
==================================================
"""


def wrapped(**changes: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "concurrency": 2,
        "ok": True,
        "detail": "successful_requests 80/80",
        "metrics": {
            "successful_requests": 80, "benchmark_duration_s": 400.0, "total_input_tokens": 8000,
            "total_generated_tokens": 16000, "request_throughput_req_s": 0.2, "output_token_throughput_tok_s": 40.0,
            "mean_ttft_ms": 400.0, "p99_ttft_ms": 1000.0, "mean_tpot_ms": 6.42, "mean_itl_ms": 14.59,
        },
        "command": ["vllm", "bench", "serve", "--model", "org/model", "--num-prompts", "80", "--random-input-len=100"],
    }  # fmt: skip
    return {**entry, **changes}


def test_a_harness_keeps_its_own_names() -> None:
    """80 of 80; 8000 / 80 = 100 in, 16000 / 80 = 200 out; model and prompts from the command."""
    result = read_object([wrapped()])
    run = only(result)
    assert result.format == "vllm_wrapped"
    assert (run.values["completed"], run.values["failed"], run.outcome) == (80, 0, "ok")
    assert (run.values["isl_mean"], run.values["osl_mean"], run.values["isl_nominal"]) == (100, 200, 100)
    assert (run.values["output_tps"], run.values["request_rps"]) == (40.0, 0.2)
    assert (run.values["model_raw"], run.values["concurrency"]) == ("org/model", 2)
    assert run.fields["output_tps"].path == "$[0].metrics.output_token_throughput_tok_s"
    assert run.fields["engine"].origin == "assumed"
    assert "chunked_itl" in kinds(result), "14.59 / 6.42 = 2.27 tokens a chunk"


def test_seconds_of_a_harness_become_milliseconds() -> None:
    metrics = {"successful_requests": 8, "mean_ttft_s": 0.25, "p99_e2el_s": 1.5}
    run = only(read_object([wrapped(metrics=metrics, detail="")]))
    assert (run.values["ttft_mean_ms"], run.values["e2e_p99_ms"]) == (250.0, 1500.0)
    assert (run.fields["ttft_mean_ms"].unit, run.fields["ttft_mean_ms"].origin) == ("s", "converted")


@pytest.mark.parametrize(("detail", "outcome"), [("timeout after 600 s", "failed"), ("CUDA out of memory", "oom")])
def test_a_failed_step_of_a_harness_is_an_outcome(detail: str, outcome: str) -> None:
    result = read_object([wrapped(), wrapped(ok=False, detail=detail, metrics={})])
    assert [run.outcome for run in result.runs] == ["ok", outcome]
    assert not any(name.endswith("_ms") for name in result.runs[1].values)
    assert any(detail in one.text for one in result.warnings)


def test_wrapped_sweep_of_the_collection() -> None:
    """Four loads of 80 requests: 5535 / 80 = 69.1875 tokens in; 14804 / 80 = 185.05 out at one in flight."""
    result = read_sample("vllm_serve_wrapped_sweep_gb10.json")
    assert [run.values["concurrency"] for run in result.runs] == [1, 2, 4, 8]
    assert [run.values["output_tps"] for run in result.runs] == [21.24, 37.92, 56.26, 75.89]
    first = result.runs[0].values
    assert (first["isl_mean"], first["osl_mean"]) == (69.1875, 185.05)
    assert (first["model_raw"], first["dataset"]) == ("deepseek-ai/DeepSeek-V4-Flash", "philschmid/mt-bench")
    assert first["duration_s"] == 697.08
    assert "e2e_mean_ms" not in first


def test_results_inside_an_object_of_somebodys_script() -> None:
    result = read_object({"host": "a", "results": [vllm(), vllm(date="20250103-000000")]})
    assert (result.format, len(result.runs)) == ("vllm_serve", 2)
    assert result.runs[0].fields["output_tps"].path == "$.results[0].output_throughput"


def test_generated_texts_are_dropped() -> None:
    """--save-detailed keeps what users wrote and what the model answered: neither is stored."""
    arrays = {"generated_texts": ["secret"] * 2, "errors": ["", ""], "input_lens": [5, 5], "output_lens": [3, 3]}
    run = only(read_object(vllm(**arrays)))
    assert "secret" not in run.native
    assert "generated_texts" not in run.native


def test_every_block_of_a_log_is_a_run() -> None:
    """127952 / 16 = 7997 tokens in; the command before the block names model and lengths, which are assumed."""
    command = (
        "$ vllm bench serve --model Qwen/Qwen3-8B --random-input-len 8000 \\\n"
        "   --random-output-len 1000 --num-prompts 20 --request-rate 10\n"
    )
    result = read_text(f"INFO starting\n{command}{BLOCK.format(done=16)}noise\n{BLOCK.format(done=12)}", "bench.log")
    assert (result.format, len(result.runs)) == ("serving_console", 2)
    first, second = result.runs
    assert (first.values["isl_mean"], first.values["osl_mean"]) == (7997, 1000)
    assert (first.values["ttft_p50_ms"], first.values["ttft_p99_ms"], first.values["tpot_mean_ms"]) == (
        910.42,
        1596.48,
        16.84,
    )
    assert (first.values["model_raw"], first.fields["model_raw"].origin) == ("Qwen/Qwen3-8B", "assumed")
    assert (first.values["request_rate"], first.values["load_mode"]) == (10.0, "rate")
    assert (first.values["failed"], first.outcome) == (4, "partial"), "20 prompts sent, 16 answered"
    assert first.values["spec_accept_len"] == 1.37
    assert first.fields["ttft_mean_ms"].path == "line 13, 'Mean TTFT (ms)'"
    assert "model_raw" not in second.values, "a command speaks for the block that follows it"


def test_console_of_namespace_and_sglang() -> None:
    text = (
        "Namespace(backend='sglang', model='m/x', num_prompts=8, max_concurrency=None, request_rate=inf)\n"
        "============ Serving Benchmark Result ============\n"
        "Backend:                                 sglang\n"
        "Traffic request rate:                    inf\n"
        "Max request concurrency:                 not set\n"
        "Successful requests:                     8\n"
        "Benchmark duration (s):                  10.0\n"
        "Mean E2E Latency (ms):                   1,000.5\n"
    )
    run = only(read_text(text, "out.txt"))
    assert (run.values["e2e_mean_ms"], run.values["request_rps"]) == (1000.5, 0.8)
    assert (run.values["engine"], run.values["request_rate"], run.values["load_mode"]) == ("sglang", None, "offline")
    assert "concurrency" not in run.values
    assert run.values["model_raw"] == "m/x"


def test_a_block_cut_short_is_listed() -> None:
    cut = BLOCK.format(done=16)[:140]
    result = read_text(BLOCK.format(done=16) + cut, "bench.log")
    assert len(result.runs) == 1
    assert "breaks off" in result.skipped[0].why


def test_the_log_around_blocks_is_counted() -> None:
    text = f"INFO one\nINFO two\n\n{BLOCK.format(done=16)}INFO three\n{BLOCK.format(done=12)}"
    skipped = read_text(text, "bench.log").skipped
    assert [(one.line, one.why[:16]) for one in skipped] == [(1, "2 lines of log b"), (22, "1 lines of log b")]


@pytest.mark.parametrize("name", ["vllm_serve_stdout_7b_a100.log", "vllm_serve_oom_no_kv_memory.log"])
def test_a_server_log_without_a_block_is_no_result(name: str) -> None:
    result = read_sample(name)
    assert (result.status, result.runs) == ("refused", ())
    assert "server" in result.reason
    assert "Bring" in result.reason or "bring" in result.reason


THROUGHPUT = {
    "elapsed_time": 10, "num_requests": 100, "total_num_tokens": 115_200, "requests_per_second": 10,
    "tokens_per_second": 11_520,
}  # fmt: skip


def test_vllm_8231_throughput_counts_prompt_tokens() -> None:
    """11520 = (1024 + 128) * 10: a total. Output is missing until the lengths are said: 128 * 10 = 1280."""
    result = read_object(THROUGHPUT)
    run = only(result)
    assert (result.format, result.status) == ("vllm_throughput", "taken")
    assert (run.values["total_tps"], run.values["load_mode"]) == (11_520, "offline")
    assert "output_tps" not in run.values
    assert {"isl_mean", "osl_mean", "model_raw"} <= {one.field for one in result.questions}
    said = only(read_object(THROUGHPUT, isl_mean="1024", osl_mean="128"))
    assert (said.values["output_tps"], said.fields["output_tps"].origin) == (1280, "derived")
    assert kinds(read_object(THROUGHPUT, isl_mean="1024", osl_mean="128")) == set()
    assert "inconsistent" in kinds(read_object(THROUGHPUT, isl_mean="512", osl_mean="128"))


def test_latency_is_of_a_whole_batch_in_seconds() -> None:
    """8 sequences of 128 tokens in 2.5 s: 409.6 tokens/s, once the person says how many there were."""
    record = {"avg_latency": 2.5, "latencies": [2.4, 2.6], "percentiles": {"10": 2.42, "50": 2.5, "99": 2.598}}
    result = read_object(record)
    run = only(result)
    assert result.format == "vllm_latency"
    assert (run.values["e2e_mean_ms"], run.values["e2e_p50_ms"], run.values["e2e_p99_ms"]) == (2500, 2500, 2598)
    assert (run.values["e2e_min_ms"], run.values["e2e_max_ms"]) == (2400, 2600)
    assert (run.values["load_mode"], "concurrency" in run.values, "ttft_mean_ms" in run.values) == (
        "batch",
        False,
        False,
    )
    assert {"model_raw", "batch_size", "osl_mean"} <= {one.field for one in result.questions}
    said = only(read_object(record, batch_size="8", osl_mean="128"))
    assert said.values["output_tps"] == pytest.approx(409.6)


ONE_BATCH = {
    "run_name": "t", "batch_size": 4, "input_len": 1024, "output_len": 1024, "prefill_latency": 3.5825,
    "prefill_throughput": 1143.34, "median_decode_latency": 0.01889, "median_decode_throughput": 211.78,
    "total_latency": 22.97, "overall_throughput": 356.65,
}  # fmt: skip


def test_one_batch_of_sglang() -> None:
    """4 * 1024 / 22.97 = 178.3 output tokens/s over wall time; 211.78 is the decode phase alone."""
    result = read_object(ONE_BATCH)
    run = only(result)
    assert result.format == "sglang_one_batch"
    assert run.values["output_tps"] == pytest.approx(4096 / 22.97)
    assert (run.values["total_tps"], run.values["prefill_tps"]) == (356.65, 1143.34)
    assert run.values["itl_p50_ms"] == pytest.approx(18.89)
    assert (run.values["batch_size"], run.values["load_mode"]) == (4, "batch")
    assert "concurrency" not in run.values
    assert "211.78" in next(one.text for one in result.warnings if one.kind == "metric_definition")


def test_one_batch_through_a_server() -> None:
    """16 * 16 / 1.0 = 256 tokens/s over the whole call, as older versions state; `last_ttft` is the slowest."""
    record = {"run_name": "d", "batch_size": 16, "input_len": 1024, "output_len": 16, "latency": 1.0}
    record |= {"output_throughput": 256.0, "overall_throughput": 16_640.0, "last_ttft": 0.4, "acc_length": -1.0}
    lines = json.dumps(record) + "\n" + json.dumps({**record, "batch_size": 32, "output_throughput": 512.0}) + "\n"
    first, second = read_bytes("r.jsonl", lines.encode()).runs
    assert (first.values["output_tps"], first.fields["output_tps"].origin) == (256.0, "stated")
    assert (first.values["e2e_mean_ms"], first.values["ttft_max_ms"]) == (1000, 400)
    assert "ttft_mean_ms" not in first.values
    assert "spec_accept_len" not in first.values
    assert second.values["batch_size"] == 32


def test_one_token_has_no_decode_phase() -> None:
    record = {key: value for key, value in ONE_BATCH.items() if not key.startswith("median")}
    run = only(read_object({**record, "output_len": 1, "total_latency": 3.5825, "overall_throughput": 1144.5}))
    assert "itl_p50_ms" not in run.values
