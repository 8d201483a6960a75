"""What is changed about a model's numbers: formats by component, pruning, fusion, and a gain that is only assumed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from analysis.engine import Case
from analysis.machines import places_layers
from analysis.plans import served_case
from analysis.study import Slot
from analysis.workload import Workload
from data.records import Chip

Pruning = Literal["none", "2:4", "1:8", "any"]
PAIR_PLACE_BYTE = 0.25  # two bits say which of four a kept weight was: Mishra et al. 2021
FREE_PLACE_BYTE = 1.0  # a byte says how far the next kept weight is: a prior
MATRIX_UNITS = "2"  # what a vendor's sparse rate is a multiple of where matrix units skip two of four
WAFER_KEPT = 1.0 / 8.0  # Cerebras prints its peak at 8:1


@dataclass(frozen=True, kw_only=True)
class Change:
    """Formats left empty stay as they are.

    kept_fraction      weights that pruning "any" leaves
    fused_fraction     activations that fused kernels hand on without writing them
    launched_fraction  operators launched, of those launched today
    assumed_gain       how much faster other software is imagined to be; never part of a prediction
    """

    attention_format: str = ""
    dense_format: str = ""
    expert_format: str = ""
    head_format: str = ""
    cache_format: str = ""
    activation_format: str = ""
    pruning: Pruning = "none"
    kept_fraction: float = 0.5
    fused_fraction: float = 0.0
    launched_fraction: float = 1.0
    assumed_gain: float = 1.0

    @property
    def nothing(self) -> bool:
        """True if nothing that a prediction knows is changed."""
        return replace(self, assumed_gain=1.0, kept_fraction=0.5) == Change()


def pruned(chip: Chip, change: Change) -> tuple[float, float, str]:
    """Share of weights kept and bytes that place one, on this chip, and why it is not counted where it is not."""
    if change.pruning == "none":
        return 1.0, 0.0, ""
    if change.pruning == "2:4":
        if chip.sparsity.startswith(MATRIX_UNITS) or places_layers(chip):
            return 0.5, PAIR_PLACE_BYTE, ""
        return 1.0, 0.0, "2:4 not counted: no matrix units for it"
    if change.pruning == "1:8":
        if places_layers(chip):
            return WAFER_KEPT, FREE_PLACE_BYTE, ""
        return 1.0, 0.0, "1:8 not counted: claimed for wafers"
    return change.kept_fraction, FREE_PLACE_BYTE, ""


def changed(workload: Workload, chip: Chip, change: Change) -> Workload:
    """The workload with the change; components that are not named keep the format they have on this chip."""
    used = workload.formats(chip)
    kept, place, _ = pruned(chip, change)
    return replace(
        workload,
        weight_format=change.dense_format or used.dense.name,
        attention_format=change.attention_format or used.attention.name,
        expert_format=change.expert_format or used.expert.name,
        head_format=change.head_format or used.head.name,
        cache_format=change.cache_format or workload.cache_format,
        kept_fraction=kept,
        index_byte=place,
    )


def changed_case(workload: Workload, slot: Slot, change: Change) -> Case:
    """One decode step of all users with the change."""
    return replace(
        served_case(changed(workload, slot.chip, change), slot),
        activation_format=change.activation_format,
        fused_fraction=change.fused_fraction,
        launched_fraction=change.launched_fraction,
    )
