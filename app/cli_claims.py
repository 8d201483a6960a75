"""`waferline claims`: every published claim with its verdict, computed from the catalogue as it is now."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.claims.judge import judge_all
from analysis.claims.verdict import Verdict
from analysis.explain import written_out
from app import own_entries
from data.catalogue.claim_files import Claim, check_distinct, read_claims
from data.errors import UnknownNameError


def claims_command(
    key: Annotated[str, typer.Argument(help="One claim, with its arithmetic; all if left out.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON.")] = False,
    own: Annotated[
        Path | None, typer.Option("--own", help="A YAML file of claims to judge beside the others, not kept.")
    ] = None,
) -> None:
    """Check published claims: verdict, numbers and arithmetic from the catalogue as it is now."""
    known = own_entries.claims()
    if own is not None:
        known = (*known, *read_claims(own, own=True))
        check_distinct(known, own.name)
    chosen = [claim for claim in known if key in ("", claim.key)]
    if not chosen:
        raise UnknownNameError("claim", key, [claim.key for claim in known])
    judged = judge_all(chosen, own_entries.catalogue())
    if as_json:
        typer.echo(json.dumps([as_record(*each) for each in judged], ensure_ascii=False, indent=2, allow_nan=False))
        return
    for claim, verdict in judged:
        typer.echo(in_words(claim, verdict, arithmetic=bool(key)))
    for fault in own_entries.merged().faults:
        print(f"own entry left out: {fault}", file=sys.stderr)


def as_record(claim: Claim, verdict: Verdict) -> dict[str, Any]:
    """A claim and its verdict as plain values; figures that have no number are null."""
    return {
        "key": claim.key,
        "own": claim.own,
        "says": claim.says,
        "printed": claim.printed,
        "document": claim.source.title,
        "at": claim.at,
        "verdict": verdict.kind,
        "sentence": verdict.sentence,
        "figures": {name: None if math.isnan(value) else value for name, value in verdict.figures.items()},
        "depends_on": list(claim.fields),
        "arithmetic": [written_out(step) for step in verdict.steps],
        "assumed": list(verdict.assumed),
        "sources": [source.title for source in (*verdict.sources, claim.source)],
    }


def in_words(claim: Claim, verdict: Verdict, *, arithmetic: bool) -> str:
    """A claim in two or three lines, with its arithmetic where asked."""
    mark = ", own" if claim.own else ""
    lines = [f"{claim.key}  {claim.says} ({claim.document}{mark})", f"     {verdict.sentence}"]
    if arithmetic:
        lines += ["", *(written_out(step) + "\n" for step in verdict.steps)]
        lines += [f"assumed: {each}" for each in verdict.assumed]
        lines += [f"source: {source.title}" for source in (*verdict.sources, claim.source)]
    return "\n".join(lines)
