"""Reports hold what the page showed, ask the network for nothing, and run nothing that a text says."""

from __future__ import annotations

import io
import logging
import re
import subprocess
import sys
import zipfile
from contextlib import nullcontext
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from analysis.study import Step, Study
from app.cli import cli
from app.cli_report import EXPECTED_WARNINGS
from app.exhibits import Exhibit, ShownTable
from app.pages import find_pages
from app.report.drawn_pages import asked_pages, choices_of
from app.report.page_of_html import report_html, script_text
from app.report.workbook import report_workbook, sheet_name
from data.errors import UnknownNameError, WaferlineError
from data.sources import Source

ROOT = Path(__file__).resolve().parents[3]
EVIL = '=HYPERLINK("http://evil.example","x")</script><script>alert(1)</script>'
VERSIONS = {"waferline": "1", "made": "2026-01-01 00:00 UTC"}


def exhibit(text: str = EVIL, page: str = "one") -> Exhibit:
    table = pd.DataFrame({"slot": [text], "speed": [12.5], "gone": [float("nan")], "many": [float("inf")]})
    study = Study(
        question="Which?",
        answer=f"{text} is",
        conditions=text,
        table=table,
        steps=(Step(formula="a = b", substituted="1", result="1", source=text),),
        sources=(Source(title=text, kind="person", where="a book", retrieved="2026-01-02"),),
        assumptions=(text,),
        remarks=(text,),
    )
    shown = ShownTable(title=text, headers=("slot", "speed"), rows=((text, "12.5"),), figures=(False, True))
    drawing = {"data": [{"type": "scatter", "x": [1.0, float("nan")], "text": [text]}], "layout": {"title": text}}
    return Exhibit(
        page=page,
        title=text[:20],
        drawings={"f": (drawing, text)},
        tables={("t",): lambda: shown},
        studies={"s": study},
    )


def test_html_asks_for_nothing_and_escapes_every_text() -> None:
    html = report_html([exhibit()], VERSIONS)
    assert "default-src 'none'" in html
    assert "alert(1)</script>" not in html
    outside = re.sub(r"<script>.*?</script>", "", html, flags=re.DOTALL)
    assert not re.search(r"<(link|img|iframe|script|object)\b", outside)
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", outside)
    assert "retrieved 2026-01-02" in html
    assert outside.count("HYPERLINK") >= 6, "answer, conditions, table, remark, assumption, step, source"


def test_script_text_cannot_end_its_script_and_knows_no_nan() -> None:
    text = script_text({"a": ["</script>", float("nan"), "\u2028"]})
    assert text == '{"a":["\\u003c/script\\u003e",null,"\\u2028"]}'


def test_workbook_holds_texts_as_texts_and_figures_in_full() -> None:
    content = report_workbook([exhibit()], VERSIONS)
    parts = zipfile.ZipFile(io.BytesIO(content))
    sheets = [parts.read(name).decode() for name in parts.namelist() if name.startswith("xl/worksheets/sheet")]
    assert not any("<f>" in sheet or "hyperlink" in sheet for sheet in sheets), "a formula or a link"
    assert any("<v>12.5</v>" in sheet for sheet in sheets)
    assert not any("<v>0</v></c><c" in sheet and ">nan<" in sheet for sheet in sheets)


def test_sheet_names_stay_legal_and_apart() -> None:
    used: set[str] = set()
    names = [sheet_name("Cost/energy: what [a] token costs in all", used) for _ in range(3)] + [sheet_name("??", used)]
    assert len({name.lower() for name in names}) == 4
    assert all(len(name) <= 31 and not re.search(r"[\[\]:*?/\\]", name) for name in names)


@pytest.mark.parametrize("make", [report_html, report_workbook])
def test_an_empty_report_is_refused(make: object) -> None:
    with pytest.raises(WaferlineError, match="nothing to report"):
        make([], VERSIONS)  # type: ignore[operator]


def test_addresses_are_read_as_share_gives_them() -> None:
    assert choices_of("http://127.0.0.1:8501/memory?model=GLM-4.6&context=8K") == (
        "memory",
        {"model": "GLM-4.6", "context": "8K"},
    )
    assert choices_of("users=4") == ("", {"users": "4"})
    assert choices_of("") == ("", {})
    pages = find_pages()
    assert [each.page.key for each in asked_pages(pages, "memory", [])] == ["memory"]
    assert len(asked_pages(pages, "", ["all"])) == len(pages)
    with pytest.raises(UnknownNameError, match="memory"):
        asked_pages(pages, "", ["memry"])


def test_the_command_writes_the_view_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home page for another model: its answer, its arithmetic and its documents stand in both files."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path / "data"))
    for name in ("r.html", "r.xlsx"):
        done = CliRunner().invoke(cli, ["report", "model=Llama+3.1+70B&context=4K", "-o", str(tmp_path / name)])
        assert done.exit_code == 0, done.output + str(done.exception)
    html = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Llama 3.1 70B" in html
    assert "The arithmetic" in html
    assert 'id="figure-compare-0"' in html
    assert "<td" in html


def test_a_kind_of_file_that_is_not_written_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["report", "-o", str(tmp_path / "r.docx")])
    assert "kind of file" in str(done.exception)


def test_a_store_that_another_program_holds_is_read_from_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dashboard may stay open: another process holds the file's lock while the report is made."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))
    holder = "import sys; from data.store import open_store; open_store(); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", holder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          cwd=ROOT) as other:  # fmt: skip
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        done = CliRunner().invoke(cli, ["report", "--page", "benchmarks", "--page", "claims",
                                        "-o", str(tmp_path / "r.html")])  # fmt: skip
        exported = CliRunner().invoke(cli, ["export", "--format", "json"])
        other.communicate(b"")
    assert done.exit_code == 0, done.output
    assert "1 page: " in done.output
    assert "left out: Benchmarks" in done.output
    assert "This view: http://127.0.0.1:8501/claims" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert exported.exit_code == 0, exported.output


def test_a_page_that_cannot_be_drawn_is_named_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store's file holds something else, which Benchmarks cannot do without and Claims can."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))
    monkeypatch.setattr("app.cli_report.path_to_read", lambda: nullcontext(tmp_path / "waferline.duckdb"))
    (tmp_path / "waferline.duckdb").write_text("no store")
    done = CliRunner().invoke(cli, ["report", "--page", "benchmarks", "--page", "claims", "-o",
                                    str(tmp_path / "r.html")])  # fmt: skip
    assert done.exit_code == 1
    assert "could not be drawn: Benchmarks: " in done.output
    assert "1 page: " in done.output


def test_what_is_expected_without_a_browser_is_not_told_and_everything_else_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path / "data"))
    CliRunner().invoke(cli, ["report", "--page", "roofline", "-o", str(tmp_path / "r.html")])
    for name, expected in EXPECTED_WARNINGS.items():
        for said, told in ((f"Thread 'MainThread': {expected}!", False), ("the disk is full", True)):
            record = logging.LogRecord(name, logging.WARNING, __file__, 1, said, (), None)
            assert bool(logging.getLogger(name).filter(record)) is told
