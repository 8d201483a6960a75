"""Own entries: checked before anything is kept, marked, never in place of a shipped one, and removable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.catalogue.catalogue import FOLDER, load_catalogue
from data.catalogue.claim_files import load_claims
from data.errors import CatalogueError, UnknownNameError, WaferlineError
from data.own import Merged, add, merge, read_own, remove, stamp_of

SHIPPED, CLAIMS = load_catalogue(), load_claims()
# Qwen3-8B's published configuration: 8,190,735,360 parameters on the model hub.
QWEN: dict[str, Any] = {
    "model_type": "qwen3", "hidden_size": 4096, "num_hidden_layers": 36, "num_attention_heads": 32,
    "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12288, "vocab_size": 151936,
    "tie_word_embeddings": False, "max_position_embeddings": 40960, "torch_dtype": "bfloat16",
}  # fmt: skip
CHIP = """key: KEY
name: NAME
vendor: Me
kind: gpu
generation: own
execution: kernels
status: planned
available: false
confidence: low
sources:
  talk: {title: A talk, kind: person}
fields:
  memory_byte: {value: 200 GB, source: [talk], at: slide 3}
  bandwidth_byte_per_s: {value: 9.5 TB/s, source: [talk], at: slide 3}
"""
PRICES = """about: what I pay
sources:
  bill: {title: My bill, kind: person}
prices:
  - {item: H200, chip: CHIP, unit: chip-hour, amount: "1.23", date: "2026-11", provider: Us, source: bill}
"""


def chip(key: str = "my-chip", name: str = "My Chip") -> bytes:
    """A chip's file."""
    return CHIP.replace("KEY", key).replace("NAME", name).encode()


def kept(folder: Path, content: bytes, file: str = "entry.yaml", **more: Any) -> Merged:
    """The catalogue after adding one file."""
    add(folder, SHIPPED, CLAIMS, content, file, **more)
    return merge(SHIPPED, CLAIMS, read_own(folder))


