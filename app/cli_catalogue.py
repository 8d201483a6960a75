"""`waferline catalogue check | show | list`: what we know, where from, and whether the files hold together."""

from __future__ import annotations

import json
from typing import Annotated, Any, NoReturn

import typer

from analysis.catalogue_check import check_architectures
from app.catalogue_record import record_of
from data.catalogue.catalogue import load_catalogue
from data.catalogue.check import check_files
from data.errors import WaferlineError
from data.units import format_quantity

EXIT_FAULTS, EXIT_REFUSED = 1, 2

catalogue_app = typer.Typer(
    name="catalogue", help="What we know about chips and models, and where from.", no_args_is_help=True
)


@catalogue_app.command("check")
def check_command() -> None:
    """Read every catalogue file, count parameters against published totals, print what is wrong."""
    result = check_files()
    for name, count in result.counts.items():
        typer.echo(f"{count:>6}  {name}")
    findings = [] if result.faults else check_architectures(load_catalogue().architectures.values())
    for finding in findings:
        typer.echo(finding.sentence())
    errors = [*result.faults, *(each.sentence() for each in findings if each.severity == "error")]
    for fault in result.faults:
        typer.echo(f"error: {fault}")
    typer.echo(f"{len(errors)} errors." if errors else "No errors.")
    if errors:
        raise typer.Exit(EXIT_FAULTS)


@catalogue_app.command("show")
def show_command(
    name: Annotated[str, typer.Argument(help="Key or any known name of a chip or model.")],
    as_json: Annotated[bool, typer.Option("--json", help="The whole record as JSON.")] = False,
) -> None:
    """Print one chip or model with the source of every figure."""
    try:
        record = record_of(load_catalogue(), name)
    except WaferlineError as problem:
        _refuse(problem)
    if as_json:
        typer.echo(json.dumps(record, allow_nan=False, ensure_ascii=False, indent=2))
        return
    typer.echo("\n".join(_lines(record)))


@catalogue_app.command("list")
def list_command(
    kind: Annotated[str, typer.Option("--kind", help="chips or models; both if left out.")] = "",
) -> None:
    """Print every key with its name, one a line."""
    if kind not in ("", "chips", "models"):
        _refuse(WaferlineError("no such kind", found=kind, expected="chips or models"))
    catalogue = load_catalogue()
    if kind != "models":
        _print_names({key: f"{chip.vendor} {chip.name}" for key, chip in catalogue.chips.items()})
    if kind != "chips":
        _print_names({key: model.name for key, model in catalogue.architectures.items()})
        _print_names({key: f"not computable: {reason}" for key, reason in catalogue.unconfigured.items()})


def _refuse(problem: WaferlineError) -> NoReturn:
    typer.echo(f"waferline: {problem.sentence()}", err=True)
    raise typer.Exit(EXIT_REFUSED) from problem


def _print_names(names: dict[str, str]) -> None:
    for key, name in names.items():
        typer.echo(f"{key:<32}  {name}")


def _lines(record: dict[str, Any]) -> list[str]:
    """A record for reading: its name, then figure, value, source and place in it."""
    heading = f"{record['key']}: {record['name']} ({record['record']})"
    status = [f"status: {record['status']}"] if record.get("status") else []
    figures = [_figure_line(name, fact) for name, fact in record["facts"].items()]
    derived = [
        f"{name}: {value:,.0f} (counted from the dimensions)" for name, value in record.get("derived", {}).items()
    ]
    conflicts = [f"conflict, {c['field']}: {c['shown']} by {c['by']}. {c['note']}" for c in record["conflicts"]]
    note = [f"note: {record['note']}"] if record["note"] else []
    return [heading, *status, *figures, *derived, *conflicts, *note]


def _figure_line(name: str, fact: dict[str, Any]) -> str:
    value = format_quantity(fact["value"], fact["unit"]) if fact["unit"] else str(fact["shown"])
    told = "" if fact["kind"] == "stated" else f" [{fact['kind']}: {fact['note']}]"
    sources = "; ".join(source["title"] for source in fact["sources"])
    return f"{name}: {value}{told} <- {sources} ({fact['at']})"
