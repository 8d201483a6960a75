"""`waferline report`: a view, or all pages, as one HTML file, workbook or PDF."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Annotated

import typer

from app import cache
from app.exhibits import Exhibit
from app.pages import find_pages
from app.report.drawn_pages import asked_pages, choices_of, draw_pages
from app.report.page_of_html import report_html
from app.report.printing import print_to_pdf
from app.report.versions import versions
from app.report.workbook import report_workbook
from data.errors import WaferlineError
from data.store import path_to_read

ENDINGS = (".html", ".xlsx", ".pdf")
EXIT_INCOMPLETE = 1
EXPECTED_WARNINGS = {  # by Streamlit's logger: drawing without a browser is what is meant here
    "streamlit.runtime.scriptrunner_utils.script_run_context": "missing ScriptRunContext",
    "streamlit.runtime.caching.cache_data_api": "No runtime found",
}


def report_command(
    view: Annotated[
        str, typer.Argument(help="Link to a view as Share gives it, or its choices: 'model=GLM-4.6&context=8K'.")
    ] = "",
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .html, .xlsx or .pdf.")] = Path(
        "waferline-report.html"
    ),
    page: Annotated[
        list[str] | None, typer.Option("--page", help="Page by its key, may be repeated; 'all' for every page.")
    ] = None,
) -> None:
    """Write what pages show with every figure, table, assumption and source; nothing in it asks the network.

    Exit status 1: a page could not be drawn; the others are written. While the dashboard runs, the runs you keep are
    read from a copy.
    """
    if output.suffix.lower() not in ENDINGS:
        raise WaferlineError("a kind of file that is not written", where="--output", found=output.name,
                             expected=" or ".join(ENDINGS))  # fmt: skip
    _expect_no_browser()
    path, choices = choices_of(view)
    pages = asked_pages(find_pages(), path, page or [])
    with path_to_read() as store, cache.reading_from(store):
        drawn = draw_pages(pages, choices)
    for failed, why in drawn.failed:
        typer.echo(f"could not be drawn: {failed.title}: {why}", err=True)
    for each in drawn.silent:
        typer.echo(f"left out: {each.title}, nothing to report in this view", err=True)
    if drawn.shown or not drawn.failed:
        _write(output, drawn.shown)
        typer.echo(f"{len(drawn.shown)} page{'s' if len(drawn.shown) != 1 else ''}: {output}")
    raise typer.Exit(EXIT_INCOMPLETE if drawn.failed else 0)


def _expect_no_browser() -> None:
    """Drop Streamlit's warnings that nothing is served, and no others."""
    for name in EXPECTED_WARNINGS:
        logging.getLogger(name).addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    return EXPECTED_WARNINGS[record.name] not in record.getMessage()


def _write(output: Path, shown: list[Exhibit]) -> None:
    kind = output.suffix.lower()
    try:
        if kind == ".xlsx":
            output.write_bytes(report_workbook(shown, versions()))
        elif kind == ".html":
            output.write_text(report_html(shown, versions()), encoding="utf-8")
        else:
            print_to_pdf(report_html(shown, versions()), output)
    except OSError as problem:
        raise WaferlineError("the report cannot be written", where=str(output),
                             found=problem.strerror or problem) from problem  # fmt: skip
