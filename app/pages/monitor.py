"""Monitor: is the server as fast as it was?"""

from __future__ import annotations

from analysis.figures import monitor as picture
from analysis.figures.style import ink
from analysis.studies import monitor
from app import cache
from app.components import monitor_views as views
from app.components.answer import answer, answer_place
from app.components.card import below_figure, figure, theme
from app.components.controls import controls_row
from app.components.page import Page
from app.state import offer_download

PAGE = Page(key="monitor", title="Monitor", group="Measure", url_path="monitor", question=monitor.QUESTION, order=40)


def render() -> None:
    """Draw the page."""
    place = answer_place()
    files = views.scrape_files()
    if not files:
        answer(place, "Bring scrapes of a server to see whether it is as fast as it was.", "")
        views.explain_empty()
        return
    with controls_row():
        every_s, baseline = views.pick_step(), views.pick_baseline()
        timeline = views.timeline_of(files, every_s)
        served = views.pick_served(cache.catalogue(), timeline)
    study = monitor.study(timeline, baseline, served)
    answer(place, study.answer, study.conditions)
    figure(picture.figure(study, ink(theme())), key="monitor_figure", alt=study.answer)
    views.show_findings(study.marks["findings"])  # type: ignore[arg-type]
    views.rules_row(timeline, study.marks["watches"])  # type: ignore[arg-type]
    below_figure(study, key="monitor")
    offer_download("monitor", lambda: study.table)
