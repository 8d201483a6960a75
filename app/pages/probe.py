"""Live probe: how fast is this endpoint now?"""

from __future__ import annotations

from app.components import probe_views as views
from app.components.answer import answer, answer_place
from app.components.page import Page

QUESTION = "How fast is this endpoint now?"
PAGE = Page(key="probe", title="Live probe", group="Measure", url_path="probe", question=QUESTION, order=45)


def render() -> None:
    """Draw the page."""
    place = answer_place()
    if not views.is_allowed():
        answer(place, "Measuring an endpoint from this page is off.", "")
        views.explain_off()
        return
    if not views.installed():
        answer(place, "Install a benchmark tool to measure an endpoint from here.", "")
        views.explain_off()
        return
    answer(place, "Name an endpoint; a benchmark tool measures it and the runs are kept.", "Requests go to it alone.")
    if asked := views.form():
        views.start(*asked)
    views.show_job()
    views.source_line()
