"""The generated pages of docs say what the code says."""

from __future__ import annotations

import re

import pytest

from app.write_docs import DOCS, pages


@pytest.mark.parametrize("name", ["methods.md", "glossary.md", "catalogue.md", "formats.md"])
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text() == pages()[name], "run `make docs`"


def test_every_test_that_a_pitfall_names_exists() -> None:
    named = set(re.findall(r"`(tests/[^`]+)`", (DOCS / "pitfalls.md").read_text()))
    assert named
    assert [name for name in sorted(named) if not (DOCS.parent / name).is_file()] == []
