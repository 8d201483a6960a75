"""Operators against an independent list of them, datasheets and limits."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pandas as pd
import pytest

from analysis.machines import dense_peak
from analysis.step_operators import Phase, operators_of
from analysis.studies.roofline import study
from data.catalogue.catalogue import load_catalogue
from tests.analysis.studies.slots import slots, workload
from tests.shared_files import shared_path


def second_route() -> ModuleType:
    spec = importlib.util.spec_from_file_location("second_route", shared_path("reference", "reference_model.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["second_route"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("model", ["glm-4.6", "llama-3.1-70b", "deepseek-v3", "gpt-oss-120b", "qwen3-32b"])
@pytest.mark.parametrize("phase", ["decode", "prefill"])
@pytest.mark.parametrize("users", [1, 64])
def test_sums_agree_with_an_independent_list(model: str, phase: Phase, users: int) -> None:
    """Arithmetic within 1 %, bytes within 3 %: norms, biases and the small MLA products are counted differently."""
    reference, slot = second_route(), slots(("h200-sxm", 1))[0]
    theirs = reference.MODELS[{"llama-3.1-70b": "llama3-70b"}.get(model, model)]
    asked = workload(model, 4096, users, "bf16")
    ours = operators_of(asked, slot.chip, phase)
    prefill = phase == "prefill"
    plan = reference.Plan(we="mxfp4") if model == "gpt-oss-120b" else reference.Plan()
    listed = reference.ops(theirs, plan, 1 if prefill else users, 4096, 4096 if prefill else 1, prefill)
    work = sum(count * flop for _, count, _, _, _, flop in listed)
    traffic = sum(count * (w + kv + act) for _, count, w, kv, act, _ in listed)
    assert sum(each.work_flop for each in ours) == pytest.approx(float(work), rel=0.01)
    assert sum(each.traffic_byte for each in ours) == pytest.approx(float(traffic), rel=0.03)


def test_ridges_are_the_datasheets() -> None:
    """H200 989 and 1,979 TFLOP/s dense over 4.8 TB/s: 206 and 412 FLOP/B; WSE-3 15.6 PF over 21 PB/s: 0.74."""
    roofs = study(workload("glm-4.6"), slots()).marks["roofs"]
    assert isinstance(roofs, pd.DataFrame)
    ridges = roofs.set_index(["chip", "number_class"])["ridge_flop_per_byte"]
    assert ridges["H200", "bf16"] == pytest.approx(206, rel=0.003)
    assert ridges["H200", "fp8"] == pytest.approx(412, rel=0.003)
    assert ridges["WSE-3", "fp16"] == pytest.approx(0.744, rel=0.003)


def test_no_operator_is_above_its_roof() -> None:
    table = study(workload("glm-4.6", sequences=64), slots()).table
    assert (table["attainable_flop_per_s"] <= table["peak_flop_per_s"] * (1 + 1e-12)).all()
    slope = table["bandwidth_byte_per_s"] * table["intensity_flop_per_byte"]
    assert (table["attainable_flop_per_s"] <= slope * (1 + 1e-12)).all()


def test_batch_moves_matrices_right_and_leaves_attention() -> None:
    """A dense matrix at batch B does about B FLOP a weight byte in FP8 x 2; every user brings a cache of his own."""

    def intensity(users: float) -> pd.Series:
        table = study(workload("llama-3.1-70b", sequences=users), slots(("h200-sxm", 8))).table
        return table[table["phase"] == "decode"].set_index("operator")["intensity_flop_per_byte"]

    one, many = intensity(1), intensity(32)
    assert many["mlp"] / one["mlp"] == pytest.approx(32, rel=0.02)
    assert many["attention"] == pytest.approx(one["attention"])


def test_memory_binds_gpus_and_arithmetic_the_wafer() -> None:
    answer = study(workload("glm-4.6"), slots()).answer
    assert "memory binds on H200, B200" in answer
    assert "arithmetic on WSE-3" in answer


def test_a_device_without_a_peak_has_no_ridge_and_is_named() -> None:
    """Some chips are sold without a dense 16-bit figure."""
    chips = load_catalogue().chips.values()
    bare = next(each for each in chips if each.bandwidth_byte_per_s and dense_peak(each, "bf16")[0] is None)
    found = study(workload("llama-3-8b", formats="bf16"), slots((bare.key, 1)))
    assert found.table["ridge_flop_per_byte"].isna().all()
    assert any("no 16-bit peak" in each for each in found.remarks)
