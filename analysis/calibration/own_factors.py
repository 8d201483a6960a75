"""The few factors that a profile may fit, by part of the model, and the parameters each of them moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from analysis.engine.own_fit import OWN, SERVING
from analysis.parameters import Fitted, Measured, Parameters, starting_parameters
from analysis.sentences import list_words, runs_words
from data.catalogue.profile_files import Profile, ProfileForm
from data.errors import CatalogueError, UnknownNameError

FARTHEST = 30.0  # factor beyond which a value is taken for a slip: no software is a thirtieth as fast as another
MOST_DELAYING = 1.0  # prompts cannot delay decoding by more than all of their own work


@dataclass(frozen=True, kw_only=True)
class Factor:
    """One factor, what it means, and the parameters that are multiplied by it; `most` caps them."""

    name: str
    meaning: str
    parameters: tuple[str, ...]
    most: float = float("inf")


@dataclass(frozen=True, kw_only=True)
class FreeForm:
    """A part of the model with its factors; `holder` is the field of Parameters that they move."""

    title: str
    holder: str
    factors: tuple[Factor, ...]


_TIMES = ("operator_s", "sequence_s", "allreduce_s", "allreduce_blackwell_s", "allreduce_pcie_s", "hop_s")
_SHARES = (
    "bandwidth_fraction", "cache_bandwidth_fraction", "expert_bandwidth_fraction",
    "weight_only_expert_bandwidth_fraction", "weight_only_8_bit_bandwidth_fraction", "peak_fraction_16_bit",
    "peak_fraction_fp8", "peak_fraction_fp4", "peak_fraction_attention", "link_fraction",
)  # fmt: skip
_CROSSINGS = ("fixed_s", "crossing_s", "hop_s")
_STREAMED_TITLES = {"cuda": "llama.cpp on cards", "metal": "llama.cpp on Apple", "gb10": "llama.cpp on GB10",
                    "datacentre": "llama.cpp on datacentre GPUs", "dataflow": "dataflow machines"}  # fmt: skip
_FIXED = {"groq": ("Groq LPUs", "groq_layer_s"), "corsair": ("d-Matrix Corsair", "dmatrix_layer_s")}


def _streamed(kind: str) -> FreeForm:
    reading = Factor(name="bandwidth", meaning="share of bandwidth reached", parameters=(f"{kind}_weight_fraction",))
    layers = Factor(name="fixed times", meaning="fixed time of a layer", parameters=(f"{kind}_layer_s",))
    return FreeForm(title=_STREAMED_TITLES[kind], holder="streamed", factors=(reading, layers))


FORMS: Mapping[str, FreeForm] = {
    SERVING: FreeForm(
        title="GPU servers",
        holder="serving",
        factors=(
            Factor(name="fixed times", meaning="operators, sequences and collectives", parameters=_TIMES),
            Factor(name="shares", meaning="shares of bandwidth, peak and links reached", parameters=_SHARES),
            Factor(name="delaying", meaning="share of prompts' work that makes decoders wait",
                   parameters=("delaying_fraction",), most=MOST_DELAYING),
        ),
    ),
    **{f"streamed-{kind}": _streamed(kind) for kind in _STREAMED_TITLES},
    "mesh": FreeForm(
        title="wafers",
        holder="mesh",
        factors=(
            Factor(name="fixed times", meaning="layers, crossings and hops", parameters=_CROSSINGS),
            Factor(name="arithmetic", meaning="time of a multiply-accumulate", parameters=("mac_s",)),
        ),
    ),
    **{
        f"fixed-{key}": FreeForm(
            title=title, holder="fixed_layers",
            factors=(Factor(name="fixed times", meaning="time of a layer", parameters=(name,)),),
        )
        for key, (title, name) in _FIXED.items()
    },
}  # fmt: skip


def values_at(form: FreeForm, parameters: Parameters, factors: Mapping[str, float]) -> dict[str, float]:
    """The form's parameters multiplied by these factors, by name."""
    held = getattr(parameters, form.holder)
    return {
        name: min(getattr(held, name) * factors[each.name], max(each.most, getattr(held, name)))
        for each in form.factors
        for name in each.parameters
    }


def with_values(form: FreeForm, parameters: Parameters, values: Mapping[str, float]) -> Parameters:
    """Parameters with these values of one form."""
    held: Any = getattr(parameters, form.holder)
    changed: dict[str, Any] = {form.holder: replace(held, **values)}
    return replace(parameters, **changed)


def applied(profile: Profile, parameters: Parameters) -> Parameters:
    """What the engine believes with a profile: its values, and its left-out error for the chips and models it has seen.

    Raises CatalogueError for a part or a parameter that this release does not have, or a value far from the shipped.
    """
    believed = parameters
    intervals = dict(parameters.intervals)
    for key, fit in profile.forms.items():
        if key not in FORMS:
            raise UnknownNameError("part of the model", key, FORMS, where=f"profile {profile.name}")
        believed = with_values(FORMS[key], believed, _checked(profile, key, fit, parameters))
        inverse = (1.0 / fit.high, 1.0 / fit.low)
        both = {"tpot": (fit.low, fit.high), "e2e": (fit.low, fit.high), "rate": inverse}
        intervals |= {(f"{OWN}{key}", quantity): pair for quantity, pair in both.items()}
        intervals |= {(f"{OWN}{key}", name): parameters.intervals[key, name]
                      for name in ("ttft", "prefill") if (key, name) in parameters.intervals}  # fmt: skip
    seen = {
        key: Measured(chips=frozenset(fit.chips), models=frozenset(fit.models)) for key, fit in profile.forms.items()
    }
    return replace(believed, intervals=intervals, fitted=Fitted(name=profile.name, seen=seen))


def _checked(profile: Profile, key: str, fit: ProfileForm, parameters: Parameters) -> Mapping[str, float]:
    """The values of one part, each known and within reach of the shipped one."""
    form, where = FORMS[key], f"profile {profile.name}, {key}"
    known = {name for each in form.factors for name in each.parameters}
    for name, value in fit.values.items():
        if name not in known:
            raise UnknownNameError("parameter of this part", name, known, where=where)
        shipped = float(getattr(getattr(parameters, form.holder), name))
        if not shipped / FARTHEST <= value <= shipped * FARTHEST:
            raise CatalogueError(
                "a value lies too far from the shipped one", where=f"{where}, {name}", found=f"{value:.3g}",
                expected=f"{shipped / FARTHEST:.3g} to {shipped * FARTHEST:.3g}", remedy="Fit the profile again.",
            )  # fmt: skip
    return fit.values


def profile_words(profile: Profile) -> str:
    """What every page says that uses a profile: its name, what it was fitted to, and what it leaves as shipped."""
    parts = list_words([FORMS[key].title for key in profile.forms if key in FORMS])
    old = "" if profile.shipped == starting_parameters().dated else f" It starts from the values of {profile.shipped}."
    return (
        f"With your profile {profile.name}: fitted on {profile.dated} to {runs_words(len(profile.runs))} on {parts}; "
        f"other machines keep the shipped values.{old}"
    )
