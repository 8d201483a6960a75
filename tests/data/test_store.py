"""The store: all or nothing, idempotent, one process at a time, nothing acknowledged lost."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import fields
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from data.catalogue.catalogue import load_catalogue
from data.errors import StoreError
from data.readers import ReadResult, read_bytes, readers, sample_path
from data.readers.intake.fields import FIELDS
from data.records import Chip
from data.spreadsheets import harmless
from data.store import Filter, Store, open_store, remember, resolve_names, store_path, with_memory
from data.store.schema import migrate, steps
from tests.data.reading import read_object, read_text, vllm


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "test.duckdb") as opened:
        yield opened


def sample(key: str) -> ReadResult:
    path = sample_path(next(reader for reader in readers() if reader.key == key))
    return read_bytes(path.name, path.read_bytes())


def test_what_goes_in_comes_out(store: Store) -> None:
    for reader in readers():
        result = sample(reader.key)
        receipt = store.import_result(result)
        assert (receipt.added, receipt.already_there) == (len(result.runs), 0)
        stored = store.runs(Filter(upload_id=receipt.upload_id))
        assert [run.run_id for run in stored] == [run.run_id for run in result.runs]
        for run, original in zip(stored, result.runs, strict=True):
            assert dict(run.values) == dict(original.values)
            assert dict(run.fields) == dict(original.fields)
            assert (run.outcome, run.native) == (original.outcome, original.native)
            assert store.run_fields(run.run_id) == dict(original.fields)
        store.delete_upload(receipt.upload_id)  # samples of several formats hold one run


def test_the_same_file_twice_adds_nothing(store: Store) -> None:
    result = sample("vllm_serve")
    store.import_result(result)
    before = store.frame()
    again = store.import_result(result)
    assert (again.added, again.already_there, again.file_known) == (0, 2, True)
    pd.testing.assert_frame_equal(store.frame(), before)
    assert len(store.uploads()) == 1


def test_a_run_met_in_two_files_is_stored_once_and_goes_with_the_last(store: Store) -> None:
    one, both = read_object(vllm()), read_object([vllm(), vllm(date="20250103-000000")])
    first, second = store.import_result(one), store.import_result(both)
    assert (second.added, second.already_there) == (1, 1)
    assert len(store.runs()) == 2
    assert store.delete_upload(second.upload_id) == 1
    assert [run.run_id for run in store.runs()] == [one.runs[0].run_id]
    assert store.delete_upload(first.upload_id) == 1
    assert store.runs() == []
    assert store.import_result(one).added == 1, "a deleted file can be imported again"


def test_other_answers_replace_the_reading_of_the_same_file(store: Store) -> None:
    store.import_result(read_object(vllm()))
    receipt = store.import_result(read_object(vllm(), hardware="H100 SXM"))
    assert (receipt.added, receipt.replaced) == (0, 1)
    assert [run.values["hardware"] for run in store.runs()] == ["H100 SXM"]
    assert store.import_result(read_object(vllm())).replaced == 0, "no answers do not undo earlier ones"
    assert [run.values["hardware"] for run in store.runs()] == ["H100 SXM"]


def test_open_questions_and_refusals_are_not_stored(store: Store) -> None:
    for result in (read_text("model,TPS\na,10.5\n"), read_text("nothing at all")):
        with pytest.raises(StoreError):
            store.import_result(result)
    assert store.uploads() == []


def test_a_failure_in_the_middle_leaves_no_trace(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(runs: object) -> object:
        raise duckdb.Error("disk full")

    monkeypatch.setattr("data.store.store.field_table", broken)
    with pytest.raises(StoreError, match="nothing was written"):
        store.import_result(sample("vllm_serve"))
    monkeypatch.undo()
    assert (store.runs(), store.uploads()) == ([], [])
    assert store.import_result(sample("vllm_serve")).added == 2


def test_deleting_one_run(store: Store) -> None:
    result = sample("vllm_serve")
    store.import_result(result)
    assert store.delete_run(result.runs[0].run_id) == 1
    assert store.delete_run("no such run") == 0
    assert [run.run_id for run in store.runs()] == [result.runs[1].run_id]


def test_filters(store: Store) -> None:
    store.import_result(resolve_names(sample("table"), load_catalogue()))
    store.import_result(sample("vllm_serve"))
    assert {run.outcome for run in store.runs(Filter(outcomes=["oom"]))} == {"oom"}
    assert len(store.runs(Filter(hardware_keys=["h200-sxm"]))) == 4
    assert len(store.runs(Filter(source_formats=["vllm_serve"], limit=1))) == 1
    assert len(store.frame(Filter(outcomes=["ok"]))) == 5


def test_repeats_share_their_configuration(store: Store) -> None:
    repeats = [vllm(), vllm(date="20250103-000000", output_throughput=1010.0), vllm(max_concurrency=20)]
    store.import_result(read_object(repeats))
    frame = store.frame().set_index("run_id")
    ids = [frame.configuration_id[run.run_id] for run in read_object(repeats).runs]
    assert ids[0] == ids[1]
    assert ids[2] != ids[0]
    assert len(store.runs(Filter(configuration_id=ids[0]))) == 2


def test_schema_has_every_canonical_field_and_every_chip_field(store: Store) -> None:
    def columns(table: str) -> set[str]:
        return {row[0] for row in store.cursor().execute(f"DESCRIBE {table}").fetchall()}

    assert set(FIELDS) <= columns("run")
    assert {each.name for each in fields(Chip)} - {"facts"} <= columns("chip")


def test_catalogue_is_built_once_per_state_of_its_files(store: Store) -> None:
    catalogue = load_catalogue()
    assert store.ensure_catalogue(catalogue) is True
    assert store.ensure_catalogue(catalogue) is False
    count, bandwidth = (
        store.cursor()
        .execute("SELECT count(*), max(bandwidth_byte_per_s) FILTER (key = 'h200-sxm') FROM chip")
        .fetchone() or (0, 0)
    )  # fmt: skip
    assert (count, bandwidth) == (len(catalogue.chips), 4.8e12)
    facts = store.cursor().execute("SELECT count(*) FROM chip_fact WHERE source_title = ''").fetchone()
    assert facts == (0,)
    store.cursor().execute("UPDATE catalogue_build SET sha256 = 'old'")
    assert store.ensure_catalogue(catalogue) is True


def test_names_become_keys_or_questions() -> None:
    result = resolve_names(read_object(vllm(), hardware="NVIDIA H100 80GB HBM3"), load_catalogue())
    assert result.runs[0].values["hardware_key"] == "h100-sxm"
    assert result.runs[0].values["hardware"] == "NVIDIA H100 80GB HBM3"
    assert result.runs[0].values["model_id"] == "llama-3.1-8b"
    unknown = resolve_names(read_object(vllm(), hardware="H100"), load_catalogue())
    assert "hardware_key" not in unknown.runs[0].values
    question = next(one for one in unknown.questions if one.field == "hardware:H100")
    assert "h100" in question.proposal
    told = resolve_names(read_object(vllm(gpu="H100"), **{"hardware:H100": "h100-pcie"}), load_catalogue())
    assert (told.runs[0].values["hardware"], told.runs[0].values["hardware_key"]) == ("H100", "h100-pcie")
    assert told.runs[0].fields["hardware_key"].origin == "person"
    assert unknown.status == "taken", "a name the catalogue does not know keeps no run out"


def test_answers_are_proposed_the_next_time(store: Store) -> None:
    first = read_object(vllm(), hardware="H100 SXM", device_count="8")
    remember(store, first, folder="/runs/a")
    other = with_memory(store, read_object(vllm(date="20250103-000000")), folder="/runs/b")
    assert {one.field: one.proposal for one in other.questions}["hardware"] == "H100 SXM"
    remember(store, read_object(vllm(), hardware="H200 SXM"), folder="/runs/b")
    nearer = with_memory(store, read_object(vllm()), folder="/runs/a")
    assert {one.field: one.proposal for one in nearer.questions}["hardware"] == "H100 SXM", "the folder wins"
    assert "hardware" not in nearer.runs[0].values, "remembered is proposed, not taken"


def test_where_the_store_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path / "mine"))
    assert store_path() == tmp_path / "mine" / "waferline.duckdb"
    assert store_path(tmp_path / "x.duckdb") == tmp_path / "x.duckdb"
    monkeypatch.delenv("WAFERLINE_DATA")
    assert store_path().name == "waferline.duckdb"


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    path.write_bytes(b"not a database" * 100)
    with pytest.raises(StoreError, match=r"x\.duckdb"):
        open_store(path)


def test_a_newer_store_is_refused_in_words(tmp_path: Path) -> None:
    with open_store(tmp_path / "x.duckdb") as store:
        store.cursor().execute("INSERT INTO schema_version VALUES (999, now()::TIMESTAMP)")
    with pytest.raises(StoreError, match="newer Waferline"):
        open_store(tmp_path / "x.duckdb")


def test_a_failing_migration_changes_nothing(store: Store) -> None:
    newest = steps()[-1][0]
    broken = [*steps(), (newest + 1, "CREATE TABLE extra (x INTEGER); SELECT no_such_function()")]
    with pytest.raises(StoreError):
        migrate(store.cursor(), threading.RLock(), broken)
    tables = store.cursor().execute("SELECT table_name FROM information_schema.tables").fetchall()
    assert ("extra",) not in tables
    assert store.cursor().execute("SELECT max(version) FROM schema_version").fetchone() == (newest,)


def test_the_database_reaches_no_file(store: Store, tmp_path: Path) -> None:
    for query in (
        f"COPY run TO '{tmp_path}/out.csv'",
        "SELECT * FROM read_text('/etc/hostname')",
        "ATTACH '/tmp/other.duckdb'",
        "SET memory_limit = '100GB'",
        "INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            store.cursor().execute(query)


def test_threads_import_at_the_same_time(store: Store) -> None:
    """8 threads, each the same 3 files and one of its own: 3 + 8 runs, no error."""
    errors: list[Exception] = []

    def work(number: int) -> None:
        try:
            for day in (1, 2, 3, 10 + number):
                store.import_result(read_object(vllm(date=f"202501{day:02d}-000000")))
        except (StoreError, duckdb.Error) as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(store.runs()) == 11


def test_two_openings_in_one_process_see_the_same(tmp_path: Path) -> None:
    with open_store(tmp_path / "x.duckdb") as one, open_store(tmp_path / "x.duckdb") as two:
        one.import_result(read_object(vllm()))
        assert len(two.runs()) == 1


CHILD = """
import sys
from data.store import open_store
from tests.data.reading import read_object, vllm
with open_store(sys.argv[1]) as store:
    print("open", flush=True)
    if sys.argv[2] == "hold":
        sys.stdin.read()
    for number in range(100_000):
        base = 100 * number
        many = [vllm(duration=10 + base + n, request_rate=1.0 + n) for n in range(50)]
        result = read_object(many)
        store.import_result(result)
        print(len(result.runs), flush=True)
