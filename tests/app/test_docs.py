"""The generated pages of docs say what the code says."""

from __future__ import annotations

import pytest

from app.write_docs import DOCS, pages


@pytest.mark.parametrize("name", ["methods.md", "glossary.md", "catalogue.md", "formats.md"])
def test_generated_pages_are_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text() == pages()[name], "run `make docs`"
