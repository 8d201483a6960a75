"""llama-bench's formats: every name it prints, and files whose size contradicts their name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analysis.engine.formats import read_format
from analysis.shapes import components
from data.catalogue.catalogue import load_catalogue
from data.llama_formats import BYTE_PER_WEIGHT, LADDER
from data.readers import ReadResult, read_bytes
from data.readers.llama.widths import format_named, nearest_format
from data.records import Run
from data.store import resolve_names
from data.store.native_experts import FOUR_BITS, expert_weights
from tests.data.reading import kinds, only, read_sample
from tests.data.test_sglang_and_llama_bench import TEST

# What llama.cpp's llama_ftype_name writes, and how files are named.
NAMES = {
    "all F32": "f32", "F16": "f16", "BF16": "bf16", "mostly F16": "f16", "Q4_0": "q4_0", "Q4_1": "q4_1",
    "Q5_0": "q5_0", "Q5_1": "q5_1", "Q8_0": "q8_0", "MXFP4 MoE": "mxfp4", "NVFP4": "nvfp4", "Q2_K - Medium": "q2_k",
    "Q2_K - Small": "q2_k_s", "Q3_K - Small": "q3_k_s", "Q3_K - Medium": "q3_k_m", "Q3_K - Large": "q3_k_l",
    "Q4_K - Small": "q4_k_s", "Q4_K - Medium": "q4_k_m", "Q5_K - Small": "q5_k_s", "Q5_K - Medium": "q5_k_m",
    "Q6_K": "q6_k", "TQ1_0 - 1.69 bpw ternary": "tq1_0", "TQ2_0 - 2.06 bpw ternary": "tq2_0",
    "IQ2_XXS - 2.0625 bpw": "iq2_xxs", "IQ2_XS - 2.3125 bpw": "iq2_xs", "IQ2_S - 2.5 bpw": "iq2_s",
    "IQ2_M - 2.7 bpw": "iq2_m", "IQ3_XXS - 3.0625 bpw": "iq3_xxs", "IQ3_XS - 3.3 bpw": "iq3_xs",
    "IQ3_S - 3.4375 bpw": "iq3_s", "IQ1_S - 1.5625 bpw": "iq1_s", "IQ1_M - 1.75 bpw": "iq1_m",
    "IQ4_NL - 4.5 bpw": "iq4_nl", "IQ4_XS - 4.25 bpw": "iq4_xs",
    "Q4_K_M": "q4_k_m", "(guessed) Q4_K - Medium": "q4_k_m",
}  # fmt: skip

CONTRADICTING = [
    (name, true)
    for name in ("F16", "all F32", "Q8_0", "MXFP4 MoE", "Q4_K - Medium", "IQ4_XS - 4.25 bpw", "Q2_K - Medium")
    for true in LADDER
    if abs(BYTE_PER_WEIGHT[true] / BYTE_PER_WEIGHT[NAMES[name]] - 1) > 0.15
]


def row(model_type: str, size: float | str, count: float | str, **changed: object) -> ReadResult:
    """A llama-bench row of a model of this description, size in bytes and number of weights."""
    record = {**TEST, "model_type": model_type, "model_size": size, "model_n_params": count, **changed}
    return read_bytes("x.json", json.dumps(record).encode())


def resolved(result: ReadResult) -> Run:
    """The one run, its model found in the catalogue."""
    return only(resolve_names(result, load_catalogue()))


@pytest.mark.parametrize("name", NAMES)
def test_every_name_that_llama_cpp_prints_is_read_and_known_to_the_model(name: str) -> None:
    short = format_named(f"foo 7B {name}")
    assert short == NAMES[name]
    assert read_format(short, False).byte == pytest.approx(BYTE_PER_WEIGHT[short])


@pytest.mark.parametrize("name", NAMES)
def test_a_size_that_fits_the_name_changes_nothing(name: str) -> None:
    size = 7e9 * BYTE_PER_WEIGHT[NAMES[name]] * 1.1
    result = row(f"foo 7B {name}", size, 7e9)
    assert only(result).values["weight_format"] == NAMES[name]
    assert only(result).fields["weight_format"].origin == "stated"
    assert "format_contradicts_size" not in kinds(result)


@pytest.mark.parametrize(("name", "true"), CONTRADICTING)
def test_a_size_that_contradicts_the_name_decides(name: str, true: str) -> None:
    """Whatever is named, a file that is more than 15 % off is read as what its size is, and both figures are told."""
    held = BYTE_PER_WEIGHT[true]
    result = row(f"foo 7B {name}", 7e9 * held, 7e9)
    field = only(result).fields["weight_format"]
    assert only(result).values["weight_format"] == true
    assert field.origin == "derived"
    assert f"{7e9 * held:,.0f} B / 7,000,000,000 weights" in field.path
    assert NAMES[name].upper() in field.path
    warning = next(one.text for one in result.warnings if one.kind == "format_contradicts_size")
    assert f"{held:.3g} B a weight" in warning
    assert NAMES[name].upper() in warning


def test_a_name_without_a_format_or_width_takes_the_size() -> None:
    """4.9 GB of 8.03 billion weights are 0.61 bytes each: q4_k_m, which nobody contradicts."""
    for text in ("llama 8B", "llama 8B Q4_K_XL", "llama 8B some new format"):
        result = row(text, 4.9e9, 8.03e9)
        assert only(result).values["weight_format"] == "q4_k_m"
        assert "format_contradicts_size" not in kinds(result)


@pytest.mark.parametrize(("size", "count"), [(0, 0), (0, 7e9), (1e9, 0), (-1, 7e9), (1e9, 1e15), (9e15, 7e9), ("", "")])
def test_a_size_that_is_none_leaves_the_name(size: float | str, count: float | str) -> None:
    result = row("foo 7B F16", size, count)
    assert only(result).values["weight_format"] == "f16"
    assert only(result).fields["weight_format"].origin == "stated"


def test_sizes_of_a_printed_table() -> None:
    """3.56 GiB / 6.74 billion = 3.8225e9 / 6.74e9 = 0.567 bytes: Q4_0 as named; called F16 it is q4_0 all the same."""
    head = "| model | size | params | backend | ngl | test | t/s |\n|---|---:|---:|---|---:|---:|---:|\n"
    for name in ("Q4_0", "F16"):
        text = f"{head}| llama 7B {name} | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 50.00 ± 0.10 |\n"
        run = only(read_bytes("x.md", text.encode()))
        assert run.values["weight_format"] == "q4_0"
        assert run.fields["weight_format"].origin == ("stated" if name == "Q4_0" else "derived")


def test_a_published_file_called_f16_holds_four_bit_experts() -> None:
    """19.11 billion expert weights at 4.25 bits are 10.15 GB, the other 1.80 billion at 2 bytes 3.61 GB: 13.76 GB.

    The file has 13.780 GB. Experts: 24 layers x 32 experts x 3 matrices x 2,880 x 2,880 = 19,110,297,600.
    """
    architecture = load_catalogue().architectures["gpt-oss-20b"]
    assert expert_weights(architecture) == 24 * 32 * 3 * 2880 * 2880
    result = resolve_names(read_sample("llama_bench_gptoss20b_depths.jsonl"), load_catalogue())
    for run in result.runs:
        assert run.values["weight_format"] == "f16 (experts mxfp4)"
        field = run.fields["weight_format"]
        assert (field.origin, field.raw) == ("derived", "gpt-oss 20B F16")
        assert "13,779,630,336 B" in field.path
        assert "F16 takes 2 B" in field.path
    assert "format_contradicts_size" in kinds(result)


FOUR_BIT_MODELS = [
    key
    for key, each in load_catalogue().architectures.items()
    if each.native_expert_format in FOUR_BITS and expert_weights(each)
]


@pytest.mark.parametrize("key", FOUR_BIT_MODELS)
@pytest.mark.parametrize(("called", "rest"), [("F16", "f16"), ("BF16", "bf16"), ("Q8_0", "q8_0")])
def test_every_model_with_four_bit_experts(key: str, called: str, rest: str) -> None:
    """A file of any such model, named for what is beside the experts; counts from the other route, analysis.shapes."""
    architecture = load_catalogue().architectures[key]
    counts = components(architecture)
    size = counts.experts * FOUR_BITS[architecture.native_expert_format]
    size += (counts.total - counts.experts) * BYTE_PER_WEIGHT[rest]
    found = resolved(row(f"x {called}", size, counts.total, model_filename=f"{Path(key)}.gguf"))
    assert found.values["model_id"] == key
    if found.fields["weight_format"].origin == "stated":  # so few are the experts that the name stands
        assert size / counts.total / BYTE_PER_WEIGHT[rest] > 0.85
    else:
        assert found.values["weight_format"] == f"{rest} (experts {architecture.native_expert_format})"
    assert abs(expert_weights(architecture) / counts.experts - 1) < 0.02


def test_a_dense_model_or_a_whole_file_in_eight_bits_has_no_native_experts() -> None:
    """Called F16 with 1.06 bytes a weight: q8_0, of gpt-oss too, whose native experts would make 0.6 to 0.7."""
    for name, count in (("gpt-oss-20b", 20_914_757_184), ("Llama-3.1-8B-Instruct", 8_030_261_312)):
        found = resolved(row("x F16", count * 1.0625, count, model_filename=f"{name}.gguf"))
        assert found.values["weight_format"] == "q8_0"


def test_what_the_person_says_stands_above_the_size() -> None:
    record = {**TEST, "model_type": "gpt-oss 20B F16", "model_size": 13_779_630_336, "model_n_params": 20_914_757_184,
              "model_filename": "gpt-oss-20b-F16.gguf"}  # fmt: skip
    result = read_bytes("x.json", json.dumps(record).encode(), {"weight_format": "q6_k"})
    assert resolved(result).values["weight_format"] == "q6_k"


def test_the_nearest_step_is_the_nearest() -> None:
    """0.66 lies between 0.606 (ratio 1.09) and 0.711 (ratio 1.08)."""
    assert nearest_format(0.66) == "q5_k_m"
    assert [nearest_format(BYTE_PER_WEIGHT[name]) for name in LADDER] == list(LADDER)
