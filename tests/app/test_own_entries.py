"""Own entries and claims from the command line and on their pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from analysis.claims.judge import judge
from app import cache, own_entries
from app.cli import cli
from app.components.chip_form import chip_yaml
from app.components.claim_form import _claim, as_yaml
from app.pages import find_pages
from data.errors import WaferlineError
from tests.app.pages_as_text import open_page, page_text
from tests.data.test_own import QWEN, chip

PAGES = {found.page.key: found for found in find_pages()}
OWN_CLAIM = """document: {short: talk, title: A talk, kind: person}
claims:
  - key: mine
    says: eight H200 hold GLM-4.6
    check: capacity
    given: {chip: h200-sxm, device_count: 8, model: glm-4.6, context_tokens: 8192, users: 4, weight_format: fp8}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path / "data"))
    return tmp_path


def run(*arguments: str) -> Result:
    """One call of the program."""
    return CliRunner().invoke(cli, list(arguments))


def test_claims_lists_all_and_opens_one() -> None:
    listed = json.loads(run("claims", "--json").stdout)
    assert [each["key"] for each in listed] == [f"c{n:02}" for n in range(1, 31)]
    assert all(each["verdict"] and each["arithmetic"] for each in listed)
    one = run("claims", "c13").stdout
    assert "376,832 B" in one
    assert "entry = vectors * layers * kv_heads * head_width * element" in one
    refused = run("claims", "c99")
    assert isinstance(refused.exception, WaferlineError)


def test_claims_of_a_file_are_judged_and_not_kept(folder: Path) -> None:
    path = folder / "own.yaml"
    path.write_text(OWN_CLAIM)
    listed = json.loads(run("claims", "--json", "--own", str(path)).stdout)
    assert (listed[-1]["key"], listed[-1]["own"], listed[-1]["verdict"]) == ("mine", True, "holds")
    assert len(json.loads(run("claims", "--json").stdout)) == 30


def test_add_show_predict_remove(folder: Path) -> None:
    """The published total of Qwen3-8B is met by the count; the own chip and model then answer a case."""
    config, mine, cases = folder / "config.json", folder / "mine.yaml", folder / "cases.csv"
    config.write_text(json.dumps(QWEN))
    mine.write_bytes(chip())
    added = run("catalogue", "add", str(config), "--name", "My Qwen", "--total", "8190735360").stdout
    assert "equal to the stated 8,190,735,360" in added
    assert run("catalogue", "add", str(mine)).exit_code == 0
    assert "My Chip · own" in run("catalogue", "show", "my-chip").stdout
    assert "my-qwen" in run("catalogue", "list").stdout
    cases.write_text("model,hardware,device_count\nMy Qwen,My Chip,1\n")
    predicted = run("predict", str(cases), "-o", "-").stdout
    assert "My Qwen,My Chip,1," in predicted
    assert "True" in predicted
    assert run("catalogue", "remove", "my-qwen").exit_code == 0
    assert "my-qwen" not in cache.catalogue().architectures
    again = run("catalogue", "add", str(mine))
    assert isinstance(again.exception, WaferlineError)


def test_the_catalogue_page_shows_own_entries() -> None:
    own_entries.add_entry(chip(), "chip.yaml")
    text = page_text(open_page(PAGES["catalogue"], chip="my-chip"))
    assert "122 chips" in text
    assert "1 of them your own" in text
    assert "My Chip · own" in text
    assert "own entry, not reviewed" in text
    added = page_text(open_page(PAGES["catalogue"], show="add your own"))
    assert "Your own entries" in added


