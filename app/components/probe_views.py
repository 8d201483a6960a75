"""The form of a probe, its progress, and the runs it leaves."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from app import cache
from app.components.controls import WIDE
from app.components.monitor_views import ALLOWED
from app.components.problem import as_written, notice, problem_text
from app.components.slots import full_name
from app.probe import TOOLS, Load, Progress, Tool, run_probe
from app.probe.keep import keep_result, probed_words
from data.errors import WaferlineError

_JOB = "_probe"
POLL_S = 1.0
LOADS = {"1": (1,), "1, 4, 16": (1, 4, 16), "1, 8, 64": (1, 8, 64), "1, 2, 4, 8, 16, 32": (1, 2, 4, 8, 16, 32)}
COMMAND = "waferline probe http://host:8000 --model NAME --concurrency 1,4,16 --hardware h200-sxm --devices 8"


@dataclass(kw_only=True)
class Job:
    """A probe at work in its own thread: what it last said, what it measured, what went wrong."""

    stop: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)
    last: Progress | None = None
    lines: list[str] = field(default_factory=list)
    error: WaferlineError | None = None


def installed() -> list[Tool]:
    """Tools that could measure, the preferred first."""
    return [tool for tool in TOOLS.values() if tool.path]


def is_allowed() -> bool:
    """True if the server was started so that pages may ask servers the person names."""
    return bool(os.environ.get(ALLOWED))


def explain_off() -> None:
    """Why the form is not there, and what to do."""
    tools = "\n".join(f"- {tool.title}: `{tool.install}`" for tool in TOOLS.values())
    asked = (
        "This page sends requests to the endpoint you name"
        if is_allowed()
        else "This page sends requests to the endpoint you name, so it is off unless the dashboard is started with "
        "`waferline serve --allow-servers`"
    )
    st.markdown(
        f"{asked}. It runs one of these tools, the first one installed beside Waferline or on the path:\n\n{tools}\n\n"
        f"The same from the command line: `{COMMAND}`\n\nThe runs are kept with your own."
    )
    source_line()


def source_line() -> None:
    """Where the figures of a probe come from."""
    st.caption("Source: the endpoint you name, measured by the tool you choose.")


def form() -> tuple[Tool, Load, dict[str, str]] | None:
    """The probe asked for, once it is asked for; None before. Nothing of it goes into the link."""
    chips = cache.catalogue().chips
    with st.form("probe", border=False):
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            server = st.text_input("Endpoint", placeholder="http://host:8000", width=2 * WIDE)
            model = st.text_input("Model's name there", width=2 * WIDE)
            tool = st.selectbox("Tool", installed(), format_func=lambda each: each.title, width=WIDE)
            loads = st.selectbox("Requests in flight", list(LOADS), index=1, width=WIDE)
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            prompt = st.number_input("Input tokens", 1, 100_000, 512, 128, width=WIDE)
            output = st.number_input("Output tokens", 1, 100_000, 128, 32, width=WIDE)
            requests = st.number_input("Requests a run", 1, 100_000, 32, 16, width=WIDE)
            tokenizer = st.text_input("Tokenizer, if not the model's", width=WIDE)
            chip = st.selectbox("It runs on", sorted(chips), index=None, placeholder="not said", width=WIDE,
                                format_func=lambda key: full_name(chips[key]))  # fmt: skip
            devices = st.number_input("Devices", 1, 100_000, None, placeholder="not said", width=WIDE)
        if not st.form_submit_button("Measure", type="primary") or tool is None:
            return None
    said = ({"hardware": chip} if chip else {}) | ({"device_count": str(devices)} if devices else {})
    load = Load(server=server, model=model.strip(), concurrencies=LOADS[loads or "1"],
                input_tokens=int(prompt), output_tokens=int(output), requests=int(requests),
                tokenizer=tokenizer.strip())  # fmt: skip
    return tool, load, said


def start(tool: Tool, load: Load, said: dict[str, str]) -> None:
    """Begin a probe in its own thread; an earlier one that still runs goes on and keeps the place."""
    job: Job | None = st.session_state.get(_JOB)
    if job is not None and not job.done.is_set():
        notice("A probe is at work already.")
        return
    job = st.session_state[_JOB] = Job()
    store, catalogue = cache.store(), cache.catalogue()

    def work() -> None:
        try:
            with TemporaryDirectory() as folder:
                for path in run_probe(tool, load, Path(folder), lambda progress: _heed(job, progress)):
                    job.lines.append(probed_words(keep_result(path, store, catalogue, said)))
        except WaferlineError as error:
            job.error = error
        finally:
            job.done.set()

    threading.Thread(target=work, daemon=True).start()


def _heed(job: Job, progress: Progress) -> bool:
    job.last = progress
    return not job.stop.is_set()


@st.fragment(run_every=POLL_S)
def show_job() -> None:
    """How far the probe has come, a button that ends it, and what it found."""
    job: Job | None = st.session_state.get(_JOB)
    if job is None:
        return
    if not job.done.is_set():
        at = job.last
        st.progress((at.number - 0.5) / at.runs if at else 0.0,
                    f"Run {at.number} of {at.runs}, {at.concurrency} in flight" if at else "Starting")  # fmt: skip
        if at:
            st.caption(as_written(at.line[:160]))
        st.button("End it", key="probe_stop", on_click=job.stop.set)
        return
    for line in job.lines:
        st.markdown(as_written(line).replace("\n", "  \n"))
    if job.lines:
        st.caption("Kept with your own runs: see Own runs, and Measured against modelled.")
    if job.error:
        notice(problem_text(job.error))
