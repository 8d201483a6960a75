"""Options and fixtures for all tests: a data folder of their own, golden texts, a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

GOLDEN = Path(__file__).resolve().parent / "golden"
settings.register_profile("untimed", deadline=None)  # speed is measured in benchmarks, never in a test
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--golden-write` writes what pages say now into tests/golden, for review by eye."""
    parser.addoption("--golden-write", action="store_true", help="write the golden texts anew")


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder of this test process alone: no test ever touches the person's own store."""
    folder = tmp_path_factory.mktemp("waferline-data")
    before = os.environ.get("WAFERLINE_DATA")
    os.environ["WAFERLINE_DATA"] = str(folder)
    yield folder
    if before is None:
        del os.environ["WAFERLINE_DATA"]
    else:
        os.environ["WAFERLINE_DATA"] = before


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares a text with the one kept under a name."""
    return Golden(write=bool(request.config.getoption("--golden-write")))


class Golden:
    """Texts kept in tests/golden."""

    def __init__(self, *, write: bool) -> None:
        self.write = write

    def check(self, name: str, text: str) -> None:
        """Fail if `text` is not what tests/golden/NAME holds; with --golden-write, keep it instead."""
        path = GOLDEN / name
        if self.write:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            return
        assert path.exists(), f"no golden text {name}: write it with `make golden` and read it"
        assert text == path.read_text(), f"{name} moved; if that is right, `make golden` and read the difference"
