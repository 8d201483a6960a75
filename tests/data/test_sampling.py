"""Which runs of long tables are compared and fitted to, against the rows they were made from."""

from __future__ import annotations

from collections import Counter
from statistics import median

import pytest

from data.readers import read_bytes
from data.readers.intake.registry import recognise
from data.readers.large.reading import read_long
from data.records import Run
from data.store import open_store, sample, sample_of
from data.store.sampling import PartOfFile, share_of_file
from tests.data.made_tables import made_csv, made_rows


def _number(run: Run, name: str) -> float:
    value = run.values[name]
    assert isinstance(value, int | float)
    return float(value)


@pytest.mark.parametrize(
    ("counts", "share"),
    [([], 2000), ([5, 1500], 2000), ([10, 50_000], 1990), ([900, 50_000, 60_000], 1000), ([50] * 100, 1000)],
)
def test_the_room_goes_round_by_file(counts: list[int], share: int) -> None:
    """2,000 in all: 10 leave 1,990 for the other; 900 leave 550 for each of two, so that the least of 1,000 holds."""
    assert share_of_file(counts, 2000, 1000) == share


def test_a_table_of_1500_rows_is_read_whole(tmp_path) -> None:
    """Beyond the thousand that a page lists: all 1,500 are handed out, and their times add up to the file's column."""
    rows = made_rows(1500)
    result = read_long("t.csv", made_csv(rows), {}, recognise, rows=10)
    assert result is not None
    with open_store(tmp_path / "a.duckdb") as store:
        store.import_result(result)
        read = sample(store)
    assert (len(read.runs), read.parts) == (1500, ())
    assert sum(_number(run, "tpot_mean_ms") for run in read.runs) == pytest.approx(sum(row[6] for row in rows))


def test_of_50000_rows_2000_are_read_and_stand_for_all(tmp_path) -> None:
    """The sample's median lies within 3 standard errors of all rows': 1.2533 * spread / sqrt(2000), as for a normal.

    Times are even between 8 and 40.5 ms (spread 32/sqrt(12) = 9.2 ms, for an even spread the median's error is
    32 / (2 sqrt(2000)) = 0.36 ms). Each of the 8 loads holds an eighth: 250 runs, within 4 * sqrt(250 * 7/8) = 59.
    """
    rows = made_rows(50_000)
    result = read_bytes("sweep.csv", made_csv(rows))
    with open_store(tmp_path / "a.duckdb") as store:
        store.import_result(result)
        read, again, even = sample(store), sample(store), sample(store, over_loads=True)
    assert read.parts == even.parts == (PartOfFile(file="sweep.csv", taken=2000, run_count=50_000),)
    assert [run.run_id for run in read.runs] == [run.run_id for run in again.runs]
    known = {row[6:8]: row for row in rows}
    for run in read.runs:
        row = known[_number(run, "tpot_mean_ms"), _number(run, "ttft_mean_ms")]
        assert (run.values["concurrency"], run.values["device_count"]) == (row[3], row[2])
    middle = median(_number(run, "tpot_mean_ms") for run in read.runs)
    assert middle == pytest.approx(median(row[6] for row in rows), abs=3 * 0.36)
    loads = Counter(run.values["concurrency"] for run in read.runs)
    assert all(abs(count - 250) < 59 for count in loads.values())
    places = [int(run.fields["tpot_mean_ms"].path.split(",")[0].removeprefix("row ")) for run in read.runs]
    assert places == sorted(places)  # still in the order of the file


def test_a_sweep_is_read_with_every_load_before_repeats(tmp_path) -> None:
    """2 models * 2 devices * 2 counts * 8 loads are 64 kinds of run: a share of 640 is ten of each."""
    result = read_long("t.csv", made_csv(made_rows(6000)), {}, recognise, rows=10)
    assert result is not None
    with open_store(tmp_path / "a.duckdb") as store:
        store.import_result(result)
        read = sample(store, over_loads=True, most=640, least=1)
    kinds = Counter(tuple(run.values[name] for name in ("model_raw", "hardware", "device_count", "concurrency"))
                    for run in read.runs)  # fmt: skip
    assert len(kinds) == 64
    assert set(kinds.values()) == {10}


def test_short_files_beside_a_long_one_stay_whole_and_ordinary_ones_are_cut_too(tmp_path) -> None:
    """40 + 300 + 101 runs with room for 200 and at least 50 a file: 40 whole, 80 of each of the others."""
    long = read_long("long.csv", made_csv(made_rows(300, seed=1)), {}, recognise, rows=10)
    assert long is not None
    others = [read_bytes(f"{count}.csv", made_csv(made_rows(count, seed=count))) for count in (40, 101)]
    with open_store(tmp_path / "a.duckdb") as store:
        for result in (long, *others):
            store.import_result(result)
        read = sample(store, most=200, least=50)
    assert Counter(run.source_file for run in read.runs) == {"40.csv": 40, "101.csv": 80, "long.csv": 80}
    assert {(one.file, one.taken, one.run_count) for one in read.parts} == {
        ("101.csv", 80, 101), ("long.csv", 80, 300)}  # fmt: skip


def test_a_long_file_that_is_not_kept_is_read_alike() -> None:
    """`calibrate --profile NAME FILE`: 21,000 rows give 2,000 runs, a short file all of its runs."""
    read = sample_of(read_bytes("t.csv", made_csv(made_rows(21_000))))
    assert [(len(read.runs), one.taken, one.run_count) for one in read.parts] == [(2000, 2000, 21_000)]
    assert len(sample_of(read_bytes("t.csv", made_csv(made_rows(30)))).runs) == 30
