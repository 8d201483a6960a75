"""A few of the sample files with answers to all that is asked of them; figures and answers alike are invented."""

from __future__ import annotations

from functools import lru_cache

import yaml

from data.errors import ReadError
from data.readers.intake.registry import SAMPLES, read_bytes
from data.readers.intake.result import ReadResult

ANSWERS = SAMPLES / "answers.yaml"


@lru_cache(maxsize=1)
def read_samples() -> tuple[ReadResult, ...]:
    """The files that answers.yaml lists, read with its answers; nothing is left to ask.

    Raises ReadError where the list is no mapping of files to answers.
    """
    listed = yaml.safe_load(ANSWERS.read_text(encoding="utf-8"))
    if not isinstance(listed, dict) or not all(isinstance(said, dict) for said in listed.values()):
        raise ReadError(
            "the answers to the samples cannot be read", where=str(ANSWERS), expected="file: {field: value}"
        )
    return tuple(
        read_bytes(name, (SAMPLES / name).read_bytes(), {field: str(value) for field, value in said.items()})
        for name, said in listed.items()
    )
