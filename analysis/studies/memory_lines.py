"""Layers in line, on wafers or pipeline stages: what each holds, streams in flight, one of them down, loading."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from analysis.engine import evaluate
from analysis.machines import divides_freely, places_layers
from analysis.memory_use import WaferRoom, layers_by_wafer, memory_use, wafer_room
from analysis.models import placement
from analysis.models.streaming import transfer_time
from analysis.plans import Plan, case_of
from analysis.sentences import users_words
from analysis.studies.streaming_links import Link, link_of
from analysis.study import counted
from analysis.workload import Workload, state_of, stored_cache, weights_of
from data.units import format_quantity

COLUMNS = ("layers_on_wafer", "pooled_room_tokens", "placed_room_tokens", "weight_fraction", "cache_fraction")
Row = dict[str, object]


@dataclass(frozen=True, kw_only=True)
class Line:
    """A slot whose layers lie in line: wafers, or stages of `width` devices that share each layer.

    room         of the cache, pooled and with whole layers
    unit_byte    memory of one wafer or stage; `usable_byte` what weights and cache may take of it
    one_byte     cache and state of one stream, all layers, copies of heads included
    """

    plan: Plan
    units: int
    width: int
    room: WaferRoom
    unit_byte: float
    usable_byte: float
    one_byte: float

    @property
    def word(self) -> str:
        """What one place in line is called."""
        return "wafer" if self.width == 1 and places_layers(self.plan.slot.chip) else "stage"

    def streams(self, tokens: float, context_tokens: float) -> float:
        """Streams of this context for which so many tokens of cache are room."""
        return math.floor(tokens / max(context_tokens, 1.0))


def lines_of(workload: Workload, plans: Sequence[Plan]) -> list[Line]:
    """Every slot that lies in line, in the order of the slots."""
    return [line for plan in plans if (line := _line(workload, plan)) is not None]


def _line(workload: Workload, plan: Plan) -> Line | None:
    chip, known = plan.slot.chip, not math.isnan(plan.device_count)
    if not known or divides_freely(chip) or chip.usable_memory_byte is None:
        return None
    one = stored_cache(workload, chip) + state_of(workload)
    if places_layers(chip):
        room, memory = wafer_room(workload, plan, plan.device_count), float(chip.usable_memory_byte)
        return Line(
            plan=plan, units=int(plan.device_count), width=1, room=room, unit_byte=memory,
            usable_byte=plan.usable * memory, one_byte=one,
        )  # fmt: skip
    if not plan.pp > 1 or plan.pp > workload.architecture.layers or plan.replicas > 1:
        return None
    return _stages(workload, plan, one)


def _stages(workload: Workload, plan: Plan, one: float) -> Line:
    """Stages of GPUs: the devices of a stage share its layers, their memories count together."""
    use, width = memory_use(workload, plan), int(plan.tp)
    usable = width * (use.usable - use.activation - use.overhead)
    weights, layers = weights_of(workload, plan.slot.chip), float(workload.architecture.layers)
    copied = one * use.copies
    per_token = copied / max(workload.context_tokens, 1.0)
    pooled = float(placement.pooled_cache_room(plan.pp, usable, weights.total))
    tables = (weights.embedding, weights.head)
    placed = float(placement.placed_cache_room(layers, plan.pp, usable, weights.heaviest_layer, *tables))
    room = WaferRoom(
        layers_on_fullest=float(placement.layers_on_fullest(layers, plan.pp)),
        pooled_tokens=math.floor(max(pooled, 0.0) / per_token) if per_token else math.inf,
        placed_tokens=math.floor(max(placed, 0.0) / per_token) if per_token else math.inf,
        placed_byte=placed,
    )
    return Line(
        plan=plan, units=int(plan.pp), width=width, room=room, unit_byte=width * use.memory, usable_byte=usable,
        one_byte=copied,
    )  # fmt: skip


def line_columns(workload: Workload, plan: Plan, line: Line | None) -> Row:
    """Room pooled and placed, the split of the memory, and one wafer down; nan where nothing lies in line."""
    if line is None:
        return dict.fromkeys((*COLUMNS, "free_fraction"), math.nan) | {"one_down": ""}
    memory = line.units * line.unit_byte
    weights = weights_of(workload, plan.slot.chip).total / memory
    cache = workload.sequences * line.one_byte / memory
    room = line.room
    values = (room.layers_on_fullest, room.pooled_tokens, room.placed_tokens, weights, cache)
    return dict(zip(COLUMNS, values, strict=True)) | {
        "free_fraction": 1.0 - weights - cache,
        "one_down": one_down(workload, line),
    }


def placement_rows(workload: Workload, line: Line) -> list[Row]:
    """One row a wafer or stage: its layers, weights, cache of the users asked for, and what is free."""
    weights, layers = weights_of(workload, line.plan.slot.chip), workload.architecture.layers
    placed = layers_by_wafer(layers, min(line.units, layers))
    rows: list[Row] = []
    for at, held in enumerate(placed):
        tables = (weights.embedding if at == 0 else 0.0) + (weights.head if at == len(placed) - 1 else 0.0)
        weight, cache = held * weights.heaviest_layer + tables, workload.sequences * line.one_byte * held / layers
        rows.append(
            {
                "slot": line.plan.name,
                "place": line.plan.slot.place,
                "word": line.word,
                "wafer": at + 1,
                "layers_on_wafer": held,
                "weight_byte": weight,
                "cache_byte": cache,
                "free_byte": line.unit_byte - weight - cache,
                "memory_byte": line.unit_byte,
            }
        )
    return rows


def line_table(workload: Workload, lines: Sequence[Line]) -> pd.DataFrame:
    """One row a line: rooms, streams in flight, speed of one, the planning rule, one down, a spare, loading."""
    if not lines:
        return pd.DataFrame()
    alone = workload.at(sequences=1.0)
    slots = [replace(line.plan.slot, device_count=int(line.plan.device_count)) for line in lines]
    cases = [case_of(work, slot) for work in (alone.at(context_tokens=0.0), alone) for slot in slots]
    speeds = evaluate(cases, workload.parameters)["tokens_per_s_per_user"].tolist()
    pairs = zip(lines, speeds[: len(lines)], speeds[len(lines) :], strict=True)
    return pd.DataFrame([_line_row(workload, line, empty, full) for line, empty, full in pairs])


def _line_row(workload: Workload, line: Line, empty: float, full: float) -> Row:
    weights, room, chip = weights_of(workload, line.plan.slot.chip), line.room, line.plan.slot.chip
    link = link_of(chip, "built", math.nan)
    planned = placement.wafers_by_fill(weights.total, line.unit_byte, placement.PLANNED_WEIGHT_FRACTION)
    return {
        "slot": line.plan.name,
        "place": line.plan.slot.place,
        "in_line": _in_line(line),
        "layers_on_wafer": room.layers_on_fullest,
        "split": split_words(workload, line),
        "planned_units": float(planned),
        "pooled_room_tokens": room.pooled_tokens,
        "placed_room_tokens": room.placed_tokens,
        "pooled_streams": line.streams(room.pooled_tokens, workload.context_tokens),
        "placed_streams": line.streams(room.placed_tokens, workload.context_tokens),
        "empty_tokens_per_s_per_user": empty,
        "tokens_per_s_per_user": full,
        "one_down": one_down(workload, line),
        "with_spare": with_spare(workload, line, link),
        "load_s": load_seconds(weights.total, line.units * line.width, link),
        "link": link.words,
    }


def _in_line(line: Line) -> str:
    """ "11 wafers", "4 stages of 8"."""
    counted_words = f"{line.units} {line.word}" + ("" if line.units == 1 else "s")
    return f"{counted_words} of {line.width}" if line.width > 1 else counted_words


def load_seconds(moved_byte: float, links: float, link: Link) -> float:
    """Seconds until so many bytes have come through so many links; nan where no link is known."""
    if link.byte_per_s is None:
        return math.nan
    return float(transfer_time(moved_byte, links, link.byte_per_s))


def split_words(workload: Workload, line: Line) -> str:
    """The memory in weights, cache of the users asked for, and free: "80 / 0.8 / 19 %"."""
    memory = line.units * line.unit_byte
    weights = weights_of(workload, line.plan.slot.chip).total / memory
    cache = workload.sequences * line.one_byte / memory
    shares = (weights, cache, 1 - weights - cache)
    if shares[-1] < 0:
        return "more than all of it"
    return " / ".join(f"{100 * share:.2g}" for share in shares) + " %"


def one_down(workload: Workload, line: Line) -> str:
    """What is left when one wafer fails and the layers close ranks; a pipeline of GPUs stops with its stage."""
    if line.units <= 1:
        return "nothing is left"
    if line.word == "stage":
        return "the copy stops with its stage"
    count, chip = line.plan.device_count - 1, line.plan.slot.chip
    room = wafer_room(workload, line.plan, count)
    name = counted(chip, count)
    if room.placed_byte < line.one_byte:
        return f"{name} no longer holds it"
    return f"{name} holds {users_words(math.floor(room.placed_byte / line.one_byte))}"


def with_spare(workload: Workload, line: Line, link: Link) -> str:
    """What a spare brings back, and how long its share of the weights takes to load."""
    streams = line.streams(line.room.placed_tokens, workload.context_tokens)
    if streams < 1:
        return "nothing: whole layers leave no room for a stream"
    share = max(float(str(row["weight_byte"])) for row in placement_rows(workload, line))
    seconds = load_seconds(share, line.width, link)
    if math.isnan(seconds):
        return f"{users_words(streams)} again"
    loaded = f"once its {format_quantity(share, 'byte')} are loaded, {format_quantity(seconds, 's')} at least"
    return f"{users_words(streams)} again {loaded}"
