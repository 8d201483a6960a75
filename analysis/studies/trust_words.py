"""The sentences of the page on trust: what errors were found, and what no measurement speaks for."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from analysis.engine.device_numbers import form_of
from analysis.engine.inputs import NONE
from analysis.sentences import list_words, shortest_of
from analysis.study import short_name
from data.catalogue.accuracy_files import LEFT_OUT
from data.records import Chip

NOT_COVERED = (
    "hosted services do not say how many devices, which formats or which load stand behind a speed: they are compared "
    "only as machines that may speculate",
    "where a source does not say whether drafts were used, its runs count as without",
    "wafers: one paper's kernels at a context of 4,096 and one stream; no speed of several users has been published",
    "open loads, prompt caches and expert parallelism beyond one node are checked against no measured run",
)
NEAR = 0.20


def not_covered(chips: Iterable[Chip]) -> tuple[str, ...]:
    """What no measured run speaks for; `chips` names the machines that get bounds and fits and no speed."""
    names = [short_name(chip) for chip in chips if form_of(chip, "") == NONE]
    lawless = (f"no law for the speed of {list_words(names)}: bounds and memory only",) if names else ()
    return (*NOT_COVERED, *lawless)


def answer(runs: pd.DataFrame, label: str, split: str) -> str:
    """The usual error, with its number, in at most 130 characters."""
    clean = runs[runs["clean"]]
    if clean.empty:
        return f"No run with a prediction stands behind {label}."
    median, near = 100 * clean["error"].abs().median(), 100 * (clean["error"].abs() <= NEAR).mean()
    seen = "unseen" if split == LEFT_OUT else "fitted"
    return shortest_of(
        f"Half of {len(clean):,} {seen} runs are within {median:.3g} %, {near:.0f} % within 20 %. {_first_up(label)}.",
        f"Half of {len(clean):,} {seen} runs are within {median:.3g} %, {near:.0f} % within 20 %.",
    )


def _first_up(text: str) -> str:
    return text[:1].upper() + text[1:]


def conditions(runs: pd.DataFrame, groups: pd.DataFrame, split: str) -> str:
    """How the figures came about, in one line."""
    if runs.empty:
        return "No measured run of this kind has a prediction yet."
    part = next((each for each in groups["left_out_by"] if each), "source")
    how = f"Fitted without the run's {part}" if split == LEFT_OUT else "Fitted to all of them"
    clean = runs[runs["clean"]]
    every, mean = 100 * runs["error"].abs().mean(), 100 * clean["error"].abs().mean()
    aside = len(runs) - len(clean)
    rest = f"; all rows, {aside:,} set aside included, {every:.3g} %" if aside else ""
    known = clean[clean["low"].notna() & clean["high"].notna()]
    inside = f" The 80\u00a0% interval holds {100 * known['inside'].mean():.0f} % of them." if len(known) else ""
    return f"{how}. Mean error {mean:.3g} %{rest}.{inside}"


def remarks(runs: pd.DataFrame, shown: int) -> tuple[str, ...]:
    """What the source line adds."""
    if shown >= len(runs):
        return ()
    return (f"{shown:,} of {len(runs):,} runs are drawn, the furthest off among them",)


def set_aside(predictions: pd.DataFrame) -> pd.DataFrame:
    """Runs that errors on clean rows leave out: the rule, how many runs, and one of them by name."""
    out = predictions[~predictions["clean"]].drop_duplicates("row_id")
    rule = out["note"].where(out["note"] != "", "no reason given")
    grouped = out.groupby(rule, sort=False)["row_id"]
    return pd.DataFrame({"rows": grouped.size(), "example": grouped.first()}).rename_axis("rule").reset_index()
