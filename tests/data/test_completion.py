"""What a person says after a file was stored, and deletions that are undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.catalogue.catalogue import load_catalogue
from data.errors import ReadError, StoreError
from data.store import Filter, Store, open_store, resolve_names
from tests.data.reading import read_object, read_text, vllm

CATALOGUE = load_catalogue()


@pytest.fixture
def store(tmp_path: Path):
    with open_store(tmp_path / "a.duckdb") as opened:
        yield opened


def test_later_answers_fill_the_runs_as_if_said_at_once(store: Store) -> None:
    said = {"hardware": "H100 SXM", "tp": "4", "device_count": "4", "weight_format": "fp8"}
    receipt = store.import_result(resolve_names(read_object(vllm()), CATALOGUE))
    before = store.runs()[0]
    assert store.complete(receipt.upload_id, said, CATALOGUE) == 1
    (run,) = store.runs()
    at_once = resolve_names(read_object(vllm(), **said), CATALOGUE).runs[0]
    assert run.run_id == before.run_id
    assert dict(run.values) == dict(at_once.values)
    assert run.values["hardware_key"] == "h100-sxm"
    assert run.fields["tp"].origin == "person"
    again = store.import_result(resolve_names(read_object(vllm(), **said), CATALOGUE))
    assert (again.file_known, again.added, len(store.runs())) == (True, 0, 1)


def test_a_device_said_anew_takes_the_old_key_with_it(store: Store) -> None:
    receipt = store.import_result(resolve_names(read_object(vllm(), hardware="H100 SXM"), CATALOGUE))
    store.complete(receipt.upload_id, {"hardware": "a board of our own"}, CATALOGUE)
    assert "hardware_key" not in store.runs()[0].values
    store.complete(receipt.upload_id, {"hardware": "b200"}, CATALOGUE)
    assert store.runs()[0].values["hardware_key"].startswith("b200")


def test_a_time_said_later_gives_rates(store: Store) -> None:
    """100 requests of 100 output tokens in 50 s: 2 requests and 200 tokens a second."""
    record = vllm(duration=None, output_throughput=None, total_token_throughput=None, request_throughput=0)
    receipt = store.import_result(read_object(record))
    store.complete(receipt.upload_id, {"duration_s": "50"}, CATALOGUE)
    assert store.runs()[0].values["output_tps"] == 200


def test_answers_that_fit_nothing_change_nothing(store: Store) -> None:
    receipt = store.import_result(read_object(vllm()))
    before = store.runs()
    for bad in ({"hardwear": "x"}, {"tp": "many"}):
        with pytest.raises(ReadError):
            store.complete(receipt.upload_id, bad, CATALOGUE)
    with pytest.raises(StoreError):
        store.complete("0" * 16, {"tp": "2"}, CATALOGUE)
    assert store.runs() == before


def test_a_deletion_is_undone_to_the_last_field(store: Store) -> None:
    """Two files, one run in both: deleting and restoring leaves runs, provenance, answers and links as they were."""
    one = store.import_result(read_object(vllm(), hardware="H100 SXM"))
    store.import_result(read_text("model,TTFT (ms)\na,1\nb,2\n"))
    runs, uploads = store.runs(), store.uploads()
    snapshot = store.remove(one.upload_id)
    assert snapshot is not None
    assert len(store.runs()) == 2
    store.restore(snapshot)
    store.restore(snapshot)
    assert (store.runs(), store.uploads()) == (runs, uploads)
    assert len(store.runs(Filter(upload_id=one.upload_id))) == 1


def test_a_run_that_another_file_still_holds_is_not_doubled(store: Store) -> None:
    one = store.import_result(read_object(vllm(), name="a.json"))
    two = store.import_result(read_object([vllm(), vllm(max_concurrency=20)], name="b.json"))
    snapshot = store.remove(one.upload_id)
    assert snapshot is not None
    store.restore(snapshot)
    assert len(store.runs()) == 2
    assert len(store.runs(Filter(upload_id=two.upload_id))) == 2
    assert store.remove("0" * 16) is None
