"""Why a plan cannot be built, in words: degrees that do not divide, links that do not exist."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from analysis.engine.arrays import Flags
from analysis.engine.degrees import MOST_DEVICES, Plan, heads_divide
from analysis.engine.inputs import FIXED, KERNELS, MESH, Inputs
from analysis.engine.memory import Room
from analysis.engine.shapes_of_cases import Shapes


def refusals(inputs: Inputs, shapes: Shapes, plan: Plan) -> list[str]:
    """Why each case's degrees cannot be built, in words; empty where they can. (cases,)"""
    said = [""] * len(inputs.form)
    whole = (np.mod(plan.pp, 1) == 0) & (np.mod(plan.tp, 1) == 0)
    total = plan.tp * plan.pp * plan.replicas
    _say(said, np.isnan(plan.device_count), lambda at: f"no plan with up to {MOST_DEVICES:.0f} devices holds it")
    _say(said, (total != plan.device_count) | ~whole, lambda at: _product(plan, at))
    _refuse_groups(said, inputs, shapes, plan)
    _refuse_links(said, inputs, plan)
    deep = (plan.pp > shapes.layer_count) & (inputs.form != FIXED)
    _say(said, deep, lambda at: f"{plan.pp[at]:.0f} stages for {shapes.layer_count[at]:.0f} layers")
    return said


def _refuse_groups(said: list[str], inputs: Inputs, shapes: Shapes, plan: Plan) -> None:
    """Heads, experts and attention groups that do not divide."""
    kernels, tp, ep = inputs.form == KERNELS, plan.tp, plan.ep
    experts = np.where(shapes.experts > 0, shapes.experts, 0).max(axis=1)
    group = np.where(np.isnan(tp), 1, tp / plan.dp)
    uneven = ~heads_divide(shapes, group[:, None])[:, 0] & (inputs.parts == 0)
    _say(said, kernels & (np.mod(tp, plan.dp) != 0), lambda at: f"dp {plan.dp[at]:.0f} does not divide tp {tp[at]:.0f}")
    _say(
        said, kernels & uneven, lambda at: f"tp {tp[at]:.0f} does not divide the attention heads ({_heads(shapes, at)})"
    )
    bad = (ep > 1) & ((experts == 0) | (np.mod(experts, ep) != 0))
    _say(said, kernels & bad, lambda at: f"ep {ep[at]:.0f} does not divide the {experts[at]:.0f} experts")
    few = kernels & (ep > tp)
    _say(said, few, lambda at: f"ep {ep[at]:.0f} needs as many devices to a layer, tp {tp[at]:.0f} has fewer")


def _refuse_links(said: list[str], inputs: Inputs, plan: Plan) -> None:
    """Groups wider than any link known between the devices."""
    shared = (inputs.form == KERNELS) & (plan.tp > 1)
    bare = shared & np.isnan(inputs.link)
    _say(said, bare, lambda at: f"tp {plan.tp[at]:.0f} needs a link between devices, and none is known for this chip")
    bridged = shared & (inputs.pair_only > 0) & (plan.tp > 2)
    _say(said, bridged, lambda at: f"the cards are bridged in pairs: tp {plan.tp[at]:.0f} is not possible, tp 2 is")


def _say(said: list[str], where: Flags, text: Callable[[int], str]) -> None:
    for at in np.flatnonzero(where):
        said[at] = said[at] or text(int(at))


def _product(plan: Plan, at: int) -> str:
    return f"{plan.device_count[at]:,.0f} devices cannot be tp {plan.tp[at]:g} x pp {plan.pp[at]:g}"


def _heads(shapes: Shapes, at: int) -> str:
    softmax = (shapes.layers[at] > 0) & ((shapes.is_gqa[at] > 0) | (shapes.is_mla[at] > 0))
    pairs = sorted(set(zip(shapes.query_heads[at][softmax], shapes.kv_heads[at][softmax], strict=True)))
    return " and ".join(f"{query:.0f} query, {cached:.0f} cached" for query, cached in pairs)


def capacity_reasons(inputs: Inputs, plan: Plan, room: Room) -> list[str]:
    """Why a copy does not fit on the devices given, and what would; empty where it does. (cases,)"""
    whole = (inputs.form != MESH) | np.isnan(inputs.region_cores)  # a stated region tells the speed of each layer
    short = ~(room.sequences >= 1) & whole
    said = [""] * len(short)
    for at in np.flatnonzero(short & ~np.isnan(plan.device_count)):
        on_chip = inputs.form[at] in (MESH, FIXED)
        word = "wafer" if inputs.form[at] == MESH else "device"
        need, have = room.weight[at] + room.one_sequence[at], room.budget[at]
        if on_chip:
            count = plan.device_count[at]
            need, have = need * count, have * count
        where = "in all" if on_chip else "on each device"
        fewest = f"{_counted(plan.needed[at], word)} needed" if np.isfinite(plan.needed[at]) else "no plan fits"
        said[at] = (
            f"does not fit: weights and the cache of one sequence need {need / 1e9:,.1f} GB {where}, "
            f"{max(have, 0) / 1e9:,.1f} GB are left for them on {_counted(plan.device_count[at], word)}; {fewest}"
        )
    return said


def _counted(count: float, word: str) -> str:
    return f"{count:,.0f} {word}" + ("" if count == 1 else "s")
