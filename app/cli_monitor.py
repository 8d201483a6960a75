"""`waferline monitor`: take scrapes of a server, look for regressions in them, write rules for Prometheus."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from analysis.monitoring import Alarm
from analysis.monitoring.changes import BASELINE_SCRAPES
from analysis.monitoring.rules import dashboard_text, rules_text
from analysis.studies import monitor
from data.errors import ReadError
from data.readers.intake.content import content_of
from data.readers.metrics_text.recording import metrics_address, scrape
from data.readers.metrics_text.timeline import Timeline, read_timeline

EXIT_REGRESSION = 1
MOST_MISSED = 5
monitor_app = typer.Typer(no_args_is_help=True, help="Watch a server through its metrics.")
Files = Annotated[list[Path], typer.Argument(help="Scrapes, or answers of query_range.")]
Apart = Annotated[float, typer.Option("--every", help="Seconds between scrapes that carry no time.", min=0)]
Rows = Annotated[int, typer.Option(help="Intervals at the start that count as healthy.", min=30)]


@monitor_app.command("record")
def record(
    server: Annotated[str, typer.Argument(help="Address of the server, e.g. http://host:8000.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File that the scrapes are added to.")],
    every: Annotated[float, typer.Option(help="Seconds between scrapes.", min=0.1)] = 12.0,
    count: Annotated[int, typer.Option(help="Scrapes to take.", min=1)] = 300,
) -> None:
    """Take scrapes of a server's metrics, each with its time. Asks the server named and nothing else."""
    address = metrics_address(server)
    missed = 0
    for number in range(count):
        try:
            text = scrape(address)
        except ReadError as problem:
            missed += 1
            if number == 0 or missed >= MOST_MISSED:
                raise
            typer.echo(f"missed: {problem.sentence()}", err=True)
        else:
            with output.open("a", encoding="utf-8") as stream:
                stream.write(text)
            typer.echo(f"{number + 1}/{count} scrapes in {output}", err=True)
        if number + 1 < count:
            time.sleep(every)


@monitor_app.command("check")
def check(
    files: Files,
    every: Apart = 0.0,
    baseline: Rows = BASELINE_SCRAPES,
    as_json: Annotated[bool, typer.Option("--json", help="Print the finding as JSON.")] = False,
) -> None:
    """Look for regressions. Exit status 0: none; 1: a series has left its baseline; 2: nothing could be read."""
    timeline = _timeline(files, every)
    study = monitor.study(timeline, baseline)
    found: list[Alarm] = study.marks["alarms"]  # type: ignore[assignment]
    said = [{"series": a.signal.key, "since": monitor.clock(study.table["start_s"][a.began]), "shift": a.shift,
             "scrapes": a.scrapes} for a in found]  # fmt: skip
    if as_json:
        typer.echo(json.dumps({"answer": study.answer, "intervals": len(study.table), "alarms": said}, indent=1))
    else:
        typer.echo(f"{study.answer}\n{study.conditions}")
        for alarm, each in zip(found, said, strict=True):
            typer.echo(f"  {alarm.signal.name}: {alarm.shift:+.1%} since {each['since']}, found within "
                       f"{alarm.scrapes} scrapes")  # fmt: skip
    raise typer.Exit(EXIT_REGRESSION if found else 0)


@monitor_app.command("rules")
def rules(
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder for both files.")],
    files: Annotated[list[Path] | None, typer.Argument(help="Scrapes whose baseline sets thresholds.")] = None,
    engine: Annotated[str, typer.Option(help="vllm or sglang.")] = "vllm",
    every: Apart = 0.0,
    baseline: Rows = BASELINE_SCRAPES,
) -> None:
    """Write recording and alerting rules for Prometheus, and a dashboard for Grafana."""
    watches = monitor.study(_timeline(files, every), baseline).marks["watches"] if files else ()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("waferline-rules.yaml", rules_text(engine, watches)),  # type: ignore[arg-type]
        ("waferline-dashboard.json", dashboard_text(engine)),
    ):
        (folder / name).write_text(text, encoding="utf-8")
        typer.echo(str(folder / name))


def _timeline(files: list[Path], every: float) -> Timeline:
    return read_timeline([(path.name, content_of(path, where=path.name)) for path in files], every or None)
