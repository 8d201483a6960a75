"""The block "Serving Benchmark Result" that vLLM's and SGLang's clients print; every block of a log is a run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft
from data.readers.intake.result import Answers, Reader, Reading, Skipped
from data.readers.serving.labels import field_of_label
from data.readers.serving.options import of_text, put_options
from data.readers.tables.units import TIME_MS

_TITLE = re.compile(r"Serving Benchmark Result")
_FIGURE = re.compile(
    r"(?:^|[|>\]\s])([A-Z][A-Za-z0-9.]*(?:[ \-][A-Za-z0-9.]+)*(?: \([^()]*\))?):\s+(\S+(?: \S+)?)\s*\|?\s*$"
)
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan|[-+]?\.\d+", re.I)
_END = re.compile(r"={30,}")
MAX_BLOCKS = 5_000
_BLOCK_LINES = 120


@dataclass(kw_only=True)
class _Block:
    """One block: its first line, label -> (figure as printed, line), the log before it and where that begins."""

    line: int
    before: str
    since: int
    figures: dict[str, tuple[str, int]] = field(default_factory=dict)


def _recognise(content: Content) -> bool:
    return _TITLE.search(content.text) is not None and not _inside_json(content) and bool(_blocks(content))


def _inside_json(content: Content) -> bool:
    """True if the title only stands in a text of a JSON file."""
    return len(content.values) == 1 and content.values[0].place == "$"


def _blocks(content: Content) -> list[_Block]:
    """Blocks in order that hold at least one figure with a canonical name."""
    found, since = list[_Block](), 0
    for start in [n for n, line in enumerate(content.lines) if _TITLE.search(line)][:MAX_BLOCKS]:
        block = _Block(line=start + 1, before="\n".join(content.lines[since:start]), since=since + 1)
        since = start + 1
        for number, line in enumerate(content.lines[start + 1 : start + 1 + _BLOCK_LINES], start=start + 2):
            match = _FIGURE.search(line[-300:])
            if match:
                block.figures.setdefault(match[1].strip(), (match[2], number))
            if _TITLE.search(line):
                break
            since = number
            if _END.search(line):
                break
        if any(field_of_label(label)[0] for label in block.figures):
            found.append(block)
    return found


def _read(content: Content, answers: Answers) -> Reading:
    blocks = _blocks(content)
    if not blocks:
        raise ReadError("the benchmark's block breaks off before its first figure", remedy="Bring the whole log.")
    drafts = [_draft(block) for block in blocks]
    skipped = [
        Skipped(line=block.line, why="the block breaks off before its first rate or latency")
        for block, draft in zip(blocks, drafts, strict=True)
        if not _measured(draft)
    ]
    skipped += [_log_before(block) for block in blocks if block.before.strip()]
    return Reading(drafts=[one for one in drafts if _measured(one)], questions=[], skipped=skipped, notices=[])


def _log_before(block: _Block) -> Skipped:
    """The log in front of a block, of which only the client's command is read."""
    count = sum(bool(line.strip()) for line in block.before.splitlines())
    return Skipped(line=block.since, why=f"{count} lines of log before the block on line {block.line}")


def _measured(draft: Draft) -> bool:
    return any(name.endswith(("_ms", "_tps", "_rps")) for name in draft.values) or draft.number("completed") == 0


def _draft(block: _Block) -> Draft:
    draft = Draft(place=f"line {block.line}", line=block.line)
    draft.native = {label: printed for label, (printed, _) in block.figures.items()}
    for label, (printed, line) in block.figures.items():
        name, unit = field_of_label(label)
        number = _NUMBER.fullmatch(printed.split()[0])
        if not name or number is None:
            continue
        plain = number[0].replace(",", "")
        path = f"line {line}, {label!r}"
        if name == "request_rate":
            put_rate(draft, plain, path)
        else:
            scale = TIME_MS["s"] if name.endswith("_ms") and unit == "s" else 1.0
            draft.put(name, plain, path=path, unit=unit or None, scale=scale, shown=printed)
    put_options(draft, of_text(block.before), f"log before line {block.line}", "assumed")
    backend = block.figures.get("Backend", ("", 0))[0]
    if backend.startswith(("sglang", "vllm")):
        engine = re.split(r"[-_]", backend)[0]
        draft.put("engine", engine, path="'Backend' (request format)", origin="assumed", shown=backend)
    return draft


READER = Reader(
    key="serving_console",
    title="Serving Benchmark Result as printed (vLLM, SGLang)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw unless the command is in the log", "hardware", "device_count", "tp", "engine", "weight_format"),
    asks=("model_raw", "hardware", "device_count", "tp", "engine", "engine_version", "weight_format", "kv_format"),
    sample="serving_console.log",
)
