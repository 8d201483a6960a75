"""Directions that hold whatever the machine: a fixed draw of chips, models, formats and loads, changed one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import pytest

from analysis.engine import Case, evaluate
from data.catalogue.catalogue import load_catalogue

_Option = TypeVar("_Option")
CASES, EXACT = 400, 1e-9
FROM_USERS = 8  # below, the host is hidden better by every sequence more: a step of two may be shorter than of one
LONE_RISE = (
    0.075  # half of the share of operator time that a step of one sequence pays more: it falls with the sequences
)


def _one(draw: np.random.Generator, options: Sequence[_Option]) -> _Option:
    return options[int(draw.integers(len(options)))]


def _degrees(draw: np.random.Generator) -> dict[str, Any]:
    devices = _one(draw, [1, 2, 4, 8, 16])
    apart: dict[str, Any] = {"dp": devices, "ep": devices} if devices > 1 and draw.random() < 0.2 else {}
    return {"tp": devices, "device_count": devices} | apart


def _drawn() -> list[Case]:
    book, draw = load_catalogue(), np.random.default_rng(7)
    chips, models = list(book.chips.values()), list(book.architectures.values())
    cases = []
    for _ in range(CASES):
        chip = _one(draw, chips)
        case = Case(
            architecture=_one(draw, models), chip=chip, engine=_one(draw, ["vLLM", "SGLang", "TensorRT-LLM", ""]),
            weight_format=_one(draw, ["", "bf16", "fp8", "nvfp4", "int4"]),
            concurrency=_one(draw, [1.0, 2.0, 8.0, 16.0, 256.0]), input_tokens=_one(draw, [100.0, 1000.0, 8000.0]),
            output_tokens=_one(draw, [0.0, 100.0, 1000.0, 4000.0]),
        )  # fmt: skip
        cases.append(replace(case, **_degrees(draw)) if chip.execution == "kernels" else case)
    return cases


@pytest.fixture(scope="module")
def base() -> tuple[list[Case], pd.DataFrame]:
    """Cases that are answered, their device counts held from here on, and the answers."""
    cases = _drawn()
    first = evaluate(cases)
    held = [
        replace(case, device_count=int(row["device_count"]))
        for case, (_, row) in zip(cases, first.iterrows(), strict=True)
        if row["feasible"]
    ]
    answer = evaluate(held)
    assert answer["feasible"].all()
    assert len(held) > CASES / 4
    return held, answer


def changes(
    base: tuple[list[Case], pd.DataFrame], change: Callable[[Case], Case | None], column: str
) -> tuple[np.ndarray, np.ndarray]:
    """Relative change of a column, and the users, where all users have room before and after."""
    held, before = base
    pairs = [(at, changed) for at, case in enumerate(held) if (changed := change(case)) is not None]
    after = evaluate([changed for _, changed in pairs])
    was = before.iloc[[at for at, _ in pairs]].reset_index(drop=True)
    users = np.array([float(held[at].concurrency) for at, _ in pairs])
    asked = np.array([float(changed.concurrency) for _, changed in pairs])
    same = after["feasible"] & (after["running"] >= asked) & (was["running"] >= users)
    same &= after[column].notna() & was[column].notna()
    assert same.sum() > 20
    return (after[column] / was[column] - 1)[same].to_numpy(dtype=float), users[same]


def more_users(case: Case) -> Case:
    return replace(case, concurrency=2 * float(case.concurrency))


def test_twice_the_users(base: tuple[list[Case], pd.DataFrame]) -> None:
    rate, _ = changes(base, more_users, "output_tokens_per_s")
    assert (rate >= -EXACT).all()
    for column in ("tpot_s", "e2e_s", "ttft_s"):
        slower, users = changes(base, more_users, column)
        assert (slower[users >= FROM_USERS] >= -EXACT).all(), column
        assert (slower >= -LONE_RISE).all(), column


@pytest.mark.parametrize("column", ["tpot_s", "decode_step_s", "prefill_s", "ttft_s", "e2e_s"])
def test_a_longer_prompt_is_never_quicker(base: tuple[list[Case], pd.DataFrame], column: str) -> None:
    longer, _ = changes(base, lambda case: replace(case, input_tokens=1.5 * case.input_tokens), column)
    assert (longer >= -EXACT).all()


def test_a_longer_answer_never_ends_sooner(base: tuple[list[Case], pd.DataFrame]) -> None:
    for column in ("e2e_s", "decode_step_s"):
        longer, _ = changes(base, _twice_the_answer, column)
        assert (longer >= -EXACT).all(), column


def _twice_the_answer(case: Case) -> Case | None:
    return replace(case, output_tokens=2 * case.output_tokens) if case.output_tokens else None


RATES = ("bandwidth_byte_per_s", "peak_bf16_flop_per_s", "peak_fp8_flop_per_s", "link_bandwidth_byte_per_s")


@pytest.mark.parametrize("rate", RATES)
def test_a_faster_chip_is_never_slower(base: tuple[list[Case], pd.DataFrame], rate: str) -> None:
    def faster(case: Case) -> Case | None:
        known = getattr(case.chip, rate)
        return replace(case, chip=replace(case.chip, **{rate: 1.5 * known})) if known else None

    for column in ("prefill_s", "ttft_s", "e2e_s"):
        slower, _ = changes(base, faster, column)
        assert (slower <= EXACT).all(), column
    gain, _ = changes(base, faster, "output_tokens_per_s")
    assert (gain >= -EXACT).all()


def test_more_tokens_to_verify_take_no_less_time(base: tuple[list[Case], pd.DataFrame]) -> None:
    """With acceptance 0 a verified draft yields one token as before: speculation then only costs."""
    slower, _ = changes(
        base, lambda case: replace(case, new_tokens=3.0) if not case.output_tokens else None, "decode_step_s"
    )
    assert (slower >= -EXACT).all()


def test_bounds_intervals_and_signs(base: tuple[list[Case], pd.DataFrame]) -> None:
    _, answer = base
    near = 1 + EXACT
    per_user, ceiling = answer["tokens_per_s_per_user"], answer["ceiling_tokens_per_s_per_user"]
    assert (per_user <= ceiling * near).all()
    assert (answer["high_tokens_per_s_per_user"] <= ceiling * near).all()
    assert (ceiling <= answer["naive_tokens_per_s_per_user"] * near).all()
    assert (answer["output_tokens_per_s"] <= answer["running"] * ceiling * near).all()
    assert not (answer["high_output_tokens_per_s"] > answer["running"] * ceiling * near).any()
    for name in ("tpot_s", "ttft_s", "e2e_s", "output_tokens_per_s"):
        known = answer[answer[f"low_{name}"].notna()]
        assert (known[f"low_{name}"] <= known[name] * near).all(), name
        assert (known[f"high_{name}"] * near >= known[name]).all(), name
    energy = [name for name in answer.columns if "energy" in name and pd.api.types.is_numeric_dtype(answer[name])]
    assert energy
    assert all((answer[name].dropna() > 0).all() for name in energy)
