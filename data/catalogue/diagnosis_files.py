"""Reads what is known of things that go wrong: causes in order, how to check, what to change, with sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from data.catalogue.yaml_file import CatalogueSchema, read_checked
from data.errors import CatalogueError
from data.sources import Source, SourceKind

DIAGNOSIS_FILE = Path(__file__).parent / "diagnosis" / "kinds.yaml"


@dataclass(frozen=True, kw_only=True)
class Cause:
    """One likely cause.

    check    the command to run, or what to compare
    change   what to do if the check says so
    expect   name of the expectation that says what the model looks for after the change
    """

    title: str
    check: str
    change: str
    expect: str
    source: Source


@dataclass(frozen=True, kw_only=True)
class KnownFault:
    """One kind of fault with its causes, the likeliest first."""

    title: str
    causes: tuple[Cause, ...]


class _SourceEntry(CatalogueSchema):
    title: str = Field(min_length=1)
    kind: SourceKind
    where: str = ""
    retrieved: str = Field(default="", pattern=r"^(\d{4}(-\d{2}){0,2})?$")


class _CauseEntry(CatalogueSchema):
    title: str = Field(min_length=1)
    check: str = Field(min_length=1)
    change: str = Field(min_length=1)
    expect: str = Field(pattern=r"^[a-z0-9_]+$")
    source: str


class _KindEntry(CatalogueSchema):
    title: str = Field(min_length=1)
    causes: list[_CauseEntry] = Field(min_length=1)


class _DiagnosisFile(CatalogueSchema):
    sources: dict[str, _SourceEntry] = Field(min_length=1)
    kinds: dict[str, _KindEntry] = Field(min_length=1)


@lru_cache(maxsize=4)
def load_faults(path: Path = DIAGNOSIS_FILE) -> Mapping[str, KnownFault]:
    """Every kind of fault by its key. Raises CatalogueError, naming the cause, for a source that is not listed."""
    file = read_checked(path, _DiagnosisFile)
    sources = {key: Source(**entry.model_dump()) for key, entry in file.sources.items()}
    found = {}
    for key, entry in file.kinds.items():
        causes = tuple(_cause(each, sources, f"{path.name}, {key}") for each in entry.causes)
        found[key] = KnownFault(title=entry.title, causes=causes)
    return found


def _cause(entry: _CauseEntry, sources: Mapping[str, Source], where: str) -> Cause:
    if entry.source not in sources:
        raise CatalogueError("names an unknown source", where=where, found=entry.source, expected=", ".join(sources))
    return Cause(**entry.model_dump(exclude={"source"}), source=sources[entry.source])
