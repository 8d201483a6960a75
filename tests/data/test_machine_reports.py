"""InferenceX, trtllm-bench, llama-batched-bench, MLPerf and optimum-benchmark, against figures read off by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.readers import read_bytes
from tests.data.reading import kinds, only, read_object, read_sample, read_text


def aggregate(**changes: Any) -> dict[str, Any]:
    """An InferenceX aggregate on 4 devices."""
    record = {
        "hw": "h200", "conc": 6, "model": "m", "framework": "vllm", "precision": "fp8", "isl": 1024, "osl": 128,
        "tp": 4, "ep": 1, "dp_attention": "false", "image": "vllm/vllm-openai:v0.11.0", "tput_per_gpu": 900.0,
        "output_tput_per_gpu": 100.0, "input_tput_per_gpu": 800.0, "median_ttft": 0.2914, "mean_tpot": 0.02,
        "p99_tpot": 0.05, "p99_intvty": 20.0, "std_intvty": 95.4, "p99.9_e2el": 1.5,
    }  # fmt: skip
    return {key: value for key, value in {**record, **changes}.items() if value is not None}


def test_inferencex_seconds_and_rates_per_device() -> None:
    """0.2914 s are 291.4 ms; 100 a device on 4 devices are 400 tokens/s."""
    run = only(read_object(aggregate()))
    assert run.values["ttft_p50_ms"] == pytest.approx(291.4)
    assert (run.values["output_tps"], run.values["input_tps"], run.values["total_tps"]) == (400, 3200, 3600)
    assert (run.fields["output_tps"].raw, run.fields["output_tps"].origin) == ("100.0", "converted")
    assert (run.values["device_count"], run.values["isl_nominal"], run.values["weight_format"]) == (4, 1024, "fp8")
    assert run.values["e2e_p999_ms"] == 1500.0
    assert "isl_mean" not in run.values, "lengths asked for are not lengths measured"


def test_inferencex_interactivity_is_the_slow_tail() -> None:
    """The 99th percentile of 1 / TPOT belongs to TPOT's 99th: 1000 / 20 = 50 ms; its spread is no spread of TPOT."""
    run = only(read_object(aggregate(mean_tpot=None, p99_tpot=None, mean_intvty=50.0)))
    assert (run.values["tpot_p99_ms"], run.values["tpot_mean_ms"]) == (50.0, 20.0)
    assert "tpot_std_ms" not in run.values


def test_inferencex_299_output_rate_is_per_decode_device() -> None:
    """4 prefill + 12 decode devices, 1000 per decode device: 12 000 tokens/s in all, 750 a device."""
    record = aggregate(
        disagg=True, is_multinode=True, num_prefill_gpu=4, num_decode_gpu=12, tp=None, ep=None,
        output_tput_per_gpu=1000.0,        input_tput_per_gpu=6000.0, tput_per_gpu=2250.0,
    )  # fmt: skip
    result = read_object(record)
    values = only(result).values
    assert (values["output_tps"], values["device_count"]) == (12_000, 16)
    assert values["output_tps"] / values["device_count"] == 750
    assert (values["disagg_prefill_count"], values["disagg_decode_count"]) == (4, 12)
    assert (values["input_tps"], values["total_tps"]) == (24_000, 36_000)
    assert "contradiction" not in kinds(result)
    workers = {"num_prefill_gpu": None, "num_decode_gpu": None, "prefill_num_workers": 1, "prefill_tp": 4}
    counted = only(read_object({**record, **workers, "decode_num_workers": 3, "decode_tp": 4}))
    assert counted.values["output_tps"] == 12_000


def test_inferencex_reference_files() -> None:
    """56.618 tokens/s a device on 4; the GLM file has seconds under names without a unit."""
    run = only(read_sample("inferencex_agg.json"))
    assert run.values["output_tps"] == pytest.approx(4 * 56.61811296297337)
    assert run.values["tpot_p99_ms"] == pytest.approx(60.99906382104875)
    assert run.values["engine_version"] == "0.11.0"
    slo = only(read_sample("inferencex_slo_glm5_seconds.json"))
    assert slo.values["ttft_p50_ms"] == pytest.approx(291.39942955225706)
    assert slo.values["e2e_p99_ms"] == pytest.approx(9590.554047282783)
    assert (slo.values["output_tps"], slo.values["isl_mean"]) == (403.5809313421254, 1024)


