"""Claims about the speed of one user, put to the engine: its own speed, and what drafts would have to add."""

from __future__ import annotations

import math
from collections.abc import Sequence

from analysis.claims.machine import Answered, Served, serve
from analysis.claims.verdict import MODEL_ERROR, Asked, Kind, Verdict
from analysis.claims.words import span_text, speed_text, speeds_text
from analysis.explain import explain
from analysis.models import claims as arithmetic
from analysis.models.accuracy import accepted_tokens_needed
from analysis.study import Step, short_name

SHORT_TOKENS = 8192.0  # a context up to which the speed of a claim without a stated length is looked at
MOST_ACCEPTED = 8.0  # tokens a step beyond which no published drafting goes: assumed
NO_DRAFTS = "predictions are for one user alone and without drafts"
ASSUMED = (NO_DRAFTS, f"more than {MOST_ACCEPTED:.0f} accepted tokens a step are taken as out of reach")


def implied_layers(asked: Asked) -> Verdict:
    """A speed of a model nobody has described: what it would imply."""
    rate, layer_times = asked.positive("claimed_token_per_s"), asked.numbers("layer_s")
    served = serve(asked, [Served(model=asked.model(), chip=asked.chip(), context_tokens=0.0, weights="fp8")])[0]
    own = (1 / served.speed - served.hops_s) / served.architecture.layers
    times = {f"at {each * 1e6:g} µs a layer": each for each in layer_times}
    times[f"at the layers of {served.architecture.name} on {served.name}"] = own
    layers = [float(arithmetic.layers_in_a_token(rate, each)) for each in times.values()]
    few, many = min(layers[:-1]), max(layers[:-1])
    span = f"{max(layer_times) * 1e6:g} to {min(layer_times) * 1e6:g} µs"
    return Verdict(
        kind="not testable",
        sentence=f"Not testable: {asked.text('missing')} are not disclosed. {speed_text(rate)} are {1e3 / rate:.2f} "
        f"ms a token: {few:.0f} to {many:.0f} layers at {span} each, or {layers[-1]:.0f} at the {own * 1e6:.3g} µs "
        f"that a layer of {served.architecture.name} is modelled to take on {served.name}.",
        figures={"token_s": 1 / rate, "layers_few": few, "layers_many": many, "layers_modelled": layers[-1]},
        steps=tuple(
            explain(arithmetic.layers_in_a_token, subject=name, rate_token_per_s=rate, layer_s_per_token=each)
            for name, each in times.items()
        ),
        sources=served.sources,
        assumed=(NO_DRAFTS, "crossings between devices are not taken off the time of a token"),
    )


