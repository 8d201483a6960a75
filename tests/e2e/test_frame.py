"""The frame in a real browser: navigation, links that restore a view, both themes, a narrow screen, no leaks."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Opener

PATHS = ("", "bandwidth", "roofline", "memory", "benchmarks", "methods", "catalogue")


def settled(page: Page) -> None:
    """Wait until the script has run and nothing is being replaced."""
    expect(page.locator("[data-testid=stApp]")).to_have_attribute("data-test-script-state", "notRunning")


def show(page: Page, path: str) -> None:
    """Another page of the dashboard by its address, in the same browser."""
    page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/", 3)[2] + "/" + path)
    expect(page.locator("h1")).to_be_visible()
    settled(page)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_accessibility_fault(open_page: Opener, theme: str) -> None:
    page = open_page(theme=theme)
    faults = {}
    for path in PATHS:
        show(page, path)
        for each in Axe().run(page).response["violations"]:
            if each["impact"] in ("serious", "critical"):
                faults[path, each["id"]] = [node["html"][:160] for node in each["nodes"][:3]]
    assert faults == {}


def test_a_phone_shows_every_page_without_sideways_scrolling(open_page: Opener) -> None:
    page = open_page(width=390, height=844)
    for path in PATHS:
        show(page, path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        row = [page.get_by_role("button", name=name).first.bounding_box() for name in ("Decide", "Share")]
        assert row[0] is not None
        assert row[1] is not None
        assert abs(row[0]["y"] - row[1]["y"]) < 4, f"{path}: the navigation row broke into two lines"


def test_a_menu_leads_to_a_page_and_closes(open_page: Opener) -> None:
    page = open_page("methods")
    page.get_by_role("button", name="Trust").click()
    page.get_by_role("link", name="Catalogue").click()
    expect(page.locator("h1")).to_contain_text("chips")
    expect(page).to_have_url(re.compile("/catalogue"))
    expect(page).to_have_title("Catalogue · Waferline")
    expect(page.get_by_role("link", name="Catalogue")).not_to_be_visible()


def test_a_link_restores_the_search(open_page: Opener) -> None:
    page = open_page("methods?find=ridge")
    expect(page.get_by_label("Search")).to_have_value("ridge")
    expect(page.get_by_text("Bytes that one decode step must read")).not_to_be_visible()


def test_the_typeface_is_served_from_here(open_page: Opener) -> None:
    page = open_page("methods")
    loaded = (
        "document.fonts.ready.then(() => [...document.fonts].filter(f => f.status === 'loaded').map(f => f.family))"
    )
    assert any("Plex" in family for family in page.evaluate(loaded))


def test_an_unknown_address_says_so_and_opens_the_home_page(open_page: Opener) -> None:
    page = open_page("no-such-page")
    expect(page.get_by_text("Page not found")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("h1")).to_contain_text("GLM-4.6")


def test_a_page_can_ask_nothing_of_the_world_outside(browser: Browser, address: str) -> None:
    """192.0.2.0/24 is set aside for documentation (RFC 5737): nothing answers there, and the browser must not ask."""
    page = browser.new_page()
    page.goto(address)
    expect(page.locator("h1")).to_be_visible()
    refused = page.evaluate(
        """() => new Promise(resolve => {
          const seen = [];
          document.addEventListener('securitypolicyviolation', event => {
            seen.push(event.effectiveDirective);
            if (seen.length === 3) resolve(seen);
          });
          fetch('http://192.0.2.1/').catch(() => {});
          new Image().src = 'http://192.0.2.1/pixel.png';
          const script = document.createElement('script');
          script.src = 'http://192.0.2.1/code.js';
          document.head.append(script);
          setTimeout(() => resolve(seen), 5000);
        })"""
    )
    page.close()
    assert sorted(refused) == ["connect-src", "img-src", "script-src-elem"]
