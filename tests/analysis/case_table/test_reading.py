"""Cells, plans and rows of case tables as people write them."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.case_table import read_rows
from analysis.case_table.cells import count_of, number_of, text_of
from analysis.case_table.parallelism import Parallelism, read_parallelism
from analysis.engine.engine_names import engine_family
from analysis.engine.formats import read_format
from data.catalogue.catalogue import load_catalogue
from data.errors import UnknownNameError, WaferlineError


@pytest.mark.parametrize(
    ("cell", "number"),
    [("8", 8.0), ("0.9", 0.9), ("48-64", 56.0), ("1,024", 1024.0), ("1e3", 1000.0), (7, 7.0), ("", None), ("nan", None),
     (float("nan"), None), (None, None), (" 3 ", 3.0), ("7.9", 7.9)],
)  # fmt: skip
def test_numbers(cell: Any, number: float | None) -> None:
    assert number_of(cell, "concurrency") == number


@pytest.mark.parametrize("cell", ["many", "1,02", "inf", "8 GPUs", "--3", "4;5"])
def test_what_is_no_number_names_its_column(cell: str) -> None:
    with pytest.raises(WaferlineError, match="tp: not a number"):
        number_of(cell, "tp")


@pytest.mark.parametrize("cell", ["0", "-1", "2.5"])
def test_counts_are_whole_and_above_zero(cell: str) -> None:
    with pytest.raises(WaferlineError, match="whole number"):
        count_of(cell, "tp")


def test_blank_cells() -> None:
    assert [text_of(each) for each in ("", "NaN", None, float("nan"), "n/a", " x ", 3)] == [
        "",
        "",
        "",
        "",
        "",
        "x",
        "3",
    ]


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("", Parallelism()),
        ("tp8", Parallelism(tp=8)),
        ("tp8 ep8", Parallelism(tp=8, ep=8)),
        ("tp1 pp8", Parallelism(tp=1, pp=8)),
        ("pp4", Parallelism(pp=4)),
        ("tp8 ep8 attention-dp", Parallelism(tp=8, ep=8, dp=8)),
        ("tp8 dp8 ep8", Parallelism(tp=8, dp=8, ep=8)),
        ("tp1 (default)", Parallelism(tp=1)),
        ("tp8 ep8 (command as for B200)", Parallelism(tp=8, ep=8)),
        ("tp2 over ConnectX-7 200GbE", Parallelism(tp=2)),
        ("tp24 (NeuronCores)", Parallelism(tp=24, parts=True)),
        ("tp64 (logical cores)", Parallelism(tp=64, parts=True)),
        ("tp8 (4 chips)", Parallelism(tp=8, parts=True)),
        ("480x480 cores", Parallelism(region_cores=230_400.0, prefill_cores=230_400.0)),
        ("660x660 prefill / 360x360 decode cores", Parallelism(region_cores=129_600.0, prefill_cores=435_600.0)),
    ],
)
def test_plans(text: str, plan: Parallelism) -> None:
    assert read_parallelism(text) == plan


def test_nodes_and_pools() -> None:
    nodes = read_parallelism("2 nodes of 8")
    assert (nodes.tp, nodes.pp) == (8, 2)
    pool = read_parallelism("prefill 1x(tp1 dp8 ep8); decode 3x(tp8 dp1 ep8)")
    assert (pool.tp, pool.dp, pool.ep, pool.pools) == (8, 1, 8, 3)


@pytest.mark.parametrize("text", ["fast", "decode side: EP72 across 9 nodes", "prefill 2x(tp4 dp1 ep1)"])
def test_plans_that_are_none(text: str) -> None:
    with pytest.raises(WaferlineError):
        read_parallelism(text)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("TensorRT-LLM v1.0 (PyTorch backend)", "TensorRT-LLM"), ("TensorRT 10.11, CUDA 12.9", "TensorRT-LLM"),
        ("NIM 1.8.0 (TensorRT-LLM)", "TensorRT-LLM"), ("vLLM 0.20.1rc1 (main)", "vLLM"),
        ("SGLang nightly-dev-20260216-d3bae71e", "SGLang"), ("llama.cpp (Metal, 2024-05)", "llama.cpp"),
        ("LM Studio llama.cpp ROCm", "llama.cpp"), ("Ollama", "llama.cpp"), ("ATOM", "general"), ("", "general"),
    ],
)  # fmt: skip
def test_engines(name: str, family: str) -> None:
    assert engine_family(name) == family


@pytest.mark.parametrize(
    ("text", "four_bits", "name", "byte"),
    [
        ("16-bit", False, "bf16", 2.0), ("f16", False, "fp16", 2.0), ("8-bit", False, "int8", 1.0),
        ("4-bit", False, "int4", 0.53), ("fp4", True, "nvfp4", 0.5625), ("fp4", False, "mxfp4", 0.53125),
        ("int4 (w4a8)", False, "int4", 0.53), ("gptq int4", False, "int4", 0.53), ("gptq-int8", False, "int8", 1.0),
        ("exl2 4.0bpw", False, "4.0 bits a weight", 0.5), ("Q4_K_M", False, "q4_k_m", 0.606),
    ],
)  # fmt: skip
def test_formats_in_the_wild(text: str, four_bits: bool, name: str, byte: float) -> None:
    found = read_format(text, four_bits)
    assert (found.name, found.byte) == (name, byte)


def test_unknown_format_lists_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="fp8"):
        read_format("fp9", False)


def read(**cells: Any) -> Any:
    """The reading of one row."""
    return read_rows([{"model": "llama-3.1-8b", "hardware": "h200-sxm"} | cells], load_catalogue())[0]


def test_blanks_are_filled_and_said() -> None:
    row = read()
    assert (row.case.concurrency, row.case.input_tokens, row.case.output_tokens) == (1.0, 1024.0, 256.0)
    assert set(row.assumed) == {"1,024 input tokens", "256 output tokens", "1 sequence in flight"}
    llama = read(engine="llama.cpp (Metal)")
    assert (llama.case.input_tokens, llama.case.output_tokens) == (512.0, 128.0)


def test_loads() -> None:
    assert read(concurrency="48-64").case.concurrency == 56
    assert read(concurrency_or_batch="Offline").case.concurrency == "offline"
    for open_load in ("Server", "2 requests/s", "Interactive"):
        assert "queueing" in read(concurrency=open_load).reason
    assert "not a number" in read(concurrency="lots").reason


def test_a_rate_of_the_whole_system_without_a_load_is_a_full_machine() -> None:
    """Throughput benchmarks keep the machine full; a latency without a load stays one sequence."""
    plain = {"model": "llama-3.1-8b", "hardware": "h100-sxm", "engine": "TensorRT-LLM v1.0", "weight_format": "fp8"}
    full, one = read(**plain, metric="output_tps_total"), read(**plain, metric="tpot_ms")
    assert full.case is not None
    assert (full.case.concurrency, full.case.kv_format) == ("offline", "fp8")
    assert any("kept full" in said for said in full.assumed)
    assert any("cache in FP8" in said for said in full.assumed)
    assert one.case is not None
    assert (one.case.concurrency, one.case.kv_format) == (1.0, "")
    stated = read(**plain, metric="output_tps_total", kv_format="bf16", concurrency="64")
    assert stated.case is not None
    assert (stated.case.concurrency, stated.case.kv_format) == (64.0, "bf16")


def test_names_are_refused_with_near_matches_or_choices() -> None:
    assert "h200-sxm" in read(hardware="h200-smx").reason
    assert "Say which" in read(hardware="A100").reason
    assert "no model is named" in read(model="").reason


def test_attention_groups_beside_or_inside_tp() -> None:
    beside = read(model="deepseek-v3", parallelism="tp1 dp8 ep8", device_count="8").case
    inside = read(model="deepseek-v3", parallelism="tp8 dp8 ep8", device_count="8").case
    assert (beside.tp, beside.dp) == (inside.tp, inside.dp) == (8, 8)


def test_cores_are_not_devices() -> None:
    row = read(hardware="inferentia2", parallelism="tp24 (NeuronCores)", device_count="12")
    assert (row.case.tp, row.case.parts) == (12, True)
    assert "tp 24 counts parts of a device: tp 12 in devices" in row.assumed


def test_pools_share_the_load() -> None:
    row = read(model="deepseek-v3", parallelism="prefill 1x(tp4 dp1 ep1); decode 4x(tp4 dp1 ep1)", concurrency="64")
    assert (row.pools, row.case.concurrency, row.case.device_count, row.case.prefill_elsewhere) == (4, 16, 4, True)


def test_columns_beat_the_plan_text() -> None:
    assert read(parallelism="tp8", tp="4").case.tp == 4


def test_measured_speed_is_kept_apart() -> None:
    assert read(metric="tpot_ms", value="8").measured_tokens_per_s == 125
    assert read(metric="decode_tps_per_user", value="450").measured_tokens_per_s == 450
    assert read(metric="prefill_tps", value="450").measured_tokens_per_s is None
    assert read(tpot_ms="10").measured_tokens_per_s == 100
    unreadable = read(metric="tpot_ms", value="fast")
    assert unreadable.case is not None
    assert unreadable.measured_tokens_per_s is None
