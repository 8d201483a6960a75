"""What is read of long files, said with its numbers."""

from __future__ import annotations

from dataclasses import replace

from analysis.sentences import list_words
from analysis.study import Study
from data.store import Sample

FILES_NAMED = 3
AT_RANDOM = "picked at random"
OVER_LOADS = "every load before repeats of one"


def part_words(read: Sample, how: str = AT_RANDOM) -> str:
    """ "Read: 2,000 of the 50,000 runs of sweep.csv, picked at random."; empty where every run is read."""
    named = [f"{one.taken:,} of the {one.run_count:,} runs of {one.file}" for one in read.parts[:FILES_NAMED]]
    more = len(read.parts) - len(named)
    rest = [f"parts of {more:,} more {'file' if more == 1 else 'files'}"] if more else []
    return f"Read: {list_words([*named, *rest])}, {how}." if named else ""


def with_part(study: Study, read: Sample, how: str = AT_RANDOM) -> Study:
    """The study, saying under its answer what was read of long files."""
    return replace(study, conditions=f"{study.conditions} {part_words(read, how)}".rstrip())
