"""Which runs are one and the same, and which repeat one configuration."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from data.readers.intake.draft import Draft, Value
from data.records import Run

_CONFIGURATION = (
    "engine",
    "engine_version",
    "model_raw",
    "hardware",
    "device_count",
    "node_count",
    "tp",
    "pp",
    "ep",
    "dp",
    "weight_format",
    "kv_format",
    "spec_decoding",
    "prefix_cache",
    "load_mode",
    "concurrency",
    "request_rate",
    "burstiness",
    "batch_size",
    "dataset",
    "isl_nominal",
    "osl_nominal",
    "num_requests",
    "depth_tokens",
)
_MEASURED = ("_ms", "_tps", "_rps")  # ends of the names of results
WARM_GAIN = 0.10  # a repeat faster than its predecessor by more may owe it to a warm prefix cache


def identity(draft: Draft) -> str:
    """Short hash of what the file states of the run; what was said or assumed counts only if no time is stated.

    A run whose figures are still open to questions is told from its neighbours by its native record.
    """
    wanted = ("stated", "converted") if "started_at" in draft.values else ("stated", "converted", "person", "assumed")
    kept = {name: _rounded(value) for name, value in draft.values.items() if draft.fields[name].origin in wanted}
    if not any(isinstance(value, float) for value in kept.values()):  # all figures follow from single requests
        derived = [name for name in draft.values if draft.fields[name].origin == "derived"]
        kept |= {name: _rounded(draft.values[name]) for name in derived}
    kept["outcome"] = draft.outcome
    if draft.outcome not in ("failed", "oom") and not any(name.endswith(_MEASURED) for name in draft.values):
        kept["native"] = str(sorted((str(key), str(value)) for key, value in draft.native.items()))
    return _digest(kept)


def configuration(values: Mapping[str, Value]) -> str:
    """Short hash of everything but results and time: equal for repeats of one set-up under one load."""
    return _digest({name: _rounded(values[name]) for name in _CONFIGURATION if name in values})


def warm_repeats(runs: Iterable[Run]) -> list[tuple[Run, str]]:
    """Runs that repeat an earlier one's set-up and prompts and are much faster: (run, warning)."""
    earlier: dict[str, Run] = {}
    found: list[tuple[Run, str]] = []
    told = (run for run in runs if "total_input_tokens" in run.values)
    for run in sorted(told, key=lambda one: str(one.values.get("started_at", ""))):
        key = configuration(run.values) + str(run.values.get("total_input_tokens"))
        first, now = earlier.setdefault(key, run), run.values.get("output_tps")
        then = first.values.get("output_tps")
        known = isinstance(now, int | float) and isinstance(then, int | float)
        if first is not run and known and float(now) > (1 + WARM_GAIN) * float(then):  # type: ignore[arg-type]
            found.append(
                (
                    run,
                    f"{now:.5g} tokens/s where the first run of the same load gave {then:.5g}: a repeat of an "
                    "identical workload may find a warm prefix cache; hit rate unknown, so do not average"
                    " them",
                )
            )
    return found


def _rounded(value: Value) -> Value:
    return float(f"{value:.9g}") if isinstance(value, int | float) and not isinstance(value, bool) else value


def _digest(kept: Mapping[str, Value]) -> str:
    text = json.dumps(kept, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
