"""What a person does: move a slider, change a slot, share the link, download, bring in files."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page, expect

from app.components.intake import SAMPLES
from tests.e2e.conftest import Opener
from tests.e2e.test_frame import settled
from tests.shared_files import shared_path


def slide(page: Page, label: str, key: str, times: int = 1) -> None:
    """Move a slider by its keys and wait for the page."""
    handle = page.get_by_role("slider", name=label)
    handle.focus()
    for _ in range(times):
        handle.press(key)
    page.wait_for_timeout(300)
    settled(page)


def shared_link(page: Page) -> str:
    """The address that Share offers."""
    page.get_by_role("button", name="Share").click()
    text = page.get_by_test_id("stPopoverBody").get_by_test_id("stCode").inner_text()
    page.keyboard.press("Escape")
    return text.strip()


def test_the_first_view_answers_without_a_click(open_page: Opener) -> None:
    page = open_page()
    for text in ("1,000", "GLM-4.6", "8K"):
        expect(page.locator("h1")).to_contain_text(text)
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    expect(page.get_by_text("Source: ").first).to_be_visible()
    expect(page.get_by_role("button", name="WSE-3")).to_be_visible()


def test_a_longer_context_changes_the_answer_and_the_address(open_page: Opener) -> None:
    page = open_page()
    before = page.locator("h1").inner_text()
    slide(page, "Context, tokens", "ArrowRight", 5)
    expect(page.locator("h1")).not_to_have_text(before)
    expect(page).to_have_url(re.compile(r"context=200K"))


def test_choices_made_in_quick_succession_all_hold(open_page: Opener) -> None:
    """Controls are drawn after the figure; a run cut short by the next choice must not lose what was chosen before."""
    page = open_page("bandwidth")
    page.get_by_role("combobox", name="Solve for").click()
    page.get_by_role("option", name="tokens/s").click()
    context, users = (page.get_by_role("slider", name=name) for name in ("Context, tokens", "Users at once"))
    for handle, key in ((context, "ArrowRight"), (users, "ArrowRight"), (context, "ArrowRight"), (users, "ArrowRight")):
        handle.focus()
        handle.press(key)
        page.wait_for_timeout(60)  # less than a run takes
    expect(page).to_have_url(re.compile("users=4"))
    page.wait_for_timeout(600)
    settled(page)
    for part in ("context=32K", "users=4", "solve=tokens"):
        assert part in page.url
    expect(page.get_by_text("4 users at 32.8k tokens")).to_be_visible()
    shown = page.get_by_test_id("stTable").inner_text()
    page.reload()
    expect(page.get_by_text("4 users at 32.8k tokens")).to_be_visible()
    settled(page)
    assert page.get_by_test_id("stTable").inner_text() == shown


def test_a_shared_link_shows_the_same_view_in_a_clean_browser(open_page: Opener) -> None:
    page = open_page()
    slide(page, "Context, tokens", "ArrowRight", 5)
    page.get_by_role("button", name="Groq").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("button", name="Groq")).to_have_count(0)
    settled(page)
    link = shared_link(page)
    assert link == page.url
    other = open_page(link.split("/", 3)[3])
    settled(other)
    assert other.locator("h1").inner_text() == page.locator("h1").inner_text()
    assert other.get_by_test_id("stTable").inner_text() == page.get_by_test_id("stTable").inner_text()
    expect(other.get_by_role("button", name="Groq")).to_have_count(0)
    assert other.url == link


def test_slots_are_added_changed_and_keep_their_colour(open_page: Opener) -> None:
    page = open_page("?slots=8.h200-sxm_8.b200-sxm_fit.wse-3")
    page.get_by_role("button", name="8 × B200").click()
    page.get_by_role("button", name="Remove").click()
    expect(page).to_have_url(re.compile(r"slots=8\.h200-sxm__fit\.wse-3"))
    page.get_by_role("button", name="Add", exact=False).last.click()
    expect(page).to_have_url(re.compile(r"slots=8\.h200-sxm_fit\.[a-z0-9-]+_fit\.wse-3"))
    page.get_by_role("button", name="8 × H200").click()
    count = page.get_by_role("spinbutton", name="Devices")
    count.fill("4")
    count.press("Enter")
    expect(page.get_by_role("button", name="4 × H200")).to_be_visible()
    expect(page).to_have_url(re.compile(r"slots=4\.h200-sxm_"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("link", name="Memory fit").click()
    expect(page.get_by_role("button", name="4 × H200")).to_be_visible()
    expect(page).to_have_url(re.compile(r"memory.*slots=4\.h200-sxm_"))


def test_a_slot_taken_out_stays_out_while_sliders_move(open_page: Opener) -> None:
    """The first move of a slider leaves the browser before the address without the slot has come to it."""
    page = open_page("roofline")
    page.get_by_role("button", name="8 × B200").click()
    page.get_by_role("button", name="Remove").click()
    page.keyboard.press("Escape")
    handle = page.get_by_role("slider", name="Users at once")
    handle.focus()
    for _ in range(3):
        handle.press("ArrowRight")
    page.wait_for_timeout(1500)
    settled(page)
    expect(page.get_by_role("button", name="8 × B200")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"slots=8\.h200-sxm__"))


def test_choices_follow_to_the_next_page(open_page: Opener) -> None:
    page = open_page("?model=Llama+3.1+8B&context=32K&slots=1.h100-sxm_1.wse-3&weights=BF16")
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("link", name="Memory fit").click()
    expect(page.locator("h1")).to_contain_text("Llama 3.1 8B")
    expect(page.get_by_role("button", name="1 × WSE-3")).to_be_visible()
    page.get_by_role("button", name="Trust").click()
    page.get_by_role("link", name="Methods").click()
    expect(page.locator("h1")).to_contain_text("equations")
    page.get_by_role("button", name="Decide").click()
    page.get_by_role("link", name="Roofline").click()
    expect(page.locator("h1")).to_contain_text("Llama 3.1 8B")
    names = [part.split("=")[0] for part in page.url.partition("?")[2].split("&")]
    assert len(names) == len(set(names)), "a choice stands twice in the address"


def test_a_link_written_by_hand_is_understood(open_page: Opener) -> None:
    """Catalogue keys and other letter cases stand for the labels that the address uses."""
    page = open_page("?model=deepseek-v3&context=16k&weights=bf16")
    expect(page.locator("h1")).to_contain_text("DeepSeek-V3 at 16K")
    expect(page).to_have_url(re.compile("model=DeepSeek-V3&context=16K&weights=BF16"))


def test_a_link_that_asks_for_the_unknown_says_so(open_page: Opener) -> None:
    page = open_page("?model=nosuch&users=4")
    expect(page.get_by_test_id("stToast")).to_contain_text("'nosuch'")
    expect(page.locator("h1")).to_contain_text("GLM-4.6")


def test_a_view_downloads_as_csv_and_parquet(open_page: Opener, tmp_path: Path) -> None:
    page = open_page()
    page.get_by_role("button", name="Share").click()
    for kind in ("CSV", "Parquet"):
        with page.expect_download() as caught:
            page.get_by_test_id("stPopoverBody").get_by_role("button", name=kind).click()
        path = tmp_path / caught.value.suggested_filename
        caught.value.save_as(path)
        frame = pd.read_csv(path) if kind == "CSV" else pd.read_parquet(path)
        assert len(frame) == 4
        assert frame["tokens_per_s_per_user"].iloc[0] > 0


def test_files_are_read_asked_about_kept_drawn_and_deleted(open_page: Opener) -> None:
    page = open_page("benchmarks")
    expect(page.locator("h1")).to_contain_text("No runs of yours yet")
    page.locator("input[type=file]").set_input_files([SAMPLES / "vllm_serve.json", SAMPLES / "README.md"])
    expect(page.get_by_text("README.md: refused")).to_be_visible()
    form = page.get_by_test_id("stForm")
    device = form.get_by_role("combobox", name="Device", exact=True)
    device.click()
    device.fill("H100 SXM")
    page.keyboard.press("Enter")
    form.get_by_role("textbox", name="Devices in all").fill("1")
    form.get_by_role("button", name="Use these answers").click()
    expect(form.get_by_role("combobox", name="Device", exact=True)).to_have_count(0)
    settled(page)  # until then the button of before stands below the new one
    page.get_by_role("button", name="Keep 2 runs").click()
    expect(page.locator("h1")).to_contain_text("Your 2 runs")
    expect(page.locator(".js-plotly-plot")).to_have_count(1)
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("h1")).to_contain_text("No runs of yours yet")


def test_a_real_spreadsheet_is_asked_what_its_column_means(open_page: Opener) -> None:
    page = open_page("benchmarks")
    page.locator("input[type=file]").set_input_files(shared_path("handmade", "h01_tidy_units_in_headers.csv"))
    expect(page.get_by_text("needs an answer")).to_be_visible()
    page.get_by_role("button", name="Use these answers").click()
    expect(page.get_by_role("button", name="Keep 3 runs")).to_be_enabled()
    page.get_by_role("button", name="Keep nothing").click()
    expect(page.get_by_text("needs an answer")).to_have_count(0)


def test_the_server_listens_on_this_machine_alone(address: str) -> None:
    port = int(address.rsplit(":", 1)[1])
    outward = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for host in outward:
        with socket.socket() as probe:
            probe.settimeout(2)
            if not host.startswith("127."):
                assert probe.connect_ex((host, port)) != 0
