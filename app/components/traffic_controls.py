"""What the pages on serving and capacity ask in common: lengths, conversations, goals, and uses to start from."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.traffic.pasted import read_arrivals, read_lengths
from analysis.traffic.requests import PRESETS, SHAPES, Preset, RequestMix, request_mix
from analysis.traffic.spread import MOST_UNIFORM_CV, Floats
from analysis.workload import Workload
from app.components import controls as ask
from app.components.problem import problem_text
from app.components.request_controls import Start, pick_answer, pick_cached, start_from
from app.state import share_label, token_label
from data.catalogue.catalogue import Catalogue
from data.errors import WaferlineError

VARIATIONS = (0.0, 0.25, 0.5, 1.0, 1.5)
THINKS = (0.0, 5.0, 15.0, 30.0, 60.0, 120.0)
TURNS = (1, 2, 3, 5, 8, 12, 20)
CHUNKS = (512.0, 1024.0, 2048.0, 4096.0, 8192.0, math.inf)
UPLOAD_LIMIT_MB = 2


def presets(*, capacity: bool) -> None:
    """Uses to start from; each fills lengths, load and goals, and leaves model, formats and machines alone."""
    start_from({name: _start(preset, capacity) for name, preset in PRESETS.items()}, key="use")


def _start(preset: Preset, capacity: bool) -> Start:
    sets: dict[str, Any] = {"context": preset.input_tokens, "answer": preset.output_tokens, "vary": preset.cv,
                            "ttft": preset.goals.ttft_s}  # fmt: skip
    if capacity:
        sets |= {"rate": preset.rate_per_s, "tpot": 1e3 * preset.goals.tpot_s, "e2e": preset.goals.e2e_s}
    else:
        sets |= {"target": preset.tokens_per_s}
    words = (
        f"{token_label(preset.input_tokens)} in, {token_label(preset.output_tokens)} out, first token within "
        f"{preset.goals.ttft_s:g} s, {1e3 * preset.goals.tpot_s:g} ms a token"
    )
    return Start(words=words, sets=sets)


def folded(title: str) -> DeltaGenerator:
    """The part of a page that most people leave closed; whether it is open stands in the address."""
    return st.expander(title, type="compact", key="varied", bind="query-params")


def pick_model_and_lengths(catalogue: Catalogue) -> tuple[Workload, int]:
    """Model and formats with the mean prompt as context, and the mean answer. [tokens]"""
    model, prompt = ask.pick_model(catalogue), ask.slide(
        "Prompt, tokens", ask.CONTEXTS, key="context", default=8192, name=token_label, help="Mean of the prompts.",
    )  # fmt: skip
    answer = pick_answer()
    work = Workload(
        architecture=model, context_tokens=prompt, weight_format=ask.pick_weight_format(),
        cache_format=ask.pick_cache_format(), parameters=ask.pick_profile(),
    )  # fmt: skip
    return work, answer


def pick_mix(workload: Workload, answer_tokens: int) -> RequestMix:
    """How requests vary, how a conversation grows, what the cache holds; own lengths pasted replace the law."""
    with ask.controls_row():
        variation = ask.pick("Lengths vary by", VARIATIONS, key="vary", default=0.5, name=share_label, width=116,
                             help="Standard deviation over mean, of prompts and answers alike.")  # fmt: skip
        shape = ask.pick("Shape", SHAPES, key="shape", default="lognormal", width=116)
        turns = ask.pick("Turns", TURNS, key="turns", default=1, width=ask.NARROW,
                         help="Of a conversation: each prompt holds everything said before it.")  # fmt: skip
        think = ask.pick("Think, s", THINKS, key="think", default=0.0, name="{:g}".format, width=ask.NARROW,
                         help="Time a person takes between an answer and the next turn.")  # fmt: skip
        cached = pick_cached(words="Share of all prompt tokens found in the prefix cache.")
    if shape == "uniform" and variation > MOST_UNIFORM_CV:
        st.caption("A uniform length varies by 58 % at most; that is taken.")
        variation = MOST_UNIFORM_CV
    mix = request_mix(
        shape, workload.context_tokens, answer_tokens, 0.0 if shape == "fixed" else variation, turns=turns,
        think_s=think, cached_fraction=cached,
    )  # fmt: skip
    if turns > 1:
        most = share_label(round(mix.most_cached_fraction, 2))
        st.caption(f"The prompt chosen is what one turn adds. A cache that forgets nothing would hold {most}.")
    return _pasted(mix)


def _pasted(mix: RequestMix) -> RequestMix:
    """The mix with lengths that a person pasted; what cannot be read is said and left out."""
    text = st.text_area("Own lengths instead, a line a request: input,output", key="own_lengths", height=68,
                        placeholder="1200,300\n640,85", help="Stays on this machine and out of the link.")  # fmt: skip
    if not text.strip():
        return mix
    try:
        asked, made = read_lengths(text)
    except WaferlineError as error:
        st.caption(problem_text(error))
        return mix
    return replace(mix, new_tokens=asked, output_tokens=made)


def pick_ttft(default: float) -> float:
    """Latest first token. [s]"""
    return ask.number("First token, s", key="ttft", default=default, low=0.01, high=3600.0, step=0.1, width=116)


def pick_chunk() -> float:
    """Prompt tokens computed beside one decode step; infinite for whole prompts."""
    return ask.pick("Prompts in chunks of", CHUNKS, key="chunk", default=8192.0, name=_chunk_name, width=156,
                    help="8K is what vLLM takes on large GPUs. Smaller chunks shorten the longest gap.")  # fmt: skip


def _chunk_name(tokens: float) -> str:
    return token_label(int(tokens)) if math.isfinite(tokens) else "whole prompts"


def own_arrivals() -> Floats | None:
    """Arrival times from a file of the person's own; None without one, or where it cannot be read, which is said."""
    words = "A line a request: seconds, or a date and time. Not kept, and not in the link."
    file = st.file_uploader("Own arrival times, CSV", key="arrivals", max_upload_size=UPLOAD_LIMIT_MB, help=words)
    if file is None:
        return None
    try:
        return read_arrivals(file.getvalue().decode("utf-8", errors="replace"))
    except WaferlineError as error:
        st.caption(problem_text(error))
        return None
