"""One module per page, each with PAGE and render(); a page is registered by existing here."""

from __future__ import annotations

import importlib
import pkgutil

from app.components.page import GROUPS, FoundPage


def find_pages() -> tuple[FoundPage, ...]:
    """Every page of this folder in the order of the navigation. Raises AttributeError if a module is not a page."""
    modules = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    pages = [FoundPage(page=module.PAGE, render=module.render) for module in modules]
    return tuple(sorted(pages, key=lambda each: (GROUPS.index(each.page.group), each.page.order, each.page.key)))
