"""Catalogue entries as plain mappings for `--json`: every figure with its sources, and what follows from dimensions."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from analysis.shapes import cache_byte_per_token, components, weights_read_per_token
from data.catalogue.catalogue import Catalogue
from data.errors import UnknownNameError
from data.records import Architecture, Chip
from data.sources import Fact
from data.units import unit_of_suffix

_BF16_BYTE = 2.0


def record_of(catalogue: Catalogue, name: str) -> dict[str, Any]:
    """The chip or model a name stands for, with sources per field; for a model also what its dimensions imply.

    Raises UnknownNameError with near matches of both kinds, or AmbiguousNameError with the choices.
    """
    try:
        return chip_record(catalogue, catalogue.chip(name))
    except UnknownNameError as no_chip:
        if no_chip.note:
            raise
    try:
        return model_record(catalogue.architecture(name))
    except UnknownNameError as no_model:
        if no_model.note:
            raise
        known = [*catalogue.chip_names(), *catalogue.architecture_names()]
        raise UnknownNameError("chip or model", name, known) from no_model


def chip_record(catalogue: Catalogue, chip: Chip) -> dict[str, Any]:
    """One chip: SI values at the top, the same with unit and sources under `facts`, conflicts and dated prices."""
    plain = {each.name: getattr(chip, each.name) for each in fields(chip) if each.name not in ("facts", "conflicts")}
    return {
        "record": "chip",
        **plain,
        "facts": {name: _fact(fact, unit_of_suffix(name)[1]) for name, fact in chip.facts.items()},
        "conflicts": [asdict(conflict) for conflict in chip.conflicts],
        "prices": [asdict(price) for price in catalogue.prices_of(chip.key)],
    }


def model_record(architecture: Architecture) -> dict[str, Any]:
    """One model: its dimensions, the facts with sources, and under `derived` what is counted from the dimensions."""
    plain = {each.name: getattr(architecture, each.name) for each in fields(architecture) if each.name != "facts"}
    plain["blocks"] = [asdict(block) for block in architecture.blocks]
    plain["conflicts"] = [asdict(conflict) for conflict in plain.get("conflicts", ())]
    return {
        "record": "model",
        **{name: dict(value) if hasattr(value, "items") else value for name, value in plain.items()},
        "layers": architecture.layers,
        "facts": {name: _fact(fact, "") for name, fact in architecture.facts.items()},
        "derived": derived(architecture),
    }


def derived(architecture: Architecture) -> dict[str, int]:
    """Counts that follow from the dimensions alone, multi-token-prediction layers left out.

    parameters                 every weight of the main model
    weights_read_per_token     what one token passes through: top-k experts, output head, no input embedding
    kv_bytes_per_token_bf16    cache one more token of context takes in all layers, two bytes an element
    """
    return {
        "parameters": components(architecture).total,
        "weights_read_per_token": weights_read_per_token(architecture),
        "kv_bytes_per_token_bf16": round(cache_byte_per_token(architecture, _BF16_BYTE)),
    }


def _fact(fact: Fact, unit: str) -> dict[str, Any]:
    plain = asdict(fact)
    plain["sources"] = [{name: value for name, value in each.items() if value} for each in plain["sources"]]
    return {"value": plain.pop("value"), "unit": unit, **plain}
