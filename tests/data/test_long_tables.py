"""Long tidy tables: read by columns, they give what reading cell by cell gives."""

from __future__ import annotations

import random

import pytest

from data.catalogue.catalogue import load_catalogue
from data.errors import ReadError, StoreError
from data.readers import ReadResult, read_bytes
from data.readers.intake.registry import recognise
from data.readers.large.reading import read_long
from data.store import Filter, Store, asked, long_tables, open_store, resolve_names

HEADER = (
    "model,hardware,GPUs,concurrency,input tokens,output tokens,num requests,completed,duration (s),"
    "TTFT p50 (s),mean TPOT (ms),mean E2E (ms),output throughput (tok/s),remarks of mine"
)
ROWS = 240
CATALOGUE = load_catalogue()


def _row(n: int, rng: random.Random) -> str:
    failed = 3 if n % 17 == 0 else 0
    cells = [
        rng.choice(["Llama-3.3-70B FP8", "Qwen3-32B"]), rng.choice(["4x H100", "B200"]), rng.choice([1, 2, 8]),
        rng.randint(1, 500), rng.randint(100, 9000), rng.randint(2, 900), 100, 100 - failed, rng.uniform(20, 90),
        f"{rng.uniform(0.02, 2):.4f}", "" if n % 13 == 0 else f"{rng.uniform(4, 90):.3f}", rng.uniform(90, 9e4),
        rng.uniform(10, 9000), f"note {n % 5}",
    ]  # fmt: skip
    return ",".join(map(str, cells))


@pytest.fixture
def content() -> bytes:
    rng = random.Random(7)  # noqa: S311 - invented figures
    return "\n".join([HEADER, *(_row(n, rng) for n in range(ROWS))]).encode() + b"\n"


def _long(content: bytes, answers: dict[str, str] | None = None) -> ReadResult:
    found = read_long("t.csv", content, answers or {}, recognise, rows=10)
    assert found is not None
    return found


def _stored(result: ReadResult, store: Store) -> dict[int, object]:
    store.import_result(result)
    return {int(run.fields["ttft_p50_ms"].path.split(",")[0].removeprefix("row ")): run for run in store.runs()}


def test_the_same_values_units_origins_and_outcomes_as_cell_by_cell(content: bytes, tmp_path) -> None:
    """The second route is the reader that looks at every cell alone: 240 rows, all fields, exact to 12 digits."""
    slow, fast = read_bytes("t.csv", content), _long(content)
    with open_store(tmp_path / "a.duckdb") as one:
        by_line = _stored(fast, one)
    assert fast.run_count == len(slow.runs) == len(by_line) == ROWS
    for wanted in slow.runs:
        run = by_line[int(wanted.fields["ttft_p50_ms"].path.split(",")[0].removeprefix("row "))]
        assert run.outcome == wanted.outcome
        assert run.values.keys() == wanted.values.keys()
        for name, value in wanted.values.items():
            assert run.values[name] == (pytest.approx(value, rel=1e-12) if isinstance(value, float) else value), name
            if wanted.fields[name].origin != "derived":
                assert run.fields[name].raw == wanted.fields[name].raw, name
            assert (run.fields[name].unit, run.fields[name].origin) == (
                wanted.fields[name].unit, wanted.fields[name].origin), name  # fmt: skip
    assert {"inconsistent", "contradiction"} & {one.kind for one in fast.warnings}
    assert any("column 'remarks of mine' fills no field" in one.why for one in fast.skipped)


def test_odd_rows_keep_their_outcomes_and_reasons(content: bytes, tmp_path) -> None:
    """Out of memory, a unit in a cell, a total and a short row, each appended: lines 242 to 245."""
    odd = [
        "Qwen3-32B,B200,1,9,100,100,100,100,30,OOM,OOM,OOM,OOM,x",
        "Qwen3-32B,B200,1,9,100,100,100,100,30,250 ms,9.5,1000,80,x",
        "Total,,,,,,24000,24000,,,,,1,",
        "Qwen3-32B,B200",
    ]
    found = _long(content + "\n".join(odd).encode())
    assert found.status == "taken"
    assert found.run_count == ROWS + 2
    assert found.large is not None
    oom, unit = found.large.single_runs
    assert (oom.outcome, unit.values["ttft_p50_ms"]) == ("oom", 250)
    assert unit.fields["ttft_p50_ms"].path.startswith("row 243")
    why = {one.line: one.why for one in found.skipped}
    assert "'Total' row" in why[244]
    assert "2 cells under 14 headers" in why[245]
    with open_store(tmp_path / "a.duckdb") as store:
        assert store.import_result(found).added == ROWS + 2
        assert len(store.runs(Filter(outcomes=["oom"]))) == 1


