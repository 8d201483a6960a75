"""`waferline import` and `export`: exit status, exact JSON shape, never a stack trace."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from data.readers import profile_text, read_bytes, readers, sample_path
from tests.data.reading import vllm
from tests.shared_files import shared_path

TOP = {"file", "format", "tool_version", "status", "reason", "runs", "warnings", "questions", "skipped"}


@pytest.fixture(autouse=True)
def _own_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path / "data"))


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words])


def strict(text: str) -> dict:
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not strict JSON"))


def write(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_json_has_exactly_the_promised_shape(tmp_path: Path) -> None:
    result = run("import", write(tmp_path, "a.json", json.dumps(vllm(completed=90, failed=10))), "--json")
    assert result.exit_code == 0
    printed = strict(result.stdout)
    assert set(printed) == TOP
    assert (printed["file"], printed["format"], printed["status"]) == ("a.json", "vllm_serve", "taken")
    first = printed["runs"][0]
    assert set(first["fields"]["output_tps"]) == {"raw", "unit", "origin", "path"}
    assert first["outcome"] == "partial"
    assert set(first["fields"]) == set(first) - {"run_id", "source_file", "source_format", "outcome", "fields"}
    assert all(set(one) == {"kind", "text", "run", "fields"} for one in printed["warnings"])
    assert all(set(one) == {"field", "text", "proposal", "because"} for one in printed["questions"])


def test_exit_status_says_taken_questions_or_refused(tmp_path: Path) -> None:
    taken = write(tmp_path, "taken.json", json.dumps(vllm()))
    asked = write(tmp_path, "asked.csv", "model,TPS\na,10.5\n")
    refused = write(tmp_path, "refused.txt", "hello")
    assert [run("import", path).exit_code for path in (taken, asked, refused)] == [0, 3, 4]
    assert run("import", tmp_path / "missing.json").exit_code == 4
    assert run("import", tmp_path).exit_code == 4
    several = run("import", taken, asked, refused, "--json")
    assert several.exit_code == 4
    assert [one["status"] for one in json.loads(several.stdout)] == ["taken", "questions", "refused"]


def test_missing_hardware_alone_is_asked_but_taken(tmp_path: Path) -> None:
    result = run("import", write(tmp_path, "a.json", json.dumps(vllm())), "--json")
    assert result.exit_code == 0
    assert "hardware" in {one["field"] for one in strict(result.stdout)["questions"]}


def test_answers_make_a_table_usable_and_are_stored(tmp_path: Path) -> None:
    path = write(tmp_path, "asked.csv", "model,gpu,BS=1,BS=4\na,H100 SXM,10.5,20.5\n")
    asked = strict(run("import", path, "--json").stdout)
    assert asked["status"] == "questions"
    open_fields = [one for one in asked["questions"] if one["field"].startswith("column:")]
    pairs = [f"--answer={one['field']}={one['proposal']}" for one in open_fields]
    taken = run("import", path, *pairs, "--json")
    assert (taken.exit_code, strict(taken.stdout)["status"]) == (0, "taken")
    exported = run("export", "--format", "json")
    assert sorted(one["output_tps"] for one in json.loads(exported.stdout)) == [10.5, 20.5]


def test_a_profile_holds_the_answers(tmp_path: Path) -> None:
    path = write(tmp_path, "asked.csv", "model,TPS\na,10.5\n")
    profile = write(tmp_path, "p.yaml", "answers:\n  'column:TPS': total_tps\n  hardware: H100 SXM\n")
    printed = strict(run("import", path, "--profile", profile, "--json").stdout)
    assert (printed["status"], printed["runs"][0]["total_tps"]) == ("taken", 10.5)
    assert printed["runs"][0]["hardware_key"] == "h100-sxm"
    broken = write(tmp_path, "broken.yaml", "answers: [1, 2")
    refused = run("import", path, "--profile", broken)
    assert refused.exit_code == 4
    assert "broken.yaml" in refused.stdout


def test_answers_saved_as_a_profile_give_the_same_runs(tmp_path: Path) -> None:
    """What a person said in one place, written as the page writes it, used on the command line: equal figures."""
    path = write(tmp_path, "asked.csv", "model,gpu,BS=1,BS=4\na,H100 SXM,10.5,20.5\n")
    asked = read_bytes(path.name, path.read_bytes())
    said = {one.field: one.proposal for one in asked.questions if one.blocking} | {"engine": "vllm: a \"fork\""}
    wanted = read_bytes(path.name, path.read_bytes(), said)
    profile = write(tmp_path, "kept.yaml", profile_text(wanted.answers or {}, title="Answers given for asked.csv"))
    printed = strict(run("import", path, "--profile", profile, "--json").stdout)
    assert printed["status"] == "taken"
    assert [one["output_tps"] for one in printed["runs"]] == [one.values["output_tps"] for one in wanted.runs]
    assert {one["engine"] for one in printed["runs"]} == {'vllm: a "fork"'}


def test_dry_run_stores_nothing(tmp_path: Path) -> None:
    assert run("import", write(tmp_path, "a.json", json.dumps(vllm())), "--dry-run").exit_code == 0
    assert json.loads(run("export", "--format", "json").stdout) == []


def test_later_answers_add_to_earlier_ones(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json", json.dumps(vllm()))
    run("import", path, "--answer", "hardware=H100 SXM")
    run("import", path, "--answer", "tp=4")
    stored = json.loads(run("export", "--format", "json").stdout)
    assert [(one["hardware"], one["tp"]) for one in stored] == [("H100 SXM", 4)]


@pytest.mark.parametrize("reader", readers(), ids=lambda reader: reader.key)
def test_samples_import(reader) -> None:
    result = run("import", sample_path(reader), "--json")
    assert (result.exit_code, strict(result.stdout)["format"]) == (0, reader.key)


def test_every_reference_file_ends_with_a_status_and_strict_json() -> None:
    """Taken, asked or refused with a reason: no file of the reference collection ends otherwise."""
    for folder in ("samples", "handmade"):
        for path in sorted(shared_path(folder).iterdir()):
            result = run("import", path, "--json", "--dry-run")
            assert result.exit_code in (0, 3, 4), path.name
            assert result.exception is None or isinstance(result.exception, SystemExit), path.name
            printed = strict(result.stdout)
            assert (result.exit_code == 4) == (printed["status"] == "refused")
            assert printed["reason"] or printed["status"] == "taken"
            for one in printed["runs"]:
                assert all(math.isfinite(value) for value in one.values() if isinstance(value, float)), path.name


def test_a_name_that_is_no_text_is_printed_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"a\xff.json")
    path.write_text(json.dumps(vllm()))
    result = run("import", path, "--json")
    assert result.exit_code == 0
    assert strict(result.stdout)["file"] == "a?.json"


def test_scrapes_before_and_after_are_one_run(tmp_path: Path) -> None:
    """60 requests between 10 and 70, whichever file is named first; beside another file two results are printed."""
    text = 'vllm:generation_tokens_total{{model_name="m"}} {}\nvllm:request_success_total{{model_name="m"}} {}\n'
    after = write(tmp_path, "after.txt", text.format(7000, 70))
    before = write(tmp_path, "before.txt", text.format(1000, 10))
    other = write(tmp_path, "taken.json", json.dumps(vllm()))
    printed = strict(run("import", after, before, "--json").stdout)
    assert (printed["file"], printed["runs"][0]["completed"]) == ("before.txt + after.txt", 60)
    three = json.loads(run("import", after, other, before, "--json").stdout)
    assert [one["file"] for one in three] == ["before.txt + after.txt", "taken.json"]


def test_a_parquet_export_comes_home(tmp_path: Path) -> None:
    run("import", write(tmp_path, "a.json", json.dumps(vllm())))
    out = tmp_path / "runs.parquet"
    assert run("export", "--format", "parquet", "--output", out).exit_code == 0
    printed = strict(run("import", out, "--json").stdout)
    assert (printed["format"], printed["runs"][0]["output_tps"]) == ("waferline_export", 1000.0)
    assert len(json.loads(run("export", "--format", "json").stdout)) == 1
