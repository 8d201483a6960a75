"""Pages drawn without a browser, to be reported on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from app.cli_serve import DEFAULT_PORT
from app.components.page import FoundPage, Page
from app.exhibits import Exhibit, exhibits_of, failure_of
from app.local_only import THIS_MACHINE
from data.errors import UnknownNameError

SCRIPT = Path(__file__).resolve().parents[1] / "web" / "start.py"
TIMEOUT_S = 300.0
DASHBOARD = f"http://{THIS_MACHINE}:{DEFAULT_PORT}"  # where it listens unless told otherwise


def choices_of(address: str) -> tuple[str, dict[str, str]]:
    """Page path and choices of an address as Share gives it, or of its part after the question mark."""
    text = address if "://" in address or address.startswith("/") else f"/?{address.lstrip('?')}"
    parts = urlsplit(text)
    return parts.path.strip("/"), {name: values[-1] for name, values in parse_qs(parts.query).items()}


def asked_pages(pages: Sequence[FoundPage], path: str, names: Sequence[str]) -> list[FoundPage]:
    """The page of an address, or those named by key; every page for "all".

    Raises UnknownNameError with near matches.
    """
    if list(names) == ["all"]:
        return list(pages)
    keys = {found.page.key: found for found in pages}
    if names:
        for name in names:
            if name not in keys:
                raise UnknownNameError("page", name, [*keys, "all"])
        return [keys[name] for name in names]
    paths = {found.page.url_path: found for found in pages}
    if path not in paths:
        raise UnknownNameError("page", path, paths)
    return [paths[path]]


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What pages showed, which of them showed no study, and which could not be drawn, with the reason."""

    shown: list[Exhibit] = field(default_factory=list)
    silent: list[Page] = field(default_factory=list)
    failed: list[tuple[Page, str]] = field(default_factory=list)


def draw_pages(pages: Sequence[FoundPage], choices: Mapping[str, str]) -> Drawn:
    """What the pages show under these choices. A page that cannot be drawn does not keep the others from it."""
    drawn = Drawn()
    for found in pages:
        tester = AppTest.from_file(SCRIPT, default_timeout=TIMEOUT_S)
        tester.query_params.update(choices)
        if found.page.url_path:
            tester._page_hash = calc_hash(found.page.url_path)  # what a browser sends for this address
        tester.run()
        said = [str(each.value) for each in (*tester.exception, *tester.error)]
        why = failure_of(tester.session_state, found.page.key) or (said[0] if said else "")
        mine = [
            _addressed(each, found.page) for each in exhibits_of(tester.session_state) if each.page == found.page.key
        ]
        if why:
            drawn.failed.append((found.page, why))
        elif mine:
            drawn.shown.extend(mine)
        else:
            drawn.silent.append(found.page)
    return drawn


def _addressed(exhibit: Exhibit, page: Page) -> Exhibit:
    """The exhibit with the address of its view, which no browser has told."""
    query = urlsplit(exhibit.address).query
    return replace(exhibit, address=f"{DASHBOARD}/{page.url_path}" + (f"?{query}" if query else ""))
