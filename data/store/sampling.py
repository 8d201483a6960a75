"""Runs to be compared and fitted to: all of them, or of long files a part picked at random, with the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from data.readers.intake.result import ReadResult
from data.records import Run
from data.store import long_tables
from data.store.queries import Filter, counts
from data.store.store import Store, open_store

MOST_RUNS = 2_000  # of all files together; each is asked of the model anew when a control is moved
LEAST_OF_FILE = 1_000  # a file with no more than this is always read whole


@dataclass(frozen=True, kw_only=True)
class PartOfFile:
    """A file of which only some runs were taken."""

    file: str
    taken: int
    run_count: int


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Runs of all files, and the files of which there are more."""

    runs: tuple[Run, ...]
    parts: tuple[PartOfFile, ...]


def sample(store: Store, *, over_loads: bool = False, most: int = MOST_RUNS, least: int = LEAST_OF_FILE) -> Sample:
    """The store's runs, newest file first: those of short files all, of long ones as many as `most` leaves room for.

    over_loads   pick every load of a sweep before repeats of one, instead of runs as often as they occur
    """
    single, long = counts(store.cursor()), long_tables.uploads(store.cursor())
    share = share_of_file([*single.values(), *long.values()], most, least)
    taken = Counter({key: min(share, count) for key, count in single.items()})
    taken.update({key: min(share, count) for key, count in long.items()})
    whole = Counter(single) + Counter(long)
    names = {one.upload_id: one.file for one in store.uploads()}
    chosen = Filter(most_of_file=share, over_loads=over_loads) if taken != whole else Filter()
    parts = [PartOfFile(file=names[key], taken=taken[key], run_count=whole[key])
             for key in names if taken[key] < whole[key]]  # fmt: skip
    runs = store.runs(chosen) if parts else [run for some in store.each(chosen) for run in some]
    return Sample(runs=tuple(runs), parts=tuple(parts))


def sample_of(result: ReadResult) -> Sample:
    """The runs of a file that is not kept: all of them, or of a long table as many as a kept one would give."""
    if result.large is None:
        return Sample(runs=tuple(result.runs), parts=())
    with TemporaryDirectory(prefix="waferline-") as folder, open_store(folder) as store:
        store.import_result(result)
        return sample(store)


def share_of_file(run_counts: Iterable[int], most: int, least: int) -> int:
    """Runs that any one file may give so that all together give `most`, but never fewer than `least`."""
    room, left = most, sorted(run_counts)
    while left and left[0] * len(left) <= room:
        room -= left.pop(0)
    return max(least, room // len(left)) if left else max(least, most)
