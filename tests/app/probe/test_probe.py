"""A probe measures a local endpoint, keeps its runs, passes on progress, can be ended, and fails in words."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app import cache
from app.cli import cli
from app.pages import find_pages
from app.probe import TOOLS, Load, Progress, Tool, find_tool, run_probe
from data.errors import OutOfRangeError, ReadError, UnknownNameError, WaferlineError
from tests.app.pages_as_text import open_page
from tests.app.probe import stand_in_tool
from tests.app.probe.endpoint import FIRST_S, GAP_S, endpoint


@pytest.fixture
def tool_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program called `vllm` that is the stand-in, found before any other."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "vllm"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {stand_in_tool.__file__} "$@"\n', encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))


@pytest.mark.usefixtures("tool_on_path")
def test_the_command_measures_and_keeps_what_the_endpoint_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The endpoint's pace: first token after 50 ms, then one every 10 ms, whatever the requests in flight."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path / "data"))
    with endpoint() as server:
        done = CliRunner().invoke(
            cli, ["probe", server, "--model", "made-up", "--concurrency", "1,3", "--output-tokens", "8",
                  "--requests", "3", "--hardware", "h200-sxm", "--devices", "8"],
        )  # fmt: skip
    assert done.exit_code == 0, done.output + str(done.exception)
    runs = sorted(cache.store().runs(), key=lambda run: float(run.values["concurrency"] or 0))
    cache.store().close()
    assert [run.values["concurrency"] for run in runs] == [1, 3]
    for run in runs:
        assert run.values["hardware_key"] == "h200-sxm"
        assert 1e3 * FIRST_S <= float(run.values["ttft_mean_ms"] or 0) < 1e3 * FIRST_S * 8
        assert 1e3 * GAP_S * 0.9 <= float(run.values["tpot_mean_ms"] or 0) < 1e3 * GAP_S * 6
    assert len(re.findall(r"in flight: TTFT", done.output)) == 2


@pytest.mark.usefixtures("tool_on_path")
def test_a_model_the_server_does_not_know_is_told_with_the_tools_words(tmp_path: Path) -> None:
    with endpoint() as server, pytest.raises(WaferlineError, match="404"):
        list(run_probe(find_tool("vllm"), Load(server=server, model="other", concurrencies=(1,), requests=1), tmp_path,
                       lambda progress: True))  # fmt: skip


@pytest.mark.usefixtures("tool_on_path")
def test_a_server_that_goes_away_takes_no_result_with_it(tmp_path: Path) -> None:
    with endpoint() as server:
        load = Load(server=server, model="made-up", concurrencies=(1, 2), output_tokens=4, requests=2)
        found = run_probe(find_tool("vllm"), load, tmp_path, lambda progress: True)
        first = next(found)
    with pytest.raises(WaferlineError):
        next(found)
    assert first.stat().st_size > 0


@pytest.mark.usefixtures("tool_on_path")
def test_a_probe_that_is_ended_gives_back_what_it_has(tmp_path: Path) -> None:
    place = tmp_path / "out"
    place.mkdir()
    with endpoint() as server:
        load = Load(server=server, model="made-up", concurrencies=(1, 2), output_tokens=4, requests=2)
        found = list(run_probe(find_tool("vllm"), load, place, lambda progress: progress.number < 2))
    assert len(found) == 1


def test_a_tool_that_will_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ignores being told to end, as does what it started; it would write a file half a minute later."""
    finished, place = tmp_path / "finished", tmp_path / "out"
    place.mkdir()
    says = "import os, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork(); "
    says += f"print(os.getpid(), flush=True); time.sleep(30); open({str(finished)!r}, 'w').close()"
    tool = Tool(key="deaf", title="Deaf", program=sys.executable, install="", results="*",
                command=lambda load, concurrency, folder: ["-c", says])  # fmt: skip
    monkeypatch.setattr("app.probe.run.GRACE_S", 0.2)
    heard: list[int] = []

    def heed(progress: Progress) -> bool:
        heard.append(int(progress.line))
        return len(heard) < 2

    assert list(run_probe(tool, Load(server="gpu:1", model="m", concurrencies=(1,)), place, heed)) == []
    assert len(heard) == 2
    assert not finished.exists()
    until = time.monotonic() + 20
    while any(map(_is_running, heard)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(map(_is_running, heard))


def _is_running(process: int) -> bool:
    """False for one that has ended, though nobody has asked how."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.usefixtures("tool_on_path")
def test_a_probe_that_is_broken_off_leaves_no_tool_behind(tmp_path: Path) -> None:
    """As Ctrl-C does: whatever ends the listening ends the tool."""
    started = subprocess.Popen.__init__
    made: list[subprocess.Popen[str]] = []

    def note(self: subprocess.Popen[str], *arguments: object, **more: object) -> None:
        made.append(self)
        started(self, *arguments, **more)  # type: ignore[call-overload]

    def broken_off(progress: Progress) -> bool:
        raise KeyboardInterrupt

    with endpoint() as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", note)
        load = Load(server=server, model="made-up", concurrencies=(1,), output_tokens=50, requests=50)
        with pytest.raises(KeyboardInterrupt):
            list(run_probe(find_tool("vllm"), load, tmp_path, broken_off))
    assert [each.poll() is not None for each in made] == [True]


def test_loads_that_make_no_sense_are_refused() -> None:
    for wrong in ("file:///x", "http://", "http://x:port"):
        with pytest.raises(ReadError, match="address"):
            Load(server=wrong, model="m", concurrencies=(1,))
    with pytest.raises(ReadError, match="model"):
        Load(server="http://x", model="--help", concurrencies=(1,))
    with pytest.raises(OutOfRangeError, match="counts"):
        Load(server="http://x", model="m", concurrencies=())
    with pytest.raises(UnknownNameError, match="vllm"):
        find_tool("vlm")


def test_an_address_is_taken_as_people_type_it() -> None:
    for typed in ("gpu:8000", " http://gpu:8000/ "):
        assert Load(server=typed, model="m", concurrencies=(1,)).server == "http://gpu:8000"


def test_a_missing_tool_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(WaferlineError, match="pip install aiperf"):
        find_tool()


@pytest.mark.parametrize("key", TOOLS)
def test_every_command_carries_the_load(key: str, tmp_path: Path) -> None:
    """Server, model, lengths, requests and concurrency stand in the arguments; nothing is left to a default."""
    load = Load(server="http://gpu:1", model="m", concurrencies=(7,), input_tokens=321, output_tokens=123, requests=45,
                tokenizer="tok")  # fmt: skip
    words = " ".join(TOOLS[key].command(load, 7, tmp_path))
    for each in ("http://gpu:1", "321", "123", "45", "7", "tok", str(tmp_path)):
        assert each in words


@pytest.mark.parametrize("name", ["org/model,of two", "model=a", "8e1", 'say "hi"'])
def test_any_name_reaches_guidellm_whole(name: str, tmp_path: Path) -> None:
    """GuideLLM 0.8 splits key=value at every comma and reads 8e1 as a number; JSON it takes as it stands."""
    load = Load(server="http://gpu:1", model=name, concurrencies=(7,))
    words = TOOLS["guidellm"].command(load, 7, tmp_path / "a,b")
    said = {option: json.loads(value) for option, value in pairwise(words) if value.startswith("{")}
    assert said["--backend"] == {"kind": "openai_http", "target": "http://gpu:1", "model": name}
    assert said["--tokenizer"]["model"] == name
    assert said["--output"]["path"] == str(tmp_path / "a,b" / "guidellm.json")


def test_the_page_is_off_unless_servers_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    page = next(each for each in find_pages() if each.page.key == "probe")
    monkeypatch.delenv("WAFERLINE_ALLOW_SERVERS", raising=False)
    assert "off" in open_page(page).title[0].value
