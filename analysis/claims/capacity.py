"""Claims about what fits: weights at a width, wafers a model takes, room for the cache of many users."""

from __future__ import annotations

import math
from collections.abc import Sequence

from analysis.claims.bandwidth import active_weights, documents_of, total_weights
from analysis.claims.machine import Answered, Served, serve
from analysis.claims.verdict import NEAR, Asked, Kind, Verdict, documents, within
from analysis.claims.words import bits_text, bytes_text, count_text
from analysis.explain import explain
from analysis.models import claims as arithmetic
from analysis.models import ratios
from analysis.models.placement import PLANNED_WEIGHT_FRACTION
from analysis.shapes import components
from analysis.study import Step, short_name
from analysis.weight_formats import byte_per_weight

ALL = 1.0
COUNTED_TOLERANCE = 0.02  # cards round to two or three digits


def width_that_fits(asked: Asked) -> Verdict:
    """A memory said to hold all of a model of some size: at which width that is so."""
    chip, weights, narrowest = asked.chip(), asked.positive("weights"), asked.text("weight_format")
    memory = asked.figure(chip, "memory_byte")
    shares = {"nothing left for the cache": ALL, "the planned share of weights": PLANNED_WEIGHT_FRACTION}
    widths = [float(arithmetic.width_that_fits(memory, share, weights)) for share in shares.values()]
    kind: Kind = "holds" if widths[1] >= byte_per_weight(narrowest) else "holds only if"
    lead = "Holds" if kind == "holds" else "Holds only if"
    needs = bits_text(byte_per_weight(narrowest))
    return Verdict(
        kind=kind,
        sentence=f"{lead} a weight takes no more than {bits_text(widths[0])}, with nothing left for the cache, or "
        f"{bits_text(widths[1])} with {PLANNED_WEIGHT_FRACTION:.0%} of {bytes_text(memory)} for weights: false above. "
        f"{narrowest.upper()} takes {needs} of {count_text(weights)} weights.",
        figures={"all_byte": widths[0], "planned_byte": widths[1], "all_bits": 8 * widths[0],
                 "planned_bits": 8 * widths[1]},
        steps=tuple(
            explain(arithmetic.width_that_fits, subject=name.capitalize(), memory_byte=memory, weight_fraction=share,
                    weights=weights) for name, share in shares.items()
        ),
        sources=documents([chip.facts.get("memory_byte")]),
    )  # fmt: skip


def one_device(asked: Asked) -> Verdict:
    """Everything on one device, nothing between devices: up to which size, and what one model takes."""
    chip, model, weights = asked.chip(), asked.model(), asked.text("weight_format")
    memory = asked.figure(chip, "memory_byte")
    answer = serve(asked, [Served(model=model, chip=chip, context_tokens=1.0, weights=weights, cache=weights)])[0]
    kind: Kind = "holds" if answer.needed <= 1 else "holds only if"
    return Verdict(
        kind=kind,
        sentence=f"{'Holds here' if kind == 'holds' else 'Holds only if model and cache stay below'} "
        f"{bytes_text(memory)}: {model.name} in {weights.upper()} weighs {bytes_text(answer.weight_byte)} and takes "
        f"{answer.needed:.0f} × {short_name(chip)}, so every token crosses from one to the next "
        f"{answer.needed - 1:.0f} times.",
        figures={"needed": answer.needed, "hops": answer.needed - 1, "weight_byte": answer.weight_byte},
        steps=(_over(answer.weight_byte, memory, "Weights over the memory of one"),),
        sources=answer.sources,
    )


def _over(claimed: float, reference: float, subject: str) -> Step:
    return explain(ratios.times_the_memory, subject=subject, claimed_byte=claimed, reference_byte=reference)


