"""Slots and workloads as the pages open on them."""

from __future__ import annotations

from analysis.study import Slot
from analysis.workload import Workload
from data.catalogue.catalogue import load_catalogue

HOME = (("h200-sxm", 8), ("b200-sxm", 8), ("wse-3", None), ("groq-lpu-v1", None))


def slots(*wanted: tuple[str, int | None]) -> list[Slot]:
    """Slots in order, from chip keys and counts."""
    chips = load_catalogue().chips
    return [Slot(place=at, chip=chips[key], device_count=count) for at, (key, count) in enumerate(wanted or HOME)]


def workload(model: str, context_tokens: float = 8192.0, sequences: float = 1.0, formats: str = "fp8") -> Workload:
    """A model with weights in `formats` and the cache in FP8 or else 16 bits."""
    return Workload(
        architecture=load_catalogue().architectures[model],
        context_tokens=context_tokens,
        sequences=sequences,
        weight_format=formats,
        cache_format="fp8" if formats == "fp8" else "bf16",
    )
