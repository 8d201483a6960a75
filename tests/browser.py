"""A real browser and a served dashboard, for end-to-end tests and for the benchmark."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from app.report.printing import find_browser

ROOT = Path(__file__).resolve().parents[1]
START_LIMIT_S = 60.0
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def free_port() -> int:
    """A port of this machine that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: list[str], port: int, data_folder: Path) -> Iterator[str]:
    """Run a web server until the block ends; its address once it answers. Raises RuntimeError with its output."""
    environment = {**os.environ, "WAFERLINE_DATA": str(data_folder), "PYTHONUNBUFFERED": "1"}
    log = data_folder / "server.log"
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            await_answer(port, process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def await_answer(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return once the server says it is well; raise RuntimeError if it ends or takes longer than a minute."""
    until = time.monotonic() + START_LIMIT_S
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health"):
            return
        time.sleep(0.1)
    raise RuntimeError(f"the server did not start: {log.read_text()}")


def dashboard(port: int) -> list[str]:
    """The command that serves the dashboard."""
    return [sys.executable, "-m", "app.cli", "serve", "--headless", "--port", str(port)]


@contextlib.contextmanager
def launched() -> Iterator[Browser]:
    """A browser of its own, closed at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        yield browser
        browser.close()
