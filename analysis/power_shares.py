"""Power shares by kind of machine, read from the dated file energy.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

from data.catalogue.parameter_files import ParameterSet, load_parameters
from data.records import Chip

FILE = "energy"
KINDS = ("gpu", "amd", "wafer", "dataflow", "deterministic")
SYSTEM_RATED = ("wafer",)  # rated power is the whole system's, wall and cooling included
FITTED = ("gpu",)  # kinds that measured energies stand behind
_OF_EXECUTION = {"mesh": "wafer", "dataflow": "dataflow", "deterministic": "deterministic"}


@dataclass(frozen=True, kw_only=True)
class PowerShares:
    """How one kind of machine draws power.

    idle_share      share of the rated power with nothing to do
    busy_share      share of it with memory or arithmetic always at work
    waiting_share   what waiting costs, between idle (0) and busy (1)
    wall_factor     power at the wall over the power of the devices
    """

    idle_share: float
    busy_share: float
    waiting_share: float
    wall_factor: float


@dataclass(frozen=True, kw_only=True)
class PowerBook:
    """The shares of every kind and the interval of a predicted energy.

    low_factor, high_factor   measured over predicted energy at 10 and 90 % of left-out rows
    """

    shares: Mapping[str, PowerShares]
    low_factor: float
    high_factor: float
    dated: str


def kind_of(chip: Chip) -> str:
    """Which kind's shares a chip draws by."""
    return _OF_EXECUTION.get(chip.execution, "amd" if chip.vendor == "AMD" else "gpu")


def from_set(values: ParameterSet) -> PowerBook:
    """Power shares out of the file's values. Raises UnknownNameError where one is missing."""
    names = [each.name for each in fields(PowerShares)]
    return PowerBook(
        shares={kind: PowerShares(**{name: values.value(f"{kind}_{name}") for name in names}) for kind in KINDS},
        low_factor=values.value("left_out_low_factor"),
        high_factor=values.value("left_out_high_factor"),
        dated=values.dated,
    )


@lru_cache(maxsize=1)
def shipped_power() -> PowerBook:
    """The values shipped in data/catalogue/parameters/energy.yaml."""
    return from_set(load_parameters()[FILE])
