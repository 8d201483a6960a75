"""`waferline calibrate --profile NAME`: few factors fitted to own runs and kept under a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import typer

from analysis.sentences import runs_words
from analysis.studies.benchmark_cases import Measured, comparable
from analysis.studies.own_profile import Trial, profile_of, trial
from app import cache
from app.profiles import profiles_folder
from data.catalogue.profile_files import checked_name, write_profile
from data.errors import ReadError, WaferlineError
from data.readers import read_bytes
from data.readers.intake.content import content_of
from data.records import Run
from data.store import Sample, resolve_names, sample_of


def fit_profile(name: str, files: Sequence[Path]) -> None:
    """Fit to the runs of some files, or to those in the store where none is named, and keep the profile.

    Raises WaferlineError if the name will not do, a file is not read, or no part of the model can be fitted.
    """
    checked_name(name)
    found = trial(_measured(files))
    for line in lines_of(found):
        typer.echo(line)
    if not found.worth_keeping:
        raise WaferlineError(
            "no profile is kept", where=name, found="; ".join(each.rstrip(".") for each in found.refusals) or "no runs",
            remedy="Bring more runs under different loads.",
        )  # fmt: skip
    path = write_profile(profiles_folder(), profile_of(found, name, datetime.now(UTC).date().isoformat()))
    typer.echo(f"Kept as {name}: {path}")


def lines_of(found: Trial) -> list[str]:
    """What came of the fits, a line each."""
    lines = []
    for row in found.table.to_dict("records"):
        errors = f"error on runs left out {row['before']:.3g} % with shipped values, {row['after']:.3g} % fitted"
        lines.append(f"{row['part']}: {row['runs']:.0f} runs, {errors}; {row['factors']}")
    return [*lines, *found.refusals]


def _measured(files: Sequence[Path]) -> list[Measured]:
    known = cache.catalogue()
    runs: list[Run] = []
    for read in [_runs_of(path) for path in files] if files else [cache.read_runs()]:
        runs += read.runs
        for part in read.parts:
            typer.echo(f"waferline: {part.file}: {part.taken:,} of {part.run_count:,} runs, picked at random", err=True)
    measured, left_out = comparable(runs, known.architectures, known.chips)
    for (file, reason), count in Counter((each.run.source_file, each.reason) for each in left_out).items():
        typer.echo(f"waferline: left out of {file}: {runs_words(count)}, because {reason}", err=True)
    return measured


def _runs_of(path: Path) -> Sample:
    """The runs of one file, a part if it is long. Raises ReadError if it is none, or if a figure's meaning is open."""
    result = resolve_names(read_bytes(path.name, content_of(path, where=str(path)), {}), cache.catalogue())
    if result.status != "taken":
        raise ReadError(
            "the file is not ready to be fitted to", where=path.name, found=result.reason or result.status,
            remedy="Keep it with `waferline import` or on the Benchmarks page, which ask what is missing.",
        )  # fmt: skip
    return sample_of(result)