def trtllm(**changes: Any) -> dict[str, Any]:
    """A trtllm-bench report of 10 requests, 2 devices."""
    record = {
        "engine": {"model": "m", "version": "1.1.0", "dtype": "bfloat16", "kv_cache_dtype": "FP8",
                   "quantization": None},
        "world_info": {"tp_size": 2, "pp_size": 1, "ep_size": 1, "world_size": 2, "max_batch_size": 64},
        "request_info": {"num_requests": 10, "avg_num_concurrent_requests": 2.0, "avg_input_length": 100.0,
                         "avg_output_length": 11.0},
        "performance": {"total_latency_ms": 1000.0, "avg_request_latency_ms": 200.0, "request_throughput_req_s": 10.0,
                        "system_output_throughput_tok_s": 110.0, "system_total_throughput_tok_s": 1110.0,
                        "output_throughput_per_gpu_tok_s": 55.0,
                        "request_latency_percentiles_ms": {"p50": 190.0, "minimum": 150.0, "maximum": 300.0,
                                                           "average": 200.0}},
        "streaming_metrics": {"avg_ttft_ms": 50.0, "avg_tpot_ms": 15.0, "tpot_percentiles": {"p50": 14.0, "p99": 20.0}},
    }  # fmt: skip
    return {**record, **changes}


def test_trtllm_bench_says_its_world() -> None:
    """Without a quantization the checkpoint's type holds the weights; a batch limit is no concurrency."""
    result = read_object(trtllm())
    values = only(result).values
    assert (values["weight_format"], values["kv_format"], values["device_count"]) == ("bfloat16", "FP8", 2)
    assert (values["e2e_min_ms"], values["e2e_max_ms"], values["e2e_p50_ms"]) == (150, 300, 190)
    assert (values["tpot_p99_ms"], values["duration_s"], values["output_tps"]) == (20, 1.0, 110)
    assert "concurrency" not in values
    assert "batch_size" not in values
    assert kinds(result) == set()


def test_trtllm_bench_without_streaming_and_percentiles_left_in_ns() -> None:
    plain = {key: value for key, value in trtllm().items() if key != "streaming_metrics"}
    assert not any(name.startswith(("ttft", "tpot")) for name in only(read_object(plain)).values)
    nano = {"avg_ttft_ms": 50.0, "avg_tpot_ms": 15.0, "tpot_percentiles": {"p50": 14_000_000.0}}
    result = read_object(trtllm(streaming_metrics=nano))
    assert only(result).values["tpot_p50_ms"] == 14.0
    assert "unit_doubt" in kinds(result)


def test_trtllm_bench_reference_file() -> None:
    run = only(read_sample("trtllm_bench_report_fixture.json"))
    assert (run.values["ttft_mean_ms"], run.values["tpot_mean_ms"], run.values["output_tps"]) == (4533.1, 14.03, 3.37)
    assert (run.values["hardware"], run.values["power_w"], run.values["energy_j"]) == ("NVIDIA GB10", 11.83, 56.1)
    assert (run.values["device_count"], run.fields["device_count"].origin) == (1, "derived")


def test_batched_bench_rate_is_of_all_sequences() -> None:
    """Reference row 3: 74.44 tokens/s over 4 sequences; one step of all takes 6.878 s / 128 = 53.73 ms."""
    result = read_sample("llama_batched_bench_pr3545.md")
    assert [run.values["batch_size"] for run in result.runs] == [1, 2, 4, 8, 16, 32]
    third = result.runs[2].values
    assert (third["output_tps"], third["prefill_tps"], third["total_tps"]) == (74.44, 1373.96, 141.23)
    assert third["tpot_mean_ms"] == pytest.approx(6878 / 128)
    assert third["load_mode"] == "batch"
    assert "concurrency" not in third


