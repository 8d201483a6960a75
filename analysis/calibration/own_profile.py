"""A profile from own runs: few factors drawn to the shipped values, judged on runs that the fit has not seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.calibration.fit import minimum, robust
from analysis.calibration.loads import Loads, loads_of
from analysis.calibration.own_factors import FORMS, FreeForm, values_at, with_values
from analysis.calibration.own_runs import OwnRun, usable
from analysis.engine import Case, evaluate
from analysis.engine.arrays import Floats
from analysis.engine.device_numbers import form_of
from analysis.engine.engine_names import engine_family
from analysis.engine.own_fit import SERVING, profile_form
from analysis.parameters import Parameters
from analysis.sentences import runs_words
from data.catalogue.profile_files import ProfileForm

# Pull to the shipped values per unit of log, in units of the width of the loss. Of 0.3, 1 and 3 the best on left-out
# rows of the shipped serving table with 5, 10 and 20 rows seen, and the one that never does harm with 5.
DRAW = 3.0
FEWEST_LOADS = 5  # three factors and an 80 % interval from ranks need five runs that differ
MOST_FOLDS = 10
LEVEL = 0.8
NARROWEST = 0.05  # half-width below which an interval is not believed: repeats of one run differ by as much


@dataclass(frozen=True, kw_only=True)
class OwnFit:
    """What came of one part of the model: the fit, or why there is none.

    used     runs that went in; `set_aside` those of this part that did not, with the reason
    refusal  in words, empty if `fit` is worth keeping
    """

    key: str
    title: str
    fit: ProfileForm | None
    used: tuple[OwnRun, ...]
    set_aside: tuple[tuple[OwnRun, str], ...]
    refusal: str


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """Runs of one part of the model, read once: their times and what the engine says under any parameters."""

    form: FreeForm
    shipped: Parameters
    cases: tuple[Case, ...]
    tpot_s: Floats
    share: Floats  # weight of each run: repeats of one load weigh as one
    loads: Loads | None  # of GPU servers, which then answer in a millisecond

    def rows(self, rows: NDArray[np.int64]) -> Sheet:
        """Only these runs."""
        return replace(
            self, cases=tuple(self.cases[at] for at in rows), tpot_s=self.tpot_s[rows], share=self.share[rows],
            loads=None if self.loads is None else self.loads.rows(rows),
        )  # fmt: skip

    def believed(self, factors: Mapping[str, float]) -> Parameters:
        """The shipped parameters with these factors on the part."""
        return with_values(self.form, self.shipped, values_at(self.form, self.shipped, factors))

    def times(self, parameters: Parameters) -> Floats:
        """Time per output token of every run. [s]"""
        if self.loads is not None:
            return np.asarray(self.loads.speeds(parameters.serving).tpot_s)
        return np.asarray(evaluate(list(self.cases), parameters)["tpot_s"].to_numpy(dtype=float))

    def fitted(self) -> dict[str, float]:
        """Factors fitted to the runs: robust relative errors, drawn to one."""
        names, weight = [each.name for each in self.form.factors], np.sqrt(self.share)

        def factors(point: Floats) -> dict[str, float]:
            return dict(zip(names, np.exp(point).tolist(), strict=True))

        def residuals(point: Floats) -> Floats:
            error = self.times(self.believed(factors(point))) / self.tpot_s - 1.0
            return np.concatenate([weight * robust(error), DRAW * point])

        return factors(minimum(len(names), residuals))


def sheet_of(key: str, runs: Sequence[OwnRun], parameters: Parameters) -> Sheet:
    """The runs read; each must be one the engine answers."""
    cases = tuple(run.case for run in runs)
    _, place, count = np.unique(_labels(runs, _load), return_inverse=True, return_counts=True)
    return Sheet(
        form=FORMS[key], shipped=parameters, cases=cases, tpot_s=np.array([run.tpot_s for run in runs]),
        share=1.0 / count[place], loads=loads_of(cases, parameters) if key == SERVING else None,
    )  # fmt: skip


def fitted_forms(runs: Sequence[OwnRun], parameters: Parameters) -> list[OwnFit]:
    """A fit, or a refusal in words, for every part of the model that some of the runs ran on."""
    good, aside = usable(runs, parameters)
    parts: dict[str, list[OwnRun]] = {}
    for run in [*good, *(each for each, _ in aside)]:
        parts.setdefault(_key(run), []).append(run)
    kept = {id(run) for run in good}
    return [
        _fit_of(
            key, [run for run in own if id(run) in kept], [pair for pair in aside if _key(pair[0]) == key], parameters
        )
        for key, own in parts.items()
        if key in FORMS
    ]


def _key(run: OwnRun) -> str:
    return profile_form(form_of(run.case.chip, engine_family(run.case.engine)), run.case.chip)


def _fit_of(key: str, runs: list[OwnRun], aside: list[tuple[OwnRun, str]], parameters: Parameters) -> OwnFit:
    form = FORMS[key]
    blank = OwnFit(key=key, title=form.title, fit=None, used=tuple(runs), set_aside=tuple(aside), refusal="")
    loads = _labels(runs, _load)
    if len(set(loads)) < FEWEST_LOADS:
        said = f"{runs_words(len(runs))} with {len(set(loads))} different load{'s' * (len(set(loads)) != 1)}"
        return replace(blank, refusal=f"{form.title}: {said}; a profile takes at least {FEWEST_LOADS}.")
    fit = _judged(key, runs, parameters)
    if fit.after_mape_percent >= fit.before_mape_percent:
        before, after = (f"{each:.3g} %" for each in (fit.before_mape_percent, fit.after_mape_percent))
        said = f"on runs left out the error is {after} with fitted values and {before} with the shipped ones"
        return replace(blank, refusal=f"{form.title}: {said}, so the shipped ones stay.")
    return replace(blank, fit=fit)


def _judged(key: str, runs: list[OwnRun], parameters: Parameters) -> ProfileForm:
    """The fit to all runs, with the errors of fits that had not seen the run they are judged on."""
    sheet = sheet_of(key, runs, parameters)
    by, folds = _folds(runs)
    away = np.full(len(runs), np.nan)
    for name in np.unique(folds):
        seen, rest = sheet.rows(np.flatnonzero(folds != name)), sheet.rows(np.flatnonzero(folds == name))
        away[folds == name] = rest.times(rest.believed(seen.fitted()))
    factors = sheet.fitted()
    low, high = conformal(np.log(sheet.tpot_s / away))
    return ProfileForm(
        runs=len(runs),
        left_out_by=by,
        before_mape_percent=_percent(sheet.times(parameters), sheet.tpot_s),
        after_mape_percent=_percent(away, sheet.tpot_s),
        low=low,
        high=high,
        chips=tuple(sorted({run.case.chip.key for run in runs})),
        models=tuple(sorted({run.case.architecture.key for run in runs})),
        factors=factors,
        values=values_at(sheet.form, parameters, factors),
    )


def _percent(predicted: Floats, measured: Floats) -> float:
    return float(100.0 * np.abs(predicted / measured - 1.0).mean())


def _load(run: OwnRun) -> str:
    case = run.case
    numbers = (case.concurrency, round(case.input_tokens), round(case.output_tokens), case.tp, case.pp, case.ep)
    return f"{_group(run)} {numbers}"


def _group(run: OwnRun) -> str:
    """Model, machine, engine and format: runs that share an offset."""
    case = run.case
    return f"{case.architecture.key} {case.device_count} {case.chip.key} {case.engine} {case.weight_format}"


def _labels(runs: Sequence[OwnRun], read: Callable[[OwnRun], str]) -> NDArray[np.str_]:
    return np.array([read(run) for run in runs], dtype=str)


def _folds(runs: Sequence[OwnRun]) -> tuple[str, NDArray[np.int64]]:
    """What is left out together: whole groups where there are three or more, else runs; repeats never part."""
    groups = _labels(runs, _group)
    by = "group" if len(set(groups)) >= 3 else "run"
    _, place = np.unique(groups if by == "group" else _labels(runs, _load), return_inverse=True)
    return by, np.asarray(place % MOST_FOLDS)


def conformal(error: Floats) -> tuple[float, float]:
    """Factors between which 80 % of unseen runs lie, from left-out log errors; symmetric, by ranks. (rows,)

    The k-th smallest distance with k = ceil(0.8 (n + 1)): Vovk et al. (2005), Algorithmic Learning in a Random World.
    """
    distance = np.sort(np.abs(error))
    rank = min(math.ceil(LEVEL * (distance.size + 1)), distance.size)
    width = max(float(distance[rank - 1]), NARROWEST)
    return math.exp(-width), math.exp(width)
