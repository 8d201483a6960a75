"""Which of a person's runs a profile can be fitted to, and in words why not to the others; nothing is fitted here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from analysis.calibration.own_runs import OwnRun, usable
from analysis.parameters import starting_parameters
from analysis.sentences import runs_words
from analysis.studies.benchmark_cases import Measured, case_of


def as_own_runs(runs: Sequence[Measured]) -> list[OwnRun]:
    """The runs as a fit takes them."""
    return [
        OwnRun(run_id=one.run.run_id, file=one.run.source_file, case=case_of(one), tpot_s=one.step_s) for one in runs
    ]


def set_aside_words(pairs: Sequence[tuple[OwnRun, str]]) -> list[str]:
    """The runs that no fit uses, by file and reason: "Not fitted: 1 run of own.csv, because ..."."""
    counts = Counter((run.file, reason.split("; expected")[0].rstrip(".")) for run, reason in pairs)
    return [f"Not fitted: {runs_words(count)} of {file}, because {why}." for (file, why), count in counts.items()]


def fit_for_a_profile(runs: Sequence[Measured]) -> tuple[list[Measured], list[str]]:
    """Runs that a fit uses, and in words those it leaves out: what no machine can do, and what the model cannot say."""
    good, aside = usable(as_own_runs(runs), starting_parameters())
    kept = {run.run_id for run in good}
    return [one for one in runs if one.run.run_id in kept], set_aside_words(aside)
