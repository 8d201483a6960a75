"""Own runs: filtered, ranked at like lengths and depth, two of them side by side."""

from __future__ import annotations

from analysis.studies import explore
from app import cache
from app.components import explore_views as views
from app.components.answer import answer, answer_place
from app.components.page import Page
from app.components.tables import Column

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
EMPTY = "No runs of yours yet, so there is nothing to rank."
NOTHING = "None of the runs chosen here can be ranked."
WHY = "A run is ranked when it states a mean time per output token and no request failed."


def render() -> None:
    """Draw the page."""
    store, known = cache.store(), cache.catalogue()
    place, runs = answer_place(), views.shown_runs(store, known)
    if not runs:
        answer(place, EMPTY, WHY)
        return views.nothing_yet(store, known)
    wanted = views.filters(runs)
    study = explore.best(runs, wanted)
    if study is None:
        answer(place, NOTHING, WHY)
    else:
        answer(place, study.answer, study.conditions)
        views.ranking(study, COLUMNS)
    views.samples_line(store)
    views.side_by_side([run for run in runs if wanted.holds(run)], runs)
    return None
