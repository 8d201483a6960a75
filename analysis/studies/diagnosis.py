"""What is wrong with a sweep or a series of own runs, how that shows, why it may be, and what would change it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.diagnosis import ENDED_BADLY, Finding, Series, Sweep
from analysis.explain import explain
from analysis.models.accuracy import relative_error
from analysis.models.serving import output_rate
from analysis.parameters import Parameters
from analysis.sentences import runs_words
from analysis.studies.benchmark_cases import ENDED
from analysis.studies.diagnosis_cases import Observation
from analysis.studies.diagnosis_ended import left_out_words, outcome_words
from analysis.studies.diagnosis_expected import expected, fits_by_the_model
from analysis.studies.explore import lengths_of
from analysis.study import Step, Study
from data.catalogue.diagnosis_files import Cause, load_faults
from data.sources import Source

QUESTION = "What is wrong with these runs, why, and what would change it?"
LOADS = {"concurrency": "concurrency", "batch": "batch_size", "rate": "request_rate", "offline": "concurrency"}
METRICS = {"output_rate": "output_tokens_per_s"}  # fields that bear another name as a metric
MODELLED = {"output_rate": "modelled_rate", "tpot_s": "modelled_tpot_s"}
NOT_TOLD = {
    "sweep": "runs and requests that failed, and seven of nine kinds of slowness; heat or power and a warming cache "
    "take runs over time",
    "series": "runs and requests that failed, and four of nine kinds of slowness; the others take a sweep of loads",
}


@dataclass(frozen=True, kw_only=True)
class Advice:
    """One likely cause with what the model expects after the change."""

    cause: Cause
    expected: str


def study(seen: Observation, finding: Finding | None, parameters: Parameters | None = None) -> Study:
    """One sweep or series with one of its findings, or with none.

    Table: one row a run with its load or time, what was measured and modelled, and whether it is evidence. Marks:
    `quantity`, `across` (metric keys), `drawn` (x, y, modelled, evidence, ended), `finding`, `advice`.
    """
    quantity = finding.quantity if finding else "output_rate"
    table = _table(seen, finding)
    advice = advice_on(seen, finding, parameters) if finding else ()
    return Study(
        question=QUESTION,
        answer=_answer(seen, finding),
        conditions=_conditions(seen, finding),
        table=table,
        steps=lambda: _steps(seen, finding),
        sources=_sources(seen, advice),
        assumptions=_assumptions(seen),
        marks={
            "quantity": METRICS.get(quantity, quantity),
            "across": "time_s" if isinstance(seen.observed, Series) else LOADS[seen.observed.kind],
            "drawn": _drawn(seen, quantity, finding),
            "finding": finding,
            "advice": advice,
        },
    )


def _steps(seen: Observation, finding: Finding | None) -> list[Step]:
    """At the last point of evidence: measured against modelled, and the rate that the load asked for should give."""
    observed = seen.observed
    sound = [at for at, run in enumerate(seen.runs) if run.outcome not in ENDED]
    if isinstance(observed, Series) or not sound:
        return []
    at = max((each for each in finding.at if each in sound), default=sound[-1]) if finding else sound[-1]
    subject, steps = f"Load {observed.load[at]:,.3g}, {seen.runs[at].source_file}", []
    token, says = ((values[at] if len(values) else np.nan) for values in (observed.tpot_s, observed.modelled_tpot_s))
    if np.isfinite(token + says):
        steps.append(explain(relative_error, subject=subject, predicted=float(says), measured=float(token)))
    taken, answer = (observed.e2e_s[at] if len(observed.e2e_s) else np.nan), lengths_of(seen.runs[at])[1]
    if observed.kind == "concurrency" and np.isfinite(taken) and answer > 0:
        load = {"in_flight": float(observed.load[at]), "generated_tokens": answer, "e2e_s": float(taken)}
        steps.append(explain(output_rate, subject=f"{subject}, if all of it is in flight", **load))
    return steps


def advice_on(seen: Observation, finding: Finding, parameters: Parameters | None) -> tuple[Advice, ...]:
    """Likely causes in order, each with what the model expects after the change; one it speaks against comes last."""
    causes = load_faults()[finding.kind].causes
    if finding.kind == "out_of_memory" and fits_by_the_model(seen, finding, parameters):
        causes = (*causes[1:], causes[0])
    return tuple(Advice(cause=cause, expected=expected(cause.expect, seen, finding, parameters)) for cause in causes)


def _across(observed: Sweep | Series) -> np.ndarray:
    return observed.time_s if isinstance(observed, Series) else observed.load


def _drawn(seen: Observation, quantity: str, finding: Finding | None) -> pd.DataFrame:
    observed = seen.observed
    x, blank = _across(observed), np.full(len(seen.runs), np.nan)
    y = getattr(observed, quantity)
    modelled = getattr(observed, MODELLED.get(quantity, ""), blank)
    evidence = np.isin(np.arange(len(x)), finding.at if finding else ())
    frame = pd.DataFrame({
        "x": x, "y": y if len(y) else blank, "modelled": modelled if len(modelled) else blank, "evidence": evidence,
        "file": [run.source_file for run in seen.runs],
        "ended": [outcome_words(run) if run.outcome in ENDED else "" for run in seen.runs],
    })  # fmt: skip
    shown = frame["y"].notna() | frame["modelled"].notna() | (frame["ended"] != "")
    return frame[shown & frame["x"].notna()].reset_index(drop=True)


def _table(seen: Observation, finding: Finding | None) -> pd.DataFrame:
    observed = seen.observed
    blank = np.full(len(seen.runs), np.nan)

    def column(name: str) -> np.ndarray:
        values = getattr(observed, name, blank)
        return np.asarray(values if len(values) else blank)

    given: dict[str, Any] = {"across": _across(observed), "output_tokens_per_s": column("output_rate")}
    given |= {name: column(name) for name in ("modelled_rate", "tpot_s", "modelled_tpot_s", "ttft_s")}
    if finding and finding.quantity not in ("output_rate", "tpot_s", "ttft_s"):
        given[finding.quantity] = column(finding.quantity)
    evidence = np.isin(np.arange(len(seen.runs)), finding.at if finding else ())
    files = [run.source_file for run in seen.runs]
    said = {"evidence": np.where(evidence, "evidence", ""), "ended": [outcome_words(run) for run in seen.runs]}
    return pd.DataFrame(given | said | {"source_file": files})


def _answer(seen: Observation, finding: Finding | None) -> str:
    if finding is None:
        return f"Nothing is found wrong with these {runs_words(len(seen.runs))}{_growth(seen.observed)}."
    return f"{load_faults()[finding.kind].title}: {finding.brief}."


def _growth(observed: Sweep | Series) -> str:
    """How far throughput grows over a sweep without a fault; empty where it is not stated."""
    if isinstance(observed, Series) or not np.isfinite(observed.output_rate[[0, -1]]).all():
        return ""
    first, last = observed.load[0], observed.load[-1]
    grown = observed.output_rate[-1] / observed.output_rate[0]
    return f": from a load of {first:,.3g} to {last:,.3g} throughput grows {grown:,.3g} times"


def _conditions(seen: Observation, finding: Finding | None) -> str:
    others = [load_faults()[each.kind].title.lower() for each in seen.findings if each is not finding]
    also = f" Also: {', '.join(others)}." if others and finding else ""
    told = NOT_TOLD["series" if seen.is_series else "sweep"]
    if finding is None:
        return f"{seen.name}. Looked for: {told}."
    left_out = left_out_words(seen.runs, seen.observed)
    left_out = f" {left_out}" if left_out and finding.kind not in ENDED_BADLY else ""
    noise = f", scatter of a point {100 * finding.noise:.0f} %" if np.isfinite(finding.noise) else ""
    return f"{seen.name}. {finding.words} A {finding.confidence} case{noise}.{left_out}{also}"


def _assumptions(seen: Observation) -> tuple[str, ...]:
    modelled = [one for one in seen.compared if one is not None]
    asked = "the model is asked for these runs without speculation" if modelled else "these runs cannot be modelled"
    return ("uploads are not reviewed", asked, "thresholds are set so that healthy constructed runs raise an alarm in "
            "less than one of a hundred sweeps")  # fmt: skip


def _sources(seen: Observation, advice: Sequence[Advice]) -> tuple[Source, ...]:
    files = dict.fromkeys(run.source_file for run in seen.runs)
    uploads = [Source(title=f"{name} (upload, not reviewed)", kind="upload", where=name) for name in files]
    return tuple(dict.fromkeys([*uploads, *(each.cause.source for each in advice)]))
