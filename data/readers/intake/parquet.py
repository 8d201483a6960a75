"""Parquet files as records, one a row: tables of runs, Waferline's own among them."""

from __future__ import annotations

import io
import math

import pyarrow as pa
import pyarrow.parquet as pq

from data.errors import ReadError
from data.readers.intake.content import Content, within_size
from data.readers.intake.json_values import Located
from data.readers.tables.grid import MAX_COLUMNS, MAX_ROWS

MAGIC, PARQUET = b"PAR1", "parquet"  # first bytes; what stands in place of an encoding
MAX_UNPACKED_BYTE = 400_000_000
MAX_CELLS = 4_000_000  # each costs some 100 bytes of memory as a record's value


def parquet_content(name: str, content: bytes) -> Content:
    """The rows as records, empty cells left out. Raises ReadError for a broken file or one beyond the limits.

    Limits are held against what the file says of itself before anything is unpacked.
    """
    within_size(len(content))
    try:
        file = pq.ParquetFile(io.BytesIO(content))
        _within_limits(file.metadata)
        table = file.read()
        rows = table.to_pylist()
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        found = " ".join(str(error).split())[:200]
        raise ReadError("the Parquet file does not read", found=found, remedy="Write it again, or as CSV.") from error
    records = tuple(
        Located(value={key: one for key, one in row.items() if _known(one)}, place=f"row {number}", line=number)
        for number, row in enumerate(rows, start=1)
    )
    if not records:
        raise ReadError("the Parquet file holds no row", remedy="Check that the export is complete.")
    return Content(name=name, text="", encoding=PARQUET, size_byte=len(content), held=records)


def _within_limits(metadata: pq.FileMetaData) -> None:
    unpacked = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
    for what, found, most in (
        ("rows", metadata.num_rows, MAX_ROWS),
        ("columns", metadata.num_columns, MAX_COLUMNS),
        ("cells", metadata.num_rows * metadata.num_columns, MAX_CELLS),
        ("bytes when unpacked", unpacked, MAX_UNPACKED_BYTE),
    ):
        if found > most:
            raise ReadError(f"the Parquet file has too many {what}", found=f"{found:,}", expected=f"{most:,} at most",
                            remedy="Split it, or summarise single requests into runs first.")  # fmt: skip


def _known(value: object) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))
