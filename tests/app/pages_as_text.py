"""Runs a page without a browser and reads off what it says."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node
from streamlit.util import calc_hash

from app.components.page import FoundPage

SCRIPT = Path(__file__).resolve().parents[2] / "app" / "web" / "start.py"
TIMEOUT_S = 120.0
DATED = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")  # a date with a time is when a test file was imported
QUOTED = {"title", "header", "subheader", "caption", "markdown", "code", "text", "error", "warning", "info", "success"}
CHOSEN = {"selectbox", "select_slider", "number_input", "text_input", "button_group", "segmented_control", "slider"}


def open_page(found: FoundPage, **query: str) -> AppTest:
    """The page after one run, opened by an address with these parameters."""
    tester = AppTest.from_file(SCRIPT, default_timeout=TIMEOUT_S)
    tester.query_params.update(query)
    if found.page.url_path:
        tester._page_hash = calc_hash(found.page.url_path)  # what the browser sends for this address
    return tester.run()


def nodes(block: Block) -> Iterator[Node]:
    """Every element below a block, in the order of the page."""
    for child in block.children.values():
        yield child
        if isinstance(child, Block):
            yield from nodes(child)


def label_of(block: Node) -> str:
    """Label of a menu or of a folded part."""
    kind = "popover" if block.type == "popover" else "expandable"
    return str(getattr(getattr(block.proto, kind, None), "label", ""))  # type: ignore[attr-defined]


def figure_text(spec: dict[str, Any]) -> list[str]:
    """Axis titles and every word of a figure, whether an annotation or text of a trace."""
    layout = spec.get("layout", {})
    parts = [part for name, part in sorted(layout.items()) if name[1:].startswith("axis")]
    titles = [part["title"] for part in parts if isinstance(part.get("title"), dict)]
    axes = [title["text"] for title in titles if title.get("text")]
    words = [text for trace in spec.get("data", []) if trace.get("mode") == "text" for text in trace["text"]]
    words += [each["text"] for each in layout.get("annotations", [])]
    return [f"axis: {text}" for text in axes] + [f"mark: {text}" for text in words]


def beyond_an_axis(spec: dict[str, Any]) -> list[str]:
    """Words of traces that plotly leaves out, since their place lies beyond an axis with a fixed range."""
    found = []
    for trace in spec.get("data", []):
        if "text" not in trace.get("mode", "") or not isinstance(trace.get("text"), list):
            continue
        for direction in "xy":
            named = trace.get(f"{direction}axis", direction).replace(direction, f"{direction}axis")
            axis = spec["layout"].get(named, {})
            if "range" not in axis:
                continue
            low, high = sorted(axis["range"])
            for at, text in zip(trace[direction], trace["text"], strict=True):
                place = math.log10(at) if axis.get("type") == "log" else at
                if text and not low <= place <= high:
                    found.append(f"{text}: {direction} = {at:g}")
    return found


def figures(tester: AppTest) -> list[dict[str, Any]]:
    """Every figure of the page as plotly gets it."""
    return [json.loads(node.proto.spec) for node in nodes(tester.main) if node.type == "plotly_chart"]  # type: ignore[attr-defined]


def page_text(tester: AppTest) -> str:
    """What the page says, line by line: titles, captions, choices, tables, figures' axes and marks."""
    lines: list[str] = []
    for node in nodes(tester.main):
        kind = node.type
        if kind in QUOTED:
            lines.append(f"{kind}: {node.value}")  # type: ignore[attr-defined]
        elif kind in CHOSEN:
            lines.append(f"choice: {node.label} = {getattr(node.value, 'name', node.value)}")  # type: ignore[attr-defined]
        elif kind in ("table", "arrow_table"):
            frame: pd.DataFrame = node.value  # type: ignore[attr-defined]
            rows = frame.to_csv(index=False, sep="|", float_format="%.3g").rstrip()
            lines.append("table: " + rows.replace("\u2003\u2060", "\u2003"))  # the joiner is seen by no one
        elif kind == "plotly_chart":
            lines += figure_text(json.loads(node.proto.spec))  # type: ignore[attr-defined]
        elif kind in ("popover", "expander", "expandable", "popover_container"):
            lines.append(f"{kind}: {label_of(node)}")
    return DATED.sub("DATE", "\n".join(line.rstrip() for line in lines)) + "\n"
