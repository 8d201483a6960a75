"""`waferline gate`: an optimised model's tensors against its reference's, with an exit status for CI."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.gate import Targets, Thresholds, Verdict, compare, judge, targets_from
from analysis.gate.compare import AUTOMATIC
from analysis.gate.verdict import COSINE, RELATIVE_ERROR
from analysis.studies import gate
from analysis.study import rows_of
from data.errors import WaferlineError
from data.tensors import TensorInfo, open_tensors

EXIT_FAILS, EXIT_REFUSED = 1, 2
OFF = "off"


def gate_command(
    reference: Annotated[Path, typer.Argument(help="Tensors of the reference: .safetensors, .npz, .npy or CSV.")],
    candidate: Annotated[Path, typer.Argument(help="The same tensors of the optimised model.")],
    relative_mse: Annotated[str, typer.Option(help="Squared error over the reference's variance, below this.")] = str(
        RELATIVE_ERROR
    ),
    cosine: Annotated[str, typer.Option(help="Cosine similarity, above this.")] = str(COSINE),
    mse: Annotated[str, typer.Option(help="Mean squared error as it stands, below this.")] = OFF,
    max_error: Annotated[str, typer.Option(help="Largest absolute difference, below this.")] = OFF,
    kl: Annotated[str, typer.Option(help="Mean KL divergence of logits in nat, below this.")] = OFF,
    top1: Annotated[str, typer.Option(help="Share of positions with the same likeliest token, at least this.")] = OFF,
    top5: Annotated[str, typer.Option(help="Share of the five likeliest tokens kept, at least this.")] = OFF,
    perplexity_gap: Annotated[str, typer.Option(help="Rise of perplexity as a share, below this.")] = OFF,
    logits: Annotated[str, typer.Option(help="Name of the tensor of logits; auto or none.")] = AUTOMATIC,
    tokens: Annotated[Path | None, typer.Option(help="Token ids of the input: each predicts the next.")] = None,
    targets: Annotated[Path | None, typer.Option(help="Token ids expected at each position.")] = None,
    mixed_formats: Annotated[bool, typer.Option("--mixed-formats", help="Let float widths differ.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
) -> None:
    """Compare two sets of tensors. Exit status 0: all pass; 1: one fails; 2: they cannot be compared.

    Every threshold takes a number, or "off".
    """
    limits = (relative_mse, cosine, mse, max_error, kl, top1, top5, perplexity_gap)
    names = ("relative_error", "cosine", "squared_error", "largest_error", "divergence", "top1", "top5",
             "perplexity_gap")  # fmt: skip
    asked = Thresholds(**{name: _limit(name, text) for name, text in zip(names, limits, strict=True)})
    one, two = open_tensors(reference), open_tensors(candidate)
    found = compare(one, two, logits=logits, targets=_expected(tokens, targets), mixed_formats=mixed_formats)
    verdict = judge(tuple(found), asked)
    _say(verdict, asked, (reference.name, candidate.name), as_json)
    raise typer.Exit(0 if verdict.passed else EXIT_FAILS)


def _limit(name: str, text: str) -> float | None:
    if text.strip().lower() == OFF:
        return None
    try:
        return float(text)
    except ValueError as problem:
        raise WaferlineError("not a threshold", where=name, found=text, expected="a number, or off") from problem


def _expected(tokens: Path | None, targets: Path | None) -> Callable[[TensorInfo], Targets] | None:
    if tokens and targets:
        raise WaferlineError("token ids given twice", found=f"{tokens.name}, {targets.name}",
                             remedy="Give --tokens (the input) or --targets (what is expected).")  # fmt: skip
    path = tokens or targets
    if path is None:
        return None
    ids = open_tensors(path)
    return lambda info: targets_from(ids, info.shape, aligned=targets is not None)


def _say(verdict: Verdict, asked: Thresholds, files: tuple[str, str], as_json: bool) -> None:
    study = gate.study(verdict, asked, files)
    rows = rows_of(study.table)
    if as_json:
        tensors = [{name: _plain(value) for name, value in row.items()} for row in rows]
        typer.echo(json.dumps({
            "passed": verdict.passed, "first_bad": verdict.first_bad or None, "answer": study.answer,
            "thresholds": gate.thresholds_in_words(asked), "tensors": tensors,
        }, indent=1, allow_nan=False))  # fmt: skip
        return
    typer.echo(f"{study.answer}\n{study.conditions}")
    for row in rows:
        typer.echo(f"  {row['verdict']:<7}{row['relative_error']:>11.3g}{row['cosine']:>12.6f}  {row['tensor']}"
                   + (f": {row['why']}" if row["why"] else ""))  # fmt: skip


def _plain(value: Any) -> Any:
    """A number JSON can hold; what is infinite becomes text, what is unknown null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value
