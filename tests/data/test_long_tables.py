"""Long tidy tables: read by columns, they give what reading cell by cell gives."""

from __future__ import annotations

import random

import pytest

from data.errors import StoreError
from data.readers import ReadResult, read_bytes
from data.readers.intake.registry import recognise
from data.readers.large.reading import read_long
from data.store import Filter, Store, long_tables, open_store

HEADER = (
    "model,hardware,GPUs,concurrency,input tokens,output tokens,num requests,completed,duration (s),"
    "TTFT p50 (s),mean TPOT (ms),mean E2E (ms),output throughput (tok/s),remarks of mine"
)
ROWS = 240


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
