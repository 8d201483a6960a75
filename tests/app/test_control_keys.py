"""A control's key names one choice everywhere: its value goes along to the next page, which must be able to read it."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

APP = Path(__file__).resolve().parents[2] / "app"
WIDGETS = {
    "pick": "one of a list", "slide": "one of a list", "switch": "one of a list", "selectbox": "one of a list",
    "select_slider": "one of a list", "segmented_control": "one of a list", "number": "number",
    "number_input": "number", "search": "text", "text_input": "text", "text_area": "text", "toggle": "flag",
    "checkbox": "flag", "button": "press", "dataframe": "rows", "file_uploader": "files",
}  # fmt: skip


def test_no_key_names_two_kinds_of_choice() -> None:
    """A text left behind by one page and read as a number by another is a page that cannot be drawn."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for path in APP.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            keys = [word.value for word in node.keywords if word.arg == "key"]
            if name in WIDGETS and keys and isinstance(keys[0], ast.Constant):
                kinds[str(keys[0].value)].add(WIDGETS[name])
    assert len(kinds) > 100, "the scan finds the controls"
    assert {key: kind for key, kind in kinds.items() if len(kind) > 1} == {}
