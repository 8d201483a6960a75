"""llama.cpp's llama-bench in JSON, JSONL, CSV, SQL and Markdown: one row is one test of prefill, decode or both."""

from __future__ import annotations

import csv
import io
import re

from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number
from data.readers.intake.records import Record, pick
from data.readers.intake.result import Answers, Reader, Reading, Skipped
from data.readers.llama.markdown import find_tables, markdown_drafts
from data.readers.llama.row import put_format, put_test
from data.readers.llama.widths import stated

_NAMES = ("build_commit", "model_filename", "n_prompt", "n_gen", "avg_ts")
_INSERT = re.compile(r"INSERT\s+INTO\s+\w+\s*\(([^()]*)\)\s*VALUES\s*\(((?:'(?:[^']|'')*'|[^()'])*)\)", re.I)
_HEADER_CHARACTERS = 20_000
_OFFLOAD_ALL = 99  # customary number for "every layer on the GPU"


def _belongs(record: Record) -> bool:
    return all(name in record for name in _NAMES)


def _any_record(content: Content) -> bool:
    return any(isinstance(item.value, dict) and _belongs(item.value) for item in content.records)


def _csv_header(content: Content) -> int | None:
    """Index of the line that names the columns, or None."""
    for number, line in enumerate(content.lines[:50]):
        names = [name.strip().strip('"') for name in line[:_HEADER_CHARACTERS].split(",")]
        if all(name in names for name in _NAMES):
            return number
    return None


def _recognise(content: Content) -> bool:
    if _any_record(content):
        return True
    if _csv_header(content) is not None and not content.values:
        return True
    return _sql(content) != [] or find_tables(content) != []


def _read(content: Content, answers: Answers) -> Reading:
    skipped: list[Skipped] = []
    if _any_record(content):
        items, skipped = pick(content, _belongs, "llama-bench")
        drafts = [_draft(item.value, item.place, item.line) for item in items if isinstance(item.value, dict)]
    elif (header := _csv_header(content)) is not None:
        rows, skipped = _csv_rows(content, header)
        drafts = [_draft(row, f"line {line}", line) for line, row in rows]
    elif statements := _sql(content):
        drafts = [_draft(row, f"INSERT on line {line}", line) for line, row in statements]
    else:
        drafts, skipped = markdown_drafts(content)
    versions = {draft.text("source_tool_version") for draft in drafts} - {""}
    return Reading(
        drafts=drafts,
        questions=[],
        skipped=skipped,
        notices=[],
        tool_version=versions.pop() if len(versions) == 1 else "",
    )


def _csv_rows(content: Content, header: int) -> tuple[list[tuple[int, dict[str, str]]], list[Skipped]]:
    table = csv.reader(io.StringIO("\n".join(content.lines[header:])))
    names = next(table)
    rows, skipped = [], []
    for cells in table:
        line = header + table.line_num
        if len(cells) == len(names) and cells != names:
            rows.append((line, dict(zip(names, cells, strict=True))))
        elif cells and cells != names:
            skipped.append(Skipped(line=line, why=f"{len(cells)} cells under {len(names)} headers"))
    return rows, skipped


def _sql(content: Content) -> list[tuple[int, dict[str, str]]]:
    """Rows of INSERT statements, read as text; nothing is executed."""
    if "insert into" not in content.text[:2_000_000].lower():
        return []
    found = []
    for match in _INSERT.finditer(content.text):
        names = [name.strip().strip('"') for name in match[1].split(",")]
        values = next(csv.reader([match[2]], quotechar="'", skipinitialspace=True), [])
        if len(names) == len(values) and all(name in names for name in _NAMES):
            line = content.text.count("\n", 0, match.start()) + 1
            found.append((line, dict(zip(names, values, strict=True))))
    return found


def _draft(record: Record, place: str, line: int) -> Draft:
    draft = Draft(place=place, line=line, native=record, lengths_fixed=True)
    build = f"b{record.get('build_number')} ({record.get('build_commit')})"
    for name in ("source_tool_version", "engine_version"):
        draft.put(name, build, path=f"{place}.build_number, build_commit")
    draft.put("engine", "llama.cpp", path="llama-bench runs llama.cpp itself", origin="derived")
    draft.put("started_at", record.get("test_time"), path=f"{place}.test_time")
    model = re.split(r"[\\/]", str(record.get("model_filename", "")))[-1]
    model = re.sub(r"(\.gguf|-\d{5}-of-\d{5})+$", "", model)
    draft.put("model_raw", model, path=f"{place}.model_filename", shown=str(record.get("model_filename")))
    put_format(draft, stated(record), f"{place}.model_type")
    kinds = list(dict.fromkeys(str(record[key]) for key in ("type_k", "type_v") if record.get(key)))
    draft.put("kv_format", "/".join(kinds), path=f"{place}.type_k, type_v")
    _hardware(draft, record, place)
    _rate(draft, record, place)
    return draft


def _hardware(draft: Draft, record: Record, place: str) -> None:
    gpu, layers = str(record.get("gpu_info") or "").strip(), as_number(record.get("n_gpu_layers"))
    if not gpu or layers == 0:
        draft.put("hardware", record.get("cpu_info"), path=f"{place}.cpu_info")
        return
    names = [name.strip() for name in re.split(r", |/(?=[A-Z])", gpu) if name.strip()]
    distinct = list(dict.fromkeys(names))
    draft.put("hardware", " + ".join(distinct), path=f"{place}.gpu_info", shown=gpu)
    draft.derive("device_count", len(names), f"names in {place}.gpu_info")
    if len(distinct) > 1:
        draft.warn(
            "mixed_devices", f"{gpu}: the file does not say which of them did the work", "hardware", "device_count"
        )
    if layers is not None and layers < _OFFLOAD_ALL:
        draft.warn("partial_offload", f"n_gpu_layers = {layers:g}: layers beyond that many stay on the CPU", "hardware")


def _rate(draft: Draft, record: Record, place: str) -> None:
    samples = record.get("samples_ns")
    if isinstance(samples, list) and samples:
        draft.derive("completed", len(samples), f"entries of {place}.samples_ns")
    put_test(
        draft,
        as_number(record.get("n_prompt")) or 0,
        as_number(record.get("n_gen")) or 0,
        record.get("avg_ts"),
        record.get("stddev_ts"),
        place,
    )
    draft.put("depth_tokens", record.get("n_depth"), path=f"{place}.n_depth")


READER = Reader(
    key="llama_bench",
    title="llama-bench (JSON, JSONL, CSV, SQL, Markdown)",
    recognise=_recognise,
    read=_read,
    lacks=("ttft", "itl", "e2e", "concurrency", "failed"),
    asks=("hardware", "device_count"),
    sample="llama_bench.jsonl",
)
