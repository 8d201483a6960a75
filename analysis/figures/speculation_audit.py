"""Published speeds over what the model says without speculation, as a range where a source leaves much open."""

from __future__ import annotations

import math
from typing import Any, Literal

import pandas as pd

from analysis.figures.equality import factor_line, span_of, square
from analysis.figures.marks import key_of_marks, label, marks
from analysis.figures.style import Ink, Part, slot_colour
from analysis.metrics import metric

# Who measured: words in the key, marker and colour slot; vendor and others never share one.
KINDS = {"independent": ("circle", 0), "vendor": ("square", 1), "community": ("x", 4), "paper": ("diamond", 2)}
LINES = ((1.0, "solid", ""), (2.0, "dash", "× 2"), (4.0, "dot", "× 4"))
SPEED = "tokens_per_s_per_user"
NAMED = 5
ROOM = (1.0, 0.2)  # decades across and up that a name takes on a phone


def figure(table: pd.DataFrame, ink: Ink) -> dict[str, Any]:
    """Horizontal line: slowest to fastest prediction. Mark: its middle at the published speed."""
    known = table[table[f"low_{SPEED}"].notna()] if len(table) else table
    names = [f"low_{SPEED}", f"high_{SPEED}", f"measured_{SPEED}"]
    span = span_of(value for name in names for value in (known[name] if len(known) else []))
    used = [kind for kind in KINDS if len(known) and (known["by"] == kind).any()]
    data = [factor_line(span, factor, dash) for factor, dash, _ in LINES]
    for kind in used:
        data += [_ranges(known[known["by"] == kind], kind), _dots(known[known["by"] == kind], kind)]
    stand_ins, legend = key_of_marks([(kind, KINDS[kind][0]) for kind in used], ink)
    title = metric(SPEED).header()
    frame = square((f"predicted without drafts, {title}", f"published, {title}"), span, ink, **legend)
    return {
        "data": [*data, *stand_ins],
        "layout": frame | {"annotations": [*_factors(span, ink), *_names(known, span, ink)]},
    }


def _middle(table: pd.DataFrame) -> list[float]:
    return [float(value) for value in (table[f"low_{SPEED}"] * table[f"high_{SPEED}"]) ** 0.5]


def _ranges(table: pd.DataFrame, kind: str) -> Part:
    x: list[float | None] = []
    y: list[float | None] = []
    for row in table.to_dict("records"):
        x += [row[f"low_{SPEED}"], row[f"high_{SPEED}"], None]
        y += [row[f"measured_{SPEED}"], row[f"measured_{SPEED}"], None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": slot_colour(KINDS[kind][1]), "width": 5},
        "opacity": 0.3,
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _dots(table: pd.DataFrame, kind: str) -> Part:
    symbol, place = KINDS[kind]
    shown = metric(SPEED).format
    texts = [
        f"{row['model']} on {row['machine']}, {row['by']}, {row['date']}"
        f"<br>published {shown(row[f'measured_{SPEED}'])}, "
        f"model {shown(row[f'low_{SPEED}'])} to {shown(row[f'high_{SPEED}'])}"
        f"<br>devices {row['devices']}<br>{row['verdict']}"
        for row in table.to_dict("records")
    ]
    drawn = marks(_middle(table), list(table[f"measured_{SPEED}"]), slot_colour(place), symbol, texts)
    return drawn | {"marker": drawn["marker"] | {"size": 8}}


def _factors(span: tuple[float, float], ink: Ink) -> list[Part]:
    """How many tokens a step each slanted line stands for, at its upper end."""
    return [
        label(text, span[1] / factor, span[1], ink, log_y=True, shift=(0, 9))
        for factor, _, text in LINES
        if text and span[1] / factor > span[0]
    ]


def _names(known: pd.DataFrame, span: tuple[float, float], ink: Ink) -> list[Part]:
    """The speeds furthest above their prediction, one a model and machine, where no other mark stands in the way."""
    if known.empty:
        return []
    middle, at = (span[0] * span[1]) ** 0.5, list(zip(_middle(known), known[f"measured_{SPEED}"], strict=True))
    far = known.sort_values("tau_low", ascending=False).drop_duplicates(["machine", "model"]).head(NAMED)
    words = []
    for row, x in zip(far.to_dict("records"), _middle(far), strict=True):
        anchor: Literal["left", "right"] = "left" if x < middle else "right"
        if not any(_in_the_way(x, row[f"measured_{SPEED}"], anchor, each) for each in at):
            text, y = f"{row['model']}, {row['machine']}", row[f"measured_{SPEED}"]
            words.append(label(text, x, y, ink, log_y=True, shift=(0, 13), anchor=anchor))
    return words


def _in_the_way(x: float, y: float, anchor: str, other: tuple[float, float]) -> bool:
    """Whether another mark stands where the name of this one would."""
    across, up = math.log10(other[0] / x), math.log10(other[1] / y)
    aside = across if anchor == "left" else -across
    return -ROOM[0] / 4 < aside < ROOM[0] and 0 < up < ROOM[1]
