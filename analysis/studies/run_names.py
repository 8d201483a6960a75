"""What runs are of and on, by the catalogue's names; a file's own words where the catalogue does not know them."""

from __future__ import annotations

from collections.abc import Mapping

from analysis.studies.explore import machine_of, model_of
from analysis.study import counted, short_name
from data.records import Architecture, Chip, Run

NOT_SAID = "not said"


def model_name(key: str, models: Mapping[str, Architecture]) -> str:
    """Name of a model as `model_of` tells it: "llama-3.3-70b" -> "Llama 3.3 70B"."""
    return models[key].name if key in models else key


def machine_name(said: str, chips: Mapping[str, Chip]) -> str:
    """Name of a machine as `machine_of` tells it: "4 × h100-sxm" -> "4 × H100 80GB"."""
    count, times, key = said.rpartition(" × ")
    if key not in chips:
        return said
    whole = count.replace(",", "")
    return counted(chips[key], int(whole)) if times and whole.isdigit() else short_name(chips[key])


def lengths_name(group: str) -> str:
    """Lengths as `length_groups` tells them, with words for what no file stated: "1,024 in, ? out" -> "1,024 in"."""
    stated = [part for part in group.split(", ") if not part.startswith("?")]
    return ", ".join(stated) or "lengths not stated"


def names_of(run: Run, models: Mapping[str, Architecture], chips: Mapping[str, Chip]) -> tuple[str, str]:
    """Model and machine of a run; "not said" where the file does not tell."""
    return model_name(model_of(run), models), machine_name(machine_of(run), chips)
