"""An answer about a field that only some rows of a file state: those rows keep their word, read short or long."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from data.catalogue.catalogue import load_catalogue
from data.readers import ReadResult, read_bytes
from data.readers.intake.registry import recognise
from data.readers.large.reading import read_long
from data.store import Store, open_store, resolve_names

CATALOGUE = load_catalogue()
HEADER = "model,hardware,GPUs,precision,output tokens,mean TPOT (ms)"
STATED = {"weight_format": {1: "FP8", 2: "FP8"}, "osl_mean": {1: 100, 3: 300}}  # by row; rows 1 to 40
SAID = {"weight_format": "BF16", "osl_mean": "64"}
Read = Callable[[bytes, dict[str, str]], ReadResult]


def _content() -> bytes:
    rows = [
        f"Qwen3-32B,H100 SXM,1,{STATED['weight_format'].get(n, '')},{STATED['osl_mean'].get(n, '')},{10 + n}"
        for n in range(1, 41)
    ]
    return "\n".join([HEADER, *rows, ""]).encode()


def _short(content: bytes, answers: dict[str, str]) -> ReadResult:
    return read_bytes("t.csv", content, answers)


def _long(content: bytes, answers: dict[str, str]) -> ReadResult:
    found = read_long("t.csv", content, answers, recognise, rows=10)
    assert found is not None
    assert found.large is not None
    return found


def _check(store: Store) -> None:
    """Row n has a time per token of 10 + n ms; 40 rows, of which 2 state either field."""
    runs = {round(run.values["tpot_mean_ms"]) - 10: run for run in store.runs()}
    assert len(runs) == 40
    for field, stated in STATED.items():
        for n, run in runs.items():
            wanted = stated.get(n, float(SAID[field]) if field == "osl_mean" else SAID[field])
            assert run.values[field] == wanted, (field, n)
            assert (run.fields[field].origin == "person") == (n not in stated), (field, n)
            assert run.fields[field].raw == str(wanted).removesuffix(".0")


@pytest.mark.parametrize("read", [_short, _long])
def test_an_answer_fills_only_the_rows_that_do_not_say(read: Read, tmp_path: Path) -> None:
    content = _content()
    with open_store(tmp_path / "once.duckdb") as at_once:
        at_once.import_result(resolve_names(read(content, SAID), CATALOGUE))
        _check(at_once)
    with open_store(tmp_path / "later.duckdb") as later:
        upload_id = later.import_result(resolve_names(read(content, {}), CATALOGUE)).upload_id
        later.complete(upload_id, SAID, CATALOGUE)
        _check(later)


@pytest.mark.parametrize("read", [_short, _long])
def test_answers_given_one_after_another_neither_get_lost_nor_touch_what_the_file_says(
    read: Read, tmp_path: Path
) -> None:
    """First wrong ones, then the right ones, then one about another field."""
    with open_store(tmp_path / "a.duckdb") as store:
        result = resolve_names(read(_content(), {"weight_format": "INT8", "osl_mean": "7"}), CATALOGUE)
        upload_id = store.import_result(result).upload_id
        store.complete(upload_id, SAID, CATALOGUE)
        _check(store)
        store.complete(upload_id, {"engine": "vllm"}, CATALOGUE)
        _check(store)
        assert {run.values["engine"] for run in store.runs()} == {"vllm"}


def test_rows_of_a_long_table_are_the_same_runs_whatever_was_said(tmp_path: Path) -> None:
    with open_store(tmp_path / "a.duckdb") as store:
        store.import_result(_long(_content(), SAID))
        assert store.import_result(_long(_content() + b"\n", {})).added == 0


@pytest.mark.parametrize("read", [_short, _long])
def test_where_every_row_says_an_answer_corrects_it_and_keeps_the_word_of_the_file(read: Read, tmp_path: Path) -> None:
    with open_store(tmp_path / "a.duckdb") as store:
        store.import_result(resolve_names(read(_content(), {"hardware": "B200"}), CATALOGUE))
        runs = store.runs()
    assert {run.values["hardware"] for run in runs} == {"B200"}
    assert {run.fields["hardware"].origin for run in runs} == {"person"}
    assert all("the file says" in run.fields["hardware"].path for run in runs)
