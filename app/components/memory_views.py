"""What the memory page adds for machines whose layers lie in line: where they lie, and what such a line does."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.figures import placement
from analysis.figures.style import ink
from analysis.metrics import metric
from analysis.study import Study, rows_of
from app.components.card import figure, theme
from app.components.controls import WIDE, pick
from app.components.slots import coloured
from app.components.small_figures import frame_of
from app.components.tables import Column, table, whole

ROWS: tuple[tuple[str, str], ...] = (
    ("in_line", "In line"),
    ("layers_on_wafer", "Layers on the fullest"),
    ("split", "Memory in weights / cache / free"),
    ("planned_units", "In line by the rule of 60 % weights"),
    ("pooled_room_tokens", "Room for the cache, memories pooled"),
    ("placed_room_tokens", "Room with whole layers in place"),
    ("pooled_streams", "Streams of this context, pooled"),
    ("placed_streams", "Streams with whole layers"),
    ("empty_tokens_per_s_per_user", "One stream at an empty context"),
    ("tokens_per_s_per_user", "One stream at this context"),
    ("one_down", "With one down"),
    ("with_spare", "With a spare in its place"),
    ("load_s", "Loading all weights, at least"),
    ("link", "Loaded through"),
)
COUNTS = frozenset({"layers_on_wafer", "planned_units", "pooled_streams", "placed_streams"})


def _shown(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    number = float(str(value))
    return whole(number) if name in COUNTS and math.isfinite(number) else metric(name).format(number)


def _by_quantity(lines: Sequence[dict[str, object]]) -> tuple[pd.DataFrame, list[Column]]:
    """The lines as columns of texts, one row a quantity: they are few, and a phone is narrow."""
    columns = [Column(name="what", header="Layers in line")]
    frame: dict[str, list[str]] = {"what": [title for _, title in ROWS]}
    for line in lines:
        name, place = str(line["slot"]), int(str(line["place"]))
        columns.append(Column(name=f"slot{place}", header=coloured(place, name)))
        frame[f"slot{place}"] = [_shown(key, line[key]) for key, _ in ROWS]
    return pd.DataFrame(frame), columns


def layers_in_line(study: Study) -> None:
    """Figure of one slot and the table of all that lie in line; nothing where none does."""
    lines = frame_of(study, "lines")
    if lines.empty:
        return
    names = {int(row["place"]): str(row["slot"]) for row in rows_of(lines)}
    places = list(names)
    title, drawing = placement.titled(study, ink(theme()), _chosen(places, names))
    st.subheader(title, anchor=False)
    figure(drawing, key="memory_second", alt=title)
    frame, columns = _by_quantity(rows_of(lines))
    table(frame, columns, alt=title)
    st.caption(
        "The planning rule is 60 % weights, 30 % cache, 10 % buffers. Pooled takes all memories as one; whole layers "
        "keep each layer's cache beside it, the embedding on the first and the head on the last. Loading counts bytes "
        "over links and no start-up."
    )


def _chosen(places: list[int], names: dict[int, str]) -> int:
    """The slot to draw; asked only where there is more than one."""
    if len(places) == 1:
        return places[0]
    return pick("Layers of", places, key="layers", default=places[0], name=names.__getitem__, width=WIDE)
