"""Profiles fitted to the person's own runs: where they lie, which there are, and what the engine believes with one."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from analysis.calibration.own_factors import applied
from analysis.parameters import Parameters, starting_parameters
from data.catalogue.profile_files import Profile, load_profiles
from data.errors import WaferlineError
from data.store import store_path

FOLDER = "profiles"


def profiles_folder() -> Path:
    """The folder of profiles, beside the store."""
    return store_path().parent / FOLDER


def profiles() -> tuple[dict[str, Profile], list[WaferlineError]]:
    """Every profile by name, and what is wrong with the others; read anew only when a file has changed."""
    folder = profiles_folder()
    stamps = tuple(sorted((path.name, path.stat().st_mtime_ns) for path in folder.glob("*.yaml")))
    return _read(str(folder), stamps)


@lru_cache(maxsize=4)
def _read(folder: str, stamps: tuple[tuple[str, int], ...]) -> tuple[dict[str, Profile], list[WaferlineError]]:
    found, problems = load_profiles(Path(folder))
    usable = {}
    for name, profile in found.items():
        try:
            applied(profile, starting_parameters())
        except WaferlineError as error:
            problems.append(error)
        else:
            usable[name] = profile
    return usable, problems


def parameters_of(profile: Profile | None) -> Parameters | None:
    """What the engine believes with a profile; None for the shipped values."""
    return None if profile is None else applied(profile, starting_parameters())
