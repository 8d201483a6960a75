"""The store's file to read from while another program, most often the dashboard, holds it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from data.errors import StoreError
from data.store.connection import HELD, connect, store_path

LOG_ENDING = ".wal"  # what was written last and does not stand in the file yet


@contextmanager
def path_to_read(path: str | Path | None = None) -> Iterator[Path]:
    """The store's own file; where another process holds it, a copy of it as it stands, removed afterwards.

    Not for the process that holds the file itself. Raises StoreError if neither can be opened: a copy taken in the
    middle of a change does not pass the file's own checks.
    """
    own = store_path(path)
    try:
        connect(own).close()
    except StoreError as problem:
        if problem.what != HELD:
            raise
        with TemporaryDirectory(prefix="waferline-") as folder:
            yield _copied(own, Path(folder), problem)
    else:
        yield own


def _copied(own: Path, folder: Path, problem: StoreError) -> Path:
    copy = folder / own.name
    try:
        shutil.copyfile(own, copy)
        written_last = own.with_name(own.name + LOG_ENDING)
        if written_last.exists():
            shutil.copyfile(written_last, copy.with_name(copy.name + LOG_ENDING))
        connect(copy).close()
    except (OSError, StoreError):
        raise problem from None
    return copy
