"""The person's own runs of the compared model, put on the slot they were measured on."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.metrics import metric
from analysis.studies.benchmark_cases import Measured
from analysis.study import Slot
from analysis.workload import Workload
from data.catalogue.edited import is_another_machine

LIKE = 1.25  # users and context within this factor of the question's count as the same conditions
COLUMNS = ("place", "tokens_per_s_per_user", "alike", "hover")


def marks_of(
    runs: Sequence[Measured], workload: Workload, slots: Sequence[Slot], counts: Sequence[float]
) -> pd.DataFrame:
    """One row a run of the same model on the same machine; nothing was measured on a chip with edited figures.

    counts   devices of each slot

    Columns: place of the slot; tokens_per_s_per_user as measured; alike, True if users and mean context are within a
    factor of 1.25 of the question's; hover, with the conditions of the run.
    """
    rows = []
    for slot, count in zip(slots, counts, strict=True):
        for run in runs:
            same = run.architecture.key == workload.architecture.key and run.chip.key == slot.chip.key
            if same and run.device_count == count and not is_another_machine(slot.chip):
                rows.append((slot.place, 1.0 / run.step_s, _alike(run, workload), _hover(run)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def runs_in_words(marked: pd.DataFrame) -> tuple[str, ...]:
    """What the source line says of the runs drawn; empty without any."""
    if marked.empty:
        return ()
    alike = int(marked["alike"].sum())
    others = len(marked) - alike
    under = f", {others} faint under other users or contexts" if others else ""
    return (f"{len(marked)} of your own runs, not reviewed{under}",)


def _context(run: Measured) -> float:
    """Mean context while decoding, halfway through the output."""
    return run.input_tokens + run.output_tokens / 2


def _alike(run: Measured, workload: Workload) -> bool:
    pairs = ((run.users, workload.sequences), (_context(run), workload.context_tokens))
    return all(1 / LIKE <= (one + 1) / (other + 1) <= LIKE for one, other in pairs)


def _hover(run: Measured) -> str:
    speed = metric("tokens_per_s_per_user").format(1.0 / run.step_s)
    return (
        f"<b>{run.machine}</b>, measured {speed}<br>{run.users:,.0f} at once, mean context {_context(run):,.0f} tokens"
        f"<br>{run.run.source_file}, not reviewed"
    )