def width_of_format(asked: Asked) -> Verdict:
    """Bytes a weight takes in a format, against another, and what block scales add to narrow ones."""
    narrow, wide, claimed = asked.text("weight_format"), asked.text("other_format"), asked.positive("claimed_fraction")
    number = float(components(asked.model()).total)
    small, large = (number * byte_per_weight(each) for each in (narrow, wide))
    holds = within(small / large, claimed)
    scaled = ", ".join(f"{name.upper()} {byte_per_weight(name):.4g} B" for name in asked.texts("scaled_formats"))
    return Verdict(
        kind="holds" if holds else "false by a factor",
        sentence=f"{'Holds for' if holds else 'False for'} the weights: {asked.model().name} takes "
        f"{bytes_text(small)} in {narrow.upper()} and {bytes_text(large)} in {wide.upper()}. Scales come on top; in "
        f"block formats they are part of the width: {scaled}.",
        figures={"narrow_byte": small, "wide_byte": large, "fraction": small / large}
        | {f"{name}_byte": byte_per_weight(name) for name in asked.texts("scaled_formats")},
        steps=(
            *(explain(arithmetic.weights_at_width, subject=name.upper(), weights=number,
                      width_byte=byte_per_weight(name))
              for name in (narrow, wide)),
            _over(small, large, f"{narrow.upper()} over {wide.upper()}"),
        ),
        sources=documents_of(asked.model()),
    )  # fmt: skip


def weight_size(asked: Asked) -> Verdict:
    """A printed size of a model's weights, against the published and the counted parameters."""
    model, claimed, name = asked.model(), asked.positive("claimed_byte"), asked.text("weight_format")
    width, counted = byte_per_weight(name), float(components(model).total)
    sizes = {"parameters as published": total_weights(model), "counted from the configuration": counted}
    if model.mtp_parameters:
        sizes["counted with the layer that predicts further tokens"] = counted + model.mtp_parameters
    holds = any(within(claimed, number * width, COUNTED_TOLERANCE) for number in sizes.values())
    times = claimed / (total_weights(model) * width)
    said = "; ".join(f"{count_text(number, 4)} {what}" for what, number in sizes.items())
    return Verdict(
        kind="holds" if holds else "false by a factor",
        sentence=f"{'Holds' if holds else f'False by a factor of {count_text(times)}'}: {model.name} at {width:g} B a "
        f"weight is {bytes_text(total_weights(model) * width)} ({said}).",
        figures={f"{what}_byte": number * width for what, number in sizes.items()} | {"factor": times},
        steps=tuple(
            explain(arithmetic.weights_at_width, subject=what.capitalize(), weights=number, width_byte=width)
            for what, number in sizes.items()
        ),
        sources=documents_of(model),
    )


def active_on_one(asked: Asked) -> Verdict:
    """The parameters a token meets, said to fit on one device."""
    chip, model = asked.chip(), asked.model()
    memory, number = asked.figure(chip, "memory_byte"), active_weights(model)
    sizes = {name: number * byte_per_weight(name) for name in asked.texts("weight_formats")}
    fitting = [name for name, size in sizes.items() if size <= memory]
    kind: Kind = "holds only if" if fitting else "false by a factor"
    told = ", ".join(f"{bytes_text(size)} in {name.upper()}" for name, size in sizes.items())
    only = f"Holds only in {' or '.join(fitting).upper()}, and only were they always the same ones"
    lead = only if fitting else "False"
    return Verdict(
        kind=kind,
        sentence=f"{lead}: {count_text(number)} active weights are {told}, against {bytes_text(memory)}. Each token "
        "picks other experts.",
        figures={f"{name}_byte": size for name, size in sizes.items()} | {"memory_byte": memory},
        steps=tuple(_over(size, memory, f"{name.upper()} over the memory") for name, size in sizes.items()),
        sources=(*documents([chip.facts.get("memory_byte")]), *documents_of(model)),
    )


def several_devices(asked: Asked) -> Verdict:
    """A model above a size is said to go over several devices."""
    chip, claimed, weights = asked.chip(), asked.positive("claimed_byte"), asked.text("weight_format")
    answer = serve(asked, [Served(model=asked.model(), chip=chip, context_tokens=1.0, weights=weights)])[0]
    memory = asked.figure(chip, "memory_byte")
    kind: Kind = "holds" if claimed > memory else "false by a factor"
    return Verdict(
        kind=kind,
        sentence=f"{'Holds' if kind == 'holds' else 'False'}: {bytes_text(claimed)} are {claimed / memory:.2g} × "
        f"{bytes_text(memory)}. {answer.architecture.name} in {weights.upper()} weighs "
        f"{bytes_text(answer.weight_byte)} and takes {answer.needed:.0f} × {short_name(chip)}; the limit of one is "
        f"{bytes_text(memory)}.",
        figures={"by_capacity": claimed / memory, "needed": answer.needed, "weight_byte": answer.weight_byte},
        steps=(_over(claimed, memory, "The size named over one memory"),
               _over(answer.weight_byte, memory, f"{answer.architecture.name} over one memory")),
        sources=answer.sources,
    )  # fmt: skip


