"""llama.cpp's llama-batched-bench in Markdown and JSONL: one row is one batch of equal sequences."""

from __future__ import annotations

import re

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading, Skipped
from data.readers.intake.statistics import MS_PER_S

_KEYS = ("pp", "tg", "pl", "speed_pp", "speed_tg")
_COLUMNS = {"pp": "pp", "tg": "tg", "b": "pl", "n_kv": "n_kv", "t_pp": "t_pp", "s_pp": "speed_pp", "t_tg": "t_tg",
            "s_tg": "speed_tg", "t": "t", "s": "speed"}  # fmt: skip
_HEADER = re.compile(r"^[ \t]*\|[ \t]*PP[ \t]*\|[ \t]*TG[ \t]*\|[ \t]*B[ \t]*\|", re.M)
_SETTINGS = re.compile(r"(\w+) = (-?\d+)")


def _belongs(record: Record) -> bool:
    return all(key in record for key in _KEYS)


def _any_record(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _recognise(content: Content) -> bool:
    return _any_record(content) or _HEADER.search(content.text) is not None


def _read(content: Content, answers: Answers) -> Reading:
    if _any_record(content):
        items, skipped = pick(content, _belongs, "llama-batched-bench")
        drafts = [_draft(item.value, item.place, item.line) for item in items if isinstance(item.value, dict)]
    else:
        rows, skipped = _table_rows(content)
        drafts = [_draft(row, f"line {line}", line) for line, row in rows]
    return Reading(drafts=drafts, questions=[], skipped=skipped, notices=[])


def _table_rows(content: Content) -> tuple[list[tuple[int, dict[str, object]]], list[Skipped]]:
    """Rows of every table, with the settings that the tool prints above it."""
    names, settings = list[str](), dict[str, object]()
    rows, skipped = list[tuple[int, dict[str, object]]](), list[Skipped]()
    for line, text in enumerate(content.lines, start=1):
        if "n_kv_max =" in text:
            settings = dict(_SETTINGS.findall(text))
        elif _HEADER.match(text):
            names = [_COLUMNS.get(cell.split()[0].lower(), cell) if cell else "" for cell in _cells(text)]
        elif names and text.lstrip().startswith("|") and not set(text) <= set("|-: "):
            cells = _cells(text)
            if len(cells) == len(names):
                rows.append((line, {**settings, **dict(zip(names, cells, strict=True))}))
            else:
                skipped.append(Skipped(line=line, why=f"{len(cells)} cells under {len(names)} headers"))
    return rows, skipped


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in text.strip().strip("|").split("|")]


def _draft(row: Record, place: str, line: int) -> Draft:
    draft = Draft(place=place, line=line, native=row)
    batch, prompt, generated = (as_number(row.get(key)) or 0.0 for key in ("pl", "pp", "tg"))
    draft.put("batch_size", row.get("pl"), path=f"{place}: B")
    for side, key, length in (("isl", "PP", prompt), ("osl", "TG", generated)):
        if length > 0:
            draft.put(f"{side}_mean", length, path=f"{place}: {key}")
    for name, key, column in (("prefill_tps", "speed_pp", "S_PP"), ("output_tps", "speed_tg", "S_TG")):
        if as_number(row.get(key)):
            draft.put(name, row.get(key), path=f"{place}: {column} (all {batch:g} sequences)")
    if as_number(row.get("speed")) and prompt > 0 and generated > 0:
        draft.put("total_tps", row.get("speed"), path=f"{place}: S")
    if as_number(row.get("t")):
        draft.put("duration_s", row.get("t"), path=f"{place}: T")
    seconds = as_number(row.get("t_tg"))
    if seconds and generated > 0:
        draft.derive("tpot_mean_ms", MS_PER_S * seconds / generated, "T_TG / TG: one token of every sequence a step")
    if str(row.get("is_pp_shared")) in ("1", "True"):
        draft.put("notes", "one prompt shared by all sequences of the batch", path=f"{place}: is_pp_shared",
                  origin="converted", shown=str(row.get("is_pp_shared")))  # fmt: skip
    if "prefill_tps" not in draft.values and "output_tps" not in draft.values:
        draft.outcome = "invalid"
        draft.warn("rejected_value", f"{place} holds no rate: not a measurement")
    return draft


READER = Reader(
    key="llama_batched_bench",
    title="llama-batched-bench (Markdown, JSONL)",
    recognise=_recognise,
    read=_read,
    lacks=("model_raw", "hardware", "weight_format", "ttft", "itl", "e2e", "concurrency", "failed"),
    asks=("model_raw", "hardware", "device_count", "weight_format"),
    sample="llama_batched_bench.jsonl",
)
