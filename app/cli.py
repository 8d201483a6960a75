"""The command line: `waferline serve | import | export | predict | calibrate | catalogue`."""

from __future__ import annotations

import sys

import typer

from app.cli_calibrate import calibrate_command
from app.cli_catalogue import catalogue_app
from app.cli_claims import claims_command
from app.cli_export import export_command
from app.cli_gate import gate_command
from app.cli_import import import_command
from app.cli_monitor import monitor_app
from app.cli_predict import predict_command
from app.cli_probe import probe_command
from app.cli_report import report_command
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

cli.command("import")(import_command)
cli.command("export")(export_command)
cli.command("predict")(predict_command)
cli.command("calibrate")(calibrate_command)
cli.command("claims")(claims_command)
cli.command("gate")(gate_command)
cli.command("probe")(probe_command)
cli.command("report")(report_command)
cli.add_typer(catalogue_app, name="catalogue")
cli.add_typer(monitor_app, name="monitor")


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
