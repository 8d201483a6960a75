"""The monitor's files and choices: scrapes dropped or taken from a server, the baseline, and what serves."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from analysis.diagnosis import Finding
from analysis.monitoring.changes import BASELINE_SCRAPES, Watch
from analysis.monitoring.names import ENGINES
from analysis.monitoring.rules import dashboard_text, rules_text
from analysis.studies.monitor import Served
from analysis.study import Slot
from analysis.workload import Workload
from app.components import controls as ask
from app.components.problem import notice, problem_text
from app.components.slots import full_name
from data.catalogue.catalogue import Catalogue
from data.catalogue.diagnosis_files import load_faults
from data.errors import ReadError, UnknownNameError
from data.readers.metrics_text.made_up import NAME, made_up_scrapes
from data.readers.metrics_text.recording import metrics_address, scrape
from data.readers.metrics_text.timeline import Timeline, read_timeline

LIMIT_MB = 200
BASELINES = (50, 100, BASELINE_SCRAPES, 500, 1000)
STEPS = (0, 1, 2, 5, 10, 12, 15, 30, 60)
NOT_SAID = ""
ALLOWED = "WAFERLINE_ALLOW_SERVERS"  # set by `waferline serve --allow-servers`
_TAKEN = "_scrapes_taken"
EVERY_S = 12.0
Files = Sequence[tuple[str, bytes]]


@dataclass(kw_only=True)
class Taken:
    """Scrapes of one server in this visit, when the next is due by the monotonic clock, and why the last failed."""

    scrapes: list[str] = field(default_factory=list)
    next_s: float = 0.0
    problem: str = ""


def scrape_files() -> Files:
    """Files dropped, scrapes taken, or the made-up example; empty where there is nothing yet."""
    dropped = st.file_uploader("Scrapes of /metrics, or answers of query_range", accept_multiple_files=True,
                               key="monitor_files", max_upload_size=LIMIT_MB)  # fmt: skip
    taken = _from_server() if os.environ.get(ALLOWED) else b""
    if dropped or taken:
        found = [(each.name, each.getvalue()) for each in dropped]
        return [*found, ("taken from the server", taken)] if taken else found
    if st.toggle("Show it on a made-up server", key="made_up", bind="query-params"):
        return [(NAME, made_up_scrapes())]
    return []


@st.cache_data(max_entries=8, show_spinner="Reading the scrapes")
def timeline_of(files: Files, every_s: float) -> Timeline:
    """The timeline of the files, read once."""
    return read_timeline(files, every_s or None)


def pick_baseline() -> int:
    """Intervals at the start that count as healthy."""
    return ask.pick("Baseline, scrapes", BASELINES, key="baseline", default=BASELINE_SCRAPES, name=str)


def pick_step() -> float:
    """Seconds between scrapes that carry no time; 0 where they carry one."""
    return float(ask.pick("Seconds apart", STEPS, key="apart", default=0, help="For scrapes that carry no time.",
                          name=lambda step: str(step) if step else "as stamped"))  # fmt: skip


def pick_served(catalogue: Catalogue, timeline: Timeline) -> Served | None:
    """Model and machine behind the metrics: the model by its label where the catalogue knows it."""
    chips = [NOT_SAID, *sorted(catalogue.chips, key=lambda key: full_name(catalogue.chips[key]))]
    models = [NOT_SAID, *sorted(catalogue.architectures, key=lambda key: catalogue.architectures[key].name.lower())]
    model = ask.pick("Model served", models, key="served", default=_model_of(catalogue, timeline),
                     name=lambda key: catalogue.architectures[key].name if key else "not said")  # fmt: skip
    chip = ask.pick("On", chips, key="on", default=NOT_SAID,
                    name=lambda key: full_name(catalogue.chips[key]) if key else "not said")  # fmt: skip
    count = ask.number("Devices", key="devices", default=8, low=1, high=100_000, step=1, width=ask.NARROW)
    if not model or not chip:
        return None
    workload = Workload(architecture=catalogue.architectures[model], context_tokens=8192.0, cache_format="")
    return Served(workload=workload, slot=Slot(place=0, chip=catalogue.chips[chip], device_count=int(count)))


def _model_of(catalogue: Catalogue, timeline: Timeline) -> str:
    try:
        return catalogue.architecture(timeline.model).key
    except UnknownNameError:
        return NOT_SAID


def rules_row(timeline: Timeline, watches: Sequence[Watch]) -> None:
    """Rules and a dashboard for the engine of these metrics, with this baseline as thresholds."""
    engine = timeline.engine if timeline.engine in ENGINES else "vllm"
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.caption(f"Watch it yourself ({engine}):")
        st.download_button("Prometheus rules", rules_text(engine, watches), "waferline-rules.yaml", "application/yaml",
                           key="rules", on_click="ignore")  # fmt: skip
        st.download_button("Grafana dashboard", dashboard_text(engine, timeline.model or "LLM serving"),
                           "waferline-dashboard.json", "application/json", key="dashboard",
                           on_click="ignore")  # fmt: skip


def show_findings(findings: Sequence[Finding]) -> None:
    """Faults seen in the series, each with its likeliest cause and how to check it."""
    for each in findings:
        fault = load_faults()[each.kind]
        with st.container(border=True, gap="xsmall"):
            st.markdown(f"**{fault.title}.** {each.words} Likeliest cause: {fault.causes[0].title}.")
            st.code(fault.causes[0].check, language="bash", wrap_lines=True)
            st.markdown(f"Change: {fault.causes[0].change}")


def _from_server() -> bytes:
    """Scrapes of a server the person names, one every 12 s while the switch is on; the address is not in the link."""
    with ask.controls_row():
        server = st.text_input("Server", key="scrape_server", placeholder="http://host:8000", width=2 * ask.WIDE)
        on = st.toggle("Read it every 12 s", key="scrape_on", disabled=not server)
    taken: Taken = st.session_state.setdefault(_TAKEN, {}).setdefault(server, Taken())
    if on and server:
        _take(taken, server)
        _again(taken)
    return "".join(taken.scrapes).encode() if len(taken.scrapes) > 1 else b""


def _take(taken: Taken, server: str) -> None:
    """One scrape more where 12 s have passed; a server that does not answer is said and asked again."""
    if time.monotonic() >= taken.next_s:
        taken.next_s, taken.problem = time.monotonic() + EVERY_S, ""
        try:
            taken.scrapes.append(scrape(metrics_address(server)))
        except ReadError as problem:
            taken.problem = problem_text(problem)
    if taken.problem:
        notice(f"{taken.problem}  \nIt is asked again every 12 s.")
    else:
        few = " A speed takes two: the next comes in 12 s." if len(taken.scrapes) == 1 else ""
        st.caption(f"Scrapes taken from `{server.replace('`', '')}`: {len(taken.scrapes):,}.{few}")


@st.fragment(run_every=EVERY_S)
def _again(taken: Taken) -> None:
    """Draw the page anew once the next scrape is due."""
    if time.monotonic() >= taken.next_s:
        st.rerun()


def explain_empty() -> None:
    """What to bring, where nothing is there yet."""
    st.markdown(
        "Bring the text of your engine's `/metrics`, scraped again and again into one file or several, or the JSON "
        "that Prometheus' `query_range` gives for its metrics. vLLM, SGLang, TGI and TensorRT-LLM are read.\n\n"
        "To take scrapes: `waferline monitor record http://host:8000 --every 12 --count 300 -o scrapes.txt`."
        + ("" if os.environ.get(ALLOWED) else " To read a server from this page: `waferline serve --allow-servers`.")
    )
    st.caption("Source: the files you bring.")
