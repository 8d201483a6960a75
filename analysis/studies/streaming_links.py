"""The link through which a machine's missing weights come: as built, from a drive, or as stated."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from analysis.machines import places_layers
from data.records import Chip
from data.sources import Source
from data.units import format_quantity

Kind = Literal["built", "drive", "own"]
# One direction of one lane: 8, 16 and 32 GT/s with 128 of 130 bits carrying data; 64 GT/s in 256-byte flits of which
# 242 carry data. Packet headers take more, so this is a bound.
LANE_BYTE_PER_S = {3: 8e9 / 8 * 128 / 130, 4: 16e9 / 8 * 128 / 130, 5: 32e9 / 8 * 128 / 130, 6: 64e9 / 8 * 242 / 256}
DRIVE_BYTE_PER_S = 14e9  # one drive a device
LANES = Source(title="PCI Express Base Specification 3.0 to 6.0", kind="datasheet")
DRIVE = Source(title="Samsung PM1743 data sheet, 14,000 MB/s sequential read", kind="datasheet")
_PCIE = re.compile(r"PCIe(\d) x(\d+)")
_COHERENT = re.compile(r"NVLink-C2C ([\d.]+) (GB|TB)/s( per superchip)?")
SUPERCHIP_DEVICES = 2


@dataclass(frozen=True, kw_only=True)
class Link:
    """Where missing weights come from, and how fast for one device. None where no figure is known."""

    byte_per_s: float | None
    words: str
    sources: tuple[Source, ...] = ()


def link_of(chip: Chip, kind: Kind, own_byte_per_s: float) -> Link:
    """The link of one device, one direction."""
    if kind == "own":
        return Link(byte_per_s=own_byte_per_s, words="as stated")
    if kind == "drive":
        return Link(byte_per_s=DRIVE_BYTE_PER_S, words="one NVMe drive", sources=(DRIVE,))
    return _as_built(chip)


def _as_built(chip: Chip) -> Link:
    """Host memory over the host's link, memory beside the device, or what enters a wafer's system."""
    beside = chip.second_tier_bandwidth_byte_per_s
    if beside is not None:
        fact = chip.facts.get("second_tier_bandwidth_byte_per_s")
        coherent = _coherent(chip.host_link)
        words = "system input" if places_layers(chip) else "memory beside it"
        return Link(
            byte_per_s=min(beside, coherent or beside), words=words, sources=tuple(fact.sources[:1]) if fact else ()
        )
    if found := _PCIE.search(chip.host_link):
        lanes = int(found[2]) * LANE_BYTE_PER_S.get(int(found[1]), LANE_BYTE_PER_S[3])
        return Link(byte_per_s=lanes, words=f"PCIe {found[1]} × {found[2]}", sources=(LANES,))
    return Link(byte_per_s=None, words="no link to a larger memory is known")


def _coherent(text: str) -> float | None:
    """One direction of a link between processor and GPU whose two-way sum is printed; half of it where two share it."""
    found = _COHERENT.search(text)
    if found is None:
        return None
    two_way = float(found[1]) * (1e12 if found[2] == "TB" else 1e9)
    return two_way / 2 / (SUPERCHIP_DEVICES if found[3] else 1)


def link_words(link: Link) -> str:
    """ "PCIe 5 × 16, 63 GB/s"."""
    if link.byte_per_s is None:
        return link.words
    return f"{link.words}, {format_quantity(link.byte_per_s, 'byte/s')}"
