"""Controls and views of the page on capacity: goals, how requests are spread, what stands round the replicas."""

from __future__ import annotations

import math
from collections.abc import Sequence

import streamlit as st

from analysis.figures import capacity as picture
from analysis.figures.style import Ink
from analysis.metrics import metric
from analysis.studies.capacity import TIMES, Around
from analysis.study import Slot, Study, counted
from analysis.traffic.capacity import Load
from analysis.traffic.requests import Goals
from analysis.traffic.simulate import ROUTINGS, Routing
from app.components import controls as ask
from app.components.card import figure
from app.components.study_view import SLOT_COLUMN, with_slot_marks
from app.components.tables import Column, metric_column, table, whole
from app.state import share_label

SHARES = (0.9, 0.95, 0.99)
TOGETHER = (8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, math.inf)
WINDOWS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
PROMPTS = (1, 2, 4, 8, 16, 32)
QUIET = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0)
OWN = "the same machine"
ROUTING_NAMES: dict[Routing, str] = {"random": "any at random", "least busy": "the least busy"}
COLUMNS = (
    metric_column("replicas", "replicas", strong=True),
    Column(name="device_count", header="devices", shown=whole),
    metric_column("most_per_s", "each carries"),
    metric_column("ttft_p95_s", "first token, 95 %"),
    metric_column("tpot_p95_s", "a token, 95 %"),
    metric_column("e2e_p95_s", "whole answer, 95 %"),
    Column(name="verdict", header="Promises"),
)
APART = (
    metric_column("prefill_replicas", "for prompts"),
    metric_column("balance", "per full replica"),
)
PEOPLE = (Column(name="people", header="people", shown=whole),)


def _drained(seconds: float) -> str:
    """How long a backlog lasts; a load that the replicas cannot carry for ever leaves it standing."""
    return metric("drain_s").format(seconds) if math.isfinite(seconds) else "never at this load"


LATE = (
    Column(name="one_down", header="With one down"),
    metric_column("quiet_replicas", "when quiet"),
    metric_column("replicas", "at the load"),
    metric_column("cold_start_s", "a new one answers after"),
    Column(name="backlog_requests", header="piled up by then", shown=whole),
    Column(name="drain_s", header="worked off in", shown=_drained),
)


def pick_goals() -> tuple[float, Goals]:
    """Load and promises."""
    rate = ask.number("Requests/s", key="rate", default=5.0, low=0.01, high=100_000.0, step=0.5, width=116)
    ttft = ask.number("First token, s", key="ttft", default=2.0, low=0.01, high=3600.0, step=0.1, width=116)
    tpot = ask.number("A token, ms", key="tpot", default=50.0, low=0.1, high=60_000.0, step=5.5, width=116)
    e2e = ask.number("Whole answer, s", key="e2e", default=120.0, low=0.1, high=86_400.0, step=5.5, width=116)
    share = ask.pick("For", SHARES, key="kept", default=0.95, name=share_label, width=ask.NARROW)
    return rate, Goals(ttft_s=ttft, tpot_s=tpot / 1e3, e2e_s=e2e, share=share)


def pick_load(rate_per_s: float, goals: Goals) -> Load:
    """How requests find a replica, and how prompts are gathered."""
    with ask.controls_row():
        routing = ask.pick("Requests go to", ROUTINGS, key="queue", default="random", name=ROUTING_NAMES.__getitem__)
        together = ask.pick("At once at most", TOGETHER, key="together", default=math.inf, name=_limit_name,
                            width=132, help="Sequences of one replica, whatever its memory holds.")  # fmt: skip
        prompts = ask.pick("Batch of prompts", PROMPTS, key="window", default=1, width=132,
                           help="Prompts are held back until so many are there, or the time is over.")  # fmt: skip
        window = ask.pick("held at most", WINDOWS, key="held", default=0.0, name=_time_name, width=116)
        link = ask.number("Link for caches, GB/s", key="cachelink", default=50.0, low=0.1, high=10_000.0, step=10.5,
                          width=156, help="Where prompts are computed elsewhere. Assumed.")  # fmt: skip
    return Load(
        rate_per_s=rate_per_s, goals=goals, routing=routing, together=together, window_prompts=prompts,
        window_s=window, link_byte_per_s=1e9 * link,
    )  # fmt: skip


def _limit_name(count: float) -> str:
    return f"{count:,.0f}" if math.isfinite(count) else "no limit"


def _time_name(seconds: float) -> str:
    return f"{1e3 * seconds:.0f} ms"


def pick_around() -> Around:
    """The quiet load, the start of a replica, and the rest of a request's way; all assumed."""
    with ask.controls_row():
        quiet = ask.pick("Quiet load", QUIET, key="quiet", default=0.1, name=share_label, width=ask.NARROW)
        read = ask.number("Weights read, GB/s a device", key="reads", default=1.0, low=0.01, high=1000.0, step=0.5)
        start = ask.number("Start, s", key="startup", default=60.0, low=0.0, high=3600.0, step=5.5, width=104)
        network = ask.number("Network, ms", key="network", default=40.0, low=0.0, high=5000.0, step=5.5, width=104)
        before = ask.number("Tokenise, ms", key="tokenise", default=5.0, low=0.0, high=5000.0, step=1.5, width=104)
        after = ask.number("After, ms", key="after", default=5.0, low=0.0, high=5000.0, step=1.5, width=104)
    return Around(
        quiet_fraction=quiet, read_byte_per_s=1e9 * read, start_s=start, network_s=network / 1e3,
        tokenise_s=before / 1e3, after_s=after / 1e3,
    )  # fmt: skip


def pick_prompts_by(slots: Sequence[Slot]) -> int | None:
    """Which slot computes the prompts of all others; None: each its own."""
    names = [OWN, *(f"slot {slot.place + 1}, {counted(slot.chip, slot.device_count)}" for slot in slots)]
    chosen = ask.pick("Prompts computed by", names, key="prompts", default=OWN, width=200,
                      help="The cache of each prompt is then sent to the machine that decodes.")  # fmt: skip
    return None if chosen == OWN else names.index(chosen) - 1


def pick_shown() -> str:
    """Which time's percentiles are drawn."""
    return ask.switch("Percentiles of", tuple(TIMES), key="times", default="first token")


def replicas_table(study: Study, *, apart: bool, thinking: bool) -> None:
    """Replicas of every slot with what requests meet; `apart` where some compute the prompts of others."""
    columns = (*COLUMNS[:2], *(APART if apart else ()), *COLUMNS[2:-1], *(PEOPLE if thinking else ()), COLUMNS[-1])
    table(with_slot_marks(study.table), (SLOT_COLUMN, *columns), alt=study.question)


def below(study: Study, colours: Ink) -> None:
    """Replicas over the load; one down and a load that jumps, as a table; the way of a request, as a bar."""
    st.subheader("Replicas over the load", anchor=False)
    figure(picture.stairs(study, colours), key="capacity_stairs", alt="Replicas over the load")
    st.subheader("One replica down, and a load that jumps", anchor=False)
    table(with_slot_marks(study.table), (SLOT_COLUMN, *LATE), alt="One replica down, and a load that jumps")
    st.subheader("Where the time of a request goes", anchor=False)
    figure(picture.path(study, colours), key="capacity_path", alt="Mean time of every part of a request's way")