def test_batched_bench_lines_and_tables_agree() -> None:
    line = {"n_kv_max": 4096, "is_pp_shared": 1, "n_gpu_layers": 99, "pp": 128, "tg": 128, "pl": 4, "n_kv": 1024,
            "t_pp": 0.373, "speed_pp": 1373.96, "t_tg": 6.878, "speed_tg": 74.44, "t": 7.251,
            "speed": 141.23}  # fmt: skip
    table = (
        "main: n_kv_max = 4096, is_pp_shared = 1, n_gpu_layers = 99\n\n"
        "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |\n"
        "|-------|--------|------|--------|----------|----------|----------|----------|----------|----------|\n"
        "|   128 |    128 |    4 |   1024 |    0.373 |  1373.96 |    6.878 |    74.44 |    7.251 |   141.23 |\n"
        "|   128 |    128 |    8 |   2048 |\n"
    )
    read = read_text(table, "b.md")
    assert only(read).values == only(read_object(line)).values
    assert any("4 cells under 10 headers" in one.why for one in read.skipped)
    assert "shared" in only(read).values["notes"]


SUMMARY = """================================================
MLPerf Results Summary
================================================
SUT name : PySUT
Scenario : {scenario}
Mode     : {mode}
Completed samples per second    : 10.0
Completed tokens per second: 1000.0
Result is : {verdict}
  Performance constraints satisfied : NO

Min latency (ns)                : 1000000
90th percentile latency (ns) : 2500000
99.00 percentile first token latency (ns)   : 400000000
Mean Time to Output Token (ns)               : 20000000
"""


def test_mlperf_summary_is_in_nanoseconds_and_invalid_is_shown() -> None:
    """400 000 000 ns = 400 ms; 1000 / 10 = 100 tokens a sample."""
    result = read_text(SUMMARY.format(scenario="Server", mode="PerformanceOnly", verdict="INVALID"), "s.txt")
    run = only(result)
    assert run.outcome == "invalid"
    assert "invalid" in kinds(result)
    assert (run.values["ttft_p99_ms"], run.values["tpot_mean_ms"], run.values["e2e_p90_ms"]) == (400, 20, 2.5)
    assert (run.values["output_tps"], run.values["osl_mean"], run.values["load_mode"]) == (1000, 100, "rate")
    valid = only(read_text(SUMMARY.format(scenario="Offline", mode="PerformanceOnly", verdict="VALID"), "s.txt"))
    assert (valid.outcome, valid.values["load_mode"]) == ("ok", "offline")


def test_mlperf_accuracy_runs_and_empty_tables_are_no_results() -> None:
    refused = read_text(SUMMARY.format(scenario="Offline", mode="AccuracyOnly", verdict="VALID"), "s.txt")
    assert refused.status == "refused"
    assert "accuracy" in refused.reason
    assert read_bytes("summary.csv", b"").status == "refused"
    header = "Organization,SystemName,MlperfModel,Scenario,Result,accelerator_model_name,accelerators_per_node,Units\n"
    assert "no results" in read_text(header, "summary.csv").reason


def test_mlperf_table_units_decide_what_the_result_is() -> None:
    """8 a node on 2 nodes are 16 devices; 1000 tokens/s at 100 a sample are 10 samples/s."""
    header = (
        "Organization,SystemName,MlperfModel,Scenario,Result,Accuracy,number_of_nodes,accelerator_model_name,"
        "accelerators_per_node,framework,Units,weight_data_types,version\n"
    )
    rows = (
        'O,S,llama2-70b-99,Offline,1000.0,ROUGE1: 44 TOKENS_PER_SAMPLE: 100,2,B200,8,"TensorRT 10.11, CUDA 12.9",'
        "Tokens/s,fp4,v5.1\nO,S,bert-99,Server,50.0,F1: 90,1,B200,8,TensorRT 10.11,Queries/s,fp4,v5.1\nO,S,x\n"
    )
    result = read_text(header + rows, "summary.csv")
    first, second = (run.values for run in result.runs)
    assert (first["output_tps"], first["request_rps"], first["device_count"]) == (1000, 10, 16)
    assert (first["engine"], first["engine_version"], first["weight_format"]) == ("TensorRT", "10.11", "fp4")
    assert (second["request_rps"], "output_tps" in second) == (50, False)
    assert any("3 cells under 13 headers" in one.why for one in result.skipped)


