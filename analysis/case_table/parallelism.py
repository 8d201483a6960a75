"""Plans as people write them: "tp8 ep8", "tp1 pp8", "2 nodes of 8", "480x480 cores", pools for prefill and decode."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from data.errors import WaferlineError

_DEGREE = re.compile(r"(?<![a-z])(tp|pp|ep|dp)\s?(\d+)")
_NODES = re.compile(r"(\d+) nodes? of (\d+)")
_CORES = re.compile(r"(\d+)\s?x\s?(\d+)(?: (prefill|decode))?")
_POOL = re.compile(r"(prefill|decode) (\d+)x\(([^)]*)\)")
_ONE_SIDE = re.compile(r"^(prefill|decode) side")
_PARTS = re.compile(r"neuroncores|logical cores|cores of one chip|\(\d+ chips\)")


@dataclass(frozen=True, kw_only=True)
class Parallelism:
    """Degrees as stated; None where the text does not say.

    parts       tp counts parts of a device (cores), not devices
    pools       copies of the decode plan beside devices that only prefill; 0 if prompts are computed on the same ones
    """

    tp: int | None = None
    pp: int | None = None
    ep: int | None = None
    dp: int | None = None
    parts: bool = False
    pools: int = 0
    region_cores: float | None = None
    prefill_cores: float | None = None
    said: tuple[str, ...] = ()


def read_parallelism(text: str) -> Parallelism:
    """The plan a text names. Raises WaferlineError if it names none that can be computed."""
    plain = text.strip().lower()
    if not plain:
        return Parallelism()
    if _ONE_SIDE.match(plain):
        raise WaferlineError("one side of a plan with separate prefill is not computed", found=text)
    if pools := {name: (int(copies), inner) for name, copies, inner in _POOL.findall(plain)}:
        return _pooled(pools, text)
    if "cores" in plain and (sides := _CORES.findall(plain)):
        return _mesh(sides)
    if nodes := _NODES.search(plain):
        return Parallelism(tp=int(nodes[2]), pp=int(nodes[1]), said=(f"{text}: tp {nodes[2]}, pp {nodes[1]}",))
    degrees: dict[str, Any] = {name: int(value) for name, value in _DEGREE.findall(plain)}
    if not degrees:
        raise WaferlineError("a plan that cannot be read", where="parallelism", found=text, expected="tp8 ep8, tp1 pp4")
    if "attention-dp" in plain:
        degrees["dp"] = degrees.get("tp", 1)
    return Parallelism(**degrees, parts=bool(_PARTS.search(plain)))


def _pooled(pools: dict[str, tuple[int, str]], text: str) -> Parallelism:
    if "decode" not in pools:
        raise WaferlineError("a plan without a decode pool", where="parallelism", found=text)
    copies, inner = pools["decode"]
    degrees: dict[str, Any] = {name: int(value) for name, value in _DEGREE.findall(inner)}
    return Parallelism(**degrees, pools=copies, said=("prompts computed by devices of their own",))


def _mesh(sides: list[tuple[str, str, str]]) -> Parallelism:
    """Cores of a layer's region; one pair of sides serves both phases unless they are named."""
    by_phase = {phase or "both": float(wide) * float(high) for wide, high, phase in sides}
    decode = by_phase.get("decode", by_phase.get("both"))
    prefill = by_phase.get("prefill", by_phase.get("both"))
    return Parallelism(region_cores=decode, prefill_cores=prefill)
