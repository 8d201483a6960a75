"""The result of a probe on its way into the store, and what it says of speed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from data.catalogue.catalogue import Catalogue
from data.errors import ReadError
from data.readers import ReadResult, read_bytes
from data.store import Store, resolve_names

SPEEDS = (("ttft_mean_ms", "TTFT", "ms"), ("itl_mean_ms", "ITL", "ms"), ("tpot_mean_ms", "TPOT", "ms"),
          ("output_tps", "output", "tok/s"))  # fmt: skip


def keep_result(path: Path, store: Store, catalogue: Catalogue, said: Mapping[str, str]) -> ReadResult:
    """Read a tool's file, with what the person says of the machine, and store its runs.

    Raises ReadError where the file is no result, as when every request failed before it was written.
    """
    result = resolve_names(read_bytes(path.name, path.read_bytes(), dict(said)), catalogue)
    if result.status != "taken":
        raise ReadError("the tool's result cannot be kept", where=path.name, found=result.reason or result.status)
    store.import_result(result)
    return result


def probed_words(result: ReadResult) -> str:
    """One run in a line: "4 in flight: TTFT 210 ms, TPOT 12 ms, output 320 tok/s"."""
    lines = []
    for run in result.runs:
        known = ((run.values.get(name), words, unit) for name, words, unit in SPEEDS)
        shown = [f"{words} {value:.4g} {unit}" for value, words, unit in known if isinstance(value, (int, float))]
        load = run.values.get("concurrency")
        head = f"{load:.0f} in flight" if isinstance(load, (int, float)) else "one run"
        lines.append(f"{head}: {', '.join(shown) or 'no speed'} ({run.outcome})")
    return "\n".join(lines)
