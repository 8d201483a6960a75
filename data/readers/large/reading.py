"""A long tidy table into columns of runs: header and questions from its first rows, figures all at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from data.errors import ReadError
from data.readers.intake.answers import AS_READ
from data.readers.intake.content import MAX_FILE_BYTE, Content
from data.readers.intake.fields import FIELDS
from data.readers.intake.result import Answers, Notice, Reader, ReadResult, Skipped
from data.readers.large.columns import Columns, take
from data.readers.large.derive import OUTCOMES, complete, lengths
from data.readers.large.doubts import doubtful
from data.readers.large.file import LongFile, parse, sums
from data.readers.large.identity import identities
from data.readers.large.lines import lines_of
from data.readers.large.runs import ColumnOrigin, LargeRuns
from data.readers.tables.grid import MAX_ROWS, find_delimiter
from data.readers.tables.headers import Column
from data.readers.tables.numbers import decide_marks

LONG_ROWS = 20_000  # from here on by columns; below, every cell is looked at alone
PREVIEW_ROWS, WORDED_ROWS = 200, 20
_BOM = b"\xef\xbb\xbf"


def read_long(
    name: str, content: bytes, said: Answers, recognise: Callable[[Content], Reader], rows: int = LONG_ROWS
) -> ReadResult | None:
    """The result of a tidy table of more than `rows` lines; None if the file is shorter or anything else."""
    if content.count(b"\n") <= rows or len(content) > MAX_FILE_BYTE:
        return None
    lines = lines_of(content.removeprefix(_BOM))
    head = lines.small(name, range(1, min(PREVIEW_ROWS, len(lines.starts))))
    try:
        reader = recognise(head)
        columns = _tidy_columns(head, said) if reader.fallback else None
    except ReadError:
        return None
    delimiter = find_delimiter(head)
    if columns is None or delimiter is None or delimiter == "|":
        return None
    marks = decide_marks(cell.raw for column in columns for cell in column.cells if _is_number(column))
    if said.get("decimal_mark", marks.decimal) != "." or marks.open:
        return None
    held = {**said, "decimal_mark": "."} if marks.proof else said
    result = _read(LongFile(name=name, lines=lines, reader=reader, said=held, delimiter=delimiter, columns=columns))
    return None if result is None else _with_file(result, content, said)


def _tidy_columns(head: Content, said: Answers) -> list[Column] | None:
    """The columns if line 1 names them, once each, and each is a plain field with a known unit or no field at all."""
    from data.readers.table import understand  # here: the table reader is one of the formats, found by the registry

    table, columns, _ = understand(head, said)
    plain = table.header_line == 1 and all(table.names) and len(set(table.names)) == len(table.names)
    known = all(one.role.target in (*FIELDS, "DEVICE", "") and not one.role.candidates for one in columns)
    pointed = not any(cell.unit for one in columns if _is_number(one) for cell in one.cells)
    return columns if plain and known and pointed and not table.rows[0].places else None


def _is_number(column: Column) -> bool:
    return column.role.target in FIELDS and FIELDS[column.role.target].kind != "text"


def _read(long: LongFile) -> ReadResult | None:
    preview = long.small(range(1, min(PREVIEW_ROWS, len(long.lines.starts))))
    if preview.status != "taken":
        return preview
    parsed = parse(long)
    if parsed is None:
        return None
    texts, left_out, index = parsed
    columns = _columns_of(long, texts)
    outcome = complete(columns)
    if columns.odd.sum() > (MAX_ROWS if long.said.get("decimal_mark") == "." else 0):
        return None
    measured = _measured(columns) | (outcome == OUTCOMES.index("failed"))
    single = _odd_rows(long, index[columns.odd])
    kept = measured & ~columns.odd
    left_out += _unmeasured(long, index[~measured & ~columns.odd])
    table = _table(columns, outcome, long.lines.numbers[index], kept)
    doubts = _in_words(long, index[doubtful(columns) & kept])
    return replace(
        preview,
        status=single.status if single.questions else "taken",
        warnings=(_listed(table.num_rows + len(single.runs)), *columns.notices, *doubts, *single.warnings),
        questions=(*preview.questions, *single.questions),
        skipped=_in_order(*left_out, *single.skipped, *_columns_left(preview)),
        large=_runs(long, columns, table, single),
    )


def _in_order(*skipped: Skipped) -> tuple[Skipped, ...]:
    return tuple(sorted(skipped, key=lambda one: one.line))


def _columns_of(long: LongFile, texts: pa.Table) -> Columns:
    columns = Columns(row_count=texts.num_rows, odd=np.zeros(texts.num_rows, dtype=bool))
    for column in long.columns:
        take(columns, column, texts.column(column.index))
    columns.odd |= sums(long, texts)
    say(columns, long.said)
    return columns


def _runs(long: LongFile, columns: Columns, table: pa.Table, single: ReadResult) -> LargeRuns:
    return LargeRuns(
        table=table,
        labels=tuple(column.label for column in long.columns),
        delimiter=long.delimiter,
        origins=tuple(columns.origins.values()),
        lines=long.lines.blocks(),
        single_runs=single.runs,
    )


def _with_file(result: ReadResult, content: bytes, said: Answers) -> ReadResult:
    sha256 = hashlib.sha256(content).hexdigest()
    return replace(result, sha256=sha256, size_byte=len(content), answers=dict(said))


def say(columns: Columns, said: Answers) -> None:
    """Answers about canonical fields fill the rows that lack them; where no row does, they hold over what is stated."""
    lengths(columns)
    for name, value in said.items():
        if name not in FIELDS or value in ("", AS_READ):
            continue
        before = columns.origins.get(name)
        if before and before.column is not None and _fill(columns, name, value):
            columns.origins[name] = replace(before, raw=value)
            continue
        path = "said by the person" + (f"; the file says otherwise in {before.path}" if before else "")
        columns.texts.pop(name, None)
        if name == "concurrency" and value == "batch_size":
            columns.put(name, columns.number("batch_size"), "the person says: as large as the batch", "person")
        elif FIELDS[name].kind == "text":
            zeros = pa.array(np.zeros(columns.row_count, dtype=np.int8))
            columns.texts[name] = pa.DictionaryArray.from_arrays(zeros, pa.array([value]))
            columns.origins[name] = ColumnOrigin(
                field=name, column=None, unit="", origin="person", path=path, raw=value
            )
        else:
            columns.put(name, np.full(columns.row_count, float(value)), path, "person")
            columns.origins[name] = replace(columns.origins[name], raw=value)


def _fill(columns: Columns, name: str, value: str) -> bool:
    """Put the answer into the rows whose cell is empty; False if none is, or if all are."""
    if name in columns.numbers:
        known = columns.numbers[name]
        empty = np.isnan(known)
        given = columns.number("batch_size") if value == "batch_size" else float(value)
        filled: np.ndarray | pa.Array = np.where(empty, given, known)
    else:
        words = columns.texts[name].cast(pa.string())
        empty = words.is_null().to_numpy(zero_copy_only=False)
        filled = pc.dictionary_encode(pc.fill_null(words, value))
    if not empty.any() or empty.all():
        return False
    kept = columns.numbers if name in columns.numbers else columns.texts
    columns.stated[name] = kept[name]
    kept[name] = filled
    return True


def _measured(columns: Columns) -> np.ndarray:
    found = np.zeros(columns.row_count, dtype=bool)
    for name, values in columns.numbers.items():
        if name.endswith(("_ms", "_tps", "_rps")):
            found |= ~np.isnan(values)
    return found


def _table(columns: Columns, outcome: np.ndarray, line: np.ndarray, kept: np.ndarray) -> pa.Table:
    """Identity, line, outcome and canonical fields of the rows kept, as they are stored."""
    found: dict[str, pa.Array] = {
        "run_id": pa.array(identities(columns, outcome)),
        "line": pa.array(line, pa.int32()),
        "outcome": pa.DictionaryArray.from_arrays(pa.array(outcome, pa.int8()), pa.array(OUTCOMES)),
    } | fields_of(columns)
    return pa.table(found) if kept.all() else pa.table(found).filter(pa.array(kept))


def fields_of(columns: Columns) -> dict[str, pa.Array]:
    """Canonical fields as they are stored: counts whole, null where nothing is known."""
    found: dict[str, pa.Array] = {}
    for name in FIELDS:
        if name in columns.texts:
            found[name] = columns.texts[name]
        elif name in columns.numbers:
            values, whole = columns.numbers[name], FIELDS[name].kind == "count"
            rounded = pa.array(np.round(values) if whole else values, from_pandas=True)
            found[name] = rounded.cast(pa.int64()) if whole else rounded
    return found


def _odd_rows(long: LongFile, indices: np.ndarray) -> ReadResult:
    """Rows with cells that are no plain number, read cell by cell."""
    nothing = ReadResult(file=PurePath(long.name).name, format="table", tool_version="", status="taken", reason="")
    if not len(indices):
        return nothing
    try:
        found = long.small(indices.tolist())
    except ReadError as error:
        why = f"{len(indices):,} rows with cells that are no number, from here on: {error.sentence()}"
        return replace(nothing, skipped=(Skipped(line=int(long.lines.numbers[indices[0]]), why=why),))
    header = int(long.lines.numbers[0])
    blocking = tuple(one for one in found.questions if one.blocking)
    skipped = tuple(one for one in found.skipped if one.line != header)
    return replace(found, questions=blocking, skipped=skipped)


def _unmeasured(long: LongFile, indices: np.ndarray) -> list[Skipped]:
    if not len(indices):
        return []
    line = int(long.lines.numbers[indices[0]])
    return [Skipped(line=line, why=f"no measurement in {len(indices):,} rows, this one the first")]


def _in_words(long: LongFile, indices: np.ndarray) -> tuple[Notice, ...]:
    """What the checks say of the first doubtful rows, and how many more there are."""
    if not len(indices):
        return ()
    found = long.small(indices[:WORDED_ROWS].tolist())
    rest = f"figures of {len(indices):,} rows disagree with each other; the first {WORDED_ROWS} are told one by one"
    more = (Notice(kind="inconsistent", text=rest),) if len(indices) > WORDED_ROWS else ()
    kinds = {"inconsistent", "contradiction", "cannot_be_checked", "chunked_itl", "lengths", "unusable_peak"}
    return (*(one for one in found.warnings if one.kind in kinds), *more)


def _listed(count: int) -> Notice:
    text = f"{count:,} rows read by columns; the first {PREVIEW_ROWS - 1} are shown"
    return Notice(kind="long_table", text=text)


def _columns_left(preview: ReadResult) -> tuple[Skipped, ...]:
    return tuple(one for one in preview.skipped if one.why.startswith("column "))
