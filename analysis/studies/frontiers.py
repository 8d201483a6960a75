"""Who has measured how much from one device at which speed per user, and does the model's line run through it?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from analysis.engine import evaluate
from analysis.explain import explain
from analysis.frontier import on_frontier
from analysis.metrics import metric
from analysis.models.ratios import rate_of_each
from analysis.models.serving import output_rate, request_time
from analysis.parameters import Parameters
from analysis.sentences import shortest_of
from analysis.studies.frontier_points import NOT_SAID, OWN, Point
from analysis.study import Step, Study, rows_of, short_name
from data.sources import Source
from data.units import format_quantity

QUESTION = "How much from one device, at which speed per user, has been measured?"
ANY = "any"
PLACES = 6  # groups with a colour of their own; the others share a grey
OTHERS = "others"
USERS = tuple(2.0**power for power in range(11))
PER_USER, PER_DEVICE = "tokens_per_s_per_user", "output_tokens_per_s_per_device"
# How points may be told apart by colour.
BY: Mapping[str, Callable[[Point], str]] = {
    "hardware": lambda point: short_name(point.case.chip),
    "engine": lambda point: point.engine,
    "release": lambda point: point.release,
    "month": lambda point: point.date[:7] or "not dated",
    "weights": lambda point: point.weights,
    "who measured": lambda point: point.evidence,
}


def lengths_of(points: Iterable[Point]) -> list[str]:
    """Pairs of prompt and output that were measured, the most frequent first, then "any"."""
    counted = Counter(point.lengths for point in points)
    return [*(name for name, _ in counted.most_common(12)), ANY]


def study(
    points: Sequence[Point], *, by: str = "hardware", lengths: str = ANY, least_token_per_s: float = 50.0,
    parameters: Parameters | None = None,
) -> Study | None:  # fmt: skip
    """Measured points of one model, their frontiers, and the model's line; None where nothing was measured.

    by        what gives the colour: hardware, engine, release, month, weights, who measured
    lengths   "1,024 + 1,024", or "any"

    Table: for every group the run with most per device at the speed asked for or above (else its fastest), beside what
    the model says of it. Marks: `points`, every run with its place and whether it lies on its group's frontier;
    `lines`, the model over 1 to 1,024 users for the machine of each group's best run.
    """
    chosen = [point for point in points if lengths in (ANY, point.lengths)]
    if not chosen:
        return None
    groups = grouped(chosen, by)
    best = {place: _best(members, least_token_per_s) for place, (_, members) in groups.items()}
    modelled, lines = _modelled(best, parameters)
    rows = [_row(place, groups[place][0], best[place], modelled[place]) for place in groups]
    return Study(
        question=QUESTION,
        answer=_answer(chosen, least_token_per_s, lengths),
        conditions=_conditions(chosen, lengths),
        table=pd.DataFrame(rows),
        steps=lambda: _steps(max(best.values(), key=lambda point: point.per_device)),
        sources=_sources(chosen),
        assumptions=(
            "where a source gives times only, the rate is a closed loop's: users × output over the time of a request",
            "the model's line holds formats, degrees and lengths of each group's best run and moves the users alone",
        ),
        remarks=("Own runs are not reviewed",) if any(point.evidence == OWN for point in chosen) else (),
        marks={"points": _frame(groups), "lines": lines, "least": least_token_per_s},
    )


def grouped(points: Sequence[Point], by: str) -> dict[int, tuple[str, list[Point]]]:
    """Points by place of colour with the group's name, largest first; beyond six they share a place."""
    read = BY[by]
    order = [name for name, _ in Counter(read(point) for point in points).most_common()]
    found: dict[int, tuple[str, list[Point]]] = {}
    for point in points:
        at = min(order.index(read(point)), PLACES)
        name = read(point) if at < PLACES else OTHERS
        found.setdefault(at, (name, []))[1].append(point)
    return dict(sorted(found.items()))


def frontier(points: Sequence[Point]) -> set[str]:
    """Ids of the runs that no other beats in both speed per user and rate per device."""
    speed, rate = (
        np.array([getattr(each, name) for each in points], dtype=float) for name in ("per_user", "per_device")
    )
    return {point.row_id for point, best in zip(points, on_frontier(speed, rate), strict=True) if best}


def _best(points: Sequence[Point], least: float) -> Point:
    """Most per device among those fast enough; else the fastest."""
    fast = [point for point in points if point.per_user >= least]
    return max(fast, key=lambda each: each.per_device) if fast else max(points, key=lambda each: each.per_user)


def _modelled(
    best: Mapping[int, Point], parameters: Parameters | None
) -> tuple[dict[int, tuple[float, float]], pd.DataFrame]:
    """What the model says of each best run, and its line over users; one call of the engine."""
    asked = [
        (place, users, replace(point.case, concurrency=users))
        for place, point in best.items()
        for users in (point.users, *USERS)
    ]
    answer = evaluate([case for _, _, case in asked], parameters)
    devices = [float(case.device_count or 1) for _, _, case in asked]
    frame = pd.DataFrame({
        "place": [place for place, _, _ in asked],
        "users": [users for _, users, _ in asked],
        PER_USER: answer["tokens_per_s_per_user"].to_numpy(),
        PER_DEVICE: answer["output_tokens_per_s"].to_numpy() / devices,
        "machine": [best[place].machine for place, _, _ in asked],
    })  # fmt: skip
    size = 1 + len(USERS)
    firsts = frame.iloc[::size]
    said = {int(row["place"]): (float(row[PER_USER]), float(row[PER_DEVICE])) for row in rows_of(firsts)}
    lines = frame.drop(firsts.index)
    return said, lines[lines[PER_USER].notna() & lines[PER_DEVICE].notna()].reset_index(drop=True)


