"""Do the person's own runs agree with the model, and how much of the bandwidth did they use?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.engine import evaluate
from analysis.explain import explain
from analysis.models.roofline import model_bandwidth_utilisation
from analysis.parameters import Parameters
from analysis.provenance import sources_of
from analysis.studies.benchmark_cases import (
    LeftOut,
    Measured,
    beyond_memory,
    case_of,
    comparable,
    format_words,
    is_as_published,
    places,
    read_byte_of,
)
from analysis.studies.benchmark_words import answer_to, conditions_of, residual_words
from analysis.study import Step, Study, rows_of
from data.errors import WaferlineError
from data.records import Architecture, Chip, Run
from data.sources import Source

QUESTION = "Do your own runs agree with the model?"
STEP_LIMIT = 6
MODEL_LIMIT = 3
FIELDS = ("bandwidth_byte_per_s",)


def study(
    runs: Iterable[Run],
    models: Mapping[str, Architecture],
    chips: Mapping[str, Chip],
    parameters: Parameters | None = None,
) -> tuple[Study | None, list[LeftOut]]:
    """Measured speed beside predicted speed for every run that can be compared; None where none can.

    models, chips   records by catalogue key
    parameters      what the engine believes: a profile fitted to own runs, or None for the shipped values

    Table: one row a run; `residual_fraction` is measured over predicted speed less one, `bandwidth_used_fraction` the
    share of the datasheet bandwidth that the measured time used. Nothing is blended: both speeds stand side by side.
    """
    measured, left_out = comparable(runs, models, chips)
    colour = places(measured)
    rows = []
    for one, answered in zip(measured, _answers(measured, parameters), strict=True):
        try:
            rows.append(_row(one, answered, colour[one.group]))
        except WaferlineError as error:  # a number format nobody knows
            left_out.append(LeftOut(run=one.run, reason=error.sentence().rstrip(".")))
    if not rows:
        return None, left_out
    table = pd.DataFrame(rows).sort_values(["place", "input_tokens", "output_tokens", "users"], ignore_index=True)
    shown = set(table["run_id"])
    compared = [one for one in measured if one.run.run_id in shown]
    done = Study(
        question=QUESTION,
        answer=answer_to(table),
        conditions=" ".join([conditions_of(table, len(left_out)), *_published(compared)]),
        table=table,
        steps=lambda: list(_steps(compared, table)),
        sources=_sources(compared),
        assumptions=("uploads are not reviewed", *(f"weights of {each}, as published" for each in _assumed(compared))),
    )
    return done, left_out


def _answers(measured: Sequence[Measured], parameters: Parameters | None) -> list[dict[str, Any]]:
    """The engine's answer to every run, all in one call; a case it cannot read is a row with the reason."""
    return rows_of(evaluate([case_of(one) for one in measured], parameters)) if measured else []


def _row(one: Measured, answer: Mapping[str, Any], place: int) -> dict[str, object]:
    speed, predicted = 1.0 / one.step_s, float(answer["tokens_per_s_per_user"])
    running = float(answer["running"]) if float(answer["running"]) > 0 else math.inf
    read = read_byte_of(one, running)
    share = model_bandwidth_utilisation(read, one.step_s, one.device_count, one.chip.bandwidth_byte_per_s or math.nan)
    row: dict[str, object] = {
        "slot": one.machine,
        "place": place,
        "vendor": one.chip.vendor,
        "model": one.architecture.name,
        "weights": format_words(one),
        "users": one.users,
        "input_tokens": one.input_tokens,
        "output_tokens": one.output_tokens,
        "measured_tokens_per_s_per_user": speed,
        "tokens_per_s_per_user": predicted,
        "ceiling_tokens_per_s_per_user": float(answer["ceiling_tokens_per_s_per_user"]),
        "residual_fraction": speed / predicted - 1.0,
        "read_byte": read,
        "bandwidth_used_fraction": float(share),
        "beyond_memory": beyond_memory(one, running),
        "binding": str(answer["binding"]),
        "reason": str(answer["reason"]),
        "assumed": str(answer["assumed"]),
    }
    return row | {"residual": residual_words(row)} | _origin(one)


def _origin(one: Measured) -> dict[str, object]:
    engine = str(one.run.values.get("engine") or "")
    return {"engine": engine, "source_file": one.run.source_file, "run_id": one.run.run_id}


def _steps(measured: Sequence[Measured], table: pd.DataFrame) -> list[Step]:
    steps = []
    read = dict(zip(table["run_id"], table["read_byte"], strict=True))
    for one in measured[:STEP_LIMIT]:
        if one.chip.bandwidth_byte_per_s is None:
            continue
        steps.append(
            explain(
                model_bandwidth_utilisation,
                subject=f"{one.machine}, {one.users:,.0f} at once, {one.run.source_file}",
                read_byte=read[one.run.run_id],
                step_s=one.step_s,
                devices=one.device_count,
                bandwidth_byte_per_s=one.chip.bandwidth_byte_per_s,
            )
        )
    return steps


def _assumed(measured: Sequence[Measured]) -> list[str]:
    """Models whose weight format no file says, each with the published one that is taken."""
    return list(
        dict.fromkeys(f"{one.architecture.name} {format_words(one)}" for one in measured if is_as_published(one))
    )


def _published(measured: Sequence[Measured]) -> list[str]:
    """What the conditions say of weights that no file says; nothing where all are said."""
    named = _assumed(measured)
    more = f" and {len(named) - MODEL_LIMIT:,} more" if len(named) > MODEL_LIMIT else ""
    return [f"Weights not said, so assumed as published: {', '.join(named[:MODEL_LIMIT])}{more}."] if named else []


def _sources(measured: Sequence[Measured]) -> tuple[Source, ...]:
    """The uploaded files first, then what the prediction rests on."""
    files = dict.fromkeys(one.run.source_file for one in measured)
    uploads = [Source(title=f"{name} (upload, not reviewed)", kind="upload", where=name) for name in files]
    known = [source for one in measured for source in sources_of(one.architecture, [one.chip], FIELDS)]
    return tuple(dict.fromkeys([*uploads, *known]))
