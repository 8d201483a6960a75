"""An equation as the Methods page prints it, and the search over all of them."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from analysis.explain import Equation
from data.units import unit_label

LEVELS = """
- **L0, naive bandwidth.** Every active weight is read once per token and nothing else takes time. It is the number in
  most headlines, and a bound no machine reaches; here it is always a hollow mark and never called a prediction.
- **L1, operator roofline.** Each operator of a layer takes the longer of its memory time and its arithmetic time; the
  KV cache is read, and a mixture reads only the experts its tokens meet. Still a bound, a tighter one.
- **L2, latency and communication.** Every kernel has a start, every exchange between devices a delay, and neither
  memory nor arithmetic reaches its datasheet rate. On a wafer the distance across the mesh takes the kernel's place.
  This is the level that is shown as a prediction.
- **L3, serving.** Prompts are read while others decode, and requests wait; time to first token and throughput of a
  whole system come from here.

A level only adds time to the one before, so no prediction passes its bound.
"""


def topic_title(topic: str) -> str:
    """A module's name as a heading: memory_fit -> "Memory fit"."""
    return topic.replace("_", " ").capitalize()


def matching(equations: Iterable[Equation], words: str) -> list[Equation]:
    """Equations in which every word occurs: in name, topic, summary, formula, arguments or source."""
    wanted = words.lower().split()

    def text(each: Equation) -> str:
        arguments = " ".join(f"{one.symbol} {one.meaning}" for one in each.arguments)
        return " ".join(
            [each.name, each.topic, each.summary, *each.lines, arguments, each.remarks, each.source]
        ).lower()

    return [each for each in equations if all(word in text(each) for word in wanted)]


def equation_text(equation: Equation) -> str:
    """Formula lines, then a row per symbol: symbol, meaning, unit."""
    width = max((len(each.symbol) for each in equation.arguments), default=0)
    unit = unit_label(equation.unit) or "no unit"
    first = f"{equation.lines[0]}    [{unit}]"
    rows = [
        f"  {each.symbol:<{width}}  {each.meaning}" + (f"  [{unit_label(each.unit)}]" if each.unit else "")
        for each in equation.arguments
    ]
    return "\n".join([first, *(f"  {line}" for line in equation.lines[1:]), "", *rows]).rstrip()


def _remarks(text: str) -> str:
    """The range of the arguments; that they may be arrays concerns programs alone."""
    rest = text.removeprefix("Floats or arrays that broadcast").lstrip(",;. ")
    return rest[:1].upper() + rest[1:]


def show_equation(equation: Equation) -> None:
    """One equation: what it gives, the formula with its symbols, ranges, source."""
    with st.container(gap="xsmall"):
        st.markdown(f"**{equation.summary}**")
        st.code(equation_text(equation), language=None)
        st.caption(f"{_remarks(equation.remarks)} Source: {equation.source}".strip())
