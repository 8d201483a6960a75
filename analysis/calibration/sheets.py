"""The operators of many cases written down once, so that a step under new parameters is a few array operations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.marks import NAMES, Carried, MarkedInputs, carried, in_order, marked
from analysis.engine.arrays import Floats, rows_of
from analysis.engine.inputs import Inputs
from analysis.engine.kernels import prompts_together
from analysis.engine.operators import Bench, Load, Work, put_on
from analysis.engine.shapes_of_cases import Shapes
from analysis.models.transformer import distinct_experts
from analysis.parameters import Serving

Degrees = tuple[Floats, Floats, Floats]
COUNTED = tuple(name for name in NAMES if name.endswith("_operators"))


class WritingBench(Bench):
    """A bench that keeps every operator instead of adding it up."""

    def __init__(self, inputs: Inputs, shapes: Shapes, serving: Serving, load: Load) -> None:
        super().__init__(inputs, shapes, serving, load)
        self.kept: list[tuple[Floats, ...]] = []
        self.routed: list[bool] = []

    def add(
        self, count: Floats, moved: Floats, reach: Floats, work: Floats, peak: Floats, share: Floats,
        routed: bool = False,
    ) -> None:  # fmt: skip
        """One operator in `count` layers: bytes, share of bandwidth, arithmetic, peak, share of it."""
        shape = np.broadcast_shapes(count.shape, moved.shape, work.shape)
        parts = (count, moved, reach, work, peak, share)
        self.kept.append(tuple(np.broadcast_to(part, shape) for part in parts))
        self.routed += [routed] * shape[1]


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Operators of one step, all arrays of shape (cases, operators) but `routed`.

    fixed, per_row   seconds of memory at full bandwidth, in all (per expert hit where routed) and for each row
    work             seconds of arithmetic at full peak, for each row; in all where the load is fixed
    routed           1 for routed experts, (operators,)
    """

    fixed: Floats
    per_row: Floats
    work: Floats
    reach: Carried
    peak_reach: Carried
    experts: Floats
    chosen: Floats
    routed: NDArray[np.bool_]

    def seconds(self, serving: Floats, rows: Floats | None) -> Floats:
        """All operators, each the longer of memory and arithmetic. (cases,)"""
        moved, work = self.fixed, self.work
        if rows is not None:
            column, at = rows[:, None], self.routed
            moved = moved + self.per_row * column
            hit = distinct_experts(self.experts[:, at], self.chosen[:, at], column)
            moved[:, at] = self.fixed[:, at] * hit + self.per_row[:, at] * column
            work = work * column
        reading = moved / self.reach.values(serving)
        return np.asarray(np.maximum(reading, work / self.peak_reach.values(serving)).sum(axis=1))

    def rows(self, rows: NDArray[np.int64]) -> Sheet:
        """Only these cases."""
        return Sheet(
            fixed=self.fixed[rows],
            per_row=self.per_row[rows],
            work=self.work[rows],
            reach=rows_of(self.reach, rows),
            peak_reach=rows_of(self.peak_reach, rows),
            experts=self.experts[rows],
            chosen=self.chosen[rows],
            routed=self.routed,
        )


@dataclass(frozen=True, kw_only=True)
class Sheets:
    """Sheets of a decode step, of one prompt and of prompts computed together, and operators by parameter.

    operators   operators launched for each parameter in COUNTED, and in the last column without one
    """

    decode: Sheet
    prompt: Sheet
    together: Sheet
    operators: Floats

    def worker(self, inputs: Inputs, shapes: Shapes, serving: Serving, load: Load, degrees: Degrees) -> Work:
        """Stands in for the engine's own adding up of operators; inputs, shapes and degrees are those written down."""
        values = in_order(serving)
        if (load.decoding > 0).any():
            seconds = self.decode.seconds(values, load.decoding)
        else:
            one = (load.prefill == load.prompt).all()
            seconds = (self.prompt if one else self.together).seconds(values, None)
        counts = np.array([*(getattr(serving, name) for name in COUNTED), 1.0])
        return Work(memory_s=seconds, compute_s=np.zeros_like(seconds), operators=self.operators @ counts)

    def rows(self, rows: NDArray[np.int64]) -> Sheets:
        """Only these cases."""
        parts = [each.rows(rows) for each in (self.decode, self.prompt, self.together)]
        return Sheets(decode=parts[0], prompt=parts[1], together=parts[2], operators=self.operators[rows])


