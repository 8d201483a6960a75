"""The case table: rows of text as people keep them, read into cases with every default said."""

from analysis.case_table.rows import ReadRow, read_rows

__all__ = ["ReadRow", "read_rows"]