def test_mlperf_queries_that_are_tokens_are_flagged() -> None:
    """One row of the reference table says 102 829 Queries/s where the same system does 142 136 tokens/s Offline."""
    result = read_sample("mlperf_submitter_summary.csv")
    assert len(result.runs) == 18
    text = next(one.text for one in result.warnings if one.kind == "unit_doubt")
    assert "102829" in text
    assert "142,136" in text
    field = next(one.field for one in result.questions if one.field.startswith("unit:"))
    mended = read_sample("mlperf_submitter_summary.csv", {field: "Tokens/s"})
    assert 102829.0 in [run.values.get("output_tps") for run in mended.runs]


def test_mlperf_reference_summaries() -> None:
    server = only(read_sample("mlperf_server_llama2_b200x8.txt"))
    assert (server.values["output_tps"], server.values["request_rps"]) == (99123.04, 361.30)
    assert server.values["ttft_p99_ms"] == pytest.approx(436.315697)
    assert server.values["tpot_mean_ms"] == pytest.approx(123.320085)
    offline = only(read_sample("mlperf_offline_llama2_mi300x_v41.txt"))
    assert (offline.values["output_tps"], offline.values["load_mode"]) == (3062.72, "offline")
    assert not any(name.startswith(("ttft", "tpot")) for name in offline.values)
    assert only(read_sample("mlperf_offline_llama31_8b_b60.txt")).values["request_rps"] == 50.569
    assert read_sample("mlperf_small_summary.csv").status == "refused"


def phase(mean: float, unit: str, rate: float) -> dict[str, Any]:
    return {"latency": {"unit": "s", "mean": mean, "p50": mean, "stdev": 0.0, "values": [mean]},
            "throughput": {"unit": unit, "value": rate}}  # fmt: skip


def test_optimum_benchmark_measures_batches_not_first_tokens() -> None:
    """Decode in tokens/s is an output rate; samples/s of prefill is no token rate; no TTFT."""
    bare = {"prefill": phase(0.2, "samples/s", 10.0), "decode": phase(1.0, "tokens/s", 95.0),
            "per_token": {"latency": {"unit": "s", "mean": 0.02, "p50": 0.019}}}  # fmt: skip
    run = only(read_object(bare))
    assert (run.values["output_tps"], run.values["itl_mean_ms"], run.values["itl_p50_ms"]) == (95, 20, 19)
    assert not any(name.startswith("ttft") for name in run.values)
    assert "prefill_tps" not in run.values
    config = {"backend": {"name": "pytorch", "model": "m", "torch_dtype": "float16"},
              "scenario": {"input_shapes": {"batch_size": 2, "sequence_length": 16},
                           "generate_kwargs": {"max_new_tokens": 100}}}  # fmt: skip
    wrapped = only(read_object({"config": config, "report": bare}))
    assert (wrapped.values["batch_size"], wrapped.values["isl_mean"], wrapped.values["model_raw"]) == (2, 16, "m")


@pytest.mark.parametrize("prefix", ["", "report."])
def test_optimum_benchmark_row_with_dotted_columns(prefix: str) -> None:
    names = ["prefill.throughput.value", "prefill.throughput.unit", "decode.throughput.value", "decode.throughput.unit",
             "decode.latency.values", "per_token.latency.mean", "per_token.latency.unit"]  # fmt: skip
    cells = '512.0,tokens/s,95.0,tokens/s,"[0.1, 0.2]",0.02,s'
    run = only(read_text(",".join(prefix + name for name in names) + "\n" + cells + "\n", "o.csv"))
    assert (run.values["prefill_tps"], run.values["output_tps"], run.values["itl_mean_ms"]) == (512, 95, 20)


def test_optimum_benchmark_reference_file() -> None:
    run = only(read_sample("optimum_benchmark_cpu.json"))
    assert run.values["output_tps"] == pytest.approx(94.55427875416366)
    assert run.values["e2e_mean_ms"] == pytest.approx(442.9338110000572)
    assert json.loads(run.native)["load_model"]["memory"]["max_ram"] == 849.031168
