"""What is exported can be read back: the same canonical values, whichever form carried them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from data.readers import read_bytes, readers, sample_path
from data.records import Run
from data.store import export, left_out, open_store
from tests.data.reading import accept

SAID = {"model_raw": "m", "engine": "vllm", "engine_version": "1", "hardware": "H100", "device_count": "8",
        "tp": "8", "weight_format": "fp8", "kv_format": "fp8", "num_requests": "9"}  # fmt: skip


def _runs(said: dict[str, str]) -> list[Run]:
    found = []
    for reader in readers():
        path = sample_path(reader)
        asked = read_bytes(path.name, path.read_bytes())
        found += read_bytes(path.name, path.read_bytes(), {**accept(asked), **said}).runs
    return found


@pytest.mark.parametrize("kind", ["csv", "parquet", "json", "llm-d"])
def test_reading_an_export_back_gives_the_same_values_and_outcome(kind: str) -> None:
    """Every sample's runs with eight answers, out and in again: equal value by value. Runs that repeat count once."""
    runs = [run for run in _runs(SAID) if kind != "llm-d" or not left_out([run])]
    assert len(runs) >= 10
    for run in runs:
        back = read_bytes(f"export.{'csv' if kind == 'csv' else 'json'}", export([run], kind))  # type: ignore[arg-type]
        assert back.status == "taken", back.reason
        (found,) = back.runs
        assert found.outcome == run.outcome
        assert dict(found.values) == pytest.approx(dict(run.values)), run.source_file


def test_text_that_looks_like_a_formula_is_escaped_in_csv_and_comes_back(tmp_path: Path) -> None:
    """A name that a spreadsheet would run: escaped with an apostrophe, read back without it."""
    run = _runs(SAID)[0]
    evil = replace(run, values={**run.values, "model_raw": '=HYPERLINK("http://x")'})
    content = export([evil], "csv")
    assert b"\"'=HYPERLINK" in content
    assert read_bytes("x.csv", content).runs[0].values["model_raw"] == '=HYPERLINK("http://x")'


def test_a_report_states_what_the_schema_requires() -> None:
    """Required by the JSON schema of llmd-benchmark-report 0.2.1 (extra fields forbidden); units in its words."""
    runs = [run for run in _runs(SAID) if not left_out([run])]
    for report in json.loads(export(runs, "llm-d")):
        assert set(report) == {"version", "run", "scenario", "results"}
        assert report["version"] == "0.2.1"
        (component,) = report["scenario"]["stack"]
        assert {"metadata", "standardized", "native"} == set(component)
        assert {"kind", "tool", "tool_version", "role", "replicas", "model", "accelerator"} == set(
            component["standardized"]
        )
        load = report["scenario"]["load"]
        assert {"tool", "tool_version", "source", "input_seq_len"} <= set(load["standardized"])
        aggregate = report["results"]["request_performance"]["aggregate"]
        assert "total" in aggregate["requests"]
        parts = [*aggregate.get("latency", {}).items(), *aggregate.get("throughput", {}).items()]
        assert all("mean" in one for _, one in parts)
        units = {key: one["units"] for key, one in parts}
        assert units.get("time_per_output_token", "ms/token") == "ms/token"
        assert units.get("request_rate", "queries/s") == "queries/s"


def test_runs_without_the_required_fields_are_named_with_what_they_lack(tmp_path: Path) -> None:
    """A vLLM result without answers states no device, engine version or degree: nothing exported, all named."""
    path = sample_path(next(one for one in readers() if one.key == "vllm_serve"))
    with open_store(tmp_path / "x.duckdb") as store:
        store.import_result(read_bytes(path.name, path.read_bytes()))
    done = CliRunner().invoke(cli, ["export", "--format", "llm-d", "--store", str(tmp_path / "x.duckdb")])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == []
    assert "lacks engine, engine_version, hardware, device_count, tp" in done.stderr


def test_json_keeps_where_each_figure_came_from_and_which_run_it_is() -> None:
    for run in _runs({}):
        (found,) = read_bytes("export.json", export([run], "json")).runs
        assert (found.run_id, found.fields) == (run.run_id, run.fields)


@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_an_export_brought_back_adds_nothing_unless_it_was_edited(kind: str, tmp_path: Path) -> None:
    """The same runs come home as the same; one whose device somebody changed is another run."""
    runs = _runs(SAID)[:4]
    with open_store(tmp_path / "a.duckdb") as store:
        store.import_result(read_bytes("a.json", export(runs, "json")))
        content = store.export(kind)  # type: ignore[arg-type]
        again = store.import_result(read_bytes(f"b.{kind}", content))
        assert (again.added, again.already_there, len(store.runs())) == (0, 4, 4)
    if kind == "csv":
        with open_store(tmp_path / "a.duckdb") as store:
            edited = content.replace(b"H100", b"B200", 1)
            assert store.import_result(read_bytes("c.csv", edited)).added == 1
            assert sorted(str(run.values["hardware"]) for run in store.runs()) == ["B200", *["H100"] * 4]


def test_an_unlimited_rate_stays_unlimited_and_an_unknown_one_unknown() -> None:
    run = _runs({})[0]
    unlimited = replace(run, values={**run.values, "request_rate": None},
                        fields={**run.fields, "request_rate": next(iter(run.fields.values()))})  # fmt: skip
    unknown = replace(run, values={name: value for name, value in run.values.items() if name != "request_rate"},
                      fields={name: one for name, one in run.fields.items() if name != "request_rate"})  # fmt: skip
    for kind in ("csv", "parquet", "json"):
        first = read_bytes("a", export([unlimited], kind)).runs[0]  # type: ignore[arg-type]
        second = read_bytes("a", export([unknown], kind)).runs[0]  # type: ignore[arg-type]
        assert first.values["request_rate"] is None, kind
        assert "request_rate" not in second.values, kind
