"""Claims about bandwidth and arithmetic rates: what a speed needs, and one machine held against another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.claims.verdict import CLOSE, NEAR, Asked, Kind, Verdict, documents, within
from analysis.claims.words import count_text, rate_text, share_text, speed_text
from analysis.explain import explain
from analysis.models import claims as arithmetic
from analysis.models import ratios
from analysis.models.bandwidth import required_bandwidth
from analysis.models.streaming import hit_rate_needed, rate_with_hits
from analysis.shapes import components, weights_read_per_token
from analysis.study import Step, short_name
from analysis.weight_formats import byte_per_weight
from data.records import Architecture, Chip
from data.sources import Fact, Source
from data.units import format_quantity

PREFIX, BYTE_BITS = 1000.0, 8.0
SPARSITY = 8.0  # Cerebras rates its systems at a sparsity of eight to one


def total_weights(model: Architecture) -> float:
    """Parameters as the publisher rounds them, else as counted from the dimensions."""
    return float(model.published_rounded_parameters or components(model).total)


def active_weights(model: Architecture) -> float:
    """Parameters a token meets as the publisher rounds them, else as counted from the dimensions."""
    return float(model.published_active_parameters or weights_read_per_token(model))


def documents_of(model: Architecture) -> tuple[Source, ...]:
    """Documents of a model's counts and dimensions."""
    names = ("published_rounded_parameters", "published_active_parameters", "hidden")
    return documents(model.facts.get(name) for name in names)


