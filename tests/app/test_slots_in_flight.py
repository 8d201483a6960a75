"""Slots written into the address hold against an address that left the browser before it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app import state

BEFORE, AFTER = "8.h200-sxm_8.b200-sxm_fit.wse-3", "8.h200-sxm__fit.wse-3"


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The address as the browser sends it, and a clock under `now_s`."""
    sent: dict[str, Any] = {"slots": BEFORE, "now_s": 100.0}
    monkeypatch.setattr(state, "st", SimpleNamespace(query_params=sent, session_state={}))
    monkeypatch.setattr(state, "time", SimpleNamespace(monotonic=lambda: sent["now_s"]))
    state.keep_slots(state.slots_from_text(AFTER))
    return sent


def _places() -> list[int]:
    return [slot.place for slot in state.slots_of_this_view() or ()]


def test_an_older_address_that_comes_in_late_does_not_undo_a_change(browser: dict[str, Any]) -> None:
    assert browser["slots"] == AFTER
    browser.update(slots=BEFORE, now_s=100.4)
    assert _places() == [0, 2]
    assert browser["slots"] == AFTER, "and the browser is told again"


def test_going_back_later_and_other_links_count(browser: dict[str, Any]) -> None:
    browser.update(slots=BEFORE, now_s=110.0)
    assert _places() == [0, 1, 2]
    browser.update(slots="1.h100-sxm", now_s=100.5)
    assert _places() == [0]


def test_the_first_change_of_a_page_holds_too(browser: dict[str, Any]) -> None:
    """A page that opens on its own comparison has no slots in its address."""
    del browser["slots"]
    state.keep_slots(state.slots_from_text(AFTER))
    del browser["slots"]
    assert _places() == [0, 2]
