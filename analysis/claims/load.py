"""Claims about many users, many devices and other machines, put to the engine."""

from __future__ import annotations

import math

from analysis.claims.machine import Served, serve
from analysis.claims.speeds import NO_DRAFTS
from analysis.claims.verdict import CLOSE, Asked, Kind, Verdict
from analysis.claims.words import count_text, share_text, span_text, speed_text, time_text
from analysis.explain import explain
from analysis.models import claims as arithmetic
from analysis.models import ratios
from analysis.study import Step, counted


def hops(asked: Asked) -> Verdict:
    """A share of time said to go into the links between devices, and the hop that would make it so."""
    claimed = asked.positive("claimed_fraction")
    question = Served(model=asked.model(), chip=asked.chip(), context_tokens=asked.positive("context_tokens"),
                      weights=asked.text("weight_format"), cache=asked.text("weight_format"))  # fmt: skip
    one = serve(asked, [question])[0]
    step, hop = 1 / one.speed, asked.parameters.mesh.hop_s
    share = float(arithmetic.hop_share(one.count, hop, step))
    wanted = float(arithmetic.hop_for_share(claimed, one.count, step)) if one.count > 1 else math.nan
    return Verdict(
        kind="a rule",
        sentence=f"A rule of thumb: on {one.name}, {one.count - 1:.0f} hops of {time_text(hop)} are "
        f"{share_text(share, 2)} of the {time_text(step)} between two tokens of {one.architecture.name}; "
        f"{share_text(claimed, 2)} would be {time_text(wanted)} a hop.",
        figures={"share": share, "hop_s": hop, "hop_for_claim_s": wanted, "step_s": step},
        steps=(
            explain(arithmetic.hop_share, subject=one.name, wafers=one.count, hop_s=hop, step_s=step),
            explain(
                arithmetic.hop_for_share, subject="For the share named", share=claimed, wafers=one.count, step_s=step
            ),
        ),
        sources=one.sources,
        assumed=(f"{time_text(hop)} a hop is a prior, nobody has published one", NO_DRAFTS),
    )


def _faster(subject: str, high: float, low: float) -> Step:
    return explain(
        ratios.times_the_speed, subject=subject, claimed_token_per_s=high, reference_token_per_s=low
    )  # fmt: skip


def scaling(asked: Asked) -> Verdict:
    """Speed said to grow with the count: one stream and the total apart."""
    few, many = (int(each) for each in asked.numbers("device_counts"))
    chip, model, weights = asked.chip(), asked.model(), asked.text("weight_format")
    tokens, made = asked.positive("context_tokens"), asked.positive("generated_tokens")
    loads: tuple[tuple[float | str, float], ...] = ((1.0, 0.0), ("offline", made))
    a, b, whole_a, whole_b = serve(asked, [
        Served(model=model, chip=chip, context_tokens=tokens, device_count=n, weights=weights, users=users,
               generated_tokens=out) for users, out in loads for n in (few, many)
    ])  # fmt: skip
    one, total, ideal = b.speed / a.speed, whole_b.total / whole_a.total, many / few
    kind: Kind = "holds only if" if total >= 0.8 * ideal else "false by a factor"
    lead = "Holds only if the total of all users is meant" if kind == "holds only if" else "False"
    return Verdict(
        kind=kind,
        sentence=f"{lead}: from {few} to {counted(chip, many)}, {model.name} kept full goes from "
        f"{speed_text(whole_a.total)} to {speed_text(whole_b.total)} ({total:.2g} times), one stream from "
        f"{a.speed:,.0f} to {b.speed:,.0f} ({one:.2g} times): a wider region helps it only so far, and hops cost.",
        figures={"one_stream_times": one, "total_times": total, "ideal_times": ideal},
        steps=(_faster("One stream", b.speed, a.speed), _faster("All users", whole_b.total, whole_a.total)),
        sources=a.sources,
        assumed=(NO_DRAFTS, "as many users as the cache has room for"),
    )


def same_speed(asked: Asked) -> Verdict:
    """A speed said to stay the same for every number of users."""
    low, high = min(asked.numbers("users")), max(asked.numbers("users"))
    chip, model, count = asked.chip(), asked.model(), int(asked.positive("device_count"))
    tokens = asked.positive("context_tokens")
    one, all_users = serve(asked, [
        Served(model=model, chip=chip, device_count=count, weights=asked.text("weight_format"), context_tokens=tokens,
               users=n) for n in (low, high)
    ])  # fmt: skip
    streams, each = float(model.layers), one.room_tokens / high
    slower = one.speed / all_users.speed
    kind: Kind = "holds" if slower <= 1 + CLOSE and high <= streams else "holds only if"
    lead = "Holds" if kind == "holds" else f"Holds only up to {streams:.0f} streams, one a layer, whose cache fits"
    return Verdict(
        kind=kind,
        sentence=f"{lead}: {model.name} on {one.name} gives one user {speed_text(one.speed)} and each of {high:,.0f} "
        f"{speed_text(all_users.speed)} at {tokens:,.0f} tokens; {high:,.0f} have room for {each:,.0f} tokens each, "
        "then requests queue.",
        figures={"streams": streams, "slower_times": slower, "each_tokens": each},
        steps=(
            _faster("One user over each of all", one.speed, all_users.speed),
            explain(arithmetic.room_for_each, subject=f"{high:,.0f} users", room_tokens=one.room_tokens, users=high),
            explain(ratios.times_the_count, subject="Users over layers in flight", claimed=high, reference=streams),
        ),
        sources=one.sources,
        assumed=(NO_DRAFTS,),
    )  # fmt: skip


def times_another_machine(asked: Asked) -> Verdict:
    """A machine said to be so many times as fast as another, per user and over several models."""
    claimed, tokens = asked.positive("claimed_times"), asked.positive("context_tokens")
    names, formats = asked.texts("models"), asked.texts("weight_formats")
    models = [asked.catalogue.architecture(name) for name in names]
    mine = [Served(model=model, chip=asked.chip(), context_tokens=tokens, weights=name)
            for model, name in zip(models, formats, strict=True)]  # fmt: skip
    node = int(asked.positive("other_count"))
    other = asked.text("other_format")
    theirs = [Served(model=model, chip=asked.chip("other"), context_tokens=tokens, device_count=node, weights=other)
              for model in models]  # fmt: skip
    answers = serve(asked, [*mine, *theirs])
    pairs = list(zip(answers[: len(models)], answers[len(models) :], strict=True))
    times = [a.speed / b.speed for a, b in pairs]
    kind: Kind = "holds" if claimed <= max(times) * (1 + CLOSE) else "holds only if"
    slow = claimed / max(times)
    lead = "Holds" if kind == "holds" else f"Holds only against endpoints {slow:.2g} times slower than a tuned node"
    told = "; ".join(f"{a.architecture.name} {a.speed:,.0f} against {b.speed:,.0f}" for a, b in pairs)
    return Verdict(
        kind=kind,
        sentence=f"{lead}: per user the model says {span_text(times)} times {pairs[0][1].name} ({told}).",
        figures={"times_low": min(times), "times_high": max(times), "slower_endpoint": slow},
        steps=tuple(_faster(f"{a.architecture.name}, {a.name} over {b.name}", a.speed, b.speed) for a, b in pairs),
        sources=tuple(dict.fromkeys(source for pair in pairs for each in pair for source in each.sources)),
        assumed=(NO_DRAFTS, f"{tokens:,.0f} tokens of context, {count_text(node)} devices in a node"),
    )  # fmt: skip
