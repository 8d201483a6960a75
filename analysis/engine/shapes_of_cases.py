"""The shapes of many cases' models side by side: one row a case, one column a group of equal layers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from analysis.block_table import BlockTable, block_table
from analysis.engine.arrays import Floats, rows_of
from data.records import Architecture, Attention, Block

_ADDED = ("output_weights", "output_rows", "added_products", "compressed", "streams")
_STREAMS = "stream_mixing"  # vectors of models that carry several residual streams
_KEPT = 64  # sets of architectures whose tables stay in memory
_tables: OrderedDict[tuple[int, ...], tuple[tuple[Architecture, ...], Shapes]] = OrderedDict()


@dataclass(frozen=True, kw_only=True)
class Shapes(BlockTable):
    """A BlockTable of cases, with the last matrix of token mixing apart and what adds kernels to a layer.

    output_weights   elements of the output projection of token mixing, all heads                 (cases, groups)
    output_rows      elements per token that go into it                                           (cases, groups)
    added_products   products beyond one into and one out of it: steps through a low rank         (cases, groups)
    compressed       1 where history is compressed before it is stored                            (cases, groups)
    streams          1 where several residual streams are mixed round each half of the layer      (cases, groups)
    """

    output_weights: Floats
    output_rows: Floats
    added_products: Floats
    compressed: Floats
    streams: Floats

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
    cells = {name: np.zeros_like(table.layers) for name in _ADDED}
    for at, architecture in enumerate(architectures):
        for column, block in enumerate(architecture.blocks):
            for name, value in _added(block).items():
                cells[name][at, column] = value
    known = {each.name: getattr(table, each.name) for each in fields(table)}
    return Shapes(**known, **cells)


def _added(block: Block) -> dict[str, float]:
    """What a group of layers has beyond its BlockTable, by name in _ADDED."""
    attention = block.attention
    weights, rows = _output(attention)
    names = [each.name for each in attention.matrices]
    low_rank = attention.kind == "gqa" and attention.q_rank > 0
    two_steps = sum(name.startswith("output_") and name != "output_gate" for name in names) > 1
    added = float(low_rank) + float(two_steps)
    compressed = float(any(name.startswith("compressor") for name in names))
    return dict(zip(_ADDED, (weights, rows, added, compressed, float(_STREAMS in block.vectors)), strict=True))


def _output(attention: Attention) -> tuple[float, float]:
    """Elements and input rows of the output projection; of a two-step one, both steps and the first step's rows."""
    steps = [m for m in attention.matrices if m.name.startswith("output") and m.name != "output_gate"]
    if not steps:
        return 0.0, 0.0
    rows = steps[0].rows if len(steps) == 1 else attention.query_heads * (attention.value_width or attention.head_width)
    return float(sum(m.rows * m.columns for m in steps)), float(rows)