def speed(asked: Asked) -> Verdict:
    """A speed of one user on a machine: in every format and context given, on the count stated or the fewest."""
    rate, contexts = asked.positive("claimed_token_per_s"), asked.numbers("context_tokens")
    stated = int(asked.positive("device_count")) if asked.has("device_count") else None
    formats = asked.texts("weight_formats") if asked.has("weight_formats") else (asked.text("weight_format", ""),)
    questions = [
        Served(model=asked.model(), chip=asked.chip(), context_tokens=context, device_count=count, weights=name,
               cache=asked.text("cache_format", name if name in ("bf16", "fp8") else ""))
        for count in ([stated, None] if stated else [None]) for name in formats for context in contexts
    ]  # fmt: skip
    answers = serve(asked, questions, or_nan=True)
    here, fewest = (answers[: len(answers) // 2], answers[len(answers) // 2 :]) if stated else (answers, answers)
    served = _with_speed(here) or _with_speed(fewest)
    if not served:
        return _unanswered(here[0])
    return _judged(asked, rate, served, moved=bool(stated) and math.isnan(here[0].speed))


def _with_speed(answers: Sequence[Answered]) -> list[Answered]:
    return [each for each in answers if not math.isnan(each.speed)]


def _unanswered(one: Answered) -> Verdict:
    return Verdict(
        kind="not testable", sentence=f"Not testable: {one.reason or 'no law for the speed of this machine'}.",
        figures={}, sources=one.sources,
    )  # fmt: skip


def _judged(asked: Asked, rate: float, served: Sequence[Answered], *, moved: bool) -> Verdict:
    """The verdict over every format and context that is served; `moved` if the stated count holds no copy."""
    near = [each for each in served if each.context_tokens <= SHORT_TOKENS] or list(served)
    far = [each for each in served if each not in near]
    tau = [float(accepted_tokens_needed(rate, each.speed)) for each in near]
    tau_far = [float(accepted_tokens_needed(rate, each.speed)) for each in far]
    kind: Kind = "false by a factor" if min(tau) > MOST_ACCEPTED else "holds only if"
    if max(tau) <= MODEL_ERROR and not moved:
        kind = "holds"
    one = f"A single {short_name(asked.chip())} holds no copy. " if far and near[0].needed > 1 else ""
    sentence = f"{_lead(kind, tau, near, moved=moved)}: {_told(near)} without drafts. "
    if far:
        sentence += f"At {max(each.context_tokens for each in far):,.0f} tokens {speeds_text([e.speed for e in far])} "
        sentence += f"(extrapolated), so {span_text(tau_far)} accepted tokens a step. "
    return Verdict(
        kind=kind,
        sentence=(sentence + one).strip(),
        figures={f"{each.weights} {each.context_tokens:g}": each.speed for each in served}
        | {"tau_low": min(tau), "tau_high": max(tau), "devices": near[0].count}
        | ({"tau_far_low": min(tau_far), "tau_far_high": max(tau_far)} if far else {}),
        steps=tuple(_step(rate, each) for each in served),
        sources=served[0].sources,
        assumed=ASSUMED,
    )  # fmt: skip


def _lead(kind: Kind, tau: Sequence[float], near: Sequence[Answered], *, moved: bool) -> str:
    if kind == "holds":
        return "Holds"
    if kind == "false by a factor":
        return f"False by a factor of {min(tau):.3g}"
    counts = dict.fromkeys(f"{each.name} ({each.weights.upper()})" for each in near)
    parts = [f"{' or '.join(counts)} serve it"] if moved or len(counts) > 1 else []
    if max(tau) > MODEL_ERROR:
        spread = span_text([each for each in tau if each > 1.0] or tau)
        parts.append(f"{spread} tokens come of each step (drafts or newer kernels)")
    return f"Holds only if {' and '.join(parts)}" if parts else "Holds"


def _told(answers: Sequence[Answered]) -> str:
    """ "the model says 858 tok/s at 0 tokens of context and 748 tok/s at 8,192 on 11 × WSE-3"."""
    by_machine: dict[str, list[str]] = {}
    for each in answers:
        by_machine.setdefault(each.name, []).append(f"{speed_text(each.speed)} at {_context(each.context_tokens)}")
    return "the model says " + "; ".join(f"{', '.join(said)} on {name}" for name, said in by_machine.items())


def _context(tokens: float) -> str:
    return "empty context" if tokens == 0 else f"{tokens:,.0f} tokens"


def _step(rate: float, one: Answered) -> Step:
    return explain(
        accepted_tokens_needed, subject=f"{one.architecture.name}, {one.weights.upper()}, {one.name}, "
        f"{_context(one.context_tokens)}", measured_token_per_s=rate, predicted_token_per_s=one.speed,
    )  # fmt: skip


def speeds_of_models(asked: Asked) -> Verdict:
    """Speeds of several models, all said of the same count of devices."""
    names, rates = asked.texts("models"), asked.numbers("claimed_token_per_s")
    count, weights = int(asked.positive("device_count")), asked.text("weight_format")
    contexts = asked.numbers("context_tokens")
    models = [asked.catalogue.architecture(name) for name in names]
    questions = [
        Served(model=model, chip=asked.chip(), context_tokens=context, device_count=number, weights=weights)
        for model in models for number in (count, None) for context in contexts
    ]  # fmt: skip
    answers, size = serve(asked, questions, or_nan=True), len(contexts)
    parts = [answers[at : at + 2 * size] for at in range(0, len(answers), 2 * size)]
    judged = [_part(rate, part[:size], part[size:]) for rate, part in zip(rates, parts, strict=True)]
    kinds = {kind for kind, _, _ in judged}
    kind: Kind = kinds.pop() if len(kinds) == 1 else "holds only if"
    chosen = [each for _, _, part in judged for each in part]
    return Verdict(
        kind=kind,
        sentence=" ".join(said for _, said, _ in judged),
        figures={f"{each.architecture.key} {each.context_tokens:g}": each.speed for each in chosen}
        | {f"{each.architecture.key} devices": each.count for each in chosen},
        steps=tuple(_step(rate, each) for rate, (_, _, part) in zip(rates, judged, strict=True) for each in part),
        sources=tuple(dict.fromkeys(source for each in chosen for source in each.sources)),
        assumed=ASSUMED,
    )


def _part(rate: float, here: Sequence[Answered], fewest: Sequence[Answered]) -> tuple[Kind, str, Sequence[Answered]]:
    """One model's own verdict: on the stated count, else on the fewest that hold it."""
    moved = math.isnan(here[0].speed)
    part = _with_speed(fewest if moved else here)
    if not part:
        return "not testable", f"{here[0].architecture.name}: {here[0].reason}.", []
    name, ratio = part[0].architecture.name, max(rate / each.speed for each in part)
    fits = min(rate / each.speed for each in part) <= MODEL_ERROR
    kind: Kind = "false by a factor" if not fits else "holds only if" if moved else "holds"
    lead = {
        "holds": f"{name} holds", "holds only if": f"{name} at {rate:,.0f} holds only on {part[0].name}",
        "false by a factor": f"{name} at {rate:,.0f} is false by a factor of {ratio:.2g}",
    }[kind]  # fmt: skip
    return kind, f"{lead}: {_told(part)}.", part