def files(folder: Path) -> list[str]:
    """Everything under the folder."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_chip_is_there_beside_the_others_and_marked(tmp_path: Path) -> None:
    merged = kept(tmp_path, chip())
    mine = merged.catalogue.chip("My Chip")
    assert mine is merged.catalogue.chips["my-chip"]
    assert mine.name == "My Chip · own"
    assert mine.memory_byte == 200e9
    assert "not reviewed" in mine.facts["memory_byte"].sources[0].title
    assert merged.own == {"my-chip"}
    assert len(merged.catalogue.chips) == len(SHIPPED.chips) + 1
    assert merged.catalogue.chips["h200-sxm"] is SHIPPED.chips["h200-sxm"]


@pytest.mark.parametrize("key", ["h200-sxm", "h200", "H200-SXM".lower(), "wse3"])
def test_a_shipped_key_or_name_is_never_replaced(tmp_path: Path, key: str) -> None:
    """Also spelled differently: "wse3" is how people write the WSE-3."""
    with pytest.raises(CatalogueError, match="never replaces"):
        kept(tmp_path, chip(key))
    assert files(tmp_path) == []


def test_a_file_put_there_by_hand_replaces_nothing_either(tmp_path: Path) -> None:
    place = tmp_path / "chips"
    place.mkdir()
    (place / "h200-sxm.yaml").write_bytes(chip("h200-sxm"))
    (place / "broken.yaml").write_text("key: [")
    merged = merge(SHIPPED, CLAIMS, read_own(tmp_path))
    assert merged.catalogue.chips["h200-sxm"] is SHIPPED.chips["h200-sxm"]
    assert len(merged.faults) == 2
    assert any("broken.yaml" in fault for fault in merged.faults)


def test_a_configuration_becomes_a_model_with_its_count(tmp_path: Path) -> None:
    merged = kept(tmp_path, json.dumps(QWEN).encode(), "config.json", name="My Qwen", stated_total=8_190_735_360)
    model = merged.catalogue.architecture("my-qwen")
    assert model.name == "My Qwen · own"
    assert model.published_total_parameters == 8_190_735_360
    assert "not reviewed" in model.facts["hidden"].sources[0].title
    assert merged.catalogue.architecture("My Qwen").key == "my-qwen"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"model_type": "nosuchnet"}, "nosuchnet"),
        ({"model_type": "qwenn3"}, "qwen3"),
        ({"hidden_size": None}, "hidden_size"),
        ({"num_hidden_layers": 10**8}, "layers"),
        ({"torch_dtype": "int3"}, "number format"),
        ({"num_attention_heads": -4}, "num_attention_heads"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_refused_by_name(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    with pytest.raises(WaferlineError) as caught:
        kept(tmp_path, json.dumps(QWEN | change).encode(), "config.json", name="Mine")
    assert told in caught.value.sentence()
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "file", "told"),
    [
        (b"{", "config.json", "not JSON"),
        (b"[1, 2]", "config.json", "not a mapping"),
        (b'{"a": NaN}', "config.json", ""),
        (b"[" * 100_000, "config.json", "not JSON"),
        (b"x" * 1_000_001, "config.json", "too large"),
        (b"MZ\x90\x00", "chip.exe", ".exe"),
        (b"\xff\xfe\x00", "chip.yaml", "chip.yaml"),
        (b"a: 1\n", "thing.yaml", "neither a chip"),
        (b"a: &x [1]\nfields: *x\n", "thing.yaml", "aliases"),
        (chip().replace(b"200 GB", b"200 Gbit"), "chip.yaml", "bits"),
        (chip().replace(b"200 GB", b"-1 GB"), "chip.yaml", "not above zero"),
        (chip("../../evil"), "chip.yaml", "key"),
    ],
)
def test_untrusted_files_leave_nothing_behind(tmp_path: Path, content: bytes, file: str, told: str) -> None:
    inside = tmp_path / "catalogue"
    with pytest.raises(WaferlineError) as caught:
        kept(inside, content, file)
    assert told in caught.value.sentence()
    assert files(tmp_path) == []


def test_prices_and_claims_are_merged(tmp_path: Path) -> None:
    merged = kept(tmp_path, PRICES.replace("CHIP", "h200-sxm").encode(), "mine.yaml")
    mine = [price for price in merged.catalogue.prices_of("h200-sxm") if price.provider == "Us"]
    assert [price.amount for price in mine] == [1.23]
    with pytest.raises(CatalogueError, match="unknown chip"):
        kept(tmp_path, PRICES.replace("CHIP", "h-thousand").encode(), "more.yaml")
    claim = b"document: {short: me, title: I, kind: person}\nclaims:\n  - {key: KEY, says: so, check: speed}\n"
    assert kept(tmp_path, claim.replace(b"KEY", b"mine"), "c.yaml").claims[-1].own
    with pytest.raises(CatalogueError):
        kept(tmp_path, claim.replace(b"KEY", b"c01"), "d.yaml")
    with pytest.raises(CatalogueError, match="already"):
        kept(tmp_path, claim.replace(b"KEY", b"mine"), "e.yaml")


def test_twice_is_refused_and_removing_takes_it_away(tmp_path: Path) -> None:
    before = stamp_of(tmp_path)
    kept(tmp_path, chip())
    assert stamp_of(tmp_path) != before
    with pytest.raises(CatalogueError, match="already"):
        kept(tmp_path, chip())
    with pytest.raises(UnknownNameError, match="my-chip"):
        remove(tmp_path, "my-chipp")
    with pytest.raises(UnknownNameError):
        remove(tmp_path, "h200-sxm")
    remove(tmp_path, "my-chip")
    merged = merge(SHIPPED, CLAIMS, read_own(tmp_path))
    assert merged.catalogue is SHIPPED
    assert stamp_of(tmp_path) == before
    assert (FOLDER / "chips" / "h200-sxm.yaml").exists()


def test_prices_never_take_the_key_of_a_chip(tmp_path: Path) -> None:
    """Entries are removed by key, so one key stands for one entry, readable or not."""
    kept(tmp_path, chip("mine"))
    with pytest.raises(CatalogueError, match="already"):
        kept(tmp_path, PRICES.replace("CHIP", "h200-sxm").encode(), "mine.yaml")
    (tmp_path / "chips" / "broken.yaml").write_text("key: [")
    with pytest.raises(CatalogueError, match="already"):
        kept(tmp_path, chip("broken", "Other"))


@pytest.mark.parametrize("words", ["![x](http://a/x.png)", "[x][y]", "<img src=x>", ":red[x]", "a\\\\b"])
def test_texts_that_a_page_would_read_as_layout_are_refused(tmp_path: Path, words: str) -> None:
    with pytest.raises(CatalogueError, match="link, a picture or a tag"):
        kept(tmp_path, chip("mine", f'"{words}"'))
    assert not read_own(tmp_path).entries
    kept(tmp_path, chip("mine", '"Mine [dense] < 5 %"'))


def test_two_chips_of_one_name_keep_their_keys(tmp_path: Path) -> None:
    kept(tmp_path, chip("first", "Same Name"))
    merged = kept(tmp_path, chip("second", "Same Name"))
    assert {"first", "second"} <= set(merged.catalogue.chips)
    assert not merged.faults
