"""`make bench`: slider move to repaint of the home figure, as a ratio to a minimal page, in one run of one browser.

Both pages are moved in turn, so that whatever else the machine does falls on both. The ratio of the medians is the
figure; the milliseconds beside it hold for this machine alone. Nothing the page shows is cached between moves, so it
makes no difference that a slider comes by the same values again. What a move costs in messages and changes of the
document is counted afterwards: unlike the times, these are the same on every machine.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser import dashboard, free_port, launched, running

HERE = Path(__file__).resolve().parent
MOVES = 24
WARM_UP = 4
GOAL = 3.5
# Resolves when the watched element has been replaced or changed, and one more frame has been drawn. What happens to an
# element that is no longer in the document is no repaint: Streamlit keeps a replaced figure, hidden, until a run ends.
WATCH = """
([selector, quiet]) => new Promise(resolve => {
  const start = performance.now();
  let last = null, timer = null;
  const done = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve(last - start)));
  const watcher = new MutationObserver(records => {
    const touched = records.some(r => r.target.isConnected && (r.target.closest?.(selector)
      || [...r.addedNodes].some(n => n.matches?.(selector) || n.querySelector?.(selector))
      || r.target.parentElement?.closest(selector)));
    if (!touched) return;
    last = performance.now();
    clearTimeout(timer);
    timer = setTimeout(() => { watcher.disconnect(); done(); }, quiet);
  });
  setTimeout(() => { watcher.disconnect(); resolve(-1); }, 20000);
  watcher.observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
})
"""
QUIET_MS = 120
# Counts what the server sends and what changes in the document, from the moment that it is asked to.
COUNT = """
(() => {
  const Plain = window.WebSocket;
  window.received = 0;
  window.WebSocket = class extends Plain {
    constructor(...args) { super(...args); this.addEventListener('message', () => { window.received += 1; }); }
  };
  window.countChanges = () => {
    window.received = window.changed = 0;
    new MutationObserver(records => { window.changed += records.length; })
      .observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
  };
})()
"""
COUNTED = 8


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A page under measurement: the slider that is moved and the element whose repaint ends the wait."""

    name: str
    page: Page
    slider: str
    watched: str


def open_subject(browser: Browser, name: str, address: str, slider: str, watched: str) -> Subject:
    """The page, loaded and at rest."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.add_init_script(COUNT)
    page.goto(address)
    expect(page.locator(watched).first).to_be_visible(timeout=60_000)
    page.wait_for_timeout(1500)
    return Subject(name=name, page=page, slider=slider, watched=watched)


def moved(subject: Subject, *, forward: bool) -> float:
    """Milliseconds from a key press on the slider to the last change of the watched element."""
    handle = subject.page.get_by_role("slider", name=subject.slider)
    handle.focus()
    subject.page.evaluate(f"() => {{ window.benchmarked = ({WATCH})([{subject.watched!r}, {QUIET_MS}]); }}")
    handle.press("ArrowRight" if forward else "ArrowLeft")
    taken = float(subject.page.evaluate("window.benchmarked"))
    if taken < 0:
        raise RuntimeError(f"{subject.name}: the slider moved and nothing was repainted within 20 s")
    subject.page.wait_for_timeout(150)
    return taken


def measure(subjects: list[Subject]) -> dict[str, list[float]]:
    """Times of every move, the pages taken in turn."""
    times: dict[str, list[float]] = {subject.name: [] for subject in subjects}
    for turn in range(MOVES + WARM_UP):
        for subject in subjects:
            taken = moved(subject, forward=(turn // 4) % 2 == 0)
            if turn >= WARM_UP:
                times[subject.name].append(taken)
    return times


def counts(subject: Subject) -> tuple[float, float]:
    """Messages and changes of the document that one move costs, on average."""
    subject.page.evaluate("window.countChanges()")
    for turn in range(COUNTED):
        moved(subject, forward=turn < COUNTED // 2)
        subject.page.wait_for_timeout(500)
    received, changed = subject.page.evaluate("[window.received, window.changed]")
    return received / COUNTED, changed / COUNTED


def minimal(port: int) -> list[str]:
    """The command that serves the yardstick."""
    options = ["--server.port", str(port), "--server.headless", "true", "--server.address", "127.0.0.1"]
    return [sys.executable, "-m", "streamlit", "run", str(HERE / "minimal_app.py"), *options]


def main() -> int:
    """Print both medians and their ratio; 0 if the goal is met."""
    ports = free_port(), free_port()
    with (
        tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other, launched() as browser,
        running(dashboard(ports[0]), ports[0], Path(one)) as home,
        running(minimal(ports[1]), ports[1], Path(other)) as yardstick,
    ):  # fmt: skip
        subjects = [
            open_subject(browser, "home", home, "Context, tokens", ".js-plotly-plot"),
            open_subject(browser, "minimal", yardstick, "Value", "[data-testid=stMarkdownContainer] strong"),
        ]  # fmt: skip
        times = measure(subjects)
        cost = {subject.name: counts(subject) for subject in subjects}
    for name, taken in times.items():
        ordered = sorted(taken)
        middle, late = statistics.median(taken), ordered[int(len(ordered) * 0.95)]
        received, changed = cost[name]
        print(
            f"{name:>8}: p50 {middle:.0f} ms, p95 {late:.0f} ms; {received:.0f} messages, {changed:,.0f} changes a move"
        )
    ratio = statistics.median(times["home"]) / statistics.median(times["minimal"])
    print(f"   ratio: {ratio:.2f} (goal {GOAL} or less)")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
