"""JMeter's log of single samples (JTL) as CSV, with or without header, and as XML without entities."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from xml.parsers import expat

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.delimited import LeftOut, rows_of, wrong_width
from data.readers.intake.json_values import as_number
from data.readers.intake.result import Skipped
from data.readers.intake.statistics import MS_PER_S
from data.readers.load_tests.samples import Samples

DELIMITERS = ",;|\t"
_TRANSACTION = "Number of samples in transaction"
_HEAD_CHARACTERS = 20_000
_STAMP = re.compile(r"\d{12,13}|\d{4}[/-]\d\d[/-]\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?")
_AFTER_OLD = ["bytes", "grpThreads", "allThreads", "Latency"]
_AFTER_NEW = ["failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads", "URL", "Latency", "IdleTime",
              "Connect"]  # fmt: skip
_USED = ("timeStamp", "elapsed", "label", "responseCode", "responseMessage", "success", "allThreads", "Latency")
_BEFORE = ["timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType"]


def header_of(content: Content) -> tuple[int, str, list[str]] | None:
    """(index of the line, delimiter, column names) of a JTL header, or None."""
    for number, line in enumerate(content.lines[:5]):
        for delimiter in DELIMITERS:
            names = [name.strip().strip('"') for name in line[:_HEAD_CHARACTERS].split(delimiter)]
            if "timeStamp" in names and "elapsed" in names:
                return number, delimiter, names
        if line.strip():
            return None
    return None


def guessed_header(content: Content) -> tuple[str, list[str]] | None:
    """(delimiter, names in JMeter's order) of a JTL without header, or None if the first line is no sample."""
    line = next((line for line in content.lines[:5] if line.strip()), "")[:_HEAD_CHARACTERS]
    for delimiter in DELIMITERS:
        cells = [cell.strip().strip('"') for cell in line.split(delimiter)]
        verdict = next((n for n, cell in enumerate(cells) if cell in ("true", "false")), 0)
        if len(cells) >= 8 and 3 < verdict <= 7 and _STAMP.fullmatch(cells[0]) and cells[1].isdigit():
            return delimiter, _guess(cells, verdict)
    return None


def _guess(cells: Sequence[str], verdict: int) -> list[str]:
    """JMeter's default order around the column that holds true or false; the rest numbered."""
    rest = cells[verdict + 1 :]
    after = _AFTER_OLD if rest[:1] and rest[0].isdigit() else list(_AFTER_NEW)
    if after is not _AFTER_OLD and len(rest) < len(_AFTER_NEW):
        after = [name for name in _AFTER_NEW if name != "URL"]
    names = [*_BEFORE[:verdict], "success", *after[: len(rest)]]
    names += [f"column{number + 1}" for number in range(len(names), len(cells))]
    return names


def read_rows(lines: Sequence[str], first_line: int, delimiter: str, names: list[str]) -> tuple[Samples, list[Skipped]]:
    """Every sample of a CSV log; sums over other rows and rows that do not fit are left out."""
    samples, skipped = Samples(), LeftOut()
    place = {name: number for number, name in enumerate(names) if name in _USED}
    for line, cells in rows_of(lines, delimiter, first_line):
        if len(cells) != len(names):
            skipped.add(wrong_width(line, cells, names))
            continue
        row = {name: cells[number].strip() for name, number in place.items()}
        if row.get("responseMessage", "").startswith(_TRANSACTION):
            samples.nested += 1
            skipped.add(Skipped(line=line, why="a transaction sums up rows that are counted on their own"))
        elif row["timeStamp"] == "timeStamp":
            skipped.add(Skipped(line=line, why="the header again"))
        elif (elapsed := as_number(row["elapsed"])) is None or elapsed < 0:
            skipped.add(Skipped(line=line, why=f"elapsed is {row['elapsed']!r}: no time"))
        else:
            samples.add(_stamp(row["timeStamp"]), elapsed, as_number(row.get("Latency")), _passed(row))
            samples.users = max(samples.users, as_number(row.get("allThreads")) or 0.0)
            samples.add_label(row.get("label", ""))
    return samples, skipped.listed()


def _passed(row: Mapping[str, str]) -> bool | None:
    verdict, code = row.get("success", "").lower(), row.get("responseCode", "")
    if verdict in ("true", "false"):
        return verdict == "true"
    return code[:1] in ("2", "3") if re.fullmatch(r"\d{3}", code) else None


def _stamp(text: str) -> float | None:
    """Milliseconds since 1970 of a time stamp; a date without zone is read as UTC, which no duration notices."""
    number = as_number(text)
    if number is not None:
        return number
    try:
        moment = datetime.fromisoformat(text.replace("/", "-"))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * MS_PER_S


@dataclass(kw_only=True)
class _Xml:
    """Samples collected while an XML log is parsed; `open` tells for each open sample whether it is a transaction."""

    samples: Samples = field(default_factory=Samples)
    open: list[bool] = field(default_factory=list)

    def begin(self, tag: str, marks: dict[str, str]) -> None:
        """A sample counts at the top or directly in a transaction; embedded resources are in their parent's time."""
        if tag not in ("httpSample", "sample"):
            return
        transaction = marks.get("rm", "").startswith(_TRANSACTION)
        elapsed = as_number(marks.get("t"))
        if transaction:
            self.samples.nested += 1
        elif elapsed is not None and elapsed >= 0 and all(self.open):
            passed = {"true": True, "false": False}.get(marks.get("s", ""))
            self.samples.add(as_number(marks.get("ts")), elapsed, as_number(marks.get("lt")), passed)
            self.samples.users = max(self.samples.users, as_number(marks.get("na")) or 0.0)
            self.samples.add_label(marks.get("lb", ""))
        self.open.append(transaction)

    def end(self, tag: str) -> None:
        """Close a sample."""
        if tag in ("httpSample", "sample"):
            self.open.pop()


def _refuse(*_: object) -> None:
    raise ReadError(
        "the XML declares a document type or entities, which no JMeter log does",
        remedy="Bring the log as it was written.",
    )


def read_xml(text: str) -> tuple[Samples, list[Skipped]]:
    """Every sample of an XML log; one that breaks off gives the samples before the break."""
    parser, found = expat.ParserCreate(encoding="utf-8"), _Xml()
    parser.StartElementHandler, parser.EndElementHandler = found.begin, found.end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(text.strip().encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        why = f"the XML breaks off here: {expat.ErrorString(error.code)}"
        return found.samples, [Skipped(line=error.lineno, why=why)]
    return found.samples, []
