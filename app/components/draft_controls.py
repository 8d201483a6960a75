"""The controls that say how tokens are drafted, each in the address."""

from __future__ import annotations

from analysis.studies.speculation_costs import MOST_DRAFTED, Draft, Kind
from app.components import controls as ask
from data.catalogue.catalogue import Catalogue

KINDS: tuple[Kind, ...] = ("ratio", "model", "heads")
NAMES: dict[Kind, str] = {"ratio": "cost ratio", "model": "model", "heads": "heads or tree"}
ACCEPTANCES = tuple(share / 20 for share in range(21))
SMALL_MODEL = "llama-3.2-1b"


def pick_draft(catalogue: Catalogue) -> Draft:
    """Kind of draft, and what that kind needs: a ratio, a model and its place, or tokens a step as measured."""
    kind = ask.pick("Draft by", KINDS, key="draftby", default="ratio", name=NAMES.__getitem__)
    drafted = int(ask.slide("Tokens drafted", range(1, MOST_DRAFTED + 1), key="drafted", default=4))
    if kind == "heads":
        return Draft(kind=kind, drafted=drafted, ratio=_ratio(), yielded=_yielded())
    acceptance = ask.slide("Acceptance", ACCEPTANCES, key="acceptance", default=0.7, name=lambda share: f"{share:g}")
    if kind == "ratio":
        return Draft(kind=kind, drafted=drafted, acceptance=acceptance, ratio=_ratio())
    ordered = sorted(catalogue.architectures.values(), key=lambda each: each.name.lower())
    opening = next((each for each in ordered if each.key == SMALL_MODEL), ordered[0])
    small = ask.pick("Draft model", ordered, key="draft", default=opening, name=lambda each: each.name)
    on_one = ask.pick(
        "Draft on", (True, False), key="drafton", default=True, name=lambda one: "one device" if one else "all devices"
    )
    return Draft(kind=kind, drafted=drafted, acceptance=acceptance, architecture=small, on_one=on_one)


def pick_speedup() -> float:
    """The speed-up that drafts are asked for."""
    return ask.number("Speed-up wanted", key="speedup", default=1.8, low=1.0, high=10.0, step=0.1)


def _ratio() -> float:
    return ask.number(
        "Draft step, × own step", key="draftcost", default=0.1, low=0.0, high=1.0, step=0.01,
        help="One step of the draft over one step of the model; for heads, all of them together.",
    )  # fmt: skip


def _yielded() -> float:
    return ask.number(
        "Tokens a step, measured", key="yielded", default=2.5, low=1.0, high=MOST_DRAFTED + 1.0, step=0.1,
        help="Mean accepted length with the model's own token, measured for a tree of this size.",
    )  # fmt: skip
