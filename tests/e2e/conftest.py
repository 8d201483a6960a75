"""One served dashboard and one browser for all end-to-end tests; every page is watched for outside requests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from app.report.printing import find_browser
from data.errors import WaferlineError
from tests.browser import dashboard, free_port, launched, running

# A page opened by its address asks twice relative to itself before it finds the server's root; harmless.
KNOWN_CONSOLE = ("the server responded with a status of 404", "The page that you have requested does not seem to exist")
KNOWN_COUNT = 2
HERE = Path(__file__).resolve().parent

expect.set_options(timeout=15_000)
Opener = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All browser tests run in one worker, since they share the server."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real browser. Missing, it fails under CI and skips elsewhere, saying what to install."""
    try:
        find_browser()
    except WaferlineError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    with launched() as browser:
        yield browser


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a dashboard with an empty store of its own."""
    port = free_port()
    with running(dashboard(port), port, tmp_path_factory.mktemp("served")) as served:
        yield served


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[Opener]:
    """Opens pages in fresh contexts; at the end no request may have left the machine and no error been logged."""
    outside: list[str] = []
    errors: list[str] = []
    contexts, loads = [], list[str]()

    def watch_request(request: Request) -> None:
        if not request.url.startswith((f"{address}/", address.replace("http", "ws"), "data:", "blob:")):
            outside.append(request.url)

    def watch_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    def open_at(path: str = "", *, width: int = 1440, height: int = 900, theme: str = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            accept_downloads=True,  # type: ignore[arg-type]
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", watch_request)
        page.on("console", watch_console)
        page.on("load", lambda loaded: loads.append(loaded.url))
        page.goto(f"{address}/{path}")
        expect(page.locator("h1")).to_be_visible()
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert outside == []
    unknown = [text for text in errors if not any(known in text for known in KNOWN_CONSOLE)]
    assert unknown == []
    assert len(errors) <= (KNOWN_COUNT + 1) * len(loads)
