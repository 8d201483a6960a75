"""llama-bench's Markdown tables, alone or inside a longer text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.result import Skipped
from data.readers.llama.row import put_format, put_test
from data.readers.llama.widths import stated

_TEST = re.compile(r"(?:pp ?(\d+))?(?: ?\+ ?)?(?:tg ?(\d+))?(?: @ d(\d+))?")
_DEVICE = re.compile(r"^\s*(?:ggml_\w+: \d+ = ([^|(]+)|Device \d+: ([^,]+),)", re.M)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_BUILD = re.compile(r"^build: (\w+) \((\d+)\)", re.M)


@dataclass(frozen=True, kw_only=True)
class PipeTable:
    """A Markdown table of tests: the line of its header, its column names, its rows as (line, cells)."""

    line: int
    names: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]


def find_tables(content: Content) -> list[PipeTable]:
    """Every pipe table that has a `test` and a `t/s` column."""
    found: list[PipeTable] = []
    lines = content.lines if "t/s" in content.text else []
    number = 0
    while number < len(lines):
        names = _cells(lines[number])
        if "test" not in names or "t/s" not in names or "model" not in names:
            number += 1
            continue
        start = number
        rows = []
        while (number := number + 1) < len(lines) and (cells := _cells(lines[number])):
            if not set("".join(cells)) <= set("-: "):
                rows.append((number + 1, cells))
        found.append(PipeTable(line=start + 1, names=names, rows=tuple(rows)))
    return found


def _cells(line: str) -> tuple[str, ...]:
    stripped = line.strip()
    return tuple(cell.strip() for cell in stripped.strip("|").split("|")) if stripped.startswith("|") else ()


def markdown_drafts(content: Content) -> tuple[list[Draft], list[Skipped]]:
    """Runs of every table, with the devices named above it and the build named below it."""
    drafts, skipped = [], []
    tables = find_tables(content)
    ends = [0, *(table.rows[-1][0] if table.rows else table.line for table in tables)]
    for table, end in zip(tables, ends, strict=False):
        above = "\n".join(content.lines[end : table.line - 1])
        last = table.rows[-1][0] if table.rows else table.line
        build = _BUILD.search("\n".join(content.lines[last : last + 5]))
        for line, cells in table.rows:
            if len(cells) != len(table.names):
                skipped.append(Skipped(line=line, why=f"{len(cells)} cells under {len(table.names)} headers"))
                continue
            drafts.append(_draft(dict(zip(table.names, cells, strict=True)), line, _devices(above), build))
    return drafts, skipped


def _plain(figure: str) -> str:
    """The figure without marks between thousands; llama-bench itself writes none."""
    text = figure.strip().strip("*")
    return text.replace(",", "") if _GROUPED.fullmatch(text) else text


def _devices(above: str) -> list[str]:
    return [(match[1] or match[2]).strip() for match in _DEVICE.finditer(above)]


def _draft(row: dict[str, str], line: int, devices: list[str], build: re.Match[str] | None) -> Draft:
    place = f"line {line}"
    draft = Draft(place=place, line=line, native={**row, "devices": devices}, lengths_fixed=True)
    draft.put("engine", "llama.cpp", path="llama-bench runs llama.cpp itself", origin="derived")
    draft.put("model_raw", row["model"], path=f"{place}: model")
    put_format(draft, stated(row), f"{place}: model")
    if build:
        for name in ("source_tool_version", "engine_version"):
            draft.put(name, f"b{build[2]} ({build[1]})", path="build line below the table")
    if devices:
        draft.put("hardware", " + ".join(dict.fromkeys(devices)), path="device list above the table")
        draft.derive("device_count", len(devices), "device list above the table")
    rate, _, spread = (_plain(part) for part in row["t/s"].partition("±"))
    test = _TEST.fullmatch(row["test"])
    prompt, generated, depth = (float(part or 0) for part in test.groups()) if test else (0.0, 0.0, 0.0)
    put_test(draft, prompt, generated, rate, spread or None, f"{place}: test {row['test']}")
    if test:
        draft.put("depth_tokens", depth, path=f"{place}: test {row['test']}")
    return draft
