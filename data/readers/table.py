"""Any table with a header row: columns mapped by their names, what stays open asked with a proposal."""

from __future__ import annotations

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.fields import FIELDS
from data.readers.intake.result import Answers, Question, Reader, Reading, Skipped
from data.readers.tables.grid import Row, find_delimiter, read_grid
from data.readers.tables.headers import Column, Role, role_of
from data.readers.tables.layout import Table, lay_out
from data.readers.tables.meaning import apply_answers, mark_rivals, settle
from data.readers.tables.numbers import Cell, Marks, decide_marks, parse_cell
from data.readers.tables.objects import is_list_of_rows, rows_of_objects
from data.readers.tables.pivot import ROW_LABEL, transposed
from data.readers.tables.rows import draft_of
from data.readers.tables.times import settle_units
from data.readers.tables.units import factor_into, time_unit


def _recognise(content: Content) -> bool:
    return is_list_of_rows(content) if content.values else find_delimiter(content) is not None


def _read(content: Content, answers: Answers) -> Reading:
    table, columns, questions = understand(content, answers)
    drafts, skipped = [], list(table.skipped) + unused(columns, table.header_line)
    for position, row in enumerate(table.rows):
        draft, why = draft_of(row, position, columns)
        if why:
            skipped.append(Skipped(line=row.line, why=why))
        else:
            drafts.append(draft)
    if not drafts:
        raise ReadError("no row of the table holds a measurement", remedy="Check the columns of figures.")
    return Reading(drafts=drafts, questions=questions, skipped=sorted(skipped, key=lambda one: one.line), notices=[])


def understand(content: Content, answers: Answers) -> tuple[Table, list[Column], list[Question]]:
    """The table, what each of its columns holds, and what stays open. Raises ReadError if it is no table of results."""
    written = bool(content.values)  # JSON: numbers are written with a point
    table = _understood(rows_of_objects(content) if written else read_grid(content))
    answers = {"decimal_mark": ".", **answers} if written else answers
    columns = _columns(table, answers)
    questions = _parse(table, columns, answers)
    lines = [row.line for row in table.rows]
    questions += settle(columns, _known(columns, guess=True))
    questions += settle_units(columns, table.remarks, lines, _known(columns, proposals=True), answers)
    return table, columns, questions + _batch_question(columns, answers)


def _understood(grid: list[Row]) -> Table:
    """The table as it stands, or turned if only its first column names measurements."""
    turned = transposed(grid)
    try:
        table = lay_out(grid)
    except ReadError:
        if turned is None:
            raise
        return lay_out(turned)
    first = next((row.line for row in grid if row.filled), 1)
    measures = any(role_of(name).measures for name in table.names)
    return table if turned is None or (measures and table.header_line == first) else lay_out(turned)


def _columns(table: Table, answers: Answers) -> list[Column]:
    """Columns with the roles their headers and the person give. Raises ReadError if none is a measurement."""
    named = zip(table.names, table.labels, strict=True)
    columns = [Column(index=n, name=name, label=label, role=role_of(name)) for n, (name, label) in enumerate(named)]
    _prefer_stored_weights(columns)
    apply_answers(columns, answers)
    mark_rivals(columns)
    if not any(column.role.measures for column in columns):
        raise ReadError(
            f"No column looks like a measurement (found: {', '.join(table.names[:12])}). We need at least a model or "
            "label and one of: throughput, TTFT, TPOT/ITL, end-to-end latency",
            remedy=f"If a column is one of these, say so: answer `column:{table.labels[-1]}` with its field, "
            "e.g. output_tps.",
        )
    return columns


def _prefer_stored_weights(columns: list[Column]) -> None:
    """Of several columns about number formats, the one that names the weights is the weight format."""
    formats = [column for column in columns if column.role.target == "weight_format"]
    named = [column for column in formats if "weight" in column.name.lower()]
    for column in formats:
        if named and column is not named[0]:
            column.role = Role()