def devices_together(asked: Asked) -> Verdict:
    """So many devices said to serve a model together: what each format takes."""
    chip, model, claimed = asked.chip(), asked.model(), asked.positive("claimed_count")
    names = asked.texts("weight_formats")
    answers = serve(asked, [Served(model=model, chip=chip, context_tokens=1.0, weights=each) for each in names])
    fit = [name for name, each in zip(names, answers, strict=True) if each.needed <= claimed]
    kind: Kind = "holds only if" if fit else "false by a factor"
    kind = "holds" if len(fit) == len(names) else kind
    told = ", ".join(f"{each.needed:.0f} in {name.upper()}" for name, each in zip(names, answers, strict=True))
    lead = {"holds": "Holds", "holds only if": f"Holds only in {' or '.join(fit).upper()}"}.get(kind, "False")
    memory = asked.figure(chip, "memory_byte")
    return Verdict(
        kind=kind,
        sentence=f"{lead}: {model.name} takes {told}, of which weights fill {_fills(answers, memory)}.",
        figures={f"needed_{name}": each.needed for name, each in zip(names, answers, strict=True)},
        steps=tuple(
            _over(each.weight_byte, each.needed * memory, f"{name.upper()}, weights over {each.needed:.0f} memories")
            for name, each in zip(names, answers, strict=True)
        ),
        sources=answers[0].sources,
    )


def _fills(answers: Sequence[Answered], memory_byte: float) -> str:
    return " and ".join(f"{each.weight_byte / (each.needed * memory_byte):.0%}" for each in answers)


def times_memory(asked: Asked) -> Verdict:
    """One device's memory as a multiple of another's."""
    chip, other, claimed = asked.chip(), asked.chip("other"), asked.positive("claimed_times")
    mine, theirs = asked.figure(chip, "memory_byte"), asked.figure(other, "memory_byte")
    holds = within(mine / theirs, claimed, NEAR)
    return Verdict(
        kind="holds" if holds else "false by a factor",
        sentence=f"{'Holds' if holds else 'False'} against the {bytes_text(theirs)} of a {short_name(other)}: "
        f"{count_text(mine / theirs)} times, where about {count_text(claimed)} is printed.",
        figures={"times": mine / theirs},
        steps=(_over(mine, theirs, f"{short_name(chip)} over {short_name(other)}"),),
        sources=documents(each.facts.get("memory_byte") for each in (chip, other)),
    )


def capacity(asked: Asked) -> Verdict:
    """So many devices said to hold a model with a context and users."""
    chip, count, users = asked.chip(), int(asked.positive("device_count")), asked.positive("users")
    question = Served(
        model=asked.model(), chip=chip, context_tokens=asked.positive("context_tokens"), device_count=count,
        weights=asked.text("weight_format", ""), cache=asked.text("cache_format", ""), users=users,
    )  # fmt: skip
    answer = serve(asked, [question], or_nan=True)[0]
    room = 0.0 if math.isnan(answer.speed) else answer.running
    kind, lead = _holding(answer, count, users, room)
    memory = asked.figure(chip, "memory_byte")
    return Verdict(
        kind=kind,
        sentence=f"{lead}: {answer.architecture.name} weighs {bytes_text(answer.weight_byte)} of {count:,} × "
        f"{bytes_text(memory)}; the cache has room for {count_text(answer.room_tokens)} tokens.",
        figures={"needed": answer.needed, "running": room, "room_tokens": answer.room_tokens},
        steps=(_over(answer.weight_byte, count * memory, "Weights over all memory"),),
        sources=answer.sources,
    )


def _holding(answer: Answered, count: int, users: float, room: float) -> tuple[Kind, str]:
    """Whether the count holds the users asked for, and how the sentence opens."""
    if room >= users:
        return "holds", "Holds"
    if answer.needed > count:
        return "holds only if", f"Holds only if {answer.needed:,.0f} × {short_name(answer.chip)} hold it"
    if room:
        return "holds only if", f"Holds only if {room:,.0f} users are in flight at once, the others waiting"
    return "not testable", f"Not testable: {answer.reason}"
