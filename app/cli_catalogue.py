"""`waferline catalogue check | show | list | add | remove`: what we know, where from, and what you add to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from analysis.catalogue_check import check_architectures, count_sentence
from app import own_entries
from app.catalogue_record import record_of
from data.catalogue.catalogue import load_catalogue
from data.catalogue.check import check_files
from data.catalogue.yaml_file import LARGEST_BYTE
from data.errors import CatalogueError, WaferlineError
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
    for fault in own_entries.merged().faults:
        typer.echo(f"own entry left out: {fault}")
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
        record = record_of(own_entries.catalogue(), name)
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
    catalogue = own_entries.catalogue()
    if kind != "models":
        _print_names({key: f"{chip.vendor} {chip.name}" for key, chip in catalogue.chips.items()})
    if kind != "chips":
        _print_names({key: model.name for key, model in catalogue.architectures.items()})
        _print_names({key: f"not computable: {reason}" for key, reason in catalogue.unconfigured.items()})


@catalogue_app.command("add")
def add_command(
    file: Annotated[Path, typer.Argument(help="YAML of a chip, a model, prices or claims; or a model's config.json.")],
    key: Annotated[
        str, typer.Option("--key", help="Key of a model from a config.json; else from its name.")
    ] = "",
    name: Annotated[str, typer.Option("--name", help="Name of a model from a config.json.")] = "",
    total: Annotated[int, typer.Option("--total", help="Parameters its publisher states, to compare the count.")] = 0,
) -> None:
    """Add an own entry; it stands beside the shipped ones on every page and in every command."""
    try:
        content = file.read_bytes() if file.stat().st_size <= LARGEST_BYTE else b"x" * (LARGEST_BYTE + 1)
    except OSError as problem:
        raise CatalogueError("cannot be read", where=str(file), found=problem.strerror or problem) from problem
    entry = own_entries.add_entry(content, file.name, key=key, name=name, stated_total=total or None)
    typer.echo(f"added {entry.key}: {entry.name} ({entry.kind})")
    if entry.kind == "architectures":
        model = own_entries.catalogue().architectures[entry.key]
        typer.echo(count_sentence(model))


@catalogue_app.command("remove")
def remove_command(key: Annotated[str, typer.Argument(help="Key of an own entry.")]) -> None:
    """Take an own entry away; shipped ones cannot be removed."""
    entry = own_entries.remove_entry(key)
    typer.echo(f"removed {entry.key} ({entry.kind})")


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
