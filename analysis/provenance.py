"""Where the figures of a study come from: every document once, the most telling first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from data.catalogue.edited import OWN_FIGURE, PRICES, edits_of, figure_name
from data.records import Architecture, Chip
from data.sources import Fact, Source

_MODEL_SOURCES = 2  # a model's dimensions come from one configuration; more than that crowds the line


def _first_sources(facts: Mapping[str, Fact], fields: Iterable[str]) -> list[Source]:
    return [facts[name].sources[0] for name in fields if name in facts]


def sources_of(architecture: Architecture, chips: Iterable[Chip], fields: Iterable[str]) -> tuple[Source, ...]:
    """Documents behind the model's dimensions and the given fields of the chips.

    fields   names of Chip fields that the study used; one a chip lacks is skipped
    """
    wanted = tuple(fields)
    model = list(dict.fromkeys(fact.sources[0] for fact in architecture.facts.values()))[:_MODEL_SOURCES]
    found = model + [source for chip in chips for source in _first_sources(chip.facts, wanted)]
    return tuple({each.title: each for each in reversed(found)}.values())[::-1]


def estimates_in(chips: Iterable[Chip], fields: Iterable[str]) -> tuple[str, ...]:
    """Sentences for figures that are estimated, or the person's own, and for parts not yet on sale."""
    wanted = tuple(fields)
    every = list(chips)
    said: dict[str, None] = dict.fromkeys(own_figures_in(every))
    for chip in {(each.key, edits_of(each)): each for each in every}.values():
        for name in wanted:
            fact = chip.facts.get(name)
            if fact is not None and fact.kind == "estimate" and fact.at != OWN_FIGURE:
                said[f"*Estimate*: {name.rsplit('_byte', 1)[0].replace('_', ' ')} of {chip.name}, {fact.note}"] = None
        if not chip.available:
            said[f"{chip.name} is {chip.status}: its figures are promises"] = None
    return tuple(said)


def own_figures_in(chips: Iterable[Chip]) -> tuple[str, ...]:
    """Sentences for every figure that the person put in, beside the catalogue's; prices are told with the prices."""
    edited = {(each.key, edits_of(each)): each for each in chips if edits_of(each)}
    names = [(chip, name) for chip in edited.values() for name, _ in edits_of(chip) if name not in PRICES]
    facts = [(chip, name, chip.facts[name]) for chip, name in names]
    return tuple(
        f"*Your own figure*: {figure_name(name)} of {chip.name} {fact.shown}, {fact.note}" for chip, name, fact in facts
    )
