"""The formats: every module of data/readers that declares READER, and the one way to read a file."""

from __future__ import annotations

import csv
import importlib
import pkgutil
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import data.readers as formats
from data.errors import ReadError, WaferlineError
from data.readers.intake.answers import canonical
from data.readers.intake.content import Content, decode
from data.readers.intake.finish import finish, refused
from data.readers.intake.foreign import broken_json, foreign
from data.readers.intake.forms import other_forms
from data.readers.intake.parquet import MAGIC, parquet_content
from data.readers.intake.result import Answers, Notice, Reader, ReadResult
from data.readers.large.reading import read_long

SAMPLES = Path(__file__).resolve().parents[2] / "samples"

LONG_CHARACTERS, LOOKED_AT = 10_000_000, 20_000  # records of a long file that decide on its format

# What parsing code of any format may stumble over in a file that is not what it seems to be.
_STUMBLES = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
    csv.Error,
)


@lru_cache(maxsize=1)
def readers() -> tuple[Reader, ...]:
    """Every reader of the folder, by key, the fallback last."""
    names = [module.name for module in pkgutil.iter_modules(formats.__path__) if not module.ispkg]
    modules = [importlib.import_module(f"{formats.__name__}.{name}") for name in names]
    found: list[Reader] = [module.READER for module in modules if hasattr(module, "READER")]
    return tuple(sorted(found, key=lambda reader: (reader.fallback, not reader.first, reader.key)))


def tool_of(key: str) -> str:
    """A format as people call it, without the kinds of files: "llama-bench"."""
    return next((each.title.split(" (")[0] for each in readers() if each.key == key), key)


def read_bytes(name: str, content: bytes, answers: Answers | None = None, profile: Answers | None = None) -> ReadResult:
    """Read one file: taken, open questions, or refused with the reason. Never raises, whatever the bytes.

    answers   what the person says, by field; wins over `profile`, answers kept from another time
    """
    try:
        said = canonical({**(profile or {}), **(answers or {})})
        long = read_long(name, content, said, recognise)
        if long is not None:
            return long
        text = parquet_content(name, content) if content.startswith(MAGIC) else decode(name, content)
        reader, form, how = find(text)
        reading = reader.read(form, said)
        if how:
            reading.notices.append(Notice(kind="other_form", text=how))
        return finish(form, content, reader, reading, said)
    except WaferlineError as error:
        return refused(name, content, error.sentence())
    except _STUMBLES as error:
        return refused(
            name,
            content,
            f"the file looks like a known format but breaks off or changes shape ({error!r:.200}). "
            "Export it again from the tool, or bring it as a plain CSV table.",
        )


def recognise(content: Content) -> Reader:
    """The reader whose format this is. Raises ReadError that names what the file is when it is no result."""
    return find(content)[0]


def find(content: Content) -> tuple[Reader, Content, str]:
    """(reader, the file in the form that it reads, what was done to it in words). Raises ReadError as recognise does.

    Another form of the file is tried only where nothing recognises it as it is.
    """
    reader = _own(content)
    if reader is not None:
        return reader, content, ""
    other = foreign(content)
    if other is not None:
        raise other
    forms = list(other_forms(content))
    for form, how in forms:
        reader = _own(form)
        if reader is not None:
            return reader, form, how
    damaged = broken_json(content)
    if damaged is not None:
        raise damaged
    for form, how in ((content, ""), *(pair for pair in forms if not pair[0].values)):
        for reader in readers():
            if reader.fallback and reader.recognise(form):
                return reader, form, how
    raise ReadError(
        "this is no benchmark result that Waferline knows",
        found=_first_line(content),
        remedy="Bring the JSON, JSONL or CSV file that the benchmark tool wrote, or a CSV table with a header row.",
    )


def _own(content: Content) -> Reader | None:
    """The reader that knows this content for a file of its tool; of very many records the first are looked at."""
    seen = content
    if len(content.text) > LONG_CHARACTERS and len(content.records) > LOOKED_AT:
        seen = replace(content, held=tuple(content.records[:LOOKED_AT]))
    return next((one for one in readers() if not one.fallback and one.recognise(seen)), None)


def _first_line(content: Content) -> str:
    first = content.records[0].value if content.records else None
    if isinstance(first, dict):
        return f"a JSON object with the keys {', '.join(str(key)[:40] for key in list(first)[:6]) or '(none)'}"
    line = next((line.strip() for line in content.lines if line.strip()), "")
    return f"text that begins {line[:60]!r}"


def sample_path(reader: Reader) -> Path:
    """The invented sample file of a format, for trying out and for tests."""
    return SAMPLES / reader.sample