def test_a_row_that_stands_twice_is_one_run_and_deletion_leaves_nothing(content: bytes, tmp_path) -> None:
    """All 240 rows twice are 240 runs; the longer file of the same rows adds only its own."""
    body = content.split(b"\n", 1)[1]
    extra = _row(1, random.Random(99)).encode() + b"\n"  # noqa: S311
    with open_store(tmp_path / "a.duckdb") as store:
        receipt = store.import_result(_long(content + body))
        assert (receipt.added, receipt.already_there) == (ROWS, ROWS)
        assert store.import_result(_long(content + extra)).added == 1
        assert [one.run_count for one in sorted(store.uploads(), key=lambda one: one.size_byte)] == [1, ROWS]
        assert sum(store.delete_upload(one.upload_id) for one in store.uploads()) == ROWS + 1
        assert store.runs() == []


def test_answers_hold_for_every_row_and_open_units_keep_the_file_out(content: bytes, tmp_path) -> None:
    """An engine said for the file is in all 240 runs; without "(s)" in the header the unit is asked."""
    said = _long(content, {"engine": "vllm"})
    with open_store(tmp_path / "a.duckdb") as store:
        store.import_result(said)
        assert {(run.values["engine"], run.fields["engine"].origin) for run in store.runs()} == {("vllm", "person")}
        asked = _long(content.replace(b"TTFT p50 (s)", b"TTFT p50"))
        assert asked.status == "questions"
        assert [one.field for one in asked.questions if one.blocking] == ["unit:TTFT p50"]
        with pytest.raises(StoreError):
            store.import_result(asked)


@pytest.mark.parametrize(
    "header", ["model,TTFT (ms),TTFT (ms)", "model,BS=1,BS=4", "model,status,TTFT (ms)", "model;TTFT (ms)"]
)
def test_what_is_not_tidy_is_left_to_the_other_reader(header: str) -> None:
    """Twin columns, pivots, outcomes in words and decimal commas need a look at every cell."""
    cells = {"model;TTFT (ms)": "a;1,5"}.get(header, ",".join("a12"[: header.count(",") + 1]))
    content = "\n".join([header, *[cells] * 50]).encode()
    assert read_long("t.csv", content, {}, recognise, rows=10) is None


def test_exports_hold_every_run_of_a_long_table_and_pages_a_part(content: bytes, tmp_path, monkeypatch) -> None:
    """240 runs with parts of 100: 3 parts of 100, 100, 40; CSV, Parquet and JSON hold all, with the same figures."""
    monkeypatch.setattr(long_tables, "SHOWN", 100)
    with open_store(tmp_path / "a.duckdb") as store:
        store.import_result(_long(content))
        assert store.parts() == 3
        parts = [store.runs(part=n) for n in range(3)]
        wanted = {run.run_id: dict(run.values) for part in parts for run in part}
        assert [len(part) for part in parts] == [100, 100, 40]
        for kind in ("csv", "parquet", "json"):
            back = read_bytes(f"x.{kind}", store.export(kind))
            assert {run.run_id for run in back.runs} == set(wanted), kind
            for run in back.runs:
                assert dict(run.values) == pytest.approx(wanted[run.run_id])
        few = read_bytes("x.csv", store.export("csv", Filter(outcomes=["partial"])))
        assert {run.outcome for run in few.runs} == {"partial"}
        assert sum(len(some) for some in store.each(Filter())) == ROWS


SAID = {"hardware": "H200 SXM", "engine": "vLLM 0.9.1", "duration_s": "50", "tp": "4", "kv_format": "fp8"}


def test_later_answers_give_what_reading_with_them_gives(content: bytes, tmp_path) -> None:
    """The second route is the reader, told at once: all 240 runs, every figure, unit, origin and path of both."""
    with open_store(tmp_path / "a.duckdb") as later, open_store(tmp_path / "b.duckdb") as told:
        upload_id = later.import_result(resolve_names(_long(content), CATALOGUE)).upload_id
        told.import_result(resolve_names(_long(content, SAID), CATALOGUE))
        before = [run.run_id for run in later.runs()]
        assert later.complete(upload_id, SAID, CATALOGUE) == ROWS
        runs = later.runs()
        assert [run.run_id for run in runs] == before
        for run, wanted in zip(runs, told.runs(), strict=True):
            assert (run.outcome, dict(run.values), dict(run.fields)) == (
                wanted.outcome, dict(wanted.values), dict(wanted.fields))  # fmt: skip
        assert runs[0].fields["tp"].origin == "person"
        assert runs[0].values["hardware_key"] == "h200-sxm"
        again = later.import_result(resolve_names(_long(content, SAID), CATALOGUE))
        assert (again.file_known, again.added) == (True, 0)


def test_rows_read_cell_by_cell_are_completed_with_their_table(content: bytes, tmp_path) -> None:
    """240 rows by columns and one of them with a unit in a cell: 241 are told; a second answer leaves the first."""
    odd = b"Qwen3-32B,B200,1,9,100,100,100,100,30,250 ms,9.5,1000,80,x\n"
    with open_store(tmp_path / "a.duckdb") as store:
        upload_id = store.import_result(_long(content + odd)).upload_id
        assert store.complete(upload_id, {"tp": "2"}, CATALOGUE) == ROWS + 1
        assert store.complete(upload_id, {"engine": "sglang"}, CATALOGUE) == ROWS + 1
        assert {(run.values["tp"], run.values["engine"]) for some in store.each(Filter()) for run in some} == {
            (2, "sglang")}  # fmt: skip