def _row(place: int, group: str, point: Point, modelled: tuple[float, float]) -> dict[str, object]:
    return {
        "group": group,
        "place": place,
        "machine": point.machine,
        "release": point.release,
        "date": point.date,
        "weights": point.weights,
        "lengths": point.lengths,
        "users": point.users,
        PER_USER: point.per_user,
        PER_DEVICE: point.per_device,
        f"modelled_{PER_USER}": modelled[0],
        f"modelled_{PER_DEVICE}": modelled[1],
        "by": point.evidence,
        "row_id": point.row_id,
    }


def _frame(groups: Mapping[int, tuple[str, list[Point]]]) -> pd.DataFrame:
    rows = []
    for place, (group, members) in groups.items():
        best = frontier(members)
        rows += [
            {
                "place": place, "group": group, PER_USER: each.per_user, PER_DEVICE: each.per_device,
                "frontier": each.row_id in best, "by": each.evidence, "hover": _hover(each),
            }
            for each in members
        ]  # fmt: skip
    return pd.DataFrame(rows)


def _hover(point: Point) -> tuple[str, ...]:
    """What a mark says beside its two figures, line by line."""
    drafts = "" if point.speculative == "no" else f", speculation {point.speculative}"
    return (
        f"{point.machine}, {point.release}, {point.weights} weights",
        f"{point.users:,.0f} at once, {point.lengths} tokens{drafts}",
        f"{point.date or 'not dated'}, {point.evidence}, {point.how}",
        f"{point.source.title}, {point.row_id}",
    )


def _answer(points: Sequence[Point], least: float, lengths: str) -> str:
    model = points[0].case.architecture.name
    fast = [point for point in points if point.per_user >= least]
    at = {ANY: "", NOT_SAID: " at lengths not said"}.get(lengths, f" at {lengths} tokens")
    if not fast:
        top = max(points, key=lambda each: each.per_user)
        gives = f"{top.machine} gives {metric(PER_USER).format(top.per_user)}"
        return shortest_of(
            f"No measured run of {model}{at} gives a user {least:,.0f} tok/s; {gives}.",
            f"No measured run of {model} gives a user {least:,.0f} tok/s; {gives}.",
        )
    top = max(fast, key=lambda each: each.per_device)
    figures = f"{metric(PER_DEVICE).format(top.per_device)} a device at {format_quantity(top.per_user, '1')} per user"
    return shortest_of(
        f"At {least:,.0f} tok/s per user or more, {model}{at} gets most from {top.machine}: {figures}.",
        f"From {least:,.0f} tok/s per user up, {model}{at} gets most from {top.machine}: {figures}.",
        f"{model}{at}: most from {top.machine}, {figures}.",
        f"{model}: most from {top.machine}, {figures}.",
    )


def _conditions(points: Sequence[Point], lengths: str) -> str:
    own = sum(point.evidence == OWN for point in points)
    counted = Counter(point.evidence for point in points if point.evidence != OWN)
    told = ", ".join(f"{count:,} {name}" for name, count in counted.most_common())
    mine = f" and {own:,} of your own" if own else ""
    mixed = " Lengths are mixed: compare within one." if lengths == ANY else ""
    return f"Measured: {told or 'no published'} runs{mine}. Dotted: modelled.{mixed}"


def _steps(point: Point) -> list[Step]:
    """How the rate per device of the best run follows from its two times, where it does."""
    devices, total = float(point.case.device_count or 1), point.per_device * float(point.case.device_count or 1)
    made = point.output_tokens * point.case.length_factor
    if not made > 0:
        return [explain(rate_of_each, subject=point.row_id, rate_token_per_s=total, devices=devices)]
    tpot_s, e2e_s = 1 / point.per_user, point.users * made / total
    return [
        explain(request_time, subject=point.row_id, ttft_s=e2e_s - (made - 1) * tpot_s, tpot_s=tpot_s, generated=made),
        explain(output_rate, in_flight=point.users, generated_tokens=made, e2e_s=e2e_s),
        explain(rate_of_each, rate_token_per_s=total, devices=devices),
    ]


def _sources(points: Sequence[Point]) -> tuple[Source, ...]:
    counted = Counter(point.source for point in points)
    return tuple(source for source, _ in counted.most_common())


def points_table(points: Sequence[Point]) -> pd.DataFrame:
    """Every run with its two figures, for the download."""
    return pd.DataFrame([
        {
            "row_id": point.row_id, "model": point.case.architecture.key, "chip": point.case.chip.key,
            "device_count": point.case.device_count, "release": point.release, "date": point.date,
            "weights": point.weights, "users": point.users, "input_tokens": point.input_tokens,
            "output_tokens": point.output_tokens, PER_USER: point.per_user, PER_DEVICE: point.per_device,
            "how": point.how, "by": point.evidence, "speculative": point.speculative, "source": point.source.title,
        }
        for point in points
    ])  # fmt: skip