def slip(times: float) -> str:
    """What a factor looks like: a prefix, bits for bytes, or nothing of the kind."""
    powers = math.log(times) / math.log(PREFIX) if times > 0 else 0.0
    if abs(powers) >= 0.5 and within(times, PREFIX ** round(powers)):
        return "a prefix"
    if within(times, BYTE_BITS) or within(times, 1 / BYTE_BITS):
        return "bits for bytes"
    return ""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to read which weights a token meets, and the bandwidth that follows."""

    name: str  # "active bf16"
    words: str  # "32 billion active weights in BF16"
    read_byte: float
    needed_byte_per_s: float


def _readings(asked: Asked, rate: float) -> list[Reading]:
    """Active weights in every format given, then all weights in the first, where that is more."""
    model, formats = asked.model(), asked.texts("weight_formats")
    active, total = active_weights(model), total_weights(model)
    counts = [("active", "active", active, each) for each in formats]
    if total > 1.01 * active:
        counts.append(("dense", "in all", total, formats[0]))
    return [
        Reading(
            name=f"{name} {each}", words=f"{count_text(number)} weights {words} in {each.upper()}",
            read_byte=number * byte_per_weight(each),
            needed_byte_per_s=float(required_bandwidth(rate, number * byte_per_weight(each))),
        )
        for name, words, number, each in counts
    ]  # fmt: skip


def bandwidth_needed(asked: Asked) -> Verdict:
    """A bandwidth said to be needed for a speed, against what the weights of a token ask for."""
    rate, claimed = asked.positive("claimed_token_per_s"), asked.positive("claimed_byte_per_s")
    readings = _readings(asked, rate)
    kind, said = _judged(claimed, readings)
    told = "; ".join(f"{each.words} need {rate_text(each.needed_byte_per_s)}" for each in readings)
    return Verdict(
        kind=kind,
        sentence=f"{said} For {speed_text(rate)} of {asked.model().name}, {told}.",
        figures={f"{each.name} byte_per_s": each.needed_byte_per_s for each in readings}
        | {f"{each.name} times": each.needed_byte_per_s / claimed for each in readings},
        steps=tuple(step for each in readings for step in _need_steps(rate, each, claimed)),
        sources=documents_of(asked.model()),
        assumed=("the cache is left out, one user, every weight met is read once a token",),
    )


def _judged(claimed: float, readings: Sequence[Reading]) -> tuple[Kind, str]:
    """Holds for the first reading, or only for another one, or a slip against any of them."""
    first, *others = readings
    if within(claimed, first.needed_byte_per_s):
        return "holds", "Holds."
    for each in others:
        if within(claimed, each.needed_byte_per_s):
            what = "a dense reading" if each.name.startswith("dense") else "another reading"
            return "holds only if", f"Holds only for {what}, {each.words}."
    times = [(each.needed_byte_per_s / claimed, each.words) for each in readings]
    if any(slip(factor) == "a prefix" for factor, _ in times):
        short = "; ".join(f"by {count_text(factor)} for {words}" for factor, words in times)
        return "unit slip", f"Unit slip: {rate_text(claimed)} is short {short}."
    factor = times[0][0]
    said = f"{count_text(factor)} times too little" if factor > 1 else f"{count_text(1 / factor)} times too much"
    return "false by a factor", f"False: {rate_text(claimed)} is {said}."


def _need_steps(rate: float, one: Reading, claimed: float) -> list[Step]:
    return [
        explain(required_bandwidth, subject=one.words, target_token_per_s=rate, read_byte=one.read_byte),
        _over(one.needed_byte_per_s, claimed, f"{one.words}, needed over claimed"),
    ]  # fmt: skip


def times_the_other(asked: Asked) -> Verdict:
    """One chip's bandwidth as a multiple of another's, and how little of it a stream uses."""
    chip, other, claimed = asked.chip(), asked.chip("other"), asked.positive("claimed_times")
    mine, theirs = asked.figure(chip, "bandwidth_byte_per_s"), asked.figure(other, "bandwidth_byte_per_s")
    times = mine / theirs
    model, rate = asked.model(), asked.positive("stream_token_per_s")
    read = weights_read_per_token(model) * byte_per_weight("bf16")
    used_byte_per_s = float(required_bandwidth(rate, read))
    kind: Kind = "holds" if within(times, claimed) else "holds only if"
    lead = "Holds" if kind == "holds" else f"Holds only if the {short_name(other)} had {rate_text(mine / claimed)}"
    return Verdict(
        kind=kind,
        sentence=f"{lead}: {rate_text(mine)} is {count_text(times)} times the {rate_text(theirs)} of its SXM part. It "
        f"sets SRAM against HBM: one stream of {model.name} at {speed_text(rate)} uses "
        f"{share_text(used_byte_per_s / mine, 2)} of it.",
        figures={"times": times, "byte_per_s_for_claim": mine / claimed, "share_used": used_byte_per_s / mine},
        steps=(
            _over(mine, theirs, f"{short_name(chip)} over {short_name(other)}"),
            explain(required_bandwidth, subject=f"A stream of {model.name}", target_token_per_s=rate, read_byte=read),
            _over(used_byte_per_s, mine, "Share of the bandwidth it uses"),
        ),
        sources=documents(each.facts.get("bandwidth_byte_per_s") for each in (chip, other)),
    )


def _over(claimed: float, reference: float, subject: str) -> Step:
    return explain(
        ratios.times_the_bandwidth, subject=subject, claimed_byte_per_s=claimed, reference_byte_per_s=reference
    )


def interconnect(asked: Asked) -> Verdict:
    """A fabric's bandwidth whose unit may have slipped, and its multiple of a GPU node's links."""
    chip, other = asked.chip(), asked.chip("other")
    claimed, claimed_times = asked.positive("claimed_byte_per_s"), asked.positive("claimed_times")
    fabric = asked.figure(chip, "fabric_bandwidth_byte_per_s")
    two_way = asked.positive("devices") * 2 * asked.figure(other, "link_bandwidth_byte_per_s")
    factor, times = claimed / fabric, fabric / two_way
    kind: Kind = "holds" if within(factor, 1.0) else "unit slip" if slip(factor) else "false by a factor"
    lead = {
        "holds": "Holds",
        "unit slip": f"Unit slip, {slip(factor)}: {count_text(fabric * BYTE_BITS / 1e15)} petabits a second",
        "false by a factor": f"False by a factor of {count_text(factor)}: the fabric has",
    }[kind]
    agrees = "the multiple comes out" if within(times, claimed_times) else f"not {count_text(claimed_times)}"
    return Verdict(
        kind=kind,
        sentence=f"{lead} are {rate_text(fabric)}. Over the {rate_text(two_way)} of {asked.number('devices'):.0f} "
        f"{short_name(other)}, both ways, that is {count_text(times)} times: {agrees}.",
        figures={"fabric_byte_per_s": fabric, "factor": factor, "times": times},
        steps=(
            _over(claimed, fabric, "Claimed over the vendor's figure"),
            _over(fabric, two_way, "The fabric over the links of the node"),
        ),
        sources=documents([chip.facts.get("fabric_bandwidth_byte_per_s"), *_links(other)]),
    )  # fmt: skip


def _links(chip: Chip) -> tuple[Fact | None]:
    return (chip.facts.get("link_bandwidth_byte_per_s"),)


def peak(asked: Asked) -> Verdict:
    """A peak against the dense one, the sparse one, and that of a cluster."""
    chip, older, claimed = asked.chip(), asked.chip("older"), asked.positive("claimed_flop_per_s")
    dense, systems = asked.figure(chip, "peak_fp16_flop_per_s"), asked.positive("cluster_systems")
    lanes, clock, cores = asked.positive("lanes"), asked.positive("clock_hz"), asked.figure(chip, "core_count")
    counted, sparse, times = float(arithmetic.mesh_peak(cores, lanes, clock)), SPARSITY * dense, claimed / dense
    cluster = systems * SPARSITY * asked.figure(older, "peak_fp16_flop_per_s")
    kind, said = _peak_kind(claimed, dense, sparse)
    near = f", the sparse rate of {systems:.0f} {short_name(older)} systems" if within(claimed, cluster, NEAR) else ""
    pairs = {"the dense peak": dense, "the sparse peak": sparse, f"{systems:.0f} {short_name(older)} systems": cluster}
    return Verdict(
        kind=kind,
        sentence=f"{said}: dense FP16 is {_f(dense)} ({cores:,.0f} cores × {lanes:.0f} lanes at {clock / 1e9:g} GHz "
        f"make {_f(counted)}), {_f(sparse)} at a sparsity of 8:1; {_f(claimed)} is a cluster's figure{near}.",
        figures={"dense_flop_per_s": dense, "counted_flop_per_s": counted, "sparse_flop_per_s": sparse,
                 "factor": times},
        steps=(
            explain(arithmetic.mesh_peak, subject="From cores and clock", cores=cores, lanes=lanes, clock_hz=clock),
            *(explain(ratios.times_the_peak, subject=f"Claimed over {name}", claimed_flop_per_s=claimed,
                      reference_flop_per_s=value) for name, value in pairs.items()),
        ),
        sources=documents(each.facts.get("peak_fp16_flop_per_s") for each in (chip, older)),
        assumed=("lanes and clock of a core as analysts count them",),
    )  # fmt: skip


def _peak_kind(claimed: float, dense: float, sparse: float) -> tuple[Kind, str]:
    if within(claimed, dense):
        return "holds", "Holds"
    if within(claimed, sparse):
        return "holds only if", "Holds only for a sparsity of eight to one"
    return "false by a factor", f"False by a factor of {count_text(claimed / dense)}"


def _f(value: float) -> str:
    return format_quantity(value, "flop/s")


def streamed_experts(asked: Asked) -> Verdict:
    """Experts fetched by access frequency through the link of a system: the hit rate that a speed needs."""
    chip, model, rate = asked.chip(), asked.model(), asked.positive("claimed_token_per_s")
    width, link = byte_per_weight(asked.text("weight_format")), asked.figure(chip, "second_tier_bandwidth_byte_per_s")
    touched, resident = active_weights(model) * width, active_weights(model) / total_weights(model)
    hit = float(hit_rate_needed(rate, touched, link))
    reached = float(rate_with_hits(link, touched, resident))
    kind: Kind = "holds" if reached >= rate * (1 - CLOSE) else "false by a factor"
    cannot = f"Cannot serve at {speed_text(rate)}, false by a factor of {count_text(rate / reached)}"
    lead = "Holds" if kind == "holds" else cannot
    return Verdict(
        kind=kind,
        sentence=f"{lead}: each token picks other experts. Through {rate_text(link)} into a system the hit rate must "
        f"be {share_text(hit, 4)}; with {share_text(resident, 2)} resident and even routing it is "
        f"{speed_text(reached)}.",
        figures={"hit_fraction": hit, "resident_fraction": resident, "reached_token_per_s": reached},
        steps=(
            explain(hit_rate_needed, subject="Hit rate needed", rate_token_per_s=rate,
                    touched_byte_per_token=touched, link_byte_per_s=link),
            explain(rate_with_hits, subject="With the active share resident, even routing",
                    link_byte_per_s=link, touched_byte_per_token=touched, hit_fraction=resident),
        ),
        sources=(*documents([chip.facts.get("second_tier_bandwidth_byte_per_s")]), *documents_of(model)),
        assumed=("routing is even: every expert is as likely as any other",),
    )  # fmt: skip
