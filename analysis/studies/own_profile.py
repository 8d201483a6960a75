"""What a profile fitted to a person's own runs changes, by how much, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.calibration.own_factors import FORMS
from analysis.calibration.own_profile import OwnFit, fitted_forms
from analysis.parameters import starting_parameters
from analysis.studies.benchmark_cases import Measured
from analysis.studies.profile_runs import as_own_runs, set_aside_words
from data.catalogue.profile_files import Profile, ProfileForm, ProfileRun

LEFT_OUT = {"run": "one load at a time", "group": "one machine and model at a time"}


@dataclass(frozen=True, kw_only=True)
class Trial:
    """Fits by part of the model, before anybody keeps them.

    table      one row a part that was fitted: runs, errors on runs left out before and after, interval, factors
    refusals   why the other parts, and which runs, were not fitted
    """

    fits: tuple[OwnFit, ...]
    table: pd.DataFrame
    refusals: tuple[str, ...]

    @property
    def worth_keeping(self) -> bool:
        """True if at least one part was fitted."""
        return any(each.fit is not None for each in self.fits)


def trial(runs: Sequence[Measured]) -> Trial:
    """Factors for every part of the model that these runs ran on, judged on runs left out."""
    fits = tuple(fitted_forms(as_own_runs(runs), starting_parameters()))
    rows = [form_row(each.key, each.fit) for each in fits if each.fit is not None]
    left = set_aside_words([pair for each in fits for pair in each.set_aside])
    return Trial(fits=fits, table=pd.DataFrame(rows), refusals=(*(e.refusal for e in fits if e.refusal), *left))


def form_row(key: str, fit: ProfileForm) -> dict[str, object]:
    """One fitted part as a table shows it."""
    factors = [f"{name} × {value:.2f}" for name, value in fit.factors.items()]
    return {
        "part": FORMS[key].title if key in FORMS else key,
        "runs": float(fit.runs),
        "left_out": LEFT_OUT[fit.left_out_by],
        "before": fit.before_mape_percent,
        "after": fit.after_mape_percent,
        "interval": f"× {fit.low:.2f} to {fit.high:.2f}",
        "factors": ", ".join(factors),
    }


def profile_of(found: Trial, name: str, dated: str) -> Profile:
    """The trial under a name, ready to be written."""
    kept = [each for each in found.fits if each.fit is not None]
    forms = {each.key: each.fit for each in kept if each.fit is not None}
    runs = tuple(ProfileRun(run_id=run.run_id, file=run.file) for each in kept for run in each.used)
    return Profile(name=name, dated=dated, shipped=starting_parameters().dated, forms=forms, runs=runs)
