"""Speed over devices: one line a slot through its best split at each count, every other split as a faint mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.figures.marks import marks
from analysis.figures.names import behind_ends, room
from analysis.figures.style import Ink, Part, layout, log_axis, next_step, slot_colour, tick_text
from analysis.metrics import metric
from analysis.study import Study, rows_of

HEIGHT = 340
MARGIN = {"l": 52, "r": 10, "t": 22, "b": 52}
PLOT_HEIGHT = HEIGHT - MARGIN["t"] - MARGIN["b"]
MOST_DEVICES = 64
FAINT = 0.35
ROOM_BELOW = 2.5  # the largest factor between steps of an axis, so that the axis starts below its smallest mark
Row = Mapping[str, Any]


def one_stream(study: Study, ink: Ink) -> dict[str, Any]:
    """Tokens/s of one stream."""
    return _figure(study, "tokens_per_s_per_user", ink)


def all_streams(study: Study, ink: Ink) -> dict[str, Any]:
    """Tokens/s of all streams that memory holds."""
    return _figure(study, "output_tokens_per_s", ink)


def first_token(study: Study, ink: Ink) -> dict[str, Any]:
    """Seconds to the first token of one prompt."""
    return _figure(study, "first_token_s", ink)


def _figure(study: Study, key: str, ink: Ink) -> dict[str, Any]:
    best = [row for row in rows_of(study.table) if _drawn(row, key)]
    plans = study.marks["plans"]
    others = [row for row in rows_of(plans) if _drawn(row, key)] if isinstance(plans, pd.DataFrame) else []
    values = [float(row[key]) for row in [*best, *others]] or [1.0, 10.0]
    span = next_step(min(values) / ROOM_BELOW), next_step(1.6 * max(values))
    data = [
        part for place in dict.fromkeys(row["place"] for row in best) for part in _of_slot(best, others, place, key)
    ]
    shown = metric(key)
    y = log_axis(shown.axis_title(vertical=True), *span, ink, most=7)
    y["title"] = y["title"] | {"standoff": 4}
    ends = [
        (str(row["slot"]).split("× ", 1)[-1], float(row[key])) for row in {row["place"]: row for row in best}.values()
    ]
    words = behind_ends(ends, span, PLOT_HEIGHT, ink)
    frame = layout(HEIGHT, ink, x=_devices(ink), y=y, margin=MARGIN | {"r": room([name for name, _ in ends])})
    return {"data": data, "layout": frame | {"annotations": words}}


def _drawn(row: Row, key: str) -> bool:
    return bool(row["device_count"] <= MOST_DEVICES and row[key] > 0)


def _devices(ink: Ink) -> Part:
    """An axis of powers of two."""
    axis = log_axis(metric("device_count").header() + " (log)", 0.85, MOST_DEVICES * 1.35, ink)
    ticks = [2.0**power for power in range(7)]
    title = axis["title"] | {"text": f"{metric('device_count').label} (log)"}
    return axis | {"tickvals": ticks, "ticktext": [tick_text(each) for each in ticks], "title": title}


def _of_slot(best: Sequence[Row], others: Sequence[Row], place: int, key: str) -> list[Part]:
    own, rest = ([row for row in rows if row["place"] == place] for rows in (best, others))
    colour = slot_colour(place)
    x, y = [row["device_count"] for row in own], [float(row[key]) for row in own]
    line = marks(x, y, colour, "circle-open", [_hover(row, key, _split(row, key)) for row in own])
    line |= {"mode": "lines+markers", "line": {"color": colour, "width": 2}}
    line["marker"] = line["marker"] | {"size": 7}
    faint = marks(
        [row["device_count"] for row in rest], [float(row[key]) for row in rest], colour, "circle-open",
        [_hover(row, key, row["spread"]) for row in rest], opacity=FAINT,
    )  # fmt: skip
    faint["marker"] = faint["marker"] | {"size": 5, "line": {"width": 1, "color": colour}}
    return [faint, line]


def _split(row: Row, key: str) -> str:
    return str(row["full_spread"] if key == "output_tokens_per_s" else row["spread"])


def _hover(row: Row, key: str, split: str) -> str:
    """The value, the split, and what it says of communication or users."""
    lines = [f"<b>{row['slot']}</b>, {split}", f"{metric(key).label}: {metric(key).format(float(row[key]))}"]
    if key == "tokens_per_s_per_user":
        shares = ("share_communication", "share_hop")
        lines.append(", ".join(f"{metric(name).label} {metric(name).format(row[name])}" for name in shares))
    if key == "output_tokens_per_s":
        lines.append(f"{row['running']:,.0f} users in flight")
    if key == "first_token_s" and row["ring_groups"] > 1:
        lines[0] = f"<b>{row['slot']}</b>, the prompt divided over {row['ring_groups']:.0f} groups"
    return "<br>".join(lines)
