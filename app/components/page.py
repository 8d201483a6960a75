"""What a page says about itself; the folder `app/pages` is the list of pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Group = Literal["Decide", "Measure", "Trust"]
GROUPS: tuple[Group, ...] = ("Decide", "Measure", "Trust")


@dataclass(frozen=True, kw_only=True)
class Page:
    """One question a page answers, and its place in the navigation.

    url_path  empty for the home page
    order     place inside its group, small first
    """

    key: str
    title: str
    group: Group
    url_path: str
    question: str
    order: int
    icon: str = ""


@dataclass(frozen=True, kw_only=True)
class FoundPage:
    """A page together with the function that draws it."""

    page: Page
    render: Callable[[], None]
