"""The pickers and sliders of a page; each is bound to the address, where its label is the value.

Labels are therefore part of every link ever shared: keep them short, and never rename one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.calibration.own_factors import profile_words
from analysis.parameters import Parameters
from analysis.workload import Workload
from app.components.figure_first import Row, value_of
from app.components.links import heed_link
from app.profiles import parameters_of, profiles
from app.state import say_profile, share_label, token_label
from data.catalogue.catalogue import Catalogue
from data.catalogue.profile_files import RESERVED
from data.records import Architecture

Value = TypeVar("Value")
WIDE, NARROW = 168, 88  # pixels; at 390 px these wrap to full rows
CONTEXTS = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 200_000, 262144, 524288, 1048576)
USERS = tuple(2**power for power in range(11))
DUTIES = (1.0, 0.75, 0.5, 0.34, 0.2, 0.1)
AS_PUBLISHED = ""
WEIGHT_FORMATS = ("bf16", "fp8", "int8", "nvfp4", "mxfp4", "int4", AS_PUBLISHED)
CACHE_FORMATS = ("bf16", "fp8")


def controls_row() -> DeltaGenerator:
    """The row that holds a page's controls; wraps on a narrow screen."""
    return st.container(horizontal=True, gap="small", vertical_alignment="bottom")


def row_after_figure() -> Row:
    """The same for a page whose figure comes first; it may hold only controls of this module."""
    return Row(controls_row())


def pick(
    label: str,
    options: Sequence[Value],
    *,
    key: str,
    default: Value,
    name: Callable[[Value], str] = str,
    width: int = WIDE,
    help: str | None = None,  # noqa: A002 - streamlit's own word
) -> Value:
    """One of several options from a list; `name` gives the label that also stands in the address."""

    def draw() -> Value:
        heed_link(label, options, key=key, default=default, name=name)
        return st.selectbox(
            label, options, index=list(options).index(default), format_func=name, key=key, bind="query-params",
            width=width, help=help,
        )  # fmt: skip

    return value_of(key, draw, lambda left: left in options)


def slide(
    label: str,
    options: Sequence[Value],
    *,
    key: str,
    default: Value,
    name: Callable[[Value], str] = str,
    width: int = WIDE,
    help: str | None = None,  # noqa: A002
) -> Value:
    """One of several ordered options from a slider."""

    def draw() -> Value:
        heed_link(label, options, key=key, default=default, name=name)
        chosen: Value = st.select_slider(
            label, options, value=default, format_func=name, key=key, bind="query-params", width=width, help=help
        )
        return chosen

    return value_of(key, draw, lambda left: left in options)


def number(
    label: str, *, key: str, default: float, low: float, high: float, step: float, width: int = WIDE,
    help: str | None = None,  # noqa: A002
) -> float:  # fmt: skip
    """A number typed by hand, between low and high; whole if `default` is."""
    whole = float(default).is_integer() and float(step).is_integer()
    kind = int if whole else float

    def draw() -> float:
        value = st.number_input(
            label, kind(low), kind(high), kind(default), kind(step), key=key, bind="query-params", width=width,
            help=help,
        )  # fmt: skip
        return float(value)

    return float(value_of(key, draw, lambda left: isinstance(left, int | float) and low <= left <= high))


def switch(
    label: str, options: Sequence[Value], *, key: str, default: Value, name: Callable[[Value], str] = str
) -> Value:
    """One of a few options, all of them in sight."""
    chosen = st.segmented_control(
        label, options, default=default, required=True, format_func=name, key=key, bind="query-params"
    )
    return default if chosen is None else chosen


def search(label: str, *, key: str, hint: str, width: int = 2 * WIDE) -> str:
    """Words typed to filter what is shown."""
    return str(st.text_input(label, key=key, placeholder=hint, bind="query-params", width=width, type="search") or "")


def pick_model(catalogue: Catalogue, *, default: str = "glm-4.6") -> Architecture:
    """The model of the view; opens on `default` where the catalogue has it, else on its first."""
    ordered = sorted(catalogue.architectures.values(), key=lambda each: each.name.lower())
    opening = next((each for each in ordered if each.key == default), ordered[0])
    return pick("Model", ordered, key="model", default=opening, name=lambda each: each.name)


def pick_context(*, default: int = 8192) -> int:
    """Tokens of context; offered beyond a model's limit too, because "it stops at 200K" is an answer."""
    return int(slide("Context, tokens", CONTEXTS, key="context", default=default, name=token_label))


def pick_users(*, default: int = 1) -> int:
    """Sequences decoded at once."""
    return int(slide("Users at once", USERS, key="users", default=default, name=str, width=156))


def format_name(number_format: str) -> str:
    """A number format as lists and addresses print it."""
    return number_format.upper() or "native"


def pick_weight_format(*, default: str = "fp8") -> str:
    """Number format of the weights; empty for the checkpoint as its makers published it."""
    return pick("Weights", WEIGHT_FORMATS, key="weights", default=default, name=format_name, width=NARROW)


def pick_cache_format(*, default: str = "fp8") -> str:
    """Number format of the KV cache."""
    return pick("KV cache", CACHE_FORMATS, key="kv", default=default, name=str.upper, width=NARROW)


def pick_target(*, default: int = 1000, width: int = WIDE) -> float:
    """Speed wanted for each user, tokens/s."""
    return number("Target, tok/s per user", key="target", default=default, low=1, high=1_000_000, step=50, width=width)


def pick_duty() -> float:
    """Share of all hours in which the machines serve."""
    return pick(
        "Busy", DUTIES, key="busy", default=1.0, name=share_label, width=NARROW,
        help="Share of all hours in which the machines serve. Idle hours count for cost and energy of a token.",
    )  # fmt: skip


def pick_workload(catalogue: Catalogue, *, users: bool = True) -> Workload:
    """The five controls that most pages share: model, context, users, and the formats of weights and cache.

    users   False where a page counts users itself

    Where there are profiles fitted to own runs, a sixth chooses among them.
    """
    return Workload(
        architecture=pick_model(catalogue),
        context_tokens=pick_context(),
        sequences=pick_users() if users else 1.0,
        weight_format=pick_weight_format(),
        cache_format=pick_cache_format(),
        parameters=pick_profile(),
    )


def pick_profile() -> Parameters | None:
    """What the engine believes: a profile fitted to own runs, or None for the shipped values; no list without profiles.

    The head of the page then says so.
    """
    names = [RESERVED, *profiles()[0]]
    if len(names) == 1:
        asked = st.query_params.get("profile", RESERVED)
        if asked != RESERVED:
            st.toast(f"The link asks for the profile {asked!r}, which is not here. The shipped values are shown.")
        return None
    chosen = profiles()[0].get(pick("Profile", names, key="profile", default=RESERVED, width=116))
    if chosen is not None:
        say_profile(profile_words(chosen))
    return parameters_of(chosen)


def pick_length(catalogue: Catalogue) -> Workload:
    """A model and a context alone, for pages that search users and formats themselves."""
    return Workload(
        architecture=pick_model(catalogue), context_tokens=pick_context(), parameters=pick_profile()
    )
