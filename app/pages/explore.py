"""Own runs: filtered, ranked at like lengths and depth, two of them side by side."""

from __future__ import annotations

from analysis.studies import explore
from app import cache
from app.components import explore_views as views
from app.components.answer import answer, answer_place
from app.components.card import below_figure
from app.components.page import Page
from app.components.tables import Column, table
from app.state import offer_download

PAGE = Page(key="explore", title="Own runs", group="Measure", url_path="own-runs", question=explore.QUESTION, order=20)
COLUMNS = (
    Column(name="lengths", header="Lengths and depth, tokens"),
    Column(name="model", header="Model"),
    Column(name="machine", header="Machine"),
    Column(name="speed", header="tok/s per user", strong=True),
    Column(name="range", header="Repeats"),
    Column(name="users", header="at once"),
    Column(name="engine", header="Engine"),
    Column(name="badge", header="Note"),
    Column(name="file", header="File"),
)
ROW_LIMIT = 30
NOTHING = "No run of yours can be ranked here yet."
WHY = "A run is ranked when it states a mean time per output token and no request failed. Bring runs on Benchmarks."


def render() -> None:
    """Draw the page."""
    place, runs = answer_place(), views.shown_runs(cache.store(), cache.catalogue())
    if not runs:
        answer(place, NOTHING, WHY)
        return views.kept_runs_line()
    wanted = views.filters(runs)
    study = explore.best(runs, wanted)
    if study is None:
        answer(place, NOTHING, WHY)
    else:
        answer(place, study.answer, study.conditions)
        table(study.table.head(ROW_LIMIT), COLUMNS, alt=study.question)
        below_figure(study, key="explore")
        offer_download("explore", lambda: study.table)
    views.side_by_side([run for run in runs if wanted.holds(run)], runs)
    return None
