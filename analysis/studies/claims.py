"""Do published claims about wafer-scale inference hold, against the catalogue and the models as they are now?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from analysis.claims.figures import changed, figure_of
from analysis.claims.judge import judge_all
from analysis.claims.verdict import KINDS, Kind, Verdict
from analysis.parameters import Parameters
from analysis.sentences import list_words, shortest_of
from analysis.study import Step, Study
from data.catalogue.catalogue import Catalogue
from data.catalogue.claim_files import Claim
from data.sources import Source
from data.units import format_quantity, unit_of_suffix

QUESTION = "Do published claims about speed, bandwidth and memory hold?"
ONE_QUESTION = "What does the arithmetic say about this claim?"
CONDITIONS = "Every verdict is computed now, from the catalogue and the models; nothing of it is stored."
ALL = "all"
COUNTED = {
    "holds": ("holds", "hold"),
    "holds only if": ("holds under a condition", "hold under a condition"),
    "unit slip": ("slips a unit", "slip a unit"),
    "false by a factor": ("is false", "are false"),
    "not testable": ("cannot be tested", "cannot be tested"),
    "a rule": ("is a rule", "are rules"),
}
Judged = Sequence[tuple[Claim, Verdict]]


def judged(claims: Sequence[Claim], catalogue: Catalogue, parameters: Parameters | None = None) -> Judged:
    """Every claim with its verdict, now."""
    return judge_all(claims, catalogue, parameters)


def study(every: Judged, *, document: str = ALL, kind: str = ALL) -> Study:
    """All claims with their verdicts; the table holds those of one document and of one kind of verdict.

    document   short name of an article, or "all"
    kind       kind of verdict, or "all"
    """
    shown = [
        (claim, verdict)
        for claim, verdict in every
        if document in (ALL, claim.document) and kind in (ALL, verdict.kind)
    ]
    return Study(
        question=QUESTION,
        answer=answer_to(Counter(verdict.kind for _, verdict in every)),
        conditions=CONDITIONS,
        table=pd.DataFrame([_row(*each) for each in shown], columns=list(_COLUMNS)),
        steps=lambda: [step for each in shown for step in _steps_of(*each)],
        sources=_sources(every),
        assumptions=tuple(dict.fromkeys(said for _, verdict in every for said in verdict.assumed)),
    )


def _steps_of(claim: Claim, verdict: Verdict) -> list[Step]:
    """A claim's arithmetic, every line saying which claim it is about."""
    return [
        replace(step, subject=f"{claim.key}, {step.subject}" if step.subject else claim.key) for step in verdict.steps
    ]


_COLUMNS = ("key", "verdict", "says", "printed", "document", "at", "sentence", "own")


def _row(claim: Claim, verdict: Verdict) -> dict[str, object]:
    return {
        "key": claim.key,
        "verdict": verdict.kind,
        "says": claim.says,
        "printed": claim.printed,
        "document": claim.document,
        "at": claim.at,
        "sentence": verdict.sentence,
        "own": claim.own,
    }


def answer_to(counts: Counter[Kind]) -> str:
    """How many claims hold, and what the others do."""
    total = sum(counts.values())
    if not total:
        return "No claim is at hand."
    parts = [f"{counts[kind]} {COUNTED[kind][counts[kind] != 1]}" for kind in KINDS if counts[kind]]
    head = f"Of {total} published claims " if total != 1 else "One claim: "
    return f"{head}{list_words(parts)}."


def _sources(every: Judged) -> tuple[Source, ...]:
    articles = [claim.source for claim, _ in every]
    figures = [source for _, verdict in every for source in verdict.sources]
    return tuple(dict.fromkeys([*articles, *figures])) or (Source(title="No claim is at hand", kind="page"),)


def one(claim: Claim, verdict: Verdict) -> Study:
    """One claim: its verdict with the arithmetic."""
    figures = pd.DataFrame({"name": list(verdict.figures), "value": list(verdict.figures.values())})
    return Study(
        question=ONE_QUESTION,
        answer=verdict.sentence,
        conditions=f"{claim.says}: {claim.printed}" if claim.printed else claim.says,
        table=figures,
        steps=verdict.steps,
        sources=(*verdict.sources, claim.source),
        assumptions=verdict.assumed,
        remarks=("Own claim, not reviewed",) if claim.own else (),
    )


def headline(verdict: Verdict) -> str:
    """The verdict's opening words as a title: "Holds only if 11 × WSE-3 serve it."."""
    parts = [verdict.sentence.split(end)[0].rstrip(".") + "." for end in (". ", ": ")]
    return shortest_of(verdict.sentence, *parts, f"{verdict.kind.capitalize()}.")


def what_if(claim: Claim, catalogue: Catalogue, path: str, factor: float, parameters: Parameters | None = None) -> str:
    """The verdict if one figure of the catalogue were `factor` times what it is, in words."""
    copy = changed(catalogue, path, factor)
    after = judge_all([claim], copy, parameters)[0][1]
    unit = unit_of_suffix(path.rsplit(".", 1)[-1])[1]
    return f"At {format_quantity(figure_of(copy, path), unit)} instead of " + (
        f"{format_quantity(figure_of(catalogue, path), unit)}: {after.sentence}"
    )
