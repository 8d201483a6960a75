"""What the page on measured frontiers is asked for: the model, and its measured runs with the person's own."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import pandas as pd

from analysis.studies import frontier_points as read
from analysis.studies.frontier_points import Point
from app import cache
from app.components.controls import pick
from app.components.slots import coloured
from app.components.tables import Column, metric_column, unbroken
from app.own_entries import Stamp, own_stamp
from app.state import SLOT_LIMIT
from data.catalogue.measurement_files import MEASURED, SERVING, Row, load_measurements
from data.records import Architecture

COLUMNS = (
    Column(name="marked", header="Group"),
    metric_column("tokens_per_s_per_user", "per user"),
    metric_column("output_tokens_per_s_per_device", "a device", strong=True),
    Column(name="modelled_tokens_per_s_per_user", header="modelled per user", unit="token/s"),
    Column(name="modelled_output_tokens_per_s_per_device", header="modelled a device", unit="token/s"),
    Column(name="users", header="at once", shown="{:,.0f}".format),
    Column(name="machine", header="Machine"),
    Column(name="release", header="Engine"),
    Column(name="weights", header="Weights"),
    Column(name="lengths", header="Tokens"),
    Column(name="date", header="Date"),
    Column(name="by", header="By"),
)
Rows = dict[str, list[Row]]


@lru_cache(maxsize=2)
def _rows(stamp: Stamp) -> tuple[Rows, Rows]:
    known = cache.catalogue()
    serving, single = (read.rows_by_model(load_measurements(name), known) for name in (SERVING, MEASURED))
    return serving, single


@lru_cache(maxsize=8)
def _published(key: str, stamp: Stamp) -> tuple[Point, ...]:
    serving, single = _rows(stamp)
    known = cache.catalogue()
    return (
        *read.serving_points(serving.get(key, []), known),
        *read.measured_points(single.get(key, []), known),
    )


def pick_measured_model() -> Architecture:
    """One of the models of which runs were measured, the most measured first."""
    serving, single = _rows(own_stamp())
    known = cache.catalogue().architectures
    counted = Counter({key: len(rows) for table in (serving, single) for key, rows in table.items()})
    for key, rows in serving.items():
        counted[key] = len(rows) + len(single.get(key, []))
    counted.update(one.architecture.key for one in cache.measured_runs())
    models = [known[key] for key, _ in counted.most_common() if key in known]
    return pick("Model", models, key="measured_model", default=models[0], name=lambda each: each.name)


def points_of(model: Architecture) -> list[Point]:
    """Published runs of a model, then the person's own."""
    own = [one for one in cache.measured_runs() if one.architecture.key == model.key]
    return [*_published(model.key, own_stamp()), *read.own_points(own)]


def group_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a group, with the mark of its colour."""
    marked = [coloured(place, unbroken(name)) if place < SLOT_LIMIT else name
              for place, name in zip(frame["place"], frame["group"], strict=True)]  # fmt: skip
    whole = {name: frame[name].map(unbroken) for name in ("machine", "release", "lengths", "date")}
    return frame.assign(marked=marked, **whole)
