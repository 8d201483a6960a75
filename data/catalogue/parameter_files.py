"""Reads the files of model parameters: dated values with ranges, neutral values and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from data.catalogue.yaml_file import CatalogueSchema, read_checked
from data.errors import CatalogueError, UnknownNameError
from data.sources import Source, SourceKind

PARAMETER_FOLDER = Path(__file__).parent / "parameters"


@dataclass(frozen=True, kw_only=True)
class ParameterValue:
    """One parameter in SI, its range where one is known, and the value it is drawn to when nothing is measured."""

    name: str
    value: float
    neutral: float
    source: Source
    note: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class ParameterSet:
    """The parameters of one form of the model, with their date."""

    key: str
    title: str
    dated: str
    note: str
    values: Mapping[str, ParameterValue]
    measured_chips: frozenset[str] = frozenset()  # keys of chips and models among the runs the values were fitted to
    measured_models: frozenset[str] = frozenset()

    def value(self, name: str) -> float:
        """The SI value of a parameter. Raises UnknownNameError with near matches."""
        if name not in self.values:
            raise UnknownNameError("parameter", name, self.values, where=self.key)
        return self.values[name].value


class _SourceEntry(CatalogueSchema):
    title: str = Field(min_length=1)
    kind: SourceKind
    where: str = ""
    retrieved: str = Field(default="", pattern=r"^(\d{4}(-\d{2}){0,2})?$")


class _ValueEntry(CatalogueSchema):
    value: float
    neutral: float
    source: str
    note: str = ""
    low: float | None = None
    high: float | None = None


class _ParameterFile(CatalogueSchema):
    key: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    title: str = Field(min_length=1)
    dated: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    note: str = ""
    measured_chips: list[str] = Field(default_factory=list)
    measured_models: list[str] = Field(default_factory=list)
    sources: dict[str, _SourceEntry] = Field(min_length=1)
    values: dict[str, _ValueEntry] = Field(min_length=1)


def read_parameters(path: Path) -> ParameterSet:
    """One parameter file.

    Raises CatalogueError, naming file and field, for an unknown source, a range that does not hold its value, or a
    key that is not the file's name.
    """
    file = read_checked(path, _ParameterFile)
    if file.key != path.stem:
        raise CatalogueError("key and file name differ", where=path.name, found=file.key, expected=path.stem)
    sources = {key: Source(**entry.model_dump()) for key, entry in file.sources.items()}
    values = {name: _value(name, entry, sources, path.name) for name, entry in file.values.items()}
    return ParameterSet(
        key=file.key,
        title=file.title,
        dated=file.dated,
        note=file.note,
        values=values,
        measured_chips=frozenset(file.measured_chips),
        measured_models=frozenset(file.measured_models),
    )


def _value(name: str, entry: _ValueEntry, sources: Mapping[str, Source], file: str) -> ParameterValue:
    where = f"{file}, {name}"
    if entry.source not in sources:
        raise CatalogueError("names an unknown source", where=where, found=entry.source, expected=", ".join(sources))
    low = entry.value if entry.low is None else entry.low
    high = entry.value if entry.high is None else entry.high
    if not low <= entry.value <= high:
        raise CatalogueError("outside its own range", where=where, found=entry.value, expected=f"{low} to {high}")
    return ParameterValue(name=name, **entry.model_dump(exclude={"source"}), source=sources[entry.source])


@lru_cache(maxsize=4)
def load_parameters(folder: Path = PARAMETER_FOLDER) -> Mapping[str, ParameterSet]:
    """Every parameter file of a folder by its key; the folder is the list."""
    return {each.stem: read_parameters(each) for each in sorted(folder.glob("*.yaml"))}
