"""Every chip file keeps the contract, and a broken copy is refused with the file, the field, found and expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from data.catalogue.chip_files import FIELD_UNITS, figures, read_chip
from data.errors import CatalogueError
from data.records import Chip
from data.units import parse_quantity

CHIPS = Path(__file__).resolve().parents[2] / "data" / "catalogue" / "chips"
PATHS = sorted(CHIPS.glob("*.yaml"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_figure_has_value_unit_source_and_place(path: Path) -> None:
    chip = read_chip(path)
    known = figures(chip)
    assert set(known) == set(chip.facts)
    for name, fact in chip.facts.items():
        assert fact.sources, name
        assert all(source.title for source in fact.sources), name
        assert fact.at, name
        assert parse_quantity(fact.shown, FIELD_UNITS[name]).value_si == pytest.approx(known[name]), name
        assert fact.kind == "stated" or fact.note, name
    for conflict in chip.conflicts:
        assert conflict.by, conflict.field
        assert conflict.field in FIELD_UNITS


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_peaks_are_in_the_order_physics_gives(path: Path) -> None:
    """A narrower format is never slower in dense arithmetic, and the driver reports about what the vendor sells.

    FP8 of GeForce cards is given with FP32 accumulation, FP16 with FP16 accumulation, so equality is allowed.
    """
    chip = read_chip(path)
    ladder = [chip.peak_tf32_flop_per_s, chip.peak_bf16_flop_per_s, chip.peak_fp8_flop_per_s, chip.peak_fp4_flop_per_s]
    known = [rate for rate in ladder if rate]
    assert known == sorted(known)
    if chip.memory_byte and chip.memory_visible_byte:
        assert 0.99 < chip.memory_visible_byte / chip.memory_byte < 1.08  # GiB sold as GB is 7.4 % more
    if chip.link_pair_only:
        assert chip.scale_up_device_count == 2


def test_announced_chips_are_marked() -> None:
    """What is announced, cancelled or a prototype is not available, and nothing that ships is."""
    for path in PATHS:
        chip = read_chip(path)
        promised = any(word in chip.status for word in ("announced", "cancelled", "prototype", "preliminary"))
        assert not (chip.available and promised), chip.key
        assert chip.available or chip.status != "shipping", chip.key


def as_loaded() -> dict:
    """The H200 file as plain data, for breaking."""
    return yaml.safe_load((CHIPS / "h200-sxm.yaml").read_text())


def broken(change: Callable[[dict], object]) -> dict:
    """A copy of the H200 file with one thing wrong."""
    content = as_loaded()
    change(content)
    return content


def set_field(name: str, **entry: object) -> Callable[[dict], object]:
    """Change the entry of one figure."""
    return lambda content: content["fields"][name].update(entry)


BROKEN = {
    "wrong dimension": (set_field("bandwidth_byte_per_s", value="141 GB"), "bandwidth_byte_per_s", "byte/s"),
    "no unit": (set_field("memory_byte", value="141"), "memory_byte", "byte"),
    "bits for bytes": (set_field("bandwidth_byte_per_s", value="38.4 Tb/s"), "bandwidth_byte_per_s", "byte/s"),
    "letter case": (set_field("memory_byte", value="141 gb"), "memory_byte", "byte"),
    "negative": (set_field("memory_byte", value="-141 GB"), "memory_byte", ""),
    "zero": (set_field("power_w", value="0 W"), "power_w", ""),
    "not a number": (set_field("power_w", value="a lot of W"), "power_w", "W"),
    "fractional count": (set_field("scale_up_device_count", value="7.5"), "scale_up_device_count", ""),
    "no source": (lambda c: c["fields"]["memory_byte"].pop("source"), "fields.memory_byte.source", ""),
    "empty source": (set_field("memory_byte", source=[]), "fields.memory_byte.source", "at least 1"),
    "unknown source": (set_field("memory_byte", source=["nowhere"]), "memory_byte", "inferencex"),
    "no place": (lambda c: c["fields"]["memory_byte"].pop("at"), "fields.memory_byte.at", ""),
    "derived without a reason": (set_field("memory_byte", kind="derived"), "memory_byte", ""),
    "unknown kind of figure": (set_field("memory_byte", kind="guess"), "fields.memory_byte.kind", "stated"),
    "unknown figure": (lambda c: c["fields"].update(speed=c["fields"]["memory_byte"]), "speed", "memory_byte"),
    "unknown entry": (lambda c: c.update(colour="green"), "colour", ""),
    "no fields": (lambda c: c.pop("fields"), "fields", ""),
    "unused source": (lambda c: c["sources"].update(idle={"title": "x", "kind": "page"}), "h200-sxm.yaml", ""),
    "source without a title": (lambda c: c["sources"]["inferencex"].pop("title"), "sources.inferencex.title", ""),
    "another key": (lambda c: c.update(key="h100-sxm"), "h200-sxm.yaml", "h200-sxm"),
    "unknown execution": (lambda c: c.update(execution="magic"), "execution", "kernels"),
    "text for yes or no": (lambda c: c.update(available="yes"), "available", "boolean"),
    "conflict of nothing": (
        lambda c: c.update(conflicts=[{"field": "speed", "value": "1 GB", "by": "x"}]),
        "conflicts.speed",
        "memory_byte",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_copy_is_refused(fault: str, tmp_path: Path) -> None:
    change, place, expected = BROKEN[fault]
    path = tmp_path / "h200-sxm.yaml"
    path.write_text(yaml.safe_dump(broken(change)))
    with pytest.raises(CatalogueError) as caught:
        read_chip(path)
    assert "h200-sxm.yaml" in caught.value.where
    assert place in str(caught.value)
    assert expected in caught.value.expected


def test_an_unbroken_copy_is_read(tmp_path: Path) -> None:
    path = tmp_path / "h200-sxm.yaml"
    path.write_text(yaml.safe_dump(as_loaded()))
    assert isinstance(read_chip(path), Chip)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("key: h200-sxm\nkey: h100-sxm\n", "said twice"),
        ("fields:\n  memory_byte: {value: 1 GB, value: 2 GB}\n", "said twice"),
        ("- a\n- b\n", "not a mapping"),
        ("key: [", "line"),
        ("", "not a mapping"),
        ("key: !!python/object:os.system x\n", "line 1"),
    ],
)
def test_text_that_is_no_catalogue_file_is_refused(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "h200-sxm.yaml"
    path.write_text(text)
    with pytest.raises(CatalogueError, match=told):
        read_chip(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match=r"absent\.yaml"):
        read_chip(tmp_path / "absent.yaml")
