"""SGLang and llama-bench files, against figures read off the files by hand."""

from __future__ import annotations

import json

import pytest

from data.readers import read_bytes
from tests.data.reading import kinds, only, read_sample

TEST = {
    "build_commit": "abc", "build_number": 7, "gpu_info": "NVIDIA RTX A, NVIDIA RTX A", "backends": "CUDA",
    "model_filename": "/m/Foo-7B-Q4_K_M.gguf-00001-of-00002.gguf", "model_type": "foo 7B Q4_K - Medium",
    "type_k": "f16",
    "type_v": "q8_0", "n_gpu_layers": 99, "n_prompt": 0, "n_gen": 128, "n_depth": 4096, "avg_ts": 50.0,
    "stddev_ts": 0.5,
    "test_time": "2025-01-01T00:00:00Z", "samples_ns": [1, 2, 3],
}  # fmt: skip


def test_sglang_sweep() -> None:
    """3 lines; rate Infinity; 419 tokens by the server, 838 by the client; 24/3.6318 = 6.608 requests a second."""
    result = read_sample("sglang_serving_0.5.23_sweep.jsonl")
    assert [run.values["concurrency"] for run in result.runs] == [2, 4, 8]
    first = result.runs[0].values
    assert first["request_rate"] is None
    assert first["total_output_tokens"] == 419
    assert first["request_rps"] == pytest.approx(24 / 3.6318478299999697)
    assert first["concurrency_mean"] == pytest.approx(1.9029283845299876)
    assert "token_count" in kinds(result)
    assert "model_raw" in {one.field for one in result.questions}


def test_sglang_old_has_medians_only() -> None:
    result = read_sample("sglang_serving_old_online.jsonl")
    first = result.runs[0]
    assert "ttft_mean_ms" not in first.values
    assert first.values["ttft_p50_ms"] == pytest.approx(85.74514742940664)
    assert first.values["request_rps"] == pytest.approx(300 / 298.3675805060193)
    assert first.fields["request_rps"].origin == "derived"
    assert (first.values["isl_nominal"], first.values["isl_mean"]) == (1024, pytest.approx(152612 / 300))
    assert "lengths" in kinds(result)


def test_sglang_details_with_server_settings() -> None:
    """range ratio 0: asked for 1024/128, in truth 50561/100 and 6108/100; the arrays answer what the means cannot."""
    result = read_sample("sglang_serving_h100_gptoss_details.jsonl")
    run = only(result)
    assert (run.values["isl_mean"], run.values["osl_mean"]) == (505.61, 61.08)
    assert (run.values["tp"], run.values["device_count"], run.values["engine_version"]) == (8, 8, "0.5.8.post1")
    assert run.values["model_raw"] == "/workspace/gpt-oss-120b"
    assert "contradiction" not in kinds(result)
    assert "generated_texts" not in run.native


def test_sglang_one_token_prompts() -> None:
    run = only(read_sample("sglang_serving_deepseek_dpmla_1tok_input.jsonl"))
    assert (run.values["isl_mean"], run.values["osl_mean"], run.values["load_mode"]) == (1, 512, "offline")


@pytest.mark.parametrize(
    ("prompt", "generated", "field"), [(512, 0, "prefill_tps"), (0, 128, "output_tps"), (512, 128, "total_tps")]
)
def test_the_rate_is_named_for_the_phase_it_was_measured_in(prompt: int, generated: int, field: str) -> None:
    run = only(read_bytes("x", json.dumps({**TEST, "n_prompt": prompt, "n_gen": generated}).encode()))
    rates = {name for name in run.values if name.endswith("_tps")}
    assert rates == {field}
    assert ("tpot_mean_ms" in run.values) == (field == "output_tps")
    assert not any(name.startswith("ttft") for name in run.values)


def test_llama_bench_names() -> None:
    """Two boards of one kind; 1000 / 50 = 20 ms a token."""
    run = only(read_bytes("x", json.dumps(TEST).encode()))
    assert (run.values["hardware"], run.values["device_count"]) == ("NVIDIA RTX A", 2)
    assert (run.values["model_raw"], run.values["weight_format"]) == ("Foo-7B-Q4_K_M", "q4_k_m")
    assert (run.values["kv_format"], run.values["depth_tokens"]) == ("f16/q8_0", 4096)
    assert run.values["tpot_mean_ms"] == 20.0


def test_all_layers_on_the_processor() -> None:
    record = {**TEST, "n_gpu_layers": 0, "cpu_info": "Some CPU"}
    assert only(read_bytes("x", json.dumps(record).encode())).values["hardware"] == "Some CPU"


def test_a_rate_of_zero_is_invalid() -> None:
    run = only(read_bytes("x", json.dumps({**TEST, "avg_ts": 0}).encode()))
    assert run.outcome == "invalid"
    assert "output_tps" not in run.values


def test_llama_bench_csv() -> None:
    result = read_sample("llama_bench_readme.csv")
    prefill, decode = (run.values for run in result.runs)
    assert prefill["prefill_tps"] == 7285.676949
    assert decode["output_tps"] == 119.915244
    assert decode["tpot_mean_ms"] == pytest.approx(8.3392, abs=1e-4)
    assert decode["hardware"] == "NVIDIA GeForce RTX 4080"
    assert result.tool_version == "b5163 (8cf427ff)"
    assert [one.field for one in result.questions] == []


def test_llama_bench_jsonl_at_depths() -> None:
    result = read_sample("llama_bench_gptoss20b_depths.jsonl")
    assert len(result.runs) == 10
    assert result.runs[1].values["output_tps"] == 49.924186
    assert {run.values["depth_tokens"] for run in result.runs} >= {0, 4096}


def test_llama_bench_json_arrays() -> None:
    assert len(read_sample("llama_bench_rx7900xtx.json").runs) == 84
    assert read_sample("llama_bench_javelit_step35.json").runs[0].values["weight_format"] == "q4_k_m"
    assert "mixed_devices" in kinds(read_sample("llama_bench_rx7900xtx.json"))


def test_llama_bench_markdown() -> None:
    old = read_sample("llama_bench_md_2023.md")
    assert [run.values["prefill_tps"] for run in old.runs] == [2235.89, 1326.61, 619.07]
    report = read_sample("llama_bench_table_in_report.txt")
    assert [run.values.get("output_tps") for run in report.runs] == [None, 150.97, None, 172.86, None, 129.80]
    assert [run.values["device_count"] for run in report.runs] == [1, 1, 1, 1, 2, 2]


def test_llama_bench_sql_is_read_never_run() -> None:
    names, values = ", ".join(TEST), ", ".join(f"'{value}'" for value in TEST.values() if not isinstance(value, list))
    names = names.replace(", samples_ns", "")
    sql = f"CREATE TABLE IF NOT EXISTS test (build_commit TEXT);\nINSERT INTO test ({names}) VALUES ({values});\n"
    run = only(read_bytes("x.sql", (sql + "DROP TABLE run;").encode()))
    assert run.values["output_tps"] == 50.0
