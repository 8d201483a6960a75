"""The arithmetic behind the precision study."""

from __future__ import annotations

import math

import pandas as pd

from analysis.explain import explain
from analysis.models.precision import assumed_speed, byte_ratio, pruned_width
from analysis.studies.precision_change import Change, changed, pruned
from analysis.studies.precision_words import NAMES
from analysis.study import Step, rows_of, short_name
from analysis.workload import Workload
from data.records import Chip


def steps_of(
    workload: Workload, chip: Chip, change: Change, components: pd.DataFrame, table: pd.DataFrame
) -> list[Step]:
    """Widths of pruned weights, what each component moves, and the gain that is only assumed."""
    steps = _widths(workload, chip, change)
    for row in rows_of(components):
        if row["moved_byte_before"] > 0 and row["moved_byte_after"] != row["moved_byte_before"]:
            steps.append(
                explain(
                    byte_ratio, subject=f"{short_name(chip)}, {NAMES[row['component']]} a step moves",
                    after_byte=row["moved_byte_after"], before_byte=row["moved_byte_before"],
                )
            )  # fmt: skip
    return steps + _gains(change, table)


def _widths(workload: Workload, chip: Chip, change: Change) -> list[Step]:
    kept, place, _ = pruned(chip, change)
    if kept >= 1:
        return []
    whole = changed(workload, chip, Change()).formats(chip)
    named = {"attention": whole.attention, "dense MLP": whole.dense, "experts": whole.expert}
    return [
        explain(
            pruned_width, subject=f"{short_name(chip)}, a pruned weight of {name} in {used.name.upper()}",
            width_byte=used.byte, kept_fraction=kept, index_byte=place,
        )
        for name, used in named.items()
    ]  # fmt: skip


def _gains(change: Change, table: pd.DataFrame) -> list[Step]:
    if change.assumed_gain <= 1:
        return []
    return [
        explain(
            assumed_speed, subject=f"{row['slot']}, if software were {change.assumed_gain:g} × faster (assumed)",
            rate_token_per_s=row["tokens_per_s_per_user_after"], gain=change.assumed_gain,
            ceiling_token_per_s=row["ceiling_tokens_per_s_per_user_after"],
        )
        for row in rows_of(table)
        if not math.isnan(row["tokens_per_s_per_user_after"])
        and not math.isnan(row["ceiling_tokens_per_s_per_user_after"])
    ]  # fmt: skip
