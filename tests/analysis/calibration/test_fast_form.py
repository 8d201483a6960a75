"""Operators written down once give what the engine gives, under any parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analysis.calibration.fit import FREE
from analysis.calibration.loads import Loads, loads_of
from analysis.calibration.trials import LOW_BATCH_FREE, OFFLINE_FREE
from analysis.case_table import read_rows
from analysis.engine import Case, evaluate
from analysis.parameters import Parameters, Serving, starting_parameters
from data.catalogue.catalogue import load_catalogue
from data.catalogue.measurement_files import MEASURED, SERVING, block_of, load_measurements

BELIEVED = starting_parameters()
CLOSE = {"rtol": 1e-9, "atol": 0.0}


def cases(table: str, blocks: tuple[str, ...] = (), step: int = 7) -> list[Case]:
    """Every so many rows of a table that have an answer."""
    rows = [row for row in load_measurements(table) if not blocks or block_of(row["id"]) in blocks][::step]
    read = [each.case for each in read_rows(rows, load_catalogue()) if each.case is not None]
    good = evaluate(read)["feasible"].to_numpy(dtype=bool)
    return [case for case, ok in zip(read, good, strict=True) if ok]


def elsewhere(seed: int) -> Parameters:
    """Every parameter that any fit frees, moved at random by about a fifth; no seed moves one above a bound."""
    generator = np.random.default_rng(seed)
    names = (*FREE, *OFFLINE_FREE, *LOW_BATCH_FREE)
    moved = {name: getattr(BELIEVED.serving, name) * np.exp(0.2 * generator.normal()) for name in names}
    return replace(BELIEVED, serving=replace(BELIEVED.serving, **moved))


def same(loads: Loads, asked: list[Case], serving: Serving) -> None:
    """The fast form before ceilings against the engine's answer where no ceiling holds it."""
    speeds = loads.speeds(serving)
    answer = evaluate(asked, replace(BELIEVED, serving=serving))
    free = ~answer["assumed"].str.contains("held to the ceiling").to_numpy()
    for name, found in (
        ("tpot_s", speeds.tpot_s),
        ("ttft_s", speeds.ttft_s),
        ("output_tokens_per_s", speeds.output_rate),
    ):
        assert np.allclose(found[free], answer[name].to_numpy()[free], equal_nan=True, **CLOSE)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("table", "blocks", "step"),
    [(SERVING, (), 23), (MEASURED, ("trt", "trt017"), 5), (MEASURED, ("cbk", "ds4", "atom", "gptfast", "aic"), 9)],
)
def test_fast_form_is_the_engine(table: str, blocks: tuple[str, ...], step: int, seed: int) -> None:
    asked = cases(table, blocks, step)
    assert len(asked) > 15
    same(loads_of(asked, BELIEVED), asked, elsewhere(seed).serving)


def test_some_rows_of_loads_are_those_cases() -> None:
    asked = cases(SERVING, step=61)
    some = np.array([3, 0, 7])
    part = loads_of(asked, BELIEVED).rows(some)
    same(part, [asked[at] for at in some], elsewhere(2).serving)
