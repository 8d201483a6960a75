"""Claims put to the engine: which model on how many of which chip, and what the model of it says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.claims.verdict import Asked
from analysis.engine import Case, evaluate
from analysis.machines import places_layers
from analysis.provenance import sources_of
from analysis.study import counted, rows_of
from data.errors import WaferlineError
from data.records import Architecture, Chip
from data.sources import Source

FIELDS = ("memory_byte", "bandwidth_byte_per_s", "core_count")


@dataclass(frozen=True, kw_only=True)
class Served:
    """One question: a model on a chip; the fewest that hold it where no count is given."""

    model: Architecture
    chip: Chip
    context_tokens: float
    device_count: int | None = None
    weights: str = ""
    cache: str = ""
    users: float | str = 1.0
    generated_tokens: float = 0.0

    def case(self) -> Case:
        """As the engine is asked for it."""
        return Case(
            architecture=self.model, chip=self.chip, device_count=self.device_count, weight_format=self.weights,
            kv_format=self.cache, concurrency=self.users, input_tokens=self.context_tokens,
            output_tokens=self.generated_tokens,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What the engine says of it. Speeds are nan where it cannot be served; `reason` then says why."""

    architecture: Architecture
    chip: Chip
    context_tokens: float
    weights: str
    count: float
    needed: float
    speed: float  # tokens/s of one user, no drafts
    total: float  # output tokens/s of all users
    bound: float  # tokens/s of one user that no reading exceeds
    running: float
    room_tokens: float
    weight_byte: float
    compute_share: float
    reason: str
    confidence: str
    hops_s: float
    sources: tuple[Source, ...]

    @property
    def name(self) -> str:
        """ "11 × WSE-3"."""
        return counted(self.chip, 1.0 if math.isnan(self.count) else self.count)


class CannotServeError(WaferlineError):
    """A machine that a claim takes for granted cannot serve the model: there is no speed to hold it against."""


def serve(asked: Asked, questions: Sequence[Served], *, or_nan: bool = False) -> list[Answered]:
    """All questions of a claim in one call of the engine.

    or_nan   a machine that cannot serve has no speed, instead of raising CannotServeError
    """
    rows = rows_of(evaluate([each.case() for each in questions], asked.parameters))
    hop = asked.parameters.mesh.hop_s
    answers = [_answer(each, row, hop) for each, row in zip(questions, rows, strict=True)]
    for each in answers:
        if math.isnan(each.speed) and not or_nan:
            where = f"{each.architecture.name} on {each.name}"
            raise CannotServeError(each.reason or "no law gives its speed", where=where)
    return answers


def _answer(question: Served, row: dict[str, Any], hop_s: float) -> Answered:
    def number(name: str) -> float:
        return float(row[name])

    count = number("device_count")
    bounds = [number(f"{name}_tokens_per_s_per_user") for name in ("ceiling", "read_bound")]
    return Answered(
        architecture=question.model,
        chip=question.chip,
        context_tokens=question.context_tokens,
        weights=question.weights or question.model.native_weight_format,
        count=count,
        needed=number("devices_needed"),
        speed=number("tokens_per_s_per_user"),
        total=number("output_tokens_per_s"),
        bound=min((each for each in bounds if not math.isnan(each)), default=math.nan),
        running=number("running"),
        room_tokens=number("kv_room_tokens"),
        weight_byte=number("weight_byte"),
        compute_share=number("share_compute"),
        reason=str(row["reason"]),
        confidence=str(row["confidence"]),
        hops_s=(count - 1) * hop_s if places_layers(question.chip) else 0.0,
        sources=sources_of(question.model, [question.chip], FIELDS),
    )
