"""How far the predictions can be trusted: every measured run beside its prediction, and errors by group."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.explain import explain
from analysis.metrics import Metric, metric
from analysis.models.accuracy import relative_error
from analysis.studies import trust_words as words
from analysis.study import Study
from data.catalogue.accuracy_files import IN_SAMPLE, LEFT_OUT, Accuracy
from data.catalogue.measurement_files import block_of, load_blocks
from data.records import Chip
from data.sources import Source

QUESTION = "How far can these predictions be trusted?"
SPLITS = (LEFT_OUT, IN_SAMPLE)
MARKS, WORST = 1200, 6
GROUP_KEYS = ["group", "regime", "quantity"]
_ERRORS = ("mape_percent", "median_percent")
# Quantity of a measured table -> metric, and its unit's size in SI; what is not listed is shown under its own name.
QUANTITIES = {
    "tpot_ms": ("tpot_s", 1e-3), "ttft_ms": ("ttft_s", 1e-3), "e2e_ms": ("e2e_s", 1e-3),
    "output_tps": ("output_tokens_per_s", 1.0), "output_tps_total": ("output_tokens_per_s", 1.0),
    "decode_tps_per_user": ("tokens_per_s_per_user", 1.0), "decode_tokens_per_s": ("tokens_per_s_per_user", 1.0),
    "output_tokens_per_s": ("output_tokens_per_s", 1.0), "prefill_tokens_per_s": ("prefill_tokens_per_s", 1.0),
    "prefill_tps": ("prefill_tokens_per_s", 1.0),
    "energy_j_per_token": ("energy_j_per_token", 1.0), "tpot_s": ("tpot_s", 1.0), "ttft_s": ("ttft_s", 1.0),
    "e2e_s": ("e2e_s", 1.0),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One thing predicted under one kind of load: what a figure can show on one pair of axes."""

    regime: str
    quantity: str

    @property
    def metric(self) -> Metric:
        """The quantity as the screen names it."""
        known = QUANTITIES.get(self.quantity)
        return metric(known[0]) if known else Metric(key=self.quantity, label=self.quantity, unit="")

    @property
    def size(self) -> float:
        """SI value of one unit of the files' column."""
        return QUANTITIES.get(self.quantity, ("", 1.0))[1]

    @property
    def label(self) -> str:
        """ "serving: time per output token"."""
        return f"{self.regime}: {self.metric.label}"


def choices(accuracy: Accuracy) -> tuple[Choice, ...]:
    """What can be shown, the best measured first."""
    counted = accuracy.predictions.groupby(["regime", "quantity"], sort=False).size()
    counted = counted.sort_values(ascending=False, kind="stable")
    return tuple(Choice(regime=str(regime), quantity=str(quantity)) for regime, quantity in counted.index)


def splits(accuracy: Accuracy, choice: Choice) -> tuple[str, ...]:
    """Ways of splitting for which the choice has predictions, left out first."""
    return tuple(split for split in SPLITS if len(_runs(accuracy, choice, split))) or (IN_SAMPLE,)


def study(accuracy: Accuracy, choice: Choice, split: str, chips: Iterable[Chip] = ()) -> Study:
    """Errors of one quantity in one regime. [percent]

    chips   machines of the catalogue, to name those without a law
    split   "left out": predictions by a fit that had not seen the run's group; "in sample": by the fit to all

    Table: one row a group and way of leaving out, in-sample and left-out errors apart. Marks: `points`, the runs drawn
    (SI), `worst`, the clean ones furthest off, `set_aside`, what errors on clean runs leave out and by which rule, and
    `not_covered`, what no measured run speaks for.
    """
    runs = _runs(accuracy, choice, split)
    table = group_table(accuracy.summary)
    own = table[(table["regime"] == choice.regime) & (table["quantity"] == choice.quantity)]
    worst = runs[runs["clean"]].nlargest(WORST, "apart")
    return Study(
        question=QUESTION,
        answer=words.answer(runs, choice.label, split),
        conditions=words.conditions(runs, own, split),
        table=own.reset_index(drop=True),
        steps=tuple(
            explain(relative_error, subject=row["row_id"], predicted=row["predicted"], measured=row["measured"])
            for row in worst.head(1).to_dict("records")
        ),
        sources=sources_of_runs(runs["row_id"]),
        remarks=words.remarks(runs, min(len(runs), MARKS)),
        marks={
            "points": drawn(runs),
            "worst": worst,
            "set_aside": words.set_aside(accuracy.predictions),
            "not_covered": words.not_covered(chips),
        },
    )


def group_table(summary: pd.DataFrame) -> pd.DataFrame:
    """One row a group and way of leaving out: errors in sample and left out side by side, with goal and interval."""
    inside = summary[summary["split"] == IN_SAMPLE].drop_duplicates(GROUP_KEYS)
    outside = summary[summary["split"] == LEFT_OUT]
    joined = outside.merge(inside[[*GROUP_KEYS, *_ERRORS]], on=GROUP_KEYS, how="left", suffixes=("", "_in_sample"))
    rest = inside[~inside.set_index(GROUP_KEYS).index.isin(outside.set_index(GROUP_KEYS).index)]
    alone = rest.assign(**{f"{name}_in_sample": rest[name] for name in _ERRORS}, **dict.fromkeys(_ERRORS, np.nan))
    return pd.concat([joined, alone], ignore_index=True) if len(alone) else joined


def _runs(accuracy: Accuracy, choice: Choice, split: str) -> pd.DataFrame:
    """Measured runs of the choice with a prediction, SI; `error` signed, `apart` the distance of the logarithms."""
    every = accuracy.predictions
    own = every[(every["regime"] == choice.regime) & (every["quantity"] == choice.quantity)]
    column = "predicted_left_out" if split == LEFT_OUT else "predicted_in_sample"
    own = own[own[column] > 0].rename(columns={column: "predicted"})
    ratio = own["predicted"] / own["measured"]
    return own.assign(
        measured=own["measured"] * choice.size,
        predicted=own["predicted"] * choice.size,
        inside=(own["measured"] >= own["low"]) & (own["measured"] <= own["high"]),
        error=ratio - 1.0,
        apart=ratio.map(math.log).abs(),
    ).reset_index(drop=True)


def drawn(runs: pd.DataFrame) -> pd.DataFrame:
    """At most so many runs as a figure carries: the worst tenth of it always, the others evenly over the speeds."""
    if len(runs) <= MARKS:
        return runs
    worst = runs.nlargest(MARKS // 10, "apart")
    rest = runs.drop(worst.index).sort_values("measured")
    at = np.linspace(0, len(rest) - 1, MARKS - len(worst)).round().astype(int)
    return pd.concat([worst, rest.iloc[at]], ignore_index=True)


def sources_of_runs(row_ids: Iterable[str]) -> tuple[Source, ...]:
    """The documents that the runs stand in, those of the most runs first."""
    known = load_blocks()
    counted = pd.Series([block_of(each) for each in row_ids]).value_counts()
    found = [source for block in counted.index if block in known for source in known[block].references.values()]
    one_each = tuple({source.title: source for source in reversed(found)}.values())[::-1]
    return one_each or (Source(title="Calibration report of this project", kind="measurement"),)