def test_an_answer_that_fits_no_field_changes_no_row(content: bytes, tmp_path) -> None:
    with open_store(tmp_path / "a.duckdb") as store:
        upload_id = store.import_result(_long(content)).upload_id
        before = store.runs()
        for bad in ({"engine": "vllm", "tp": "many"}, {"hardwear": "x"}):
            with pytest.raises(ReadError):
                store.complete(upload_id, bad, CATALOGUE)
        assert store.runs() == before


def test_a_limit_said_later_wins_over_no_limit_and_others_stay_offline(tmp_path) -> None:
    """A rate without limit alone means all at once; with a concurrency said of it, a limit; the engine changes none."""
    lines = ["model,request rate,mean TPOT (ms)", *(f"Qwen3-32B,{'inf' if n % 2 else 4},{9 + n}" for n in range(40))]
    content = "\n".join(lines).replace("inf", "1e9").encode() + b"\n"
    with open_store(tmp_path / "a.duckdb") as store:
        upload_id = store.import_result(_long(content)).upload_id
        assert [run.values["load_mode"] for run in store.runs()] == ["rate", "offline"] * 20
        store.complete(upload_id, {"engine": "vllm"}, CATALOGUE)
        assert [run.values["load_mode"] for run in store.runs()] == ["rate", "offline"] * 20
        store.complete(upload_id, {"concurrency": "8"}, CATALOGUE)
        assert [run.values["load_mode"] for run in store.runs()] == ["rate", "concurrency"] * 20


def test_a_deletion_is_undone_to_the_last_field_and_only_while_it_can_be(content: bytes, tmp_path) -> None:
    """Runs, provenance and native rows come back; twice is once; after the store was opened anew nothing is left."""
    path = tmp_path / "a.duckdb"
    with open_store(path) as store:
        upload_id = store.import_result(_long(content)).upload_id
        runs, uploads = store.runs(), store.uploads()
        for _ in range(2):
            gone = store.remove(upload_id)
            assert gone is not None
            assert (store.runs(), store.uploads()) == ([], [])
            store.restore(gone)
            store.restore(gone)
            assert (store.runs(), store.uploads()) == (runs, uploads)
        gone = store.remove(upload_id)
        assert gone is not None
        store.discard(gone)
        with pytest.raises(StoreError):
            store.restore(gone)
        assert store.uploads() == []
        store.import_result(_long(content))
        gone = store.remove(upload_id)
    with open_store(path) as store:
        assert store.cursor().execute("SELECT count(*) FROM file_block").fetchone() == (0,)
        tables = [row[0] for row in store.cursor().execute("SHOW TABLES").fetchall()]
        assert not [name for name in tables if name.endswith(upload_id)]


def test_rows_that_came_again_in_the_meantime_are_not_doubled(content: bytes, tmp_path) -> None:
    """240 rows go, a file of them and one more comes, the first is restored: 241 runs, the first file keeps none."""
    extra = _row(1, random.Random(99)).encode() + b"\n"  # noqa: S311
    with open_store(tmp_path / "a.duckdb") as store:
        first = store.import_result(_long(content)).upload_id
        gone = store.remove(first)
        assert gone is not None
        store.import_result(_long(content + extra))
        store.restore(gone)
        assert {one.upload_id == first: one.run_count for one in store.uploads()} == {True: 0, False: ROWS + 1}
        assert store.import_result(_long(content)).file_known


def test_a_long_table_is_asked_for_what_any_row_lacks(tmp_path, monkeypatch) -> None:
    """40 rows, of which pages list 10; rows 21 to 40 have no output length, the last one an unknown device."""
    monkeypatch.setattr(long_tables, "SHOWN", 10)
    lines = [f"Qwen3-32B,{'my own board' if n == 40 else 'H100 SXM'},{'' if n > 20 else n},{9 + n}"
             for n in range(1, 41)]  # fmt: skip
    content = "\n".join(["model,hardware,output tokens,mean TPOT (ms)", *lines, ""]).encode()
    with open_store(tmp_path / "a.duckdb") as store:
        upload_id = store.import_result(resolve_names(_long(content), CATALOGUE)).upload_id
        found = {one.field: one.because for one in asked(store, store.uploads()[0], CATALOGUE)}
        assert found["osl_mean"] == "20 of 40 runs do not say"
        assert found["device_count"] == "the file does not say"
        assert "hardware:my own board" in found
        store.complete(upload_id, {"hardware:my own board": "h200-sxm", "osl_mean": "8"}, CATALOGUE)
        left = {one.field for one in asked(store, store.uploads()[0], CATALOGUE)}
        assert not {"osl_mean", "hardware:my own board"} & left
        (last,) = store.runs(Filter(hardware_keys=["h200-sxm"]))
        assert (last.values["hardware"], last.values["osl_mean"]) == ("my own board", 8)
