"""Reads the measured runs the project ships: rows as text, and what each block of them is."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from pydantic import Field

from data.catalogue.yaml_file import CatalogueSchema, read_checked
from data.errors import CatalogueError
from data.sources import Source

MEASUREMENT_FOLDER = Path(__file__).parent / "measurements"
SERVING, MEASURED = "serving", "measured"
Row = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Block:
    """Rows that came together: their terms, what to mind, and the documents they stand in.

    references   document of each row by the key in its `source` cell
    """

    key: str
    title: str
    licence: str
    note: str
    references: Mapping[str, Source]


class _Reference(CatalogueSchema):
    title: str
    where: str
    retrieved: str
    kind: str = "measurement"


class _Block(CatalogueSchema):
    title: str = Field(min_length=1)
    licence: str = Field(min_length=1)
    note: str = ""
    references: dict[str, _Reference] = Field(min_length=1)


class _BlockFile(CatalogueSchema):
    columns: dict[str, str]
    blocks: dict[str, _Block] = Field(min_length=1)


@lru_cache(maxsize=4)
def load_blocks(folder: Path = MEASUREMENT_FOLDER) -> Mapping[str, Block]:
    """Every block by its key. Raises CatalogueError for a file that is not as described."""
    file = read_checked(folder / "blocks.yaml", _BlockFile)
    return MappingProxyType({key: _read_block(key, entry) for key, entry in file.blocks.items()})


def _read_block(key: str, entry: _Block) -> Block:
    references = {name: Source(**each.model_dump()) for name, each in entry.references.items()}
    return Block(key=key, title=entry.title, licence=entry.licence, note=entry.note, references=references)


def column_meanings(folder: Path = MEASUREMENT_FOLDER) -> Mapping[str, str]:
    """What each column of the two tables holds, with its unit."""
    return MappingProxyType(dict(read_checked(folder / "blocks.yaml", _BlockFile).columns))


@lru_cache(maxsize=4)
def load_measurements(name: str, folder: Path = MEASUREMENT_FOLDER) -> tuple[Row, ...]:
    """The rows of one table ("serving" or "measured"), cells as text, in the file's order.

    Raises CatalogueError for a row whose block is not described or whose id is there twice.
    """
    path = folder / f"{name}.csv"
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = tuple(MappingProxyType(row) for row in csv.DictReader(file))
    except OSError as problem:
        raise CatalogueError("no table of measurements", where=path.name, found=str(problem)) from problem
    _check(rows, load_blocks(folder), path.name)
    return rows


def _check(rows: tuple[Row, ...], blocks: Mapping[str, Block], file: str) -> None:
    seen: set[str] = set()
    for row in rows:
        name = row["id"]
        if name in seen:
            raise CatalogueError("a row id is there twice", where=file, found=name)
        seen.add(name)
        if block_of(name) not in blocks:
            raise CatalogueError("a row's block is not described", where=file, found=name)
        if row.get("source", "serving-1") not in blocks[block_of(name)].references:
            raise CatalogueError("a row's document is not listed", where=f"{file}, {name}", found=row.get("source"))


def block_of(row_id: str) -> str:
    """The block a row id belongs to: what stands before its last dash."""
    return row_id.rsplit("-", 1)[0]
