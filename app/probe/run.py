"""Runs a benchmark tool, passes on what it says, and gives the files it leaves, one by one."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.probe.load import Load
from app.probe.programs import Tool
from data.errors import WaferlineError

LAST_LINES = 12
GRACE_S = 10.0  # in which a tool that is told to end may put its things in order
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f]")


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Where a probe stands: run `number` of `runs`, and the tool's last line."""

    number: int
    runs: int
    concurrency: int
    line: str


def run_probe(tool: Tool, load: Load, folder: Path, heed: Callable[[Progress], bool]) -> Iterator[Path]:
    """Result files, one per concurrency, each as soon as it is there; the folder must exist and be empty.

    heed   called with every line the tool prints; False ends the probe

    Raises WaferlineError with the tool's last lines if it fails or leaves no result; what came before is not lost.
    """
    for number, concurrency in enumerate(load.concurrencies, start=1):
        place = folder / f"c{concurrency}-{number}"
        place.mkdir()
        lines: list[str] = []

        def keep(line: str, number: int = number, at: int = concurrency, said: list[str] = lines) -> bool:
            said.append(line)
            return heed(Progress(number=number, runs=len(load.concurrencies), concurrency=at, line=line))

        if not _ran(tool, tool.command(load, concurrency, place), keep, lines):
            return
        results = sorted(place.rglob(tool.results), key=lambda path: path.stat().st_mtime)
        if not results:
            raise _failed(tool, f"{tool.title} left no result", lines)
        yield results[-1]


def _ran(tool: Tool, arguments: list[str], keep: Callable[[str], bool], lines: list[str]) -> bool:
    """True if the tool came to its end, False if it was stopped. Raises WaferlineError if it failed."""
    command = [tool.path or tool.program, *arguments]
    quiet = os.environ | {"TERM": "dumb", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
    try:
        process = subprocess.Popen(  # noqa: S603 - a tool found by name, arguments checked, no shell
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=quiet,
            start_new_session=True,
        )  # fmt: skip
    except OSError as problem:
        raise WaferlineError("the tool did not start", where=tool.program, found=problem) from problem
    with process:
        try:
            for raw in process.stdout or ():
                line = _CONTROL.sub("", raw).strip()
                if line and not keep(line):
                    return False
            process.wait()
        finally:
            _stop(process)
    if process.returncode:
        raise _failed(tool, f"{tool.title} ended with status {process.returncode}", lines)
    return True


def _stop(process: subprocess.Popen[str]) -> None:
    """End the tool, if it still runs, and what it started, and nothing else; by force where asking does not do."""
    if process.poll() is not None:
        return
    _send(process, "SIGTERM")
    try:
        process.communicate(timeout=GRACE_S)  # reads on, so that a full pipe does not keep it from ending
    except subprocess.TimeoutExpired:
        _send(process, "SIGKILL")
        process.wait()


def _send(process: subprocess.Popen[str], name: str) -> None:
    """Send a signal to the tool and what it started; where there are no groups of processes, end the tool itself."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, getattr(signal, name))
    else:
        process.kill()


def _failed(tool: Tool, what: str, lines: list[str]) -> WaferlineError:
    last = " | ".join(lines[-LAST_LINES:])[-1500:]
    remedy = "Does the server answer under that model's name, and is its tokenizer known?"
    return WaferlineError(what, where=tool.program, found=last or "nothing printed", remedy=remedy)
