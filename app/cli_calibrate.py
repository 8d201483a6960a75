"""`waferline calibrate`: parameters refitted from the shipped runs, or a profile from own runs; left-out errors."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from analysis.calibration.calibrate import Calibration, calibrate
from analysis.calibration.parameter_text import intervals_text, renewed
from analysis.calibration.report import report_text
from analysis.calibration.spreads import spreads_of
from analysis.calibration.tables import prediction_table, summary_table
from analysis.calibration_energy import calibrate_energy
from analysis.energy_report import prediction_rows, summary_rows
from app.cli_profile import fit_profile
from data.catalogue.measurement_files import MEASURED, load_measurements
from data.errors import WaferlineError

RANGED = "gpu-serving"


def calibrate_command(
    report: Annotated[Path, typer.Option("--report", help="Folder for the report, tables and parameter files.")] = Path(
        "calibration"
    ),
    draws: Annotated[
        int, typer.Option("--draws", help="Bootstrap draws for the ranges of parameters; 0 for none.")
    ] = 40,
    profile: Annotated[
        str, typer.Option("--profile", help="Fit to your own runs instead and keep the result under this name.")
    ] = "",
    runs: Annotated[
        list[Path] | None, typer.Option("--runs", help="Files of runs for --profile; without any, the runs you keep.")
    ] = None,
) -> None:
    """Refit the model from the shipped runs, or a profile from your own; errors are those on runs not seen."""
    if profile:
        return fit_profile(profile, runs or [])
    if runs:
        raise WaferlineError("--runs names files for a profile", remedy="Say which with --profile NAME.")
    return _shipped(report, draws)


def _shipped(report: Path, draws: int) -> None:
    """Everything refitted from the shipped runs; report, tables and parameter files written."""
    found = calibrate(draws)
    energy = calibrate_energy(pd.DataFrame([dict(row) for row in load_measurements(MEASURED)]))
    spreads = spreads_of(found.outcomes)
    summary = summary_table(found.outcomes, summary_rows(energy))
    predictions = prediction_table(found.outcomes, spreads, prediction_rows(energy))
    dated = datetime.now(UTC).date().isoformat()
    _write(report / "report.md", report_text(found, summary, predictions, dated))
    _write(report / "accuracy" / "summary.csv", _csv(summary))
    _write(report / "accuracy" / "predictions.csv", _csv(predictions))
    _write(report / "parameters" / "intervals.yaml", intervals_text(spreads, dated))
    for key, values in found.values.items():
        _write(report / "parameters" / f"{key}.yaml", renewed(key, values, _ranges(found, key), dated))
    shown = summary[["group", "quantity", "split", "left_out_by", "rows", "mape_percent", "median_percent"]]
    typer.echo(shown.to_string(index=False, na_rep=""))
    typer.echo(f"Report, tables and parameter files: {report}")


def _ranges(found: Calibration, key: str) -> Any:
    return found.ranges if key == RANGED else {}


def _csv(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, lineterminator="\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
