"""Own runs as a profile is fitted to them, and which of them no fit uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.engine import Case, evaluate
from analysis.parameters import Parameters

ROUNDING = 1e-9  # of the arithmetic; a run that states the ceiling itself is not beyond it
IMPOSSIBLE = "it is faster than its physical ceiling, so its format, its draft or its load is misread"


@dataclass(frozen=True, kw_only=True)
class OwnRun:
    """One run to fit to: what was asked of the engine, and the mean time per output token it took."""

    run_id: str
    file: str
    case: Case
    tpot_s: float


def usable(runs: Sequence[OwnRun], parameters: Parameters) -> tuple[list[OwnRun], list[tuple[OwnRun, str]]]:
    """Runs that the engine answers and that are possible, and the others with the reason."""
    if not runs:
        return [], []
    answers = evaluate([run.case for run in runs], parameters)
    good, aside = [], []
    for run, reason, ceiling in zip(runs, answers["reason"], answers["ceiling_tokens_per_s_per_user"], strict=True):
        if reason:
            aside.append((run, str(reason)))
        elif 1.0 / run.tpot_s > (1 + ROUNDING) * ceiling:
            aside.append((run, IMPOSSIBLE))
        else:
            good.append(run)
    return good, aside
