"""An HTML report as PDF, by a browser that is already there; the browser tests drive the same one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from data.errors import WaferlineError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge",
         "microsoft-edge-stable", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
         "/Applications/Chromium.app/Contents/MacOS/Chromium",
         "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
         str(Path.home() / "Applications/Google Chrome.app/Contents/MacOS/Google Chrome"))  # fmt: skip
OPTIONS = ("--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
           "--disable-component-update", "--no-pdf-header-footer", "--virtual-time-budget=20000")  # fmt: skip
LIMIT_S = 120


def find_browser() -> str:
    """Path of a browser: WAFERLINE_BROWSER, then Chromium, Chrome or Edge. Raises WaferlineError if there is none."""
    wanted = os.environ.get("WAFERLINE_BROWSER")
    found = next(filter(None, map(shutil.which, [wanted] if wanted else NAMES)), None)
    if found is None:
        raise WaferlineError("no browser found", found=wanted or "", expected="Chromium, Chrome or Edge",
                             remedy="Install one (Debian: apt-get install chromium; macOS: brew install --cask "
                             "google-chrome) or set WAFERLINE_BROWSER to one. "
                             "An HTML report can be printed from any browser.")  # fmt: skip
    return found


def print_to_pdf(html: str, output: Path) -> None:
    """Write the report as PDF. Raises WaferlineError if the browser does not deliver."""
    browser = find_browser()
    as_root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(html, encoding="utf-8")
        command = [browser, *OPTIONS, *as_root, f"--user-data-dir={folder}/profile",
                   f"--print-to-pdf={output.resolve()}", page.as_uri()]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)  # noqa: S603 - own choice
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise WaferlineError("the browser did not print", where=browser, found=problem) from problem
    if not output.exists() or not output.stat().st_size:
        raise WaferlineError("the browser printed nothing", where=browser,
                             found=done.stderr.decode(errors="replace")[-300:])  # fmt: skip
