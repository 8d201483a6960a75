"""The only door to DuckDB: uploaded runs with the provenance of every figure, and the catalogue as tables."""

from data.store.borrowed import path_to_read
from data.store.completion import open_questions
from data.store.connection import store_path
from data.store.exports import ExportKind, export
from data.store.later_questions import asked
from data.store.llmd_export import left_out
from data.store.memory import remember, remembered, with_memory
from data.store.queries import Filter
from data.store.resolve import resolve_names
from data.store.sampling import PartOfFile, Sample, sample, sample_of
from data.store.store import Store, open_store
from data.store.undo import Snapshot
from data.store.uploads import ImportReceipt, Upload

__all__ = [
    "ExportKind",
    "Filter",
    "ImportReceipt",
    "PartOfFile",
    "Sample",
    "Snapshot",
    "Store",
    "Upload",
    "asked",
    "export",
    "left_out",
    "open_questions",
    "open_store",
    "path_to_read",
    "remember",
    "remembered",
    "resolve_names",
    "sample",
    "sample_of",
    "store_path",
    "with_memory",
]
