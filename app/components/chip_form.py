"""A chip of one's own, typed in: the few figures the model needs, written as the file of a catalogue entry."""

from __future__ import annotations

import re

import streamlit as st
import yaml

from app.components import own_views
from app.components.records import KINDS
from app.components.slots import full_name
from data.catalogue.catalogue import FOLDER, Catalogue
from data.errors import WaferlineError

EXECUTIONS = {"wafer": "mesh", "sram_asic": "deterministic"}  # every other kind runs kernel after kernel
# Field, what the form calls it, its unit; what is left empty stays unknown.
FIGURES = (
    ("memory_byte", "Memory, GB", "GB"),
    ("bandwidth_byte_per_s", "Bandwidth, TB/s", "TB/s"),
    ("peak_bf16_flop_per_s", "Dense BF16, TFLOP/s", "TFLOP/s"),
    ("peak_fp8_flop_per_s", "Dense FP8, TFLOP/s", "TFLOP/s"),
    ("peak_fp4_flop_per_s", "Dense FP4, TFLOP/s", "TFLOP/s"),
    ("link_bandwidth_byte_per_s", "Link, one way, GB/s", "GB/s"),
    ("scale_up_device_count", "Devices on that link", ""),
    ("core_count", "Cores (wafers)", ""),
    ("power_w", "Power, W", "W"),
    ("rental_usd_per_hour", "Rent, USD an hour", "USD/hour"),
)
NEW = "none of these"
WIDE, NARROW = 2 * 168, 168


def chip_form(catalogue: Catalogue) -> None:
    """The form; pressing Add checks the figures and keeps them."""
    generations = sorted({chip.generation for chip in catalogue.chips.values()})
    with st.form("own_chip", border=False):
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            name = st.text_input("Name", max_chars=60, width=WIDE)
            vendor = st.text_input("Maker", max_chars=60, width=NARROW)
            kind = st.selectbox("Kind", list(KINDS), format_func=KINDS.__getitem__, width=NARROW)
            generation = st.selectbox("Behaves like", [NEW, *generations], width=NARROW)
            source = st.text_input("Where its figures stand", max_chars=200, width=WIDE)
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            typed = {field: st.text_input(label, max_chars=30, width=NARROW) for field, label, _ in FIGURES}
        if st.form_submit_button("Add this chip", icon=":material/add:"):
            if problem := _unreadable(name, typed):
                own_views.refuse(problem)
            else:
                text = chip_yaml(name, vendor, kind, "own" if generation == NEW else generation, source, typed)
                own_views.keep_entry(text.encode(), "chip.yaml")
            st.rerun()


def _unreadable(name: str, typed: dict[str, str]) -> WaferlineError | None:
    """What of the form cannot be read, in the form's own words."""
    if not re.search(r"[a-z0-9]", name.lower()):
        return WaferlineError("the chip has no name", expected="letters or digits",
                              remedy="Name it, and give at least its memory, bandwidth and one peak.")  # fmt: skip
    for field, label, _ in FIGURES:
        try:
            float(typed[field].strip() or 0)
        except ValueError:
            return WaferlineError("not a number", where=label, found=typed[field], expected="digits alone, e.g. 4.8")
    return None


def chip_yaml(name: str, vendor: str, kind: str, generation: str, source: str, typed: dict[str, str]) -> str:
    """The chip as a file of the catalogue; a figure left empty is not in it."""
    key = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    units = {field: unit for field, _, unit in FIGURES}
    fields = {
        field: {"value": f"{text.strip()} {units[field]}".strip(), "source": ["person"], "at": "typed in"}
        for field, text in typed.items()
        if text.strip()
    }
    entry = {
        "key": key, "name": name.strip(), "vendor": vendor.strip(), "kind": kind, "generation": generation,
        "execution": EXECUTIONS.get(kind, "kernels"), "status": "own entry", "available": True, "confidence": "low",
        "sources": {"person": {"title": source.strip() or "Typed in by hand, source not said", "kind": "person"}},
        "fields": fields,
    }  # fmt: skip
    return yaml.safe_dump(entry, sort_keys=False, allow_unicode=True)


def model_form() -> None:
    """A model's config.json, its name, and the total its publisher states."""
    with st.form("own_model", border=False):
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            file = st.file_uploader(
                "The model's config.json", type=["json"], max_upload_size=own_views.LIMIT_MB, width=WIDE
            )
            name = st.text_input("Name", max_chars=60, width=WIDE, key="own_model_name")
            total = st.number_input(
                "Parameters stated, if any", 1, 10**14, None, 1, placeholder="not said", width=NARROW,
                key="own_model_total",
            )  # fmt: skip
        if st.form_submit_button("Add this model", icon=":material/add:"):
            if file is None:
                own_views.refuse(WaferlineError("no file yet", remedy="Choose the model's config.json first."))
            else:
                own_views.keep_entry(file.getvalue(), file.name, name=name or "", stated_total=int(total or 0) or None)
            st.rerun()


def example(catalogue: Catalogue) -> None:
    """A shipped chip's own file, to write one like it."""
    with st.expander("What such a file looks like", type="compact"):
        chip = catalogue.chips.get("h200-sxm") or next(iter(catalogue.chips.values()))
        try:
            st.caption(f"The shipped file of {full_name(chip)}; those of models, prices and claims lie beside it.")
            st.code(
                (FOLDER / "chips" / f"{chip.key}.yaml").read_text(encoding="utf-8"), language="yaml", wrap_lines=True
            )
        except OSError as problem:
            raise WaferlineError("the example cannot be read", found=str(problem)) from problem
