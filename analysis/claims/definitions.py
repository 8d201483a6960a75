"""Claims about words and vendors' figures: what is counted, by whom, and what would have to be known."""

from __future__ import annotations

import math

from analysis.claims.verdict import CLOSE, Asked, Verdict, within
from analysis.claims.words import count_text
from analysis.explain import explain
from analysis.models import ratios
from analysis.models.serving import output_rate
from analysis.weight_formats import byte_per_weight


def another_quantity(asked: Asked) -> Verdict:
    """A figure that is true of something else than what it is quoted for."""
    gain = asked.positive("gain_fraction")
    meant, not_meant = asked.text("meant"), asked.text("not_meant")
    step = explain(ratios.factor_of_gain, subject="What a gain of this size would multiply", gain_fraction=gain)
    factor = float(ratios.factor_of_gain(gain))
    return Verdict(
        kind="holds only if",
        sentence=f"Holds only if it is read as {meant}, which is what the vendor states; it says nothing of "
        f"{not_meant}. No speed here uses it; a what-if may multiply by {factor:.2f} and must call that assumed.",
        figures={"factor": factor},
        steps=(step,),
    )


def rate_by_definition(asked: Asked) -> Verdict:
    """Tokens a second as batch times length over latency: which length, which latency."""
    batch, seconds = asked.positive("batch"), asked.positive("latency_s")
    generated, prompt = asked.positive("generated_tokens"), asked.positive("prompt_tokens")
    rates = {"output": generated, "with the prompt": generated + prompt}
    steps = [
        explain(output_rate, subject=f"Example, {name}", in_flight=batch, generated_tokens=tokens, e2e_s=seconds)
        for name, tokens in rates.items()
    ]
    alone = explain(
        output_rate, subject="Example, one user", in_flight=1.0, generated_tokens=generated, e2e_s=seconds
    )  # fmt: skip
    out, both, one = batch * generated / seconds, batch * (generated + prompt) / seconds, generated / seconds
    return Verdict(
        kind="holds only if",
        sentence="Holds only if length means generated tokens, latency the whole request, and the batch stays "
        f"constant. {batch:.0f} requests of {prompt:,.0f} + {generated:.0f} tokens in {seconds:.0f} s are {out:.0f} "
        f"output, {both:,.0f} total and {one:.0f} tok/s per user: three figures, never one.",
        figures={"output_tokens_per_s": out, "total_tokens_per_s": both, "tokens_per_s_per_user": one},
        steps=(*steps, alone),
    )


def vendor_figures(asked: Asked) -> Verdict:
    """Printed figures against those the vendor states."""
    names, printed, stated = asked.texts("names"), asked.numbers("claimed"), asked.numbers("stated")
    pairs = list(zip(names, printed, stated, strict=True))
    steps = tuple(
        explain(ratios.times_the_count, subject=name, claimed=claimed, reference=reference)
        for name, claimed, reference in pairs
    )
    wrong = [f"{name}: {count_text(c)} against {count_text(r)}" for name, c, r in pairs if not within(c, r, CLOSE)]
    said = ", ".join(f"{count_text(claimed)} {name}" for name, claimed, _ in pairs)
    worst = max((c / r for _, c, r in pairs), key=lambda ratio: abs(math.log(ratio)))
    return Verdict(
        kind="false by a factor" if wrong else "holds",
        sentence=f"Not as the vendor states it: {'; '.join(wrong)}." if wrong else f"Holds: the vendor states {said}.",
        figures={name: claimed / reference for name, claimed, reference in pairs} | {"worst": worst},
        steps=steps,
    )


def needs_evidence(asked: Asked) -> Verdict:
    """A statement about quality: arithmetic on widths cannot decide it."""
    narrow, wide, missing = asked.text("format"), asked.text("other_format"), asked.text("missing")
    widths = byte_per_weight(narrow), byte_per_weight(wide)
    step = explain(
        ratios.times_the_memory, subject="What the narrower format saves", claimed_byte=widths[1],
        reference_byte=widths[0],
    )  # fmt: skip
    return Verdict(
        kind="not testable",
        sentence=f"Not testable: missing are {missing}. {narrow.upper()} weights are {widths[1] / widths[0]:.2f} "
        f"times smaller than {wide.upper()}, which says nothing of quality; the accuracy gate decides that.",
        figures={"times_smaller": widths[1] / widths[0]},
        steps=(step,),
    )
