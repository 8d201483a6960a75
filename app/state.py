"""The choices a view is made of, as they stand in the address: the address is the view."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

import pandas as pd
import streamlit as st

from data.errors import WaferlineError

SLOT_COLOURS = ("blue", "orange", "green", "red", "yellow", "violet")  # the theme's names of slots 1 to 6
SLOT_LIMIT = len(SLOT_COLOURS)
SLOTS_PARAMETER = "slots"
_NEXT_SLOT = re.compile(r"_(?=(?:fit|\d+)\.|_|$)")  # fields of edits hold underscores, so only these part slots
_EDIT = re.compile(r"([a-z][a-z0-9_]{0,60})=(\d{1,30}(?:\.\d{1,30})?(?:e-?\d{1,2})?)", re.ASCII)
_EDITS_LENGTH = 1500
ON_ITS_WAY_S = 3.0  # in which a browser has certainly received an address, and nobody has gone back to the last one
_SLOTS_WRITTEN = "_slots_written"
_DOWNLOADS = "_downloads"
_PROFILE_SAID = "_profile_said"


@dataclass(frozen=True, kw_only=True)
class SlotChoice:
    """One thing compared, as the address names it.

    place         0 to 5; gives the colour, and stays when other slots are removed
    chip_key      catalogue key or alias
    device_count  devices that serve one copy; None stands for the fewest that hold it
    edits         figures of the chip that the person replaced: field and SI value
    """

    place: int
    chip_key: str
    device_count: int | None
    edits: tuple[tuple[str, float], ...] = ()


def slots_as_text(slots: tuple[SlotChoice, ...]) -> str:
    """Slots as the address holds them: "8.h200-sxm_8.b200-sxm__fit.wse-3"; a removed slot leaves its place empty.

    Edited figures follow the chip: "8.h200-sxm*memory_byte=2e11*power_w=900".
    """
    by_place = {slot.place: slot for slot in slots}
    places = range(max(by_place, default=-1) + 1)
    written = {place: _slot_as_text(slot) for place, slot in by_place.items()}
    return "_".join(written.get(place, "") for place in places)


def _slot_as_text(slot: SlotChoice) -> str:
    edits = [f"{name}={_short(value)}" for name, value in slot.edits]
    return "*".join([f"{slot.device_count or 'fit'}.{slot.chip_key}", *edits])


def _short(value: float) -> str:
    """The shortest text that reads back as this number, without a plus sign: 2e11 and not 200000000000.0."""
    exact = Decimal(repr(float(value))).normalize()
    return min(f"{exact:f}", str(exact).lower().replace("+", ""), key=len)


def slots_from_text(text: str) -> tuple[SlotChoice, ...]:
    """Slots from an address. Raises WaferlineError naming the part that does not read as COUNT.CHIP*FIGURE=NUMBER."""
    slots = []
    for place, part in enumerate(_NEXT_SLOT.split(text)[:SLOT_LIMIT]):
        if not part:
            continue
        named, *edits = part[:_EDITS_LENGTH].split("*")
        count, _, chip = named.partition(".")
        if not chip or not (count == "fit" or (count.isdecimal() and 0 < int(count) <= 100_000)):
            raise WaferlineError(
                "a slot of this link cannot be read", where="slots", found=part[:80], expected="8.h200-sxm or fit.wse-3"
            )
        fewest = None if count == "fit" else int(count)
        slots.append(SlotChoice(place=place, chip_key=chip, device_count=fewest, edits=_edits_from(edits)))
    return tuple(slots)


def _edits_from(parts: list[str]) -> tuple[tuple[str, float], ...]:
    edits = []
    for part in parts:
        match = _EDIT.fullmatch(part)
        if match is None:
            raise WaferlineError(
                "an edited figure of this link cannot be read", where="slots", found=part[:80],
                expected="memory_byte=2e11",
            )  # fmt: skip
        edits.append((match[1], float(match[2])))
    return tuple(edits)


def slots_of_this_view() -> tuple[SlotChoice, ...] | None:
    """The slots the address names, None where it names none. Raises WaferlineError as above.

    A choice made right after a change of slots may come with the address from before that change, which the browser
    had not received yet; the change holds, and is written again.
    """
    text = st.query_params.get(SLOTS_PARAMETER)
    before, after, at_s = st.session_state.get(_SLOTS_WRITTEN, (None, None, -ON_ITS_WAY_S))
    if after is not None and text == before != after and time.monotonic() - at_s < ON_ITS_WAY_S:
        st.query_params[SLOTS_PARAMETER] = text = after
    return None if text is None else slots_from_text(text)


def keep_slots(slots: tuple[SlotChoice, ...]) -> None:
    """Write the slots into the address."""
    before, after = st.query_params.get(SLOTS_PARAMETER), slots_as_text(slots)
    st.session_state[_SLOTS_WRITTEN] = (before, after, time.monotonic())
    st.query_params[SLOTS_PARAMETER] = after


def shared_parameters() -> dict[str, str]:
    """Choices that a link to another page must carry: the slots. Bound widgets write themselves into the address."""
    return {key: st.query_params[key] for key in (SLOTS_PARAMETER,) if key in st.query_params}


def token_label(token_count: int) -> str:
    """A token count as people say it: 8,192 is "8K", 200,000 is "200K", 1,048,576 is "1M", 512 is "512"."""
    for size, letter in ((1024**2, "M"), (1024, "K"), (1000, "K")):
        if token_count >= size and token_count % size == 0:
            return f"{token_count // size}{letter}"
    return str(token_count)


def share_label(share: float) -> str:
    """A share as lists and addresses print it: "50 %", "2.5 %"."""
    return f"{100 * share:.3g} %"


@dataclass(frozen=True, kw_only=True)
class Download:
    """A table offered under Share, built only when it is asked for."""

    name: str
    frame: Callable[[], pd.DataFrame]


def clear_downloads() -> None:
    """Forget what the last run of the script offered and said of its profile."""
    st.session_state[_DOWNLOADS] = []
    st.session_state[_PROFILE_SAID] = ""


def say_profile(words: str) -> None:
    """Have the head of this page say with which profile its figures were computed."""
    st.session_state[_PROFILE_SAID] = words


def profile_said() -> str:
    """What the head of this page must say of its profile; empty for the shipped values."""
    return str(st.session_state.get(_PROFILE_SAID, ""))


def offer_download(name: str, frame: Callable[[], pd.DataFrame]) -> None:
    """Offer a table of this page under Share."""
    st.session_state.setdefault(_DOWNLOADS, []).append(Download(name=name, frame=frame))


def offered_downloads() -> tuple[Download, ...]:
    """What this page has offered so far."""
    return tuple(st.session_state.get(_DOWNLOADS, ()))


KeptAnswers = tuple[tuple[str, str], ...]
_ANSWERS = "_answers"


def keep_answers(sha256: str, answers: Mapping[str, str]) -> None:
    """Remember for this visit what was said about a file, on top of what was said before."""
    said = st.session_state.setdefault(_ANSWERS, {})
    said[sha256] = {**said.get(sha256, {}), **answers}


def remembered_answers(sha256: str) -> KeptAnswers:
    """What was said about a file in this visit, in an order that does not depend on when."""
    said: dict[str, str] = st.session_state.get(_ANSWERS, {}).get(sha256, {})
    return tuple(sorted(said.items()))
