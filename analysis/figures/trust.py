"""Predicted over measured, both axes alike and logarithmic, with the line of equality and a band of 20 % round it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from analysis.figures.equality import factor_line, span_of, square
from analysis.figures.marks import key_of_marks, label, marks
from analysis.figures.style import LINE, Ink, Part, faded, slot_colour
from analysis.metrics import Metric

BAND_FRACTION = 0.20
ONE, ASIDE = ("one run", "circle-open"), ("set aside", "x-thin-open")
MILLI = 1e3


def figure(points: pd.DataFrame, shown: Metric, ink: Ink) -> dict[str, Any]:
    """One mark a run; `points` has measured, predicted (SI), clean, and what the hover says."""
    short = shown.unit == "s" and len(points) > 0 and float(points["measured"].max()) < 1.0
    scale, prefix = (MILLI, "m") if short else (1.0, "")
    span = span_of(scale * value for value in [*points["measured"], *points["predicted"]])
    clean, aside = points[points["clean"]], points[~points["clean"]]
    data = [factor_line(span), _dots(clean, slot_colour(0), ONE[1], shown, scale)]
    entries = [ONE]
    if len(aside):
        data.append(_dots(aside, LINE, ASIDE[1], shown, scale))
        entries.append(ASIDE)
    stand_ins, legend = key_of_marks(entries, ink)
    title = shown.header(prefix)
    frame = square((f"measured {title}", f"predicted {title}"), span, ink, **legend)
    return {"data": [*data, *stand_ins], "layout": frame | {"shapes": [_band(span)], "annotations": [_word(span, ink)]}}


def _band(span: tuple[float, float]) -> Part:
    """The band from corner to corner, in values; straight on log axes because it is a factor."""
    low, high = span
    up, down = 1 + BAND_FRACTION, 1 - BAND_FRACTION
    corners = [(low, low * up), (high / up, high), (high, high), (high, high * down), (low / down, low), (low, low)]
    path = "M" + "L".join(f"{x:.6g},{y:.6g}" for x, y in corners) + "Z"
    return {"type": "path", "path": path, "fillcolor": faded(LINE, 0.16), "line": {"width": 0}, "layer": "below"}


def _word(span: tuple[float, float], ink: Ink) -> Part:
    """What the band is, above it in the lower left, where few runs are."""
    at = span[0] * (span[1] / span[0]) ** 0.2
    return label(
        "± 20 %", at, at * (1 + BAND_FRACTION), ink, log_y=True, shift=(-6, 12), anchor="right",
    )  # fmt: skip


def _dots(table: pd.DataFrame, colour: str, symbol: str, shown: Metric, scale: float) -> Part:
    style = {"size": 6, "color": colour, "symbol": symbol, "line": {"width": 1, "color": faded(colour, 0.75)}}
    x, y = ([scale * value for value in table[name]] for name in ("measured", "predicted"))
    return marks(x, y, colour, symbol, _hover(table, shown)) | {"marker": style}


def _hover(table: pd.DataFrame, shown: Metric) -> Sequence[str]:
    """Model, machine and engine, both figures and the error, and the run's id."""
    return [
        f"{row['model']} on {row['hardware']}, {row['engine'] or 'engine not said'}"
        f"<br>measured {shown.format(row['measured'])}, model {shown.format(row['predicted'])}, {_signed(row['error'])}"
        f"<br>{row['row_id']}"
        for row in table.to_dict("records")
    ]


def _signed(error: float) -> str:
    return "no error known" if math.isnan(error) else f"{100 * error:+.0f} %"
