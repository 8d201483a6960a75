"""Layers in line: what each wafer or pipeline stage holds, against its memory and the planning rule."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.figures.marks import fill, key_of_fills
from analysis.figures.style import LINE, Ink, Part, layout, linear_axis, slot_colour
from analysis.metrics import metric
from analysis.study import Study

HEIGHT = 300
GB = 1e9
MARGIN = {"l": 58, "r": 14, "t": 22, "b": 92}


def titled(study: Study, ink: Ink, place: int) -> tuple[str, dict[str, Any]]:
    """Title and figure of the slot at `place`, which must lie in line."""
    rows = study.table[study.table["place"] == place]
    return f"Where the layers lie on {rows['slot'].iloc[0]}", figure(study, ink, place)


def figure(study: Study, ink: Ink, place: int) -> dict[str, Any]:
    """One bar a wafer or stage of the slot at `place`: weights and cache against its memory and the planning rule."""
    table = study.marks["placement"]
    rows = table[table["place"] == place] if isinstance(table, pd.DataFrame) and len(table) else pd.DataFrame()
    if rows.empty:
        return {"data": [], "layout": layout(HEIGHT, ink, x={"visible": False}, y={"visible": False})}
    colour, memory = slot_colour(place), float(rows["memory_byte"].iloc[0])
    high = max(memory, float((rows["weight_byte"] + rows["cache_byte"]).max())) * 1.15
    hover = [_hover(row) for row in rows.to_dict("records")]
    names = [str(wafer) for wafer in rows["wafer"]]
    weights = _stack(names, rows["weight_byte"], fill(colour, 1.0), hover)
    cache = _stack(names, rows["cache_byte"], fill(colour, 1.0, "/"), hover)
    stand_ins, legend = key_of_fills([("weights", fill(LINE, 1.0)), ("KV cache", fill(LINE, 1.0, "/"))], ink)
    y = linear_axis(metric("memory_byte").header("G"), high, ink, scale=GB)
    frame = layout(HEIGHT, ink, x=_wafers(rows, names, ink), y=y, barmode="stack", bargap=0.35, margin=MARGIN, **legend)
    planned = study.marks["planned"]
    share = float(planned[0]) if isinstance(planned, tuple) else 1.0
    lines, words = _memory_lines(memory, share, ink)
    return {"data": [weights, cache, *stand_ins], "layout": frame | {"shapes": lines, "annotations": [words]}}


def _memory_lines(memory: float, planned: float, ink: Ink) -> tuple[list[Part], Part]:
    """Lines at the memory of one place and at the share that the planning rule gives to weights; words over both."""
    size, share = metric("memory_byte").format(memory), f"{100 * planned:.0f} %"
    words = {
        "text": f"<b>{size} of memory</b>; lower line: {share} planned for weights",
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "y": memory,
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12, "color": ink.text},
    }
    return [_level(memory), _level(planned * memory)], words


def _level(at: float) -> Part:
    line = {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": at, "y1": at}
    return line | {"line": {"color": LINE, "width": 2, "dash": "dot"}}


def _stack(names: list[str], values: pd.Series[Any], filling: Part, hover: list[str]) -> Part:
    return {
        "type": "bar",
        "x": names,
        "y": [float(value) for value in values],
        "marker": filling,
        "hovertext": hover,
        "hoverinfo": "text",
        "showlegend": False,
    }


def _wafers(rows: pd.DataFrame, names: list[str], ink: Ink) -> Part:
    """Wafers by number; how many layers each holds stands in the title and, one by one, in the hover."""
    few = len(names) <= 24
    least, most = int(rows["layers_on_wafer"].min()), int(rows["layers_on_wafer"].max())
    each = f"{most}" if least == most else f"{least} to {most}"
    title = f"{rows['word'].iloc[0]}, {each} layers on each"
    return {
        "type": "category",
        "title": {"text": title, "font": {"size": 12, "color": ink.soft}, "standoff": 8},
        "tickvals": names if few else names[::5],
        "ticktext": names if few else names[::5],
        "tickangle": 0,
        "tickfont": {"size": 12, "color": ink.soft},
        "showgrid": False,
        "fixedrange": True,
    }


def _hover(row: dict[Any, Any]) -> str:
    show = metric("memory_byte").format
    return (
        f"{row['slot']}, {row['word']} {row['wafer']}"
        f"<br>{row['layers_on_wafer']} layers, {show(row['weight_byte'])} of weights"
        f"<br>{show(row['cache_byte'])} of cache, {show(row['free_byte'])} free"
    )