def _parse(table: Table, columns: list[Column], answers: Answers) -> list[Question]:
    """Read every cell under the file's decimal mark; a question if no cell proves the mark."""
    numeric = [column for column in columns if not _textual(column)]
    marks = decide_marks(row.cells[column.index] for row in table.rows for column in numeric)
    said = answers.get("decimal_mark", "")
    decimal = said if said in (".", ",") else marks.decimal
    for column in columns:
        column.cells = [parse_cell(row.cells[column.index], decimal) for row in table.rows]
        if column.is_time:
            column.cells = [_timed(cell) for cell in column.cells]
    return [] if said in (".", ",") or not marks.open else [_marks_question(marks)]


def _timed(cell: Cell) -> Cell:
    """The cell, as text if what stands behind its number is no unit of time ("1m30s")."""
    strange = cell.kind == "number" and cell.unit != "" and time_unit(cell.unit) is None
    return Cell(kind="text", raw=cell.raw) if strange else cell


def _marks_question(marks: Marks) -> Question:
    read = ", ".join(f"{text} as {parse_cell(text, marks.decimal).value:g}" for text in marks.open[:3])
    return Question(
        field="decimal_mark",
        text=f"Which sign separates decimals: point or comma? Cells like {', '.join(marks.open[:3])} read either way.",
        proposal=marks.decimal,
        because=f"no cell proves it; with {marks.decimal!r} one reads {read}",
        blocking=True,
        choices=(".", ","),
    )


def _textual(column: Column) -> bool:
    target = column.role.target
    return (
        column.name == ROW_LABEL
        or not (column.role.candidates or target)
        or (target in FIELDS and FIELDS[target].kind == "text")
    )


def _known(columns: list[Column], *, guess: bool = False, proposals: bool = False) -> dict[str, list[float | None]]:
    """Columns in canonical units, for inferences about the others.

    guess       read times without a unit as ms
    proposals   use the proposed meaning of open columns
    """
    found: dict[str, list[float | None]] = {}
    for column in columns:
        name = (
            column.role.target
            or (column.proposed if proposals else "")
            or ("any_latency" if any("_ms" in one for one in column.role.candidates) else "")
        )
        name = {
            "isl_nominal": "isl",
            "isl_mean": "isl",
            "osl_nominal": "osl",
            "osl_mean": "osl",
            "BOTH_LENGTHS": "osl",
        }.get(name, name)
        if not name or name in found or _textual(column):
            continue
        found[name] = [_canonical(column, row, guess) for row in range(len(column.cells))]
        if name.startswith("e2e"):
            found.setdefault("any_latency", found[name])
    return found


def _canonical(column: Column, row: int, guess: bool) -> float | None:
    cell = column.cells[row]
    if cell.value is None or not column.is_time:
        return None if cell.value is None else cell.value * column.role.factor
    unit = time_unit(cell.unit) or column.unit or column.role.unit or ("ms" if guess else "")
    factor = factor_into(unit, column.role.target or "any_ms") if unit else None
    return None if factor is None else cell.value * factor


def _batch_question(columns: list[Column], answers: Answers) -> list[Question]:
    targets = {column.role.target for column in columns}
    if "batch_size" not in targets or "concurrency" in targets or "concurrency" in answers:
        return []
    return [
        Question(
            field="concurrency",
            text="The table gives a batch size, not a client's concurrency. Were as many "
            "requests in flight as the batch holds?",
            proposal="batch_size",
            choices=("batch_size",),
            because="true for a static batch, not for a server that batches by itself",
        )
    ]


def unused(columns: list[Column], line: int) -> list[Skipped]:
    """Columns that fill no field; their cells stay in the native record."""
    return [
        Skipped(line=line, why=f"column {column.label!r} fills no field; kept with the native record")
        for column in columns
        if not column.role.target and not column.role.candidates and column.name and column.name != ROW_LABEL
    ]


READER = Reader(
    key="table",
    title="Any table with a header row (CSV), or list of flat objects (JSON)",
    recognise=_recognise,
    read=_read,
    lacks=("whatever no column holds",),
    asks=("model_raw", "hardware", "device_count", "engine", "weight_format", "isl_mean", "osl_mean"),
    sample="table.csv",
    fallback=True,
)
