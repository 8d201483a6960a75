"""A claim of one's own: typed in, judged at once, and kept if wanted."""

from __future__ import annotations

import re
from types import MappingProxyType

import streamlit as st
import yaml
from streamlit.delta_generator import DeltaGenerator

from analysis.claims.judge import judge_all
from analysis.studies import claims
from app import own_entries
from app.components import controls as ask
from app.components import own_views
from app.components.answer import answer
from app.components.card import below_figure
from app.components.problem import notice, problem_text
from app.components.slots import full_name
from data.catalogue.claim_files import Claim, Given
from data.errors import CatalogueError
from data.own.inert import check_inert
from data.records import Architecture, Chip
from data.sources import Source
from data.units import unit_of_suffix

KINDS = {"a speed": "speed", "a bandwidth": "bandwidth_needed", "a fit": "capacity"}
TERA = 1e12
DEVICES = 100_000
Typed = dict[str, Given]


def own_claim(place: DeltaGenerator) -> None:
    """The form, the verdict of what it holds, and the claims that are kept."""
    own_views.told()
    kind = ask.switch("What is claimed", list(KINDS), key="claimed", default="a speed")
    with ask.controls_row():
        says = st.text_input("What is said", key="says", bind="query-params", width=2 * ask.WIDE, max_chars=200,
                             placeholder="GLM-4.6 makes 1,000 tokens a second on a wafer")  # fmt: skip
        who = st.text_input("By whom, where", key="who", bind="query-params", width=2 * ask.WIDE, max_chars=200,
                            placeholder="a talk, slide 12, March 2026")  # fmt: skip
    with ask.controls_row():
        given = {"a speed": _speed, "a bandwidth": _bandwidth, "a fit": _fit}[kind]()
    claim = _claim(KINDS[kind], given, str(says or ""), str(who or ""))
    try:
        check_inert(claim, "your claim")
    except CatalogueError as problem:
        answer(place, "A claim is written without links, pictures and tags.", claims.CONDITIONS)
        notice(problem_text(problem))
    else:
        _show(place, claim)


def _show(place: DeltaGenerator, claim: Claim) -> None:
    """The verdict with its arithmetic, a button that keeps the claim, and those that are kept."""
    verdict = judge_all([claim], own_entries.catalogue())[0][1]
    answer(place, claims.headline(verdict), f"{claim.says}. {claims.CONDITIONS}")
    st.markdown(f"**{verdict.sentence}**")
    below_figure(claims.one(claim, verdict), key="claims")
    if st.button("Keep this claim", key="keep_claim", icon=":material/add:"):
        own_views.keep_entry(as_yaml(claim).encode(), f"{claim.key}.yaml")
        st.rerun()
    own_views.drop_files("Or a YAML file of claims", "yaml", key="drop_claims")
    with st.expander("What such a file looks like: the claim above", type="compact"):
        st.code(as_yaml(claim), language="yaml", wrap_lines=True)
    own_views.own_list(["claims"])


def _chip() -> Chip:
    known = own_entries.catalogue()
    ordered = sorted(known.chips.values(), key=lambda each: (each.vendor.lower(), each.name.lower()))
    opening = next((each for each in ordered if each.key == "wse-3"), ordered[0])
    return ask.pick("Chip", ordered, key="claim_chip", default=opening, name=full_name)


def _devices() -> float:
    return ask.number("Devices", key="claim_devices", default=1, low=1, high=DEVICES, step=1, width=ask.NARROW)


def _model() -> Architecture:
    return ask.pick_model(own_entries.catalogue())


def _rate() -> float:
    return ask.number("Claimed, tok/s per user", key="claim_rate", default=1000, low=1, high=10_000_000, step=50)


def _formats() -> Typed:
    weights, cache = ask.pick_weight_format(), ask.pick_cache_format()
    stated: Typed = {"weight_format": weights} if weights else {}
    return {**stated, "cache_format": cache}


def _speed() -> Typed:
    return {
        "chip": _chip().key, "device_count": _devices(), "model": _model().key,
        "context_tokens": float(ask.pick_context()), **_formats(), "claimed_token_per_s": _rate(),
    }  # fmt: skip


def _bandwidth() -> Typed:
    model = _model()
    weights = ask.pick_weight_format() or model.native_weight_format
    need = ask.number("Claimed need, TB/s", key="claim_need", default=710.0, low=0.001, high=1e6, step=0.5)
    return {
        "model": model.key, "weight_formats": (weights,), "claimed_token_per_s": _rate(),
        "claimed_byte_per_s": need * TERA,
    }  # fmt: skip


def _fit() -> Typed:
    return {
        "chip": _chip().key, "device_count": _devices(), "model": _model().key,
        "context_tokens": float(ask.pick_context()), "users": float(ask.pick_users()), **_formats(),
    }  # fmt: skip


def _claim(check: str, given: Typed, says: str, who: str) -> Claim:
    text = says.strip() or {"speed": "This speed", "bandwidth_needed": "This bandwidth", "capacity": "This fit"}[check]
    taken = {claim.key for claim in own_entries.claims()}
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "claim"
    key = next(each for each in (f"own-{slug}", *(f"own-{slug}-{n}" for n in range(2, 1000))) if each not in taken)
    source = Source(title=who.strip() or "Typed in by hand, source not said", kind="person")
    return Claim(
        key=key, says=text, printed="", document="own", source=source, at="", check=check,
        given=MappingProxyType(given), fields=_fields(given), own=True,
    )  # fmt: skip


def _fields(given: Typed) -> tuple[str, ...]:
    """The figures of the catalogue that a typed claim rests on, for "if this figure were"."""
    model = str(given["model"])
    found = [f"architectures.{model}.layers", f"architectures.{model}.hidden"]
    chip = (
        [f"chips.{given['chip']}.{name}" for name in ("memory_byte", "bandwidth_byte_per_s")] if "chip" in given else []
    )
    return (*chip, *found)


def as_yaml(claim: Claim) -> str:
    """The claim as the file in which it is kept; every quantity with its unit."""
    entry = {
        "key": claim.key, "says": claim.says, "check": claim.check,
        "given": {name: _written(name, value) for name, value in claim.given.items()}, "fields": list(claim.fields),
    }  # fmt: skip
    document = {"short": "own", "title": claim.source.title, "kind": "person"}
    return yaml.safe_dump({"document": document, "claims": [entry]}, sort_keys=False, allow_unicode=True)


def _written(name: str, value: Given) -> object:
    unit = unit_of_suffix(name)[1]
    if isinstance(value, tuple):
        return [_written(name, each) for each in value]
    if isinstance(value, float):
        return f"{value!r} {unit}" if unit not in ("", "token") else value
    return value
