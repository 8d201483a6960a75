"""A file's bytes as text and JSON values, within limits; what is no text is named and refused."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from data.errors import ReadError
from data.readers.intake.json_values import Located, find_values
from data.readers.intake.result import Skipped

MAX_FILE_BYTE = 200_000_000
MAX_LINES = 3_000_000
MAX_JSON_CONTAINERS = 3_000_000  # each costs some 60 bytes of memory once parsed
MAX_JSON_ITEMS = 20_000_000
CHARACTERS_LOOKED_AT = 1_000_000
SURE = 0.9  # share of runs of bytes beyond ASCII that must be of even length
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")

_MAGIC = {
    b"PK\x03\x04": ("a ZIP archive or an Excel workbook", "Save the sheet as CSV, or unpack the archive first."),
    b"\x1f\x8b": ("a gzip file", "Unpack it first."),
    b"%PDF": ("a PDF document", "Bring the tool's own result file (JSON or CSV)."),
    b"\x89PNG": ("a picture", "Bring the tool's own result file (JSON or CSV)."),
    b"SQLite format 3": ("an SQLite database", "Dump the table as CSV, JSON or SQL text."),
    b"(\xb5/\xfd": ("a Zstandard file", "Unpack it first."),
    b"GGUF": ("model weights (GGUF)", "Bring the benchmark's result, not the model."),
}


@dataclass(frozen=True, kw_only=True)
class Content:
    """One file, decoded. `records` are its JSON objects: the file itself, its lines, or the items of its arrays.

    held     records in place of those of the text, where the file wraps them or writes them as a table
    beside   (key, value) that stand beside wrapped records and may describe all of them
    """

    name: str
    text: str = field(repr=False)
    encoding: str
    size_byte: int
    held: tuple[Located, ...] = field(default=(), repr=False)
    beside: tuple[tuple[str, str], ...] = ()

    @cached_property
    def lines(self) -> list[str]:
        """The text by lines."""
        return self.text.splitlines()

    @cached_property
    def _parsed(self) -> tuple[list[Located], list[Skipped]]:
        if self.held:
            return list(self.held), []
        opening, items = self.text.count("{") + self.text.count("["), self.text.count(",")
        if opening > MAX_JSON_CONTAINERS or items > MAX_JSON_ITEMS:
            return [], [
                Skipped(line=1, why=f"too many JSON values for one file ({opening:,} objects, {items:,} items)")
            ]
        return find_values(self.text)

    @property
    def values(self) -> list[Located]:
        """JSON values in order; empty when the file is not JSON."""
        return self._parsed[0]

    @property
    def unparsed(self) -> list[Skipped]:
        """Lines of a JSON file that are not JSON."""
        return self._parsed[1]

    @cached_property
    def records(self) -> list[Located]:
        """JSON objects, those directly inside arrays unfolded, with their places."""
        found: list[Located] = []
        for item in self.values:
            if isinstance(item.value, dict):
                found.append(item)
            elif isinstance(item.value, list):
                inner = enumerate(item.value)
                found += [Located(value=one, place=f"{item.place}[{n}]", line=item.line) for n, one in inner]
        return [item for item in found if isinstance(item.value, dict)]


def content_of(path: Path, *, where: str = "") -> bytes:
    """The bytes of a file. Raises ReadError if it cannot be read, or, before it is read, if it is too large."""
    try:
        within_size(path.stat().st_size, where=where)
        return path.read_bytes()
    except OSError as problem:
        found = problem.strerror or problem
        raise ReadError("the file cannot be read", where=where, found=found) from problem


def within_size(size_byte: int, *, where: str = "") -> None:
    """Raise ReadError for a file beyond the size that is read."""
    if size_byte > MAX_FILE_BYTE:
        raise ReadError("the file is too large", where=where, found=f"{size_byte / 1e6:,.0f} MB",
                        expected=f"{MAX_FILE_BYTE / 1e6:.0f} MB at most",
                        remedy="Split it, or leave out per-request details.")  # fmt: skip


def decode(name: str, content: bytes) -> Content:
    """The file as Content. Raises ReadError for an empty, oversized or binary file, saying what it seems to be."""
    within_size(len(content))
    if not content.strip(b" \t\r\n\x00"):
        raise ReadError("the file is empty", remedy="Check that the benchmark finished and wrote its result.")
    for magic, (what, remedy) in _MAGIC.items():
        if content.startswith(magic):
            raise ReadError(f"this is {what}, not a benchmark result as text", remedy=remedy)
    text, encoding = _text(content)
    if text.count("\n") > MAX_LINES:
        remedy = "Summarise single requests into runs first."
        raise ReadError("the file has too many lines", expected=f"{MAX_LINES:,} at most", remedy=remedy)
    if sum(text.count(chr(code)) for code in (*range(9), *range(14, 27), 0xFFFD)) > len(text) // 200:
        raise ReadError("this is binary data, not text", remedy="Bring the tool's own JSON, JSONL or CSV file.")
    return Content(name=name, text=text, encoding=encoding, size_byte=len(content))


def _text(content: bytes) -> tuple[str, str]:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if content.startswith(mark):
            return content.decode(encoding, errors="replace").lstrip("\ufeff"), encoding
    head = content[:4000]
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        half = head[offset::2]
        if len(half) > 4 and half.count(0) > 0.7 * len(half):
            return content.decode(encoding, errors="replace"), encoding
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        encoding = "gb18030" if _in_pairs(content[:CHARACTERS_LOOKED_AT]) else "cp1252"
        return content.decode(encoding, errors="replace"), encoding


def _in_pairs(content: bytes) -> bool:
    """True if bytes beyond ASCII come in pairs, as Chinese characters do and accented letters do not."""
    runs = _BEYOND_ASCII.findall(content)
    even = sum(len(run) % 2 == 0 for run in runs)
    return bool(runs) and even >= SURE * len(runs)
