"""Single figures of the catalogue by their path, and a copy of the catalogue with one of them changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from types import MappingProxyType

from data.catalogue.catalogue import Catalogue
from data.catalogue.edited import edited
from data.errors import UnknownNameError, WaferlineError
from data.records import Architecture, Attention, Block, Matrix, Mlp

CHIPS, ARCHITECTURES = "chips", "architectures"
_ATTENTION = {each.name for each in fields(Attention)} - {"kind", "matrices", "stores_cache"}
_MLP = {each.name for each in fields(Mlp)} - {"kind"}
_WHOLE = {
    "hidden", "vocabulary", "mtp_parameters", "outer_parameters", "published_total_parameters",
    "published_rounded_parameters", "published_active_parameters", "max_context_tokens",
}  # fmt: skip
# Matrices of the token mixing that grow with a figure, by how tensor parallelism divides them.
_SPLITS = {
    "query_heads": ("heads",), "kv_heads": ("kv_heads",), "head_width": ("heads", "kv_heads"),
    "hidden": ("heads", "kv_heads", "whole"),
}  # fmt: skip
LAYERS = "layers"


def figure_of(catalogue: Catalogue, path: str) -> float | None:
    """The figure at a path like "chips.wse-3.memory_byte", SI; the largest over a model's layers; None if unknown.

    Raises UnknownNameError for a key or a figure that does not exist, WaferlineError for a path of another form.
    """
    kind, key, name = _parts(path)
    if kind == CHIPS:
        chip = catalogue.chip(key)
        if not hasattr(chip, name):
            raise UnknownNameError("figure of a chip", name, [each.name for each in fields(chip)], where=path)
        value = getattr(chip, name)
    else:
        value = _of_model(catalogue.architecture(key), name, path)
    return None if value is None else float(value)


def changed(catalogue: Catalogue, path: str, factor: float) -> Catalogue:
    """A copy of the catalogue with the figure at a path `factor` times what it was; whole where it counts things.

    Raises as `figure_of`, and WaferlineError where the figure is not known.
    """
    before = figure_of(catalogue, path)
    kind, key, name = _parts(path)
    if before is None:
        raise WaferlineError("no source gives this figure", where=path)
    if kind == CHIPS:
        chip = catalogue.chip(key)
        count = isinstance(getattr(chip, name), int)
        copy = edited(chip, [(name, max(1.0, round(before * factor)) if count else before * factor)])
        return replace(catalogue, chips=MappingProxyType({**catalogue.chips, chip.key: copy}))
    model = catalogue.architecture(key)
    other = _model_with(model, name, factor)
    return replace(catalogue, architectures=MappingProxyType({**catalogue.architectures, model.key: other}))


def _parts(path: str) -> tuple[str, str, str]:
    kind, _, rest = path.partition(".")
    key, _, name = rest.rpartition(".")
    if kind not in (CHIPS, ARCHITECTURES) or not key or not name:
        raise WaferlineError("not a figure's path", found=path, expected="chips.wse-3.memory_byte")
    return kind, key, name


def _of_model(model: Architecture, name: str, path: str) -> float | int | None:
    if name == LAYERS:
        return model.layers
    if name in _WHOLE:
        value: float | int | None = getattr(model, name)
        return value
    if name in _ATTENTION:
        return max(int(getattr(block.attention, name)) for block in model.blocks)
    if name in _MLP:
        return max(int(getattr(block.mlp, name)) for block in model.blocks)
    raise UnknownNameError("figure of a model", name, [LAYERS, *_WHOLE, *_ATTENTION, *_MLP], where=path)


def _model_with(model: Architecture, name: str, factor: float) -> Architecture:
    def times(value: int) -> int:
        return max(1, round(value * factor)) if value else 0

    blocks = tuple(_block_with(block, name, times) for block in model.blocks)
    whole: dict[str, int] = {name: times(getattr(model, name))} if name in _WHOLE else {}
    return replace(model, blocks=blocks, **whole)  # type: ignore[arg-type]


def _block_with(block: Block, name: str, times: Callable[[int], int]) -> Block:
    layers = times(block.layers) if name == LAYERS else block.layers
    mixing, mlp = block.attention, block.mlp
    if name in _ATTENTION:
        mixing = replace(mixing, **{name: times(getattr(mixing, name))})  # type: ignore[arg-type]
    if name in _MLP:
        mlp = replace(mlp, **{name: times(getattr(mlp, name))})  # type: ignore[arg-type]
    splits = _SPLITS.get(name, ())
    matrices = tuple(_matrix_with(each, times) if each.split in splits else each for each in mixing.matrices)
    return replace(block, layers=layers, attention=replace(mixing, matrices=matrices), mlp=mlp)


def _matrix_with(matrix: Matrix, times: Callable[[int], int]) -> Matrix:
    return replace(matrix, rows=times(matrix.rows))