def test_a_typed_chip_is_a_file_of_the_catalogue() -> None:
    typed = {"memory_byte": "200", "bandwidth_byte_per_s": "9.5", "scale_up_device_count": "8", "power_w": ""}
    own_entries.add_entry(chip_yaml("Super Chip", "Me", "gpu", "own", "", typed).encode(), "chip.yaml")
    found = cache.catalogue().chip("Super Chip")
    assert (found.memory_byte, found.bandwidth_byte_per_s, found.scale_up_device_count) == (200e9, 9.5e12, 8)
    assert found.power_w is None
    with pytest.raises(WaferlineError):
        own_entries.add_entry(chip_yaml("Other", "Me", "gpu", "own", "", {"memory_byte": "many"}).encode(), "c.yaml")


def test_a_form_that_cannot_be_read_is_answered_in_its_own_words() -> None:
    """Nothing is kept; the message names the box, not the field of a file."""
    add = "Add this chip"
    tester = open_page(PAGES["catalogue"], show="add your own")
    next(each for each in tester.button if each.label == add).click().run()
    assert "the chip has no name" in page_text(tester).lower()
    next(each for each in tester.text_input if each.label == "Name").input("Dream 1")
    next(each for each in tester.text_input if each.label == "Bandwidth, TB/s").input("abc")
    next(each for each in tester.button if each.label == add).click().run()
    assert "Bandwidth, TB/s: not a number" in page_text(tester)
    assert not own_entries.own_records().entries


def test_a_typed_claim_survives_being_written_and_read() -> None:
    """What is kept gives the verdict that was shown."""
    given = {"chip": "wse-3", "device_count": 11.0, "model": "glm-4.6", "context_tokens": 8192.0,
             "weight_format": "fp8", "cache_format": "fp8", "claimed_token_per_s": 900.0}  # fmt: skip
    typed = _claim("speed", dict(given), "nine hundred", "somebody")
    own_entries.add_entry(as_yaml(typed).encode(), f"{typed.key}.yaml")
    kept = own_entries.claims()[-1]
    assert kept.own
    assert dict(kept.given) == given
    assert judge(kept, cache.catalogue()) == judge(typed, cache.catalogue())
    text = page_text(open_page(PAGES["claims"], claim=kept.key))
    assert "own claim, not reviewed" in text.lower()
    assert "Of 31 published claims" in text


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"claim": "c13"}, "376,832 B"),
        ({"claim": "c13", "claim_times": "2"}, "At 184 instead of 92"),
        ({"view": "your own", "claim_rate": "5000"}, "Holds only if"),
        ({"view": "your own", "claimed": "a bandwidth", "weights": "BF16"}, "Holds only for a dense reading"),
        ({"view": "your own", "claimed": "a fit", "claim_devices": "8"}, "Holds only if 11"),
        ({"view": "published speeds"}, "published speeds of SRAM machines exceed every prediction"),
        ({"verdict": "a rule", "said_in": "article A"}, "No claim of this kind"),
    ],
)
def test_views_of_the_claims_page(query: dict[str, str], told: str) -> None:
    tester = open_page(PAGES["claims"], **query)
    assert not tester.exception
    assert told in page_text(tester).replace("\u202f", " ").replace("\u00a0", " ")


def test_a_link_cannot_put_a_picture_on_the_page() -> None:
    """The words of the form stand in the address, so anybody can write them; a picture would be fetched at once."""
    tester = open_page(PAGES["claims"], view="your own", says="![x](http://a/x.png)", who="![y](http://a/y.png)")
    assert not tester.exception
    assert "without links" in tester.title[0].value
    drawn = [each.value for each in (*tester.title, *tester.caption, *tester.markdown)]
    assert not [text for text in drawn if "![" in text]


def test_the_written_claim_is_plain_yaml() -> None:
    given = {"model": "glm-4.6", "weight_formats": ("bf16",), "claimed_byte_per_s": 7.1e14}
    typed = _claim("bandwidth_needed", given | {"claimed_token_per_s": 1000.0}, "", "")
    entry = yaml.safe_load(as_yaml(typed))["claims"][0]
    assert entry["given"]["claimed_byte_per_s"] == "710000000000000.0 byte/s"
