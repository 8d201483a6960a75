"""Which of the person's runs is fastest at like lengths and depth, and in what do two of them differ?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from analysis.metrics import metric
from analysis.study import Study
from data.readers.intake.identity import configuration
from data.records import Run
from data.sources import Source

QUESTION = "Which of your own runs is fastest, and why?"
TOLERANCE = 0.10  # lengths and depths within this share of a group's least are like; comparisons never cross groups
MS_PER_S = 1e3
SURVIVORS = "survivors only"
RESULTS = ("ttft_mean_ms", "ttft_p99_ms", "tpot_mean_ms", "tpot_p99_ms", "e2e_mean_ms", "output_tps", "total_tps",
           "request_rps", "goodput_rps", "failed", "completed", "incomplete", "energy_j", "power_w", "duration_s",
           "concurrency_mean", "concurrency_peak", "output_tps_peak", "output_tps_std", "prefill_tps_std",
           "total_input_tokens", "total_output_tokens", "spec_accept_len", "prefix_hit_rate")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Conditions on runs; empty means any. `partial` lets runs with failures into the ranking."""

    model: str = ""
    machine: str = ""
    engine: str = ""
    outcome: str = ""
    source: str = ""
    partial: bool = False

    def holds(self, run: Run) -> bool:
        """True if the run meets every condition."""
        pairs = ((self.model, model_of(run)), (self.machine, machine_of(run)), (self.engine, engine_of(run)),
                 (self.outcome, run.outcome), (self.source, run.source_file))  # fmt: skip
        return all(asked in ("", said) for asked, said in pairs)


def model_of(run: Run) -> str:
    """Catalogue key of the model, else its name in the file."""
    return str(run.values.get("model_id") or run.values.get("model_raw") or "not said")


def machine_of(run: Run) -> str:
    """Count and device: "8 × h200-sxm"."""
    device, count = run.values.get("hardware_key") or run.values.get("hardware"), run.values.get("device_count")
    if not device:
        return "not said"
    return f"{count:g} × {device}" if isinstance(count, int | float) else str(device)


def engine_of(run: Run) -> str:
    """Serving program with its version."""
    said = [str(run.values[name]) for name in ("engine", "engine_version") if run.values.get(name)]
    return " ".join(said) or "not said"


def best(runs: Iterable[Run], wanted: Wanted) -> Study | None:
    """Runs with a mean TPOT, ranked by tokens/s of one user among like lengths and depths; None without any.

    Table: one row a configuration; repeats are one row with the range of their speeds, their means never averaged
    percentiles. Speed is 1000 / TPOT, never taken from ITL, whose chunks may hold several tokens.
    """
    chosen = [run for run in runs if wanted.holds(run) and _number(run, "tpot_mean_ms")]
    ranked = [run for run in chosen if run.outcome == "ok" or (wanted.partial and run.outcome == "partial")]
    if not ranked:
        return None
    groups = length_groups(ranked)
    repeats: dict[tuple[str, str, str], list[Run]] = {}
    for run in ranked:
        repeats.setdefault((groups[run.run_id], configuration(run.values), run.outcome), []).append(run)
    table = pd.DataFrame([_row(label, same) for (label, _, _), same in repeats.items()])
    table = table.sort_values("speed", ascending=False)
    table = table.sort_values("lengths", kind="stable", key=lambda column: column.map(_order(table)))
    return Study(
        question=QUESTION, answer=_answer(table), conditions=_conditions(len(chosen) - len(ranked)),
        table=table.reset_index(drop=True), steps=(), sources=_sources(ranked),
    )  # fmt: skip


def length_groups(runs: Sequence[Run]) -> dict[str, str]:
    """Group of every run by the actual lengths of its prompts and answers and the context that stood before them.

    "1,024 in, 128 out"; "128 out at depth 16,384" where the cache was filled before the timed part.
    """
    firsts: list[tuple[float, float, float]] = []
    words: dict[tuple[float, float, float], str] = {}
    found: dict[str, str] = {}
    for run in sorted(runs, key=_extents):
        near = next((one for one in firsts if _like(one, _extents(run))), None)
        if near is None:
            near = _extents(run)
            firsts.append(near)
            words[near] = _length_words(near, states_depth="depth_tokens" in run.values)
        found[run.run_id] = words[near]
    return found


