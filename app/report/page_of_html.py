"""A report as one HTML file that asks the network for nothing."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from analysis.explain import written_out
from app.exhibits import Exhibit
from data.errors import WaferlineError
from data.sources import Source

_TEMPLATE = "report.html.j2"
Part = dict[str, Any]


def report_html(exhibits: Sequence[Exhibit], versions: dict[str, str]) -> str:
    """The report. Raises WaferlineError if there is nothing to report.

    Every text is escaped; the drawing library stands inside; a content policy forbids every request.
    """
    if not exhibits:
        raise WaferlineError("nothing to report", remedy="Open a page that answers a question first.")
    parts = [_part(each) for each in exhibits]
    drawings = {one["id"]: one["drawing"] for part in parts for one in part["drawings"]}
    title = parts[0]["answer"] if len(parts) == 1 else f"{len(parts)} questions answered"
    environment = Environment(
        loader=PackageLoader("app.report", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template(_TEMPLATE).render(
        title=title,
        theme=exhibits[0].theme,
        exhibits=parts,
        versions=versions,
        script=get_plotlyjs() if drawings else "",
        drawings=script_text(drawings),
    )


def script_text(value: object) -> str:
    """JSON that may stand inside a script: no character that could end it, unknown numbers as null."""
    text = json.dumps(_plain(value), allow_nan=False, separators=(",", ":"))
    for sign in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def _part(exhibit: Exhibit) -> Part:
    studies = list(exhibit.studies.values())
    first = studies[0]
    drawings = [
        {"id": f"figure-{exhibit.page}-{number}", "alt": alt, "drawing": drawing}
        for number, (drawing, alt) in enumerate(exhibit.drawings.values())
    ]
    return {
        "page": exhibit.page,
        "title": exhibit.title,
        "address": exhibit.address,
        "question": first.question,
        "answer": first.answer,
        "conditions": first.conditions,
        "drawings": drawings,
        "tables": [written() for written in exhibit.tables.values()],
        "remarks": _once(f"{line.rstrip('.')}." for study in studies for line in study.remarks),
        "assumptions": _once(line for study in studies for line in study.assumptions),
        "steps": [written_out(step) for study in studies for step in study.arithmetic()],
        "sources": _once(source_words(each) for study in studies for each in study.sources),
    }


def _once(lines: Any) -> list[str]:
    return list(dict.fromkeys(lines))


def source_words(source: Source) -> str:
    """A source with everything known of it: title, place, date of retrieval."""
    seen = f"retrieved {source.retrieved}" if source.retrieved else ""
    return ", ".join(part for part in (source.title, source.where, seen) if part)

