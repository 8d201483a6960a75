"""Reads every catalogue file by itself and gathers all faults instead of stopping at the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from data.catalogue.architecture_files import architecture_paths, read_architecture
from data.catalogue.catalogue import FOLDER, read_catalogue
from data.catalogue.chip_files import read_chip
from data.catalogue.price_files import read_prices
from data.errors import WaferlineError
from data.records import Architecture, Chip
from data.sources import NOT_LOCATED

_Read = TypeVar("_Read")


@dataclass(frozen=True, kw_only=True)
class FileCheck:
    """What the files hold, by a name a person reads, and every fault found in them."""

    counts: dict[str, int]
    faults: tuple[str, ...]


def check_files(folder: Path = FOLDER) -> FileCheck:
    """Counts and faults of every file under `folder`; never raises for a faulty file, for that is its answer."""
    faults: list[str] = []
    chips = _read_all(sorted((folder / "chips").glob("*.yaml")), read_chip, faults)
    models = _read_all(architecture_paths(folder / "architectures"), read_architecture, faults)
    prices = _read_all(sorted((folder / "prices").glob("*.yaml")), read_prices, faults)
    counts = {"chips": len(chips), "models": len(models), "prices": sum(len(each) for each in prices)}
    counts |= _fact_counts([*chips, *models])
    try:
        catalogue = read_catalogue(folder)
        counts["models without published dimensions"] = len(catalogue.unconfigured)
        counts["names of chips"] = len(catalogue.chip_names())
        counts["names of models"] = len(catalogue.architecture_names())
    except WaferlineError as problem:
        faults.append(problem.sentence())
    return FileCheck(counts=counts, faults=tuple(dict.fromkeys(faults)))


def _read_all(paths: Iterable[Path], read: Callable[[Path], _Read], faults: list[str]) -> list[_Read]:
    found = []
    for path in paths:
        try:
            found.append(read(path))
        except WaferlineError as problem:
            faults.append(problem.sentence())
    return found


def _fact_counts(records: Iterable[Chip | Architecture]) -> dict[str, int]:
    """How many figures there are, of each kind, and how many say where in their source they stand."""
    facts = [fact for record in records for fact in record.facts.values()]
    return {
        "figures": len(facts),
        "figures derived": sum(fact.kind == "derived" for fact in facts),
        "figures estimated": sum(fact.kind == "estimate" for fact in facts),
        "figures located in their source": sum(fact.at != NOT_LOCATED for fact in facts),
    }
