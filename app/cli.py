"""The command line: `waferline serve | import | export | predict | calibrate | catalogue`."""

from __future__ import annotations

import importlib
import importlib.util
import sys

import typer

from app.cli_serve import serve_command
from data.errors import WaferlineError

EXIT_REFUSED = 2

cli = typer.Typer(
    name="waferline",
    help="Which silicon serves this language model at this speed, why, at what cost, and do your own runs agree?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
cli.command("serve")(serve_command)

_COMMANDS = (
    ("import", "import_command"),
    ("export", "export_command"),
    ("predict", "predict_command"),
    ("calibrate", "calibrate_command"),
)
for _name, _function in _COMMANDS:
    if importlib.util.find_spec(f"app.cli_{_name}"):
        cli.command(_name)(getattr(importlib.import_module(f"app.cli_{_name}"), _function))
if importlib.util.find_spec("app.cli_catalogue"):
    cli.add_typer(importlib.import_module("app.cli_catalogue").catalogue_app, name="catalogue")


@cli.callback()
def _one_of_several() -> None:
    """Which silicon serves this language model at this speed, why, at what cost, and do your own runs agree?"""


def run() -> None:
    """Entry point: an error made for a person goes to stderr in words, and the exit status is 2."""
    try:
        cli()
    except WaferlineError as error:
        typer.echo(f"waferline: {error.sentence()}", err=True)
        sys.exit(EXIT_REFUSED)


if __name__ == "__main__":
    run()
