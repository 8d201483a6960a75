"""`waferline predict` as a person types it: misspelt columns, places that cannot be written, the screen."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from data.errors import WaferlineError

ROW = "model,hardware,device_count,{extra}\nLlama-3.1-8B,h200-sxm,1,{value}\n"
RUN = CliRunner()


def table(folder: Path, extra: str, value: str) -> Path:
    path = folder / "cases.csv"
    path.write_text(ROW.format(extra=extra, value=value))
    return path


def test_the_screen_gets_strict_csv_and_nothing_else(tmp_path: Path) -> None:
    result = RUN.invoke(cli, ["predict", str(table(tmp_path, "concurrency", "4")), "--output", "-"])
    assert result.exit_code == 0
    row = next(csv.DictReader(io.StringIO(result.stdout)))
    assert float(row["predicted_tpot_ms"]) > 16.06e9 / 4.8e12 * 1e3 * 0.9  # bf16 weights over bandwidth, head included
    assert "1 predicted" in result.stderr


@pytest.mark.parametrize("name", ["weights_format", "weightformat", "Weight_Format"])
def test_a_misspelt_column_is_named_and_not_used(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out.csv"
    result = RUN.invoke(cli, ["predict", str(table(tmp_path, name, "fp8")), "--output", str(out)])
    assert result.exit_code == 0
    assert "weight_format" in result.stderr
    assert next(csv.DictReader(out.open()))[name] == "fp8"


def test_columns_of_the_persons_own_are_kept_without_a_word(tmp_path: Path) -> None:
    result = RUN.invoke(cli, ["predict", str(table(tmp_path, "ticket", "A-7")), "--output", "-"])
    assert "not read" not in result.stderr
    assert next(csv.DictReader(io.StringIO(result.stdout)))["ticket"] == "A-7"


def test_a_place_that_cannot_be_written_is_an_error_in_words(tmp_path: Path) -> None:
    arguments = ["predict", str(table(tmp_path, "concurrency", "1")), "--output", str(tmp_path / "none" / "out.csv")]
    result = RUN.invoke(cli, arguments)
    assert isinstance(result.exception, WaferlineError)
    assert "cannot be written" in str(result.exception)


CASE = "Llama-3.1-8B,h200-sxm,1"


def answered(folder: Path, content: str | bytes) -> tuple[list[list[str]], str]:
    """Rows of the written table as the standard library reads it, header first, and what was said beside it."""
    path = folder / "cases.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    result = RUN.invoke(cli, ["predict", str(path), "--output", "-"])
    if result.exception is not None:
        raise result.exception
    return list(csv.reader(io.StringIO(result.stdout), strict=True)), result.stderr


def test_a_trailing_comma_moves_no_cell(tmp_path: Path) -> None:
    rows, _ = answered(tmp_path, f"model,hardware,device_count,ticket\n{CASE},A-7,\n{CASE},A-8, ,\n\n{CASE}\n")
    assert [row[:4] for row in rows[1:]] == [[*CASE.split(","), ticket] for ticket in ("A-7", "A-8", "")]
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"model,hardware,device_count\n{CASE}\n\n{CASE},,8\n", "line 4: more cells than columns; found 5; expected 3"),
        ("model;hardware;device_count\nLlama-3.1-8B;h200-sxm;1\n", "separated by ';'; expected commas"),
        ("model;hardware;a, b\nLlama-3.1-8B;h200-sxm;1\n", "separated by ';'; expected commas"),
        ("model\thardware\nLlama-3.1-8B\th200-sxm\n", "separated by tabs; expected commas"),
        (f"model,hardware,device_count\n{CASE}\n".encode("utf-16"), "UTF-16"),
        (f"model,hardware,device_count\n{CASE}\n".encode("utf-16-le"), "UTF-16"),
        (f"model,hardware,device_count,note\n{CASE},für\n".encode("latin-1"), "line 2: letters that are not UTF-8"),
        (f'model,hardware,device_count,note\n{CASE},a\n{CASE},"b\n{CASE},c\n', "begins on line 3"),
        (f'model,hardware,device_count,note\n{CASE},"b', "never closed"),
        (f'model,hardware,device_count\n{CASE}\n"', "begins on line 3"),
        ("\n", "the table is empty"),
        (f"model,hardware,device_count,model\n{CASE},gpt-oss-120b\n", "several columns are called 'model'"),
        (f"model,hardware,device_count,ticket,ticket\n{CASE},1,1\n", "several columns are called 'ticket'"),
    ],
)
def test_what_is_no_table_of_cases_is_refused_in_words(tmp_path: Path, content: str | bytes, said: str) -> None:
    with pytest.raises(WaferlineError) as refusal:
        answered(tmp_path, content)
    assert said in str(refusal.value)
    assert "codec" not in str(refusal.value)


def test_a_file_that_is_not_there_is_an_error_in_words(tmp_path: Path) -> None:
    result = RUN.invoke(cli, ["predict", str(tmp_path / "none.csv"), "--output", "-"])
    assert isinstance(result.exception, WaferlineError)


def test_columns_without_a_name_and_cells_with_separators_stay_as_they_are(tmp_path: Path) -> None:
    content = '\ufeffmodel,,hardware,,note;mine\r\nLlama-3.1-8B,x,h200-sxm,007,"a, ""b""\nc;"\r\nLlama-3.1-8B,,h200-sxm'
    rows, _ = answered(tmp_path, content)
    assert rows[0][:5] == ["model", "", "hardware", "", "note;mine"]
    assert rows[1][:5] == ["Llama-3.1-8B", "x", "h200-sxm", "007", 'a, "b"\nc;']
    assert rows[2][:5] == ["Llama-3.1-8B", "", "h200-sxm", "", ""]


def test_columns_named_like_predictions_are_kept_under_another_name(tmp_path: Path) -> None:
    header = "reason,model,hardware,device_count,predicted_tpot_ms,given_reason"
    rows, said = answered(tmp_path, f"{header}\nmine,{CASE},-1,older\n")
    kept = ["given_given_reason", "model", "hardware", "device_count", "given_predicted_tpot_ms", "given_reason"]
    assert rows[0][:6] == kept
    assert rows[1][:6] == ["mine", *CASE.split(","), "-1", "older"]
    row = dict(zip(rows[0], rows[1], strict=True))
    assert float(row["predicted_tpot_ms"]) > 0
    assert "'reason' has the name of a prediction; yours is kept as 'given_given_reason'" in said
    assert "'predicted_tpot_ms' has the name of a prediction" in said


def test_a_predicted_table_fed_again_says_that_predictions_are_replaced(tmp_path: Path) -> None:
    path, out = table(tmp_path, "reason", "mine"), tmp_path / "out.csv"
    RUN.invoke(cli, ["predict", str(path), "--output", str(out)])
    once = list(csv.reader(out.open(newline="")))
    again, said = answered(tmp_path, out.read_bytes())
    assert again == once
    assert "predictions already; they are replaced" in said
    assert "yours is kept" not in said
