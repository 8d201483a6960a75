"""The shapes of many cases' models side by side: one row a case, one column a group of equal layers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from analysis.block_table import BlockTable, block_table
from analysis.engine.arrays import Floats, rows_of
from data.records import Architecture, Attention

_KEPT = 64  # sets of architectures whose tables stay in memory
_tables: OrderedDict[tuple[int, ...], tuple[tuple[Architecture, ...], Shapes]] = OrderedDict()


@dataclass(frozen=True, kw_only=True)
class Shapes(BlockTable):
    """A BlockTable of cases, with the last matrix of token mixing apart.

    output_weights   elements of the output projection of token mixing, all heads   (cases, groups)
    output_rows      elements per token that go into it                             (cases, groups)
    """

    output_weights: Floats
    output_rows: Floats

    def column(self, name: str) -> Floats:
        """A per-model quantity as a column that broadcasts over the groups of layers."""
        values: Floats = getattr(self, name)
        return values[:, None]

    @property
    def layer_count(self) -> Floats:
        """Decoder layers of each case's model. (cases,)"""
        return np.asarray(self.layers.sum(axis=1))


def shapes_of(architectures: Sequence[Architecture]) -> Shapes:
    """The shapes of the models of many cases, rows in the order given; tables of known models are kept."""
    distinct = tuple({id(each): each for each in architectures}.values())
    key = tuple(id(each) for each in distinct)
    if key not in _tables:
        _tables[key] = (distinct, _build(distinct))
        if len(_tables) > _KEPT:
            _tables.popitem(last=False)
    place = {each: at for at, each in enumerate(key)}
    return rows_of(_tables[key][1], np.array([place[id(each)] for each in architectures]))


def _build(architectures: Sequence[Architecture]) -> Shapes:
    table = block_table(architectures)
    weights, rows = np.zeros_like(table.layers), np.zeros_like(table.layers)
    for at, architecture in enumerate(architectures):
        for column, block in enumerate(architecture.blocks):
            weights[at, column], rows[at, column] = _output(block.attention, architecture.hidden)
    known = {each.name: getattr(table, each.name) for each in fields(table)}
    return Shapes(**known, output_weights=weights, output_rows=rows)


def _output(attention: Attention, hidden: int) -> tuple[float, float]:
    """Elements and input rows of the output projection; of a two-step one, both steps and the first step's rows."""
    steps = [m for m in attention.matrices if m.name.startswith("output") and m.name != "output_gate"]
    if not steps:
        return 0.0, 0.0
    rows = steps[0].rows if len(steps) == 1 else attention.query_heads * (attention.value_width or attention.head_width)
    return float(sum(m.rows * m.columns for m in steps)), float(rows)
