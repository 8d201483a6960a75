"""Reads one model's YAML file into an Architecture: dimensions, every matrix, published counts, with their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import Field

from data.catalogue.architecture_schema import ArchitectureFile, BlockEntry, ConflictEntry, FactEntry, PublishedEntry
from data.catalogue.yaml_file import CatalogueSchema, read_checked
from data.errors import CatalogueError
from data.records import Architecture, Attention, Block, Conflict, Matrix, Mlp
from data.sources import NOT_LOCATED, Fact, Source

FOLDER = Path(__file__).parent / "architectures"
WITHOUT_CONFIGURATION = "without_configuration.yaml"
REQUIRED = ("hidden", "vocabulary", "layers", "tied_embeddings", "max_context_tokens")
_AS_WRITTEN = {
    *("key", "name", "publisher_name", "release", "audited", "confidence"),
    *("configuration_kind", "note", "lookup_parameters"),
}
COUNTED_NOTE = "follows from the dimensions of this file"


class _Unconfigured(CatalogueSchema):
    reason: str = Field(min_length=1)


class _UnconfiguredFile(CatalogueSchema):
    models: dict[str, _Unconfigured]


def architecture_paths(folder: Path = FOLDER) -> list[Path]:
    """Every model's file in `folder`, sorted by key; the list of models without a configuration is not among them."""
    return sorted(path for path in folder.glob("*.yaml") if path.name != WITHOUT_CONFIGURATION)


@lru_cache(maxsize=4)
def without_configuration(folder: Path = FOLDER) -> Mapping[str, str]:
    """Models whose dimensions nobody has published, by key, with what is known and why they cannot be computed."""
    file = read_checked(folder / WITHOUT_CONFIGURATION, _UnconfiguredFile)
    return MappingProxyType({key: entry.reason for key, entry in file.models.items()})


def read_architecture(path: Path, *, untrusted: bool = False) -> Architecture:
    """One architecture from its file.

    Raises CatalogueError, naming file, field, what was found and what was expected, for a missing or unknown field,
    a missing or unknown source, layers that do not add up, a mixture without experts, a matrix of the wrong split,
    or a key that is not the file's name.
    """
    file = read_checked(path, ArchitectureFile, untrusted=untrusted)
    if file.key != path.stem:
        raise CatalogueError("key and file name differ", where=path.name, found=file.key, expected=path.stem)
    _check_sources(file, path.name)
    _check_dimensions(file, path.name)
    sources = {key: Source(**entry.model_dump()) for key, entry in file.sources.items()}
    formats = file.formats
    return Architecture(
        **file.model_dump(include=_AS_WRITTEN),
        **{name: file.dimensions[name].value for name in REQUIRED if name != "layers"},  # type: ignore[arg-type]
        **_published(file.published),
        blocks=tuple(_block(each, f"{path.name}, blocks.{index}") for index, each in enumerate(file.blocks)),
        outer_parameters=sum(file.outer.values()),
        mtp_parameters=int(file.mtp_parameters.value) if file.mtp_parameters else 0,
        native_weight_format=formats.weight,
        native_attention_format=formats.attention,
        native_expert_format=formats.expert,
        fp8_block_scaled=formats.fp8_block_scaled,
        facts=dict(_facts(file, sources, path.name)),
        conflicts=tuple(_conflict(each) for each in file.conflicts),
    )


def _published(published: PublishedEntry) -> dict[str, Any]:
    figures = {"published_rounded_parameters": published.rounded_total, "published_active_parameters": published.active}
    record: dict[str, Any] = {name: float(entry.value) if entry else None for name, entry in figures.items()}
    total = published.total
    if total is None:
        return record | {"published_total_parameters": None, "published_total_note": ""}
    return record | {
        "published_total_parameters": total.value,
        "published_total_note": total.note,
        "published_extra": dict(total.beyond_main),
        "published_unexplained_parameters": total.unexplained,
    }


def _conflict(entry: ConflictEntry) -> Conflict:
    shown = f"{entry.value:,}"
    return Conflict(field=entry.field, value=float(entry.value), shown=shown, by=entry.by, note=entry.note)


def _block(entry: BlockEntry, where: str) -> Block:
    mlp, attention = entry.mlp, entry.attention
    if (mlp.kind == "moe") != (0 < mlp.experts_per_token <= mlp.experts and mlp.expert_width > 0):
        found = f"{mlp.kind}, {mlp.experts_per_token} of {mlp.experts} experts"
        raise CatalogueError("experts and kind of MLP disagree", where=where, found=found)
    if (attention.kind == "none") == bool(entry.matrices):
        raise CatalogueError("matrices and kind of attention disagree", where=where, found=attention.kind)
    if attention.kind == "linear" and not attention.state_elements:
        raise CatalogueError("a recurrent layer without state", where=f"{where}.attention", found="state_elements 0")
    matrices = tuple(
        Matrix(name=name, rows=rows, columns=columns, split=split)
        for name, (rows, columns, split) in entry.matrices.items()
    )
    return Block(
        layers=entry.layers,
        attention=Attention(**attention.model_dump(), matrices=matrices),
        mlp=Mlp(**mlp.model_dump()),
        vectors=dict(entry.vectors),
    )