def _length_words(extents: tuple[float, float, float], *, states_depth: bool) -> str:
    """Lengths and depth as a group is called; where a run without a prompt states its depth, that stands for it."""
    given, taken, depth = extents
    decoding = not given and states_depth
    sides = [(taken, "out")] if decoding else [(given, "in"), (taken, "out")]
    words = ", ".join(f"{n:,.0f} {side}" if n else f"? {side}" for n, side in sides)
    return f"{words} at depth {depth:,.0f}" if decoding or depth else words


def lengths_of(run: Run) -> tuple[float, float]:
    """Mean input and output tokens as measured, else as asked for; 0 where neither is known."""
    return _number(run, "isl_mean", "isl_nominal") or 0.0, _number(run, "osl_mean", "osl_nominal") or 0.0


def depth_of(run: Run) -> float:
    """Tokens of context already in the cache before the timed part; 0 where the run states none."""
    return _number(run, "depth_tokens") or 0.0


def _extents(run: Run) -> tuple[float, float, float]:
    return (*lengths_of(run), depth_of(run))


def _like(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a == b or (a > 0 and abs(a - b) <= TOLERANCE * a) for a, b in zip(one, other, strict=True))


def _number(run: Run, *names: str) -> float | None:
    for name in names:
        value = run.values.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return float(value)
    return None


def speeds_of(runs: Iterable[Run]) -> list[float]:
    """Tokens/s of one user of every run, slowest first."""
    return sorted(MS_PER_S / token for run in runs if (token := _number(run, "tpot_mean_ms")))


def _row(label: str, same: Sequence[Run]) -> dict[str, object]:
    run, speeds = same[0], speeds_of(same)
    lengths = lengths_of(run)
    return {
        "lengths": label, "model": model_of(run), "machine": machine_of(run), "engine": engine_of(run),
        "users": _number(run, "concurrency", "concurrency_mean", "batch_size") or math.nan,
        "input_tokens": lengths[0], "output_tokens": lengths[1], "depth_tokens": depth_of(run),
        "speed": speeds[len(speeds) // 2], "range": _range(speeds),
        "badge": SURVIVORS if run.outcome == "partial" else "", "file": run.source_file, "run_id": run.run_id,
    }  # fmt: skip


def _range(speeds: Sequence[float]) -> str:
    shown = metric("tokens_per_s_per_user").format
    return f"{shown(speeds[0])} to {shown(speeds[-1])} in {len(speeds)} repeats" if len(speeds) > 1 else ""


def _order(table: pd.DataFrame) -> dict[str, int]:
    """Place of every group: the answer's first, then by lengths and depth."""
    ordered = table.sort_values(["input_tokens", "output_tokens", "depth_tokens"])["lengths"]
    return {label: n for n, label in enumerate(dict.fromkeys([_fullest(table), *ordered]))}


def _fullest(table: pd.DataFrame) -> str:
    """The group with most set-ups, in which a rank says most; of several the one with the shortest lengths."""
    ordered = table.sort_values(["input_tokens", "output_tokens", "depth_tokens"])["lengths"]
    return str(Counter(ordered).most_common(1)[0][0])


def _answer(table: pd.DataFrame) -> str:
    """The fastest of the group that stands first."""
    first = table.iloc[0]
    speed = metric("tokens_per_s_per_user").format(first["speed"])
    machine = "an unnamed machine" if first["machine"] == "not said" else first["machine"]
    most = f"{first['model']} on {machine} is fastest at {first['lengths']}: {speed} per user."
    if table["lengths"].nunique() == 1:
        return most
    return f"{most} Other {'lengths and depths' if table['depth_tokens'].any() else 'lengths'} rank apart."


def _conditions(left_out: int) -> str:
    rest = f" Partial or failed, so not ranked: {left_out}." if left_out else ""
    return (
        f"Measured by you, not reviewed. Speed of one user from the mean time per output token; lengths, and depth of "
        f"context already in the cache, within {TOLERANCE * 100:.0f} % rank together.{rest}"
    )


def _sources(runs: Sequence[Run]) -> tuple[Source, ...]:
    files = dict.fromkeys(run.source_file for run in runs)
    return tuple(Source(title=f"{name}, not reviewed", kind="upload") for name in files)