def write_sheets(cases: MarkedInputs, shapes: Shapes, serving: Serving, degrees: Degrees) -> Sheets:
    """Everything that a fit will ask of these cases; `serving` gives what is not free."""
    inputs = cases.inputs
    nothing, one = np.zeros_like(inputs.form), np.ones_like(inputs.form)
    prompt = inputs.input_tokens
    many = prompt * prompts_together(inputs, serving)

    def bench(decoding: Floats, prefill: Floats) -> dict[str, Any]:
        context = np.where(decoding > 0, inputs.step_context, prompt)
        load = Load(decoding=decoding, context=context, prefill=prefill, prompt=np.where(prefill > 0, prompt, 0.0))
        return _on_bench(inputs, shapes, marked(serving), load, degrees)

    return Sheets(
        decode=_decode(bench(one, nothing), bench(2 * one, nothing), shapes),
        prompt=_fixed(bench(nothing, prompt)),
        together=_fixed(bench(nothing, many)),
        operators=_operators(cases, shapes, serving, degrees),
    )


def _on_bench(inputs: Inputs, shapes: Shapes, serving: Serving, load: Load, degrees: Degrees) -> dict[str, Any]:
    """Kept operators side by side, as seconds at full rates."""
    bench = WritingBench(inputs, shapes, serving, load)
    put_on(bench, degrees)
    columns = [np.concatenate(part, axis=1) for part in zip(*bench.kept, strict=True)]
    count, moved, reach, work, peak, peak_reach = columns
    return {
        "moved": count * moved / inputs.bandwidth[:, None],
        "work": np.where(work > 0, count * work / peak, 0.0),
        "reach": reach,
        "peak_reach": peak_reach,
        "used": (count > 0).any(axis=0),
        "routed": np.array(bench.routed),
    }


def _fixed(kept: dict[str, Any]) -> Sheet:
    used = kept["used"]
    nothing = np.zeros_like(kept["moved"][:, used])
    return Sheet(
        fixed=kept["moved"][:, used],
        per_row=nothing,
        work=kept["work"][:, used],
        reach=carried(kept["reach"][:, used]),
        peak_reach=carried(kept["peak_reach"][:, used]),
        experts=nothing,
        chosen=nothing,
        routed=np.zeros(int(used.sum()), dtype=bool),
    )


def _decode(one: dict[str, Any], two: dict[str, Any], shapes: Shapes) -> Sheet:
    """Bytes are a constant and a part for each row; where experts are routed the constant is per expert hit."""
    used = one["used"]
    total, chosen, routed = _experts(one, shapes)
    first, second = np.ones_like(total), np.ones_like(total)
    first[:, routed] = distinct_experts(total[:, routed], chosen[:, routed], 1.0)
    second[:, routed] = distinct_experts(total[:, routed], chosen[:, routed], 2.0)
    per_row = (two["moved"] * first - one["moved"] * second) / (2 * first - second)
    fixed = (one["moved"] - per_row) / first
    return Sheet(
        fixed=fixed[:, used],
        per_row=per_row[:, used],
        work=one["work"][:, used],
        reach=carried(one["reach"][:, used]),
        peak_reach=carried(one["peak_reach"][:, used]),
        experts=total[:, used],
        chosen=chosen[:, used],
        routed=routed[used],
    )


def _experts(kept: dict[str, Any], shapes: Shapes) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Experts and chosen ones beside each operator, and which operators are routed experts."""
    routed = kept["routed"]
    total, chosen = np.ones_like(kept["moved"]), np.ones_like(kept["moved"])
    groups = shapes.layers.shape[1]
    total[:, routed] = np.tile(np.maximum(shapes.experts, 1.0), routed.sum() // groups)
    chosen[:, routed] = np.tile(np.clip(shapes.experts_per_token, 1.0, None), routed.sum() // groups)
    return total, np.minimum(chosen, total), routed


def _operators(cases: MarkedInputs, shapes: Shapes, serving: Serving, degrees: Degrees) -> Floats:
    """Operators launched are linear in their parameters: one column for each of them, the last for the rest."""
    nothing, one = np.zeros_like(cases.inputs.form), np.ones_like(cases.inputs.form)
    none = replace(serving, **dict.fromkeys(COUNTED, 0.0))

    def launched(believed: Serving) -> Floats:
        inputs = cases.under(believed)
        load = Load(decoding=one, context=inputs.step_context, prefill=nothing, prompt=nothing)
        bench = Bench(inputs, shapes, believed, load)
        put_on(bench, degrees)
        return bench.operators

    rest = launched(none)
    return np.stack([*(launched(replace(none, **{name: 1.0})) - rest for name in COUNTED), rest], axis=1)
