"""`python -m tests.benchmarks.ingest`: a million-row tidy CSV read and stored, against raw DuckDB on the same file.

Both in turn, in one process: Waferline reads the bytes, understands header and units, converts, checks and stores the
runs in a fresh store; DuckDB loads the same file as text (all VARCHAR) into a table, once of a fresh database file,
once in memory. The ratios of the medians are the figures; seconds hold for this machine alone.
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from data.catalogue.catalogue import load_catalogue
from data.readers import read_bytes
from data.store import open_store, resolve_names

ROWS = 1_000_000
ROUNDS = 5
GOAL = 4.0


def write_table(path: Path, rows: int = ROWS) -> None:
    """An invented table: names, loads, lengths and three figures with their units in the header."""
    rng = np.random.default_rng(0)
    columns = {
        "model": rng.choice(["Llama-3.3-70B", "Qwen3-32B", "GLM-4.6"], rows),
        "hardware": rng.choice(["H100", "H200", "B200"], rows),
        "GPUs": rng.choice([1, 2, 4, 8], rows),
        "concurrency": rng.integers(1, 512, rows),
        "input tokens": rng.integers(100, 32_000, rows),
        "output tokens": rng.integers(16, 4_096, rows),
        "TTFT (ms)": np.round(rng.uniform(20, 900, rows), 2),
        "TPOT (ms)": np.round(rng.uniform(4, 60, rows), 3),
        "output throughput (tok/s)": np.round(rng.uniform(10, 9_000, rows), 1),
    }
    pd.DataFrame(columns).to_csv(path, index=False)


def ours(source: Path, database: Path) -> None:
    """Read and store the file."""
    result = resolve_names(read_bytes(source.name, source.read_bytes()), load_catalogue())
    with open_store(database) as store:
        added = store.import_result(result).added
    if added != ROWS:
        raise RuntimeError(f"{added} of {ROWS} rows stored")


def raw(source: Path, database: Path | str) -> None:
    """The same file as text into a table."""
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM read_csv(?, all_varchar = true)", [str(source)])


def seconds(work: Callable[[], None]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> int:
    """Print medians and ratios; 0 if the goal is met against a database file."""
    taken: dict[str, list[float]] = {"waferline": [], "raw, file": [], "raw, memory": []}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "million.csv"
        write_table(source)
        read_bytes("warm.csv", source.read_bytes()[:100_000])
        for turn in range(ROUNDS):
            place = Path(folder) / f"{turn}.duckdb"
            taken["raw, file"].append(seconds(lambda at=place: raw(source, f"{at}.raw")))  # type: ignore[misc]
            taken["raw, memory"].append(seconds(lambda: raw(source, ":memory:")))
            taken["waferline"].append(seconds(lambda at=place: ours(source, at)))  # type: ignore[misc]
    middle = {name: statistics.median(times) for name, times in taken.items()}
    for name, value in middle.items():
        spread = f"{min(taken[name]):.2f} to {max(taken[name]):.2f}"
        print(f"{name:>12}: {value:.2f} s ({spread}), ratio {middle['waferline'] / value:.2f}")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"goal: {GOAL} x raw DuckDB into a file; most memory {most:.2f} GB")
    return 0 if middle["waferline"] <= GOAL * middle["raw, file"] else 1


if __name__ == "__main__":
    sys.exit(main())
