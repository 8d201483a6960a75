"""A run while it is being read: canonical values, each with its raw text, unit, origin and place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from data.readers.intake.fields import FIELDS
from data.readers.intake.json_values import as_number
from data.records import RunField

LARGEST = 1e15  # beyond any count, time or rate a benchmark can give
MAX_TEXT = 2_000  # characters of a name or remark

Value = float | int | str | bool | None
Origin = Literal["stated", "converted", "derived", "person", "assumed"]
Outcome = Literal["ok", "partial", "failed", "oom", "invalid"]


@dataclass(kw_only=True)
class Draft:
    """One run in the making.

    place     where the run stands in the file ("$", "line 3", "row 4")
    native    the record as the tool wrote it
    notices   (kind, text, fields) found while reading
    side      figures used by checks only, never stored: rates per user or per device, peaks under their own names
    known_id   identity that the file itself gives the run, as our own exports do
    lengths_fixed   True if every request had the same output length, False if not, None if the file does not say
    """

    place: str
    line: int = 0
    native: Mapping[str, object] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    fields: dict[str, RunField] = field(default_factory=dict)
    notices: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    side: dict[str, float] = field(default_factory=dict)
    outcome: Outcome | None = None
    lengths_fixed: bool | None = None
    known_id: str = ""

    def put(
        self,
        name: str,
        raw: object,
        *,
        path: str,
        unit: str | None = None,
        scale: float = 1.0,
        origin: Origin = "stated",
        shown: str = "",
    ) -> None:
        """Set a field from the file's value; what is missing, not finite or negative stays absent.

        scale   canonical unit per unit of the file: 1000 for seconds into milliseconds; other than 1 means converted
        """
        spec = FIELDS[name]
        value: Value = _text(raw) if spec.kind == "text" else as_number(raw)
        if value is None:
            return
        if not isinstance(value, str):
            value = value * scale
            if not 0 <= value <= LARGEST:
                why = "a negative figure" if value < 0 else "an impossible figure"
                self.warn("rejected_value", f"{name} is {raw} in {path}: {why}, left out", name)
                return
            value = int(value) if spec.kind == "count" and float(value).is_integer() else value
        origin = "converted" if origin == "stated" and scale != 1.0 else origin
        self.values[name] = value
        self.fields[name] = RunField(
            raw=clean(shown or str(raw)), unit=spec.unit if unit is None else unit, origin=origin, path=clean(path)
        )

    def derive(self, name: str, value: float | int | None, how: str) -> None:
        """Fill a field that nothing stated from other fields; `how` is the arithmetic in words."""
        if value is not None and value >= 0 and name not in self.values:
            self.put(name, value, path=how, origin="derived")

    def drop(self, name: str) -> None:
        """Make a field absent again."""
        self.values.pop(name, None)
        self.fields.pop(name, None)

    def warn(self, kind: str, text: str, *names: str) -> None:
        """Note a doubt about the fields named."""
        self.notices.append((kind, clean(text), names))

    def number(self, *names: str) -> float | None:
        """The first of these fields that holds a number."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
        return None

    def text(self, name: str) -> str:
        """A text field, empty where it is absent."""
        value = self.values.get(name)
        return value if isinstance(value, str) else ""


def _text(raw: object) -> str | None:
    if raw is None or isinstance(raw, dict | list):
        return None
    return clean(str(raw)).strip()[:MAX_TEXT] or None


def clean(text: str) -> str:
    """The text without NUL and without halves of characters, which JSON escapes can smuggle in."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "")
