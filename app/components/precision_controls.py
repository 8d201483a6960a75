"""The controls that change a model's numbers: formats by component, pruning, fusion, and an assumed gain."""

from __future__ import annotations

from analysis.studies.precision_change import Change, Pruning
from app.components import controls as ask
from app.state import share_label
from data.records import Architecture

AS_IS = ""
FORMATS = (AS_IS, "bf16", "fp8", "int8", "nvfp4", "mxfp4", "int4")
CACHES = (AS_IS, "bf16", "fp8", "nvfp4")
ACTIVATIONS = (AS_IS, "fp8")
PRUNINGS: tuple[Pruning, ...] = ("none", "2:4", "1:8", "any")
PRUNING_NAMES: dict[Pruning, str] = {"none": "none", "2:4": "2:4", "1:8": "1:8 claimed", "any": "free, assumed"}
TENTHS = tuple(share / 10 for share in range(11))
ARTICLE_GAIN = 1.54


def pick_change(model: Architecture) -> Change:
    """What is changed, against the formats chosen for the whole model."""
    attention = _format("Attention", "attention", FORMATS)
    dense = _format("Dense MLP", "dense", FORMATS)
    experts = AS_IS
    if model.is_mixture:
        experts = _format("Experts", "experts", FORMATS, default="nvfp4")
    head, cache = _format("Head, tables", "head", FORMATS), _format("Cache", "cache", CACHES)
    activation = _format("Activations", "activations", ACTIVATIONS)
    pruning = ask.pick("Pruning", PRUNINGS, key="pruning", default="none", name=PRUNING_NAMES.__getitem__, width=132)
    kept = 0.5
    if pruning == "any":
        kept = ask.slide("Weights kept", TENTHS[1:], key="weightskept", default=0.5, name=share_label)
    fused = ask.slide("Activations fused", TENTHS, key="fused", default=0.0, name=share_label, help=FUSED)
    launched = ask.slide("Operators launched", TENTHS, key="launched", default=1.0, name=share_label, help=LAUNCHED)
    gain = ask.number(
        "Software gain, assumed", key="gain", default=1.0, low=1.0, high=10.0, step=0.01, help=GAIN.format(ARTICLE_GAIN)
    )
    return Change(
        attention_format=attention, dense_format=dense, expert_format=experts, head_format=head, cache_format=cache,
        activation_format=activation, pruning=pruning, kept_fraction=kept, fused_fraction=fused,
        launched_fraction=launched, assumed_gain=gain,
    )  # fmt: skip


FUSED = "Share of the activations that fused kernels hand on without writing them to memory."
LAUNCHED = "Share of today's operators that are still launched: 50 % where two become one."
GAIN = "How much faster other software is imagined to be, e.g. {} from an article. Drawn apart, never in a prediction."


def _format(label: str, key: str, formats: tuple[str, ...], default: str = AS_IS) -> str:
    return ask.pick(label, formats, key=key, default=default, name=_name, width=112)


def _name(number_format: str) -> str:
    return number_format.upper() or "as it is"
