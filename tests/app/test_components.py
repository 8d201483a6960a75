"""Building blocks of pages: tables, downloads, errors in words, the search over equations."""

from __future__ import annotations

import io
from unittest.mock import patch

import pandas as pd
import pytest

from analysis.explain import equation_pages
from app.components import tables
from app.components.equations import matching
from app.components.problem import error_code, problem_text, unlinked
from app.components.share import csv_bytes, parquet_bytes
from app.components.tables import Column, percent
from data.errors import UnknownNameError, WaferlineError


def test_a_cell_that_starts_a_formula_is_quoted() -> None:
    """Spreadsheets run =, +, - and @ at the start of a text; numbers below zero are no text."""
    frame = pd.DataFrame({"note": ["=1+1", "-cmd", "@sum", "plain"], "residual": [-0.5, 0.1, 0.2, 0.3]})
    text = csv_bytes(frame).decode("utf-8-sig")
    assert text.splitlines()[1:] == ["'=1+1,-0.5", "'-cmd,0.1", "'@sum,0.2", "plain,0.3"]


def test_downloads_keep_full_precision() -> None:
    frame = pd.DataFrame({"speed": [1 / 3], "slot": ["8 × H200"]})
    assert pd.read_csv(io.BytesIO(csv_bytes(frame)))["speed"].iloc[0] == 1 / 3
    assert pd.read_parquet(io.BytesIO(parquet_bytes(frame))).equals(frame)


@pytest.mark.parametrize(
    ("share", "text"), [(0.162, "16"), (0.0004, "< 0.1"), (0.0, "0"), (1.0, "100"), (1.41, "141"), (0.07, "7")]
)
def test_shares_have_two_digits(share: float, text: str) -> None:
    assert percent(share) == text


def test_an_error_is_shown_in_its_parts() -> None:
    error = WaferlineError("no unit", where="chips/x.yaml", found="4.8", expected="4.8 TB/s", remedy="Add the unit.")
    assert problem_text(error).splitlines() == [
        "**chips/x.yaml: no unit.**  ", "Found: 4.8  ", "Expected: 4.8 TB/s  ", "Add the unit."
    ]  # fmt: skip


def test_words_from_outside_make_no_link_or_picture_of_a_sentence() -> None:
    """CommonMark: a backslash before a sign of punctuation leaves it a sign; one before a backslash uses both up."""
    assert unlinked("on ![x](http://a/b.png)") == "on !\\[x\\](http://a/b.png)"
    assert unlinked("\\[x](y) <img>") == "\\\\\\[x\\](y) \\<img>"
    assert "!\\[x\\](y)" in problem_text(WaferlineError("not a name", found="![x](y)"))


def test_an_unknown_name_shows_near_matches() -> None:
    assert "h200-sxm" in problem_text(UnknownNameError("chip", "h200sxm", ["h200-sxm", "wse-3"]))


def test_equal_faults_have_equal_codes() -> None:
    def fault() -> str:
        try:
            raise KeyError("any")
        except KeyError as error:
            return error_code(error)

    assert fault() == fault()
    assert len(fault()) == 6


def test_the_search_finds_an_equation_by_any_of_its_words() -> None:
    pages = equation_pages()
    assert [each.name for each in matching(pages, "ridge williams")] == ["ridge_intensity"]
    assert matching(pages, "") == list(pages)
    assert matching(pages, "no-such-word") == []


def test_words_from_outside_become_no_link_in_a_table() -> None:
    """A file named like a picture is printed as it is named, on page and in report; slot marks keep their colour."""
    frame = pd.DataFrame({"file": ["![x](http://e/p.png)", "a <img src=x>", ":blue[●] 8 × H200"]})
    columns = (Column(name="file", header="File"),)
    with patch.object(tables, "show_table") as shown, patch.object(tables, "keep_table"):
        tables.table(frame, columns, alt="files")
    texts = [text.replace("\u00a0", " ") for text in shown.call_args.args[0][0].texts]
    assert texts == [r"!\[x\](http://e/p.png)", r"a \<img src=x>", ":blue[●] 8 × H200"]
    written = [row[0] for row in tables.plain_table(frame, columns, "files").rows]
    assert written == ["![x](http://e/p.png)", "a <img src=x>", "● 8 × H200"]
