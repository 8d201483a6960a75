"""One decoder layer while a configuration is being read, and equal layers folded into blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from data.records import Attention, Block, Matrix, Mlp

Split = str


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One decoder layer: token mixing, channel mixing, and everything that is no matrix product, by name."""

    attention: Attention
    mlp: Mlp
    vectors: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class Decoder:
    """All layers in order with what lies outside them.

    outer    parameters outside layers and tables, by name
    lookup   tables beside the embedding of which a token reads one row, elements
    mtp      parameters of the multi-token-prediction layers, 0 where the checkpoint has none
    """

    layers: Sequence[Layer]
    outer: Mapping[str, int]
    tied: bool
    lookup: int = 0
    mtp: int = 0
    notes: Sequence[str] = field(default_factory=tuple)


def blocks_of(layers: Sequence[Layer]) -> tuple[Block, ...]:
    """Layers of equal shape counted together, in the order in which each shape first appears."""
    counted: list[tuple[Layer, int]] = []
    for layer in layers:
        at = next((i for i, (each, _) in enumerate(counted) if each == layer), None)
        if at is None:
            counted.append((layer, 1))
        else:
            counted[at] = (layer, counted[at][1] + 1)
    return tuple(
        Block(layers=count, attention=layer.attention, mlp=layer.mlp, vectors=dict(layer.vectors))
        for layer, count in counted
    )


def layer_elements(layer: Layer, hidden: int) -> int:
    """Elements of one layer, every routed expert counted."""
    mlp = layer.mlp
    experts = mlp.experts * (mlp.matrices * (mlp.latent_width or hidden) * mlp.expert_width + mlp.expert_vectors)
    dense = mlp.matrices * hidden * mlp.inner_width + 2 * hidden * mlp.latent_width
    mixing = sum(each.rows * each.columns for each in layer.attention.matrices)
    return mixing + experts + dense + mlp.experts * hidden + sum(layer.vectors.values())


def heads(name: str, rows: int, columns: int) -> Matrix:
    """A matrix that tensor parallelism divides by query heads."""
    return Matrix(name=name, rows=rows, columns=columns, split="heads")


def kv_heads(name: str, rows: int, columns: int) -> Matrix:
    """A matrix divided by KV heads, copied once there are more devices than heads."""
    return Matrix(name=name, rows=rows, columns=columns, split="kv_heads")


def whole(name: str, rows: int, columns: int) -> Matrix:
    """A matrix every device keeps in full."""
    return Matrix(name=name, rows=rows, columns=columns, split="whole")


def nonzero(**sizes: int) -> dict[str, int]:
    """The named vector sizes without those that are absent."""
    return {name: size for name, size in sizes.items() if size}
