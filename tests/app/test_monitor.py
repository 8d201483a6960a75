"""The monitor as a page and as a command, on the made-up server that slows by 6 % after 53 minutes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from analysis.studies import monitor
from app.cli import cli
from app.pages import find_pages
from data.readers.metrics_text.made_up import made_up_scrapes
from data.readers.metrics_text.timeline import read_timeline
from tests.app.pages_as_text import open_page, page_text


def test_the_page_finds_the_regression_and_its_size() -> None:
    page = next(each for each in find_pages() if each.page.key == "monitor")
    tester = open_page(page, made_up="true", on="Cerebras WSE-3 / CS-3", devices="11")
    assert not tester.exception
    assert tester.title[0].value.startswith("Slower since 2026-01-15 09:5")
    assert "time between tokens 5." in tester.title[0].value
    assert "could not be drawn" not in page_text(tester)


def test_the_command_says_when_and_how_much(tmp_path: Path) -> None:
    path = tmp_path / "scrapes.txt"
    path.write_bytes(made_up_scrapes())
    found = CliRunner().invoke(cli, ["monitor", "check", str(path), "--json"])
    said = json.loads(found.output)
    assert found.exit_code == 1
    slower = next(each for each in said["alarms"] if each["series"] == "itl_s")
    assert slower["shift"] == pytest.approx(0.06, abs=0.015)
    assert slower["since"].startswith("2026-01-15 09:5")
    healthy = made_up_scrapes().split(b"# scraped")[:260]
    path.write_bytes(b"# scraped".join(healthy))
    assert CliRunner().invoke(cli, ["monitor", "check", str(path)]).exit_code == 0


def test_rules_are_written_with_the_baseline(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_bytes(made_up_scrapes())
    done = CliRunner().invoke(cli, ["monitor", "rules", "-o", str(tmp_path / "out"), str(tmp_path / "s.txt")])
    assert done.exit_code == 0, done.output
    assert "WaferlineSlowerTokens" in (tmp_path / "out" / "waferline-rules.yaml").read_text(encoding="utf-8")
    json.loads((tmp_path / "out" / "waferline-dashboard.json").read_text(encoding="utf-8"))


def test_a_cache_that_overflows_is_named_with_its_cause(tmp_path: Path) -> None:
    """The made-up server with a full cache and two requests thrown out at every scrape; its moving load is no fault."""
    lines = made_up_scrapes().decode().splitlines()
    full, count = [], 0
    for line in lines:
        if "kv_cache_usage_perc" in line:
            count += 2
            tags = line[line.index("{") : line.index("}") + 1]
            line = f"vllm:kv_cache_usage_perc{tags} 1.0\nvllm:num_preemptions_total{tags} {count}"
        full.append(line)
    study = monitor.study(read_timeline([("s", "\n".join(full).encode())]))
    assert [each.kind for each in study.marks["findings"]] == ["kv_preemption"]
    assert monitor.study(read_timeline([("s", made_up_scrapes())])).marks["findings"] == ()
