"""Launch commands: only flags the engines document, values they accept, and commands their guides print."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.studies.launch import OPTIONS_FILE, Launch, Served, launches
from analysis.studies.plan_space import Spread, spreads
from data.catalogue.catalogue import load_catalogue
from data.catalogue.launch_files import Flag, Launcher, load_launchers

KNOWN = load_catalogue()
LAUNCHERS = {each.name: each for each in load_launchers().values()}
MODELS = ("glm-4.6", "deepseek-v3", "gpt-oss-120b", "llama-3.1-70b", "qwen3-30b-a3b")
GPUS = ("h200-sxm", "b200-sxm", "mi300x", "gb200")


def served(model: str, chip: str, spread: Spread, weights: str = "fp8", users: int = 64, cache: str = "fp8") -> Served:
    return Served(
        architecture=KNOWN.architectures[model], chip=KNOWN.chips[chip], spread=spread, weights=weights, cache=cache,
        users=users, context_tokens=8192.0,
    )  # fmt: skip


def flags_in(command: str) -> dict[str, str | None]:
    """Flags of a command line as a shell reads it, with what follows each."""
    words = shlex.split(command.replace("\\\n", " "))
    following = [*words[1:], ""]
    return {
        word: None if after.startswith("--") or not after else after
        for word, after in zip(words, following, strict=True)
        if word.startswith("--")
    }


def accepted(flag: Flag, value: str | None) -> bool:
    """Whether a flag takes a value."""
    kinds = {
        "count": r"[1-9]\d*",
        "share": r"0\.\d+|1",
        "variable": r"\$[A-Z_]+(:\d+)?",
        "file": re.escape(OPTIONS_FILE),
    }
    if isinstance(flag.value, list):
        return value in flag.value
    if flag.value == "none":
        return value is None
    return value is not None and re.fullmatch(kinds.get(flag.value, r"[\w./$-]+"), value) is not None


def check(launch: Launch) -> None:
    launcher: Launcher = LAUNCHERS[launch.engine]
    found = flags_in(launch.command)
    assert found == launch.flags
    assert launch.command.startswith(launcher.program)
    for name, value in found.items():
        assert name in launcher.flags, name
        assert accepted(launcher.flags[name], value), (name, value)
    options = yaml.safe_load(launch.options or "{}")
    nested = {f"{a}.{b}": v for a, inner in options.items() if isinstance(inner, dict) for b, v in inner.items()}
    flat = nested | {name: str(v).lower() for name, v in options.items() if not isinstance(v, dict)}
    for name, value in flat.items():
        assert accepted(launcher.options[name], str(value)), (name, value)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(MODELS), st.sampled_from(GPUS), st.sampled_from([1, 2, 8, 16, 32]), st.integers(0, 40),
    st.sampled_from(["", "bf16", "fp8", "nvfp4", "int4", "mxfp4"]), st.sampled_from(["bf16", "fp8"]),
    st.integers(1, 3000),
)  # fmt: skip
def test_every_flag_is_documented_and_every_value_accepted(
    model: str, chip: str, count: int, which: int, weights: str, cache: str, users: int
) -> None:
    ways = spreads(KNOWN.architectures[model], KNOWN.chips[chip], count, weights=weights)
    if not ways:
        return
    found = launches(served(model, chip, ways[which % len(ways)], weights, users, cache))
    assert {each.engine for each in found} >= {"vLLM", "SGLang"}
    for launch in found:
        if not launch.refusal:
            check(launch)


def of(engine: str, found: list[Launch]) -> Launch:
    return next(each for each in found if each.engine == engine)


def test_groups_as_the_guides_print_them() -> None:
    """vLLM's guide: 8 GPUs as `--data-parallel-size 4 --tensor-parallel-size 2`, --max-num-seqs counted in each group.

    DeepSeek's card for SGLang: `--tp 8 --dp 8 --enable-dp-attention`. TensorRT-LLM's DeepSeek R1 example: tp_size 8,
    ep_size 8, enable_attention_dp, an FP8 cache.
    """
    four = Spread(device_count=8, tp=8, pp=1, ep=8, dp=4)
    vllm = of("vLLM", launches(served("deepseek-v3", "h200-sxm", four))).flags
    assert (vllm["--data-parallel-size"], vllm["--tensor-parallel-size"], vllm["--max-num-seqs"]) == ("4", "2", "16")
    assert "--enable-expert-parallel" in vllm
    eight = Spread(device_count=8, tp=8, pp=1, ep=8, dp=8)
    sglang = of("SGLang", launches(served("deepseek-v3", "h200-sxm", eight))).flags
    assert (sglang["--tp-size"], sglang["--dp-size"]) == ("8", "8")
    assert "--enable-dp-attention" in sglang
    tensorrt = of("TensorRT-LLM", launches(served("deepseek-v3", "h200-sxm", eight)))
    assert (tensorrt.flags["--tp_size"], tensorrt.flags["--ep_size"]) == ("8", "8")
    assert yaml.safe_load(tensorrt.options) == {
        "kv_cache_config": {"dtype": "fp8", "free_gpu_memory_fraction": 0.9},
        "enable_attention_dp": True,
    }
    assert "cannot be said" in of("TensorRT-LLM", launches(served("deepseek-v3", "h200-sxm", four))).refusal


def test_weights_are_made_while_loading_only_from_sixteen_bits() -> None:
    """GLM-4.6 is published in BF16, DeepSeek V3 in FP8; four bits need a checkpoint of their own."""
    plain = Spread(device_count=8, tp=8, pp=1, ep=1, dp=1)
    assert of("vLLM", launches(served("glm-4.6", "h200-sxm", plain))).flags["--quantization"] == "fp8"
    assert "--quantization" not in of("vLLM", launches(served("deepseek-v3", "h200-sxm", plain))).flags
    four_bit = of("vLLM", launches(served("glm-4.6", "b200-sxm", plain, weights="nvfp4")))
    assert "$CHECKPOINT" in four_bit.command
    assert any("NVFP4" in note for note in four_bit.notes)


def test_several_nodes_say_so() -> None:
    two = Spread(device_count=16, tp=8, pp=2, ep=1, dp=1)
    launch = of("SGLang", launches(served("glm-4.6", "h200-sxm", two)))
    assert (launch.flags["--nnodes"], launch.flags["--node-rank"]) == ("2", "$NODE_RANK")
    assert any("each of the 2 machines" in note for note in launch.notes)
    rack = of("SGLang", launches(served("glm-4.6", "gb200", two)))
    assert "--nnodes" not in rack.flags
    assert any("several hosts" in note for note in rack.notes)


@pytest.mark.parametrize("chip", ["wse-3", "groq-lpu-v1", "sambanova-sn40l", "tpu-v7-ironwood"])
def test_machines_without_a_command_say_who_serves_them(chip: str) -> None:
    (only,) = launches(served("glm-4.6", chip, Spread(device_count=11)))
    assert "no command" in only.refusal
    assert only.command == ""


def test_no_tensorrt_on_other_makers_chips() -> None:
    plain = Spread(device_count=8, tp=8, pp=1, ep=1, dp=1)
    assert [each.engine for each in launches(served("glm-4.6", "mi300x", plain))] == ["vLLM", "SGLang"]


def test_flags_name_their_documents() -> None:
    for launcher in LAUNCHERS.values():
        assert launcher.dated
        assert all(source.where for source in launcher.documents())


def test_a_model_of_any_name_stays_one_word_of_the_shell() -> None:
    """An own model is called as somebody typed it, and the command is there to be pasted."""
    asked = served("llama-3.1-70b", "h200-sxm", Spread(device_count=8, tp=8), weights="bf16")
    odd = replace(asked.architecture, publisher_name="x; touch $(id) 'y'")
    for each in launches(replace(asked, architecture=odd)):
        words = shlex.split(each.command.replace("\\\n", " "))
        assert [word for word in words if "touch" in word] == ["x; touch $(id) 'y'"]