"""


def child(path: Path, mode: str) -> subprocess.Popen[str]:
    root = Path(__file__).resolve().parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path), mode],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip


def test_another_process_is_named(tmp_path: Path) -> None:
    holder = child(tmp_path / "x.duckdb", "hold")
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "open"
        with pytest.raises(StoreError, match=str(holder.pid)):
            open_store(tmp_path / "x.duckdb")
    finally:
        holder.kill()
        holder.communicate()
    with open_store(tmp_path / "x.duckdb") as store:
        assert store.runs() == []


def test_killed_at_any_moment_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    """Killed three times during imports of 50 runs: every acknowledged run is there, and no file is there in part."""
    path, acknowledged = tmp_path / "x.duckdb", 0
    for attempt in range(3):
        writer = child(path, "write")
        assert writer.stdout is not None
        assert writer.stdout.readline().strip() == "open"
        writer.stdout.readline()
        time.sleep(0.05 + 0.17 * attempt)
        writer.send_signal(signal.SIGKILL)
        lines = writer.communicate()[0].split()
        acknowledged = max(acknowledged, 50 * (1 + sum(line.isdigit() for line in lines)))
        with open_store(path) as store:
            count = len(store.frame())
            assert count >= acknowledged
            assert count % 50 == 0
            assert all(upload.run_count == 50 for upload in store.uploads())
            provenance = store.cursor().execute("SELECT count(DISTINCT run_id) FROM run_field").fetchone()
            assert provenance == (count,)
        acknowledged = count


def test_exports(store: Store) -> None:
    store.import_result(read_object(vllm(model_id="=HYPERLINK(1)", request_rate=float("inf"))))
    csv_text = store.export("csv").decode()
    frame = pd.read_csv(io.StringIO(csv_text))
    assert frame.model_raw[0] == "'=HYPERLINK(1)"
    assert (frame.output_tps[0], frame.load_mode[0]) == (1000.0, "concurrency")
    assert frame.request_rate[0] == float("inf"), "unlimited, not unknown"
    parquet = pd.read_parquet(io.BytesIO(store.export("parquet")))
    assert parquet.model_raw[0] == "=HYPERLINK(1)", "a column of text is no spreadsheet cell"
    exported = json.loads(store.export("json"), parse_constant=lambda name: pytest.fail(f"{name} is not strict JSON"))
    assert exported[0]["fields"]["output_tps"]["path"] == "$.output_throughput"
    assert exported[0]["request_rate"] is None


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\r=1", "  =1"])
def test_cells_that_start_a_formula_are_made_harmless(text: str) -> None:
    assert harmless(text) == "'" + text
    assert harmless("H100") == "H100"


def test_one_run_in_three_files_is_stored_once_as_the_fullest(store: Store) -> None:
    """The table comes first; the report knows model and load as well, and takes its place; the records add nothing."""
    receipts = [store.import_result(sample(key)) for key in ("aiperf_csv", "aiperf", "aiperf_records")]
    assert [(one.added, one.already_there) for one in receipts] == [(1, 0), (0, 1), (0, 1)]
    assert list(receipts[1].same_as.values()) == ["aiperf.csv"]
    assert [run.source_format for run in store.runs()] == ["aiperf"]
    assert store.runs()[0].values["model_raw"] == "meta-llama/Llama-3.1-8B-Instruct"
    for receipt in receipts:
        assert len(store.runs(Filter(upload_id=receipt.upload_id))) == 1, "every file still holds its run"
    gone = [store.delete_upload(receipt.upload_id) for receipt in receipts]
    assert gone == [0, 0, 1], "the run goes with the last of its files"


def test_what_a_person_said_of_a_run_is_not_replaced_by_its_twin(store: Store) -> None:
    path = sample_path(next(reader for reader in readers() if reader.key == "aiperf_csv"))
    store.import_result(read_bytes(path.name, path.read_bytes(), {"hardware": "H200 SXM"}))
    store.import_result(sample("aiperf"))
    assert [run.values["hardware"] for run in store.runs()] == ["H200 SXM"]


def test_two_benchmarks_of_one_report_are_two_runs(store: Store) -> None:
    first, second = store.import_result(sample("guidellm")), store.import_result(sample("guidellm_csv"))
    assert (first.added, second.added, second.already_there) == (2, 0, 2)
    assert len(store.runs()) == 2
