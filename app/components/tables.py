"""Tables of up to a dozen rows: aligned figures, dashes for what is unknown, sideways scrolling on a phone."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.metrics import metric
from app.components.problem import unlinked
from app.components.table_element import Filled, show_table
from app.exhibits import ShownTable, keep_table
from data.units import format_quantity

MISSING = ":gray[–]"
NO_BREAK_SPACE = "\u00a0"
SHORT_TEXT = 40  # characters; a text this short stays on one line, the table scrolls sideways on a phone
EM_SPACE, WORD_JOINER = "\u2003", "\u2060"
MARKUP = re.compile(r":[a-z]+\[([^\[\]]*)\]|\*\*|\u2060")  # what colours, strengthens or keeps a text together

LINKING = re.compile(r"\]\s*[(\[]|<")  # a link, a picture or a tag, which no text of ours in a table holds


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column as the screen shows it.

    name    column of the frame
    header  as printed
    unit    unit of the SI values, e.g. "byte" or "percent"; empty for text
    shown   own wording of a value, instead of the unit's
    strong  the column that answers the question
    """

    name: str
    header: str
    unit: str = ""
    shown: Callable[[float], str] | None = None
    strong: bool = False


def metric_column(key: str, header: str = "", *, strong: bool = False) -> Column:
    """A column of a quantity that `analysis.metrics` knows, each value with its unit."""
    known = metric(key)
    return Column(name=key, header=header or known.label, shown=known.format, strong=strong)


def three_digits(value: float) -> str:
    """A bare number with three significant digits: 87.1, 1,550, 12.3 k."""
    return format_quantity(value, "1")


def gigabytes(value: float) -> str:
    """Bytes as a bare number of decimal gigabytes; the header carries the unit."""
    return three_digits(value / 1e9)


def bits(value: float) -> str:
    """Bytes a weight as bits: 0.5625 -> "4.5"."""
    return three_digits(8 * value)


def whole(value: float) -> str:
    """A count without decimals; "any" where nothing limits it."""
    return "any" if math.isinf(value) else f"{value:,.0f}"


def percent(value: float) -> str:
    """A share with two digits, without its sign, which the header carries: 0.162 -> "16"; below 0.1 % "< 0.1"."""
    if 0 < value < 0.001:
        return "< 0.1"
    return f"{value * 100:.2g}" if value < 0.995 else f"{value * 100:.0f}"


def unbroken(text: str) -> str:
    """Text that stays on one line of a cell: spaces and hyphens do not break."""
    return text.replace(" ", NO_BREAK_SPACE).replace("-", "\u2060-\u2060")


def _formatter(column: Column) -> Callable[[object], str]:
    def show(value: object) -> str:
        if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)) or value == "":
            return MISSING
        if isinstance(value, str):
            text = unlinked(value) if LINKING.search(value) else value
            return unbroken(text) if len(value) <= SHORT_TEXT else text
        number = float(value)  # type: ignore[arg-type]
        text = column.shown(number) if column.shown else format_quantity(number, column.unit or "1")
        return f"**{text}**" if column.strong else text

    return show


def _cell(column: Column, pad: str, muted: frozenset[str]) -> Callable[[object], str]:
    inner = _formatter(column)

    def show(value: object) -> str:
        text = inner(value)
        return pad + (f":gray[{text}]" if isinstance(value, str) and value in muted and text != MISSING else text)

    return show


def table(frame: pd.DataFrame, columns: Sequence[Column], *, alt: str, muted: Iterable[str] = ()) -> None:
    """Draw a short table; texts listed in `muted` are grey, because they say that there is no figure.

    A text column after figures gets an em space in front, so that the two stay apart.
    """
    keep_table(alt, tuple(column.header for column in columns), lambda: plain_table(frame, columns, alt))
    quiet = frozenset(muted)
    filled = []
    after_figures = False
    for column in columns:
        values = frame[column.name]
        figures = pd.api.types.is_numeric_dtype(values)
        # Without the joiner a narrow cell breaks between the space and its text.
        pad = f"{EM_SPACE}{WORD_JOINER}" if after_figures and not figures else ""
        texts = list(map(_cell(column, pad, quiet), values.tolist()))
        filled.append(Filled(header=pad + unbroken(column.header), values=values, texts=texts))
        after_figures = figures
    show_table(filled, alt=alt)


def plain_table(frame: pd.DataFrame, columns: Sequence[Column], title: str) -> ShownTable:
    """The same table in plain text, for a report."""
    texts = [[plain(_formatter(column)(value)) for value in frame[column.name]] for column in columns]
    return ShownTable(
        title=title,
        headers=tuple(column.header for column in columns),
        rows=tuple(zip(*texts, strict=True)),
        figures=tuple(bool(pd.api.types.is_numeric_dtype(frame[column.name])) for column in columns),
    )


def plain(text: str) -> str:
    """A cell's text without the marks that colour or strengthen it."""
    bare = MARKUP.sub(lambda found: found[1] or "", text).replace(NO_BREAK_SPACE, " ").strip()
    return re.sub(r"\\(?=[\\\[\]<])", "", bare)
