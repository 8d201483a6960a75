"""Benchmark files in, canonical runs out; one module per format, found by being in this folder."""

from data.readers.intake.answers import load_profile, profile_text
from data.readers.intake.fields import in_words, label_of
from data.readers.intake.registry import read_bytes, readers, sample_path, tool_of
from data.readers.intake.report import report
from data.readers.intake.result import Notice, Question, Reader, ReadResult, Skipped
from data.readers.intake.samples import read_samples
from data.readers.metrics_text.joined import joined

__all__ = [
    "Notice",
    "Question",
    "ReadResult",
    "Reader",
    "Skipped",
    "in_words",
    "joined",
    "label_of",
    "load_profile",
    "profile_text",
    "read_bytes",
    "read_samples",
    "readers",
    "report",
    "sample_path",
    "tool_of",
]
