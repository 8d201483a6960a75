"""Profiles fitted to a person's own runs: named, dated sets of parameters in a folder of theirs, read and written."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml
from pydantic import Field

from data.catalogue.yaml_file import CatalogueSchema, read_checked
from data.errors import CatalogueError, WaferlineError

NAME = re.compile(r"^[a-z0-9][a-z0-9-]{0,39}$")
NAME_WORDS = "small letters, digits and hyphens, at most 40: my-lab-h200"
RESERVED = "shipped"  # what lists call the values without a profile


@dataclass(frozen=True, kw_only=True)
class ProfileForm:
    """What was fitted of one part of the model.

    left_out_by       what a fit had not seen when it was judged: "run" or "group"
    before, after     mean relative error on runs left out, with the shipped and the fitted values, in percent
    low, high         factors on a prediction between which 80 % of left-out runs lie
    factors           fitted values over shipped ones, as they are told to a person
    values            parameters by name, SI
    """

    runs: int
    left_out_by: str
    before_mape_percent: float
    after_mape_percent: float
    low: float
    high: float
    chips: tuple[str, ...]
    models: tuple[str, ...]
    factors: Mapping[str, float]
    values: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class ProfileRun:
    """One run that a profile was fitted to."""

    run_id: str
    file: str


@dataclass(frozen=True, kw_only=True)
class Profile:
    """A profile.

    dated     when it was fitted
    shipped   date of the shipped values it started from
    forms     by part of the model: "serving", "streamed-cuda", "mesh", ...
    """

    name: str
    dated: str
    shipped: str
    forms: Mapping[str, ProfileForm]
    runs: tuple[ProfileRun, ...]


class _FormEntry(CatalogueSchema):
    runs: int = Field(ge=1)
    left_out_by: str = Field(pattern="^(run|group)$")
    before_mape_percent: float = Field(ge=0)
    after_mape_percent: float = Field(ge=0)
    low: float = Field(gt=0, le=1)
    high: float = Field(ge=1)
    chips: list[str] = Field(min_length=1)
    models: list[str] = Field(min_length=1)
    factors: dict[str, float] = Field(min_length=1)
    values: dict[str, float] = Field(min_length=1)


class _RunEntry(CatalogueSchema):
    run_id: str = Field(min_length=1)
    file: str


class _ProfileFile(CatalogueSchema):
    name: str = Field(pattern=NAME.pattern)
    dated: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    shipped: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")
    forms: dict[str, _FormEntry] = Field(min_length=1)
    runs: list[_RunEntry] = Field(min_length=1)


def checked_name(name: str) -> str:
    """The name if a profile may bear it. Raises CatalogueError saying what a name looks like."""
    if not NAME.match(name) or name == RESERVED:
        raise CatalogueError("a profile cannot be called so", where="profile name", found=name, expected=NAME_WORDS)
    return name


def read_profile(path: Path) -> Profile:
    """One profile file. Raises CatalogueError naming file and field."""
    file = read_checked(path, _ProfileFile)
    if file.name != path.stem:
        raise CatalogueError("name and file name differ", where=path.name, found=file.name, expected=path.stem)
    forms = {key: _form(entry, f"{path.name}, {key}") for key, entry in file.forms.items()}
    runs = tuple(ProfileRun(run_id=each.run_id, file=each.file) for each in file.runs)
    return Profile(name=file.name, dated=file.dated, shipped=file.shipped, forms=forms, runs=runs)


def _form(entry: _FormEntry, where: str) -> ProfileForm:
    for name, value in {**entry.values, **entry.factors}.items():
        if not (math.isfinite(value) and value > 0):
            raise CatalogueError("a parameter is no positive number", where=f"{where}, {name}", found=value)
    content = entry.model_dump() | {"chips": tuple(entry.chips), "models": tuple(entry.models)}
    return ProfileForm(**content)


def load_profiles(folder: Path) -> tuple[dict[str, Profile], list[WaferlineError]]:
    """Every profile of a folder by name, and what is wrong with the files that cannot be read."""
    found, problems = {}, []
    for path in sorted(folder.glob("*.yaml")):
        try:
            found[path.stem] = read_profile(path)
        except WaferlineError as error:
            problems.append(error)
    return found, problems


def profile_named(folder: Path, name: str) -> Profile:
    """One profile of a folder. Raises WaferlineError naming those that are there, CatalogueError for a broken file."""
    path = folder / f"{checked_name(name)}.yaml"
    if not path.exists():
        kept = ", ".join(sorted(each.stem for each in folder.glob("*.yaml"))) or "none"
        raise WaferlineError(
            f"no profile is called {name!r}", where=str(folder), expected=f"one of those kept: {kept}",
            remedy="`waferline calibrate --profile NAME` makes one.",
        )  # fmt: skip
    return read_profile(path)


def write_profile(folder: Path, profile: Profile) -> Path:
    """Write a profile; one of the same name is replaced. Raises CatalogueError if the folder cannot be written."""
    checked_name(profile.name)
    path = folder / f"{profile.name}.yaml"
    content = asdict(profile) | {"runs": [asdict(each) for each in profile.runs]}
    for form in content["forms"].values():
        form |= {"chips": list(form["chips"]), "models": list(form["models"])}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        partial.replace(path)
    except OSError as problem:
        raise CatalogueError("the profile cannot be written", where=str(path), found=problem.strerror) from problem
    return path


def remove_profile(folder: Path, name: str) -> None:
    """Forget a profile; one that is not there is no error."""
    (folder / f"{checked_name(name)}.yaml").unlink(missing_ok=True)