def _check_dimensions(file: ArchitectureFile, name: str) -> None:
    for required in REQUIRED:
        if required not in file.dimensions:
            raise CatalogueError("a dimension is missing", where=f"{name}, dimensions", expected=required)
        value = file.dimensions[required].value
        wanted = "true or false" if required == "tied_embeddings" else "a whole number"
        if isinstance(value, bool) != (required == "tied_embeddings") or not isinstance(value, int):
            raise CatalogueError(
                "a field has the wrong form", where=f"{name}, dimensions.{required}", found=repr(value), expected=wanted
            )
    stated, counted = file.dimensions["layers"].value, sum(block.layers for block in file.blocks)
    if stated != counted:
        raise CatalogueError("layers of the blocks do not add up", where=name, found=counted, expected=stated)


def _named_sources(file: ArchitectureFile) -> Iterator[tuple[str, list[str]]]:
    yield from ((f"dimensions.{name}", entry.source) for name, entry in file.dimensions.items())
    yield "formats", file.formats.source
    if file.mtp_parameters:
        yield "mtp_parameters", file.mtp_parameters.source
    for part in PublishedEntry.model_fields:
        entry = getattr(file.published, part)
        if entry is not None:
            yield f"published.{part}", entry.source


def _check_sources(file: ArchitectureFile, name: str) -> None:
    used: set[str] = set()
    for place, keys in _named_sources(file):
        unknown = [key for key in keys if key not in file.sources]
        if unknown:
            raise CatalogueError(
                "names an unknown source",
                where=f"{name}, {place}",
                found=", ".join(unknown),
                expected=", ".join(file.sources),
            )
        used.update(keys)
    if set(file.sources) - used:
        raise CatalogueError(
            "no figure names this source", where=name, found=", ".join(sorted(set(file.sources) - used))
        )


def _facts(file: ArchitectureFile, sources: Mapping[str, Source], name: str) -> Iterator[tuple[str, Fact]]:
    for field, entry in file.dimensions.items():
        yield field, _fact(entry, sources, f"{name}, {field}")
    derived = {"blocks": len(file.blocks), "outer_parameters": sum(file.outer.values())}
    derived |= {"lookup_parameters": file.lookup_parameters} if file.lookup_parameters else {}
    for field, value in derived.items():
        entry = FactEntry(value=value, kind="derived", note=COUNTED_NOTE)
        yield field, _fact(entry, sources, f"{name}, {field}")
    if file.mtp_parameters:
        yield "mtp_parameters", _fact(file.mtp_parameters, sources, f"{name}, mtp_parameters")
    formats = file.formats
    for part in ("weight", "attention", "expert", "fp8_block_scaled"):
        told: dict[str, Any] = {"source": formats.source, "at": formats.at, "kind": formats.kind, "note": formats.note}
        entry = FactEntry(value=getattr(formats, part), **told)
        field = part if part == "fp8_block_scaled" else f"native_{part}_format"
        yield field, _fact(entry, sources, f"{name}, formats")
    yield from _published_facts(file.published, sources, name)


def _published_facts(published: PublishedEntry, sources: Mapping[str, Source], name: str) -> Iterator[tuple[str, Fact]]:
    if published.total:
        total = published.total
        entry = FactEntry(value=total.value, source=total.source, at=total.at, note=total.note)
        yield "published_total_parameters", _fact(entry, sources, f"{name}, published.total")
    if published.rounded_total:
        where = f"{name}, published.rounded_total"
        yield "published_rounded_parameters", _fact(published.rounded_total, sources, where)
    if published.active:
        yield "published_active_parameters", _fact(published.active, sources, f"{name}, published.active")


def _fact(entry: FactEntry, sources: Mapping[str, Source], where: str) -> Fact:
    grouped = isinstance(entry.value, int | float) and not isinstance(entry.value, bool)
    try:
        return Fact(
            value=entry.value,
            shown=f"{entry.value:,}" if grouped else str(entry.value),
            sources=tuple(sources[key] for key in entry.source),
            at=entry.at or NOT_LOCATED,
            kind=entry.kind,
            note=entry.note,
        )
    except CatalogueError as problem:
        raise CatalogueError(problem.what, where=where, found=problem.found) from problem
