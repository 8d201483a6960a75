"""What a file does not say, asked as a form; an answer left empty stays unknown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app.components.slots import full_name
from app.state import keep_answers
from data.catalogue.catalogue import Catalogue
from data.errors import WaferlineError
from data.readers import Question, ReadResult, profile_text

AS_READ = "as read"
REMEMBERED = "the answer given the last time"
FORMATS = ("bf16", "fp16", "fp8", "int8", "nvfp4", "mxfp4", "int4", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q4_0")
ENGINES = ("vllm", "sglang", "tensorrt-llm", "llama.cpp", "tgi", "lmdeploy", "mlx")
FIELD_WIDTH = 280
LABELS = {
    "model_raw": "Model",
    "hardware": "Device",
    "device_count": "Devices in all",
    "tp": "Tensor parallel degree",
    "engine": "Serving engine",
    "engine_version": "Engine version",
    "weight_format": "Weights",
    "kv_format": "KV cache",
    "isl_mean": "Input tokens per request",
    "osl_mean": "Output tokens per request",
    "concurrency": "Requests in flight",
}
CHOICES = {"weight_format": FORMATS, "kv_format": FORMATS, "engine": ENGINES}


def ask(result: ReadResult, sha256: str, catalogue: Catalogue) -> None:
    """The open questions of one file, those that keep it from being stored first."""
    if not result.questions:
        return
    blocking = any(one.blocking for one in result.questions)
    title = "The meaning of a figure is open" if blocking else "What the file does not say"
    with st.expander(title, expanded=True, key=f"ask_{sha256[:12]}"):
        said = answer_form(result.questions, sha256[:12], catalogue, "Use these answers")
    if said is not None:
        keep_answers(sha256, said)
        st.rerun()


def answer_form(
    questions: Sequence[Question], key: str, catalogue: Catalogue, send: str
) -> dict[str, str] | None:
    """Questions as a form, those that keep a file from being stored first; the answers given once it is sent."""
    with st.form(f"form_{key}", border=False):
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            answers = {
                one.field: _field(one, f"{key}_{one.field}", catalogue)
                for one in sorted(questions, key=lambda one: not one.blocking)
            }
        sent = st.form_submit_button(send)
    return {field: text for field, text in answers.items() if text and text != AS_READ} if sent else None


def profile_button(result: ReadResult, sha256: str) -> None:
    """Offer what was said about a file as a profile, for `waferline import --profile` and for files like it."""
    if result.answers:
        name = f"{Path(result.file).stem}.profile.yaml"
        content = profile_text(result.answers, title=f"Answers given for {result.file}")
        st.download_button("Save these answers as a profile", content, name, "application/yaml",
                           key=f"profile_{sha256[:12]}", type="tertiary", on_click="ignore",
                           help="Use it with: waferline import --profile FILE")  # fmt: skip


def _field(question: Question, key: str, catalogue: Catalogue) -> str:
    """One question as the widget that fits it; the answer as text."""
    proposal = "" if question.proposal == AS_READ else question.proposal
    help_text = f"{question.text} {question.because}".strip()
    subject, _, name = question.field.partition(":")  # "hardware:H100" asks what one name in the file means
    called = f" that the file calls {name}" if name else ""
    if subject == "hardware":
        return _from_catalogue(f"Device{called}", key, {chip.key: full_name(chip) for chip in catalogue.chips.values()},
                               _key(catalogue, "chip", proposal), help_text)  # fmt: skip
    if subject == "model_raw":
        # A near match of an unknown name is a hint, not an answer: it stands in the help text alone.
        proposal = proposal if question.because == REMEMBERED else ""
        models = {each.key: each.name for each in catalogue.architectures.values()}
        return _from_catalogue(f"Model{called}", key, models,
                               _key(catalogue, "architecture", proposal), help_text)  # fmt: skip
    label = question.text if question.blocking else LABELS.get(question.field, question.field.replace("_", " "))
    if question.field in CHOICES:
        options = list(CHOICES[question.field])
        index = options.index(proposal) if proposal in options else None
        chosen = st.selectbox(label, options, index=index, key=key, accept_new_options=True, width=FIELD_WIDTH,
                              placeholder=question.proposal or "unknown", help=help_text)  # fmt: skip
        return chosen or ""
    width = 2 * FIELD_WIDTH if question.blocking else FIELD_WIDTH
    return st.text_input(label, proposal, key=key, placeholder=question.proposal or "unknown", width=width,
                         help=help_text)  # fmt: skip


def _from_catalogue(label: str, key: str, names: dict[str, str], proposal: str, help_text: str) -> str:
    options = sorted(names, key=lambda each: names[each].lower())
    index = options.index(proposal) if proposal in options else None
    chosen = st.selectbox(label, options, index=index, format_func=names.__getitem__, key=key, width=FIELD_WIDTH,
                          placeholder="unknown", help=help_text)  # fmt: skip
    return chosen or ""


def _key(catalogue: Catalogue, kind: str, name: str) -> str:
    """Catalogue key of a proposed name; empty where it means nothing or several things."""
    try:
        found: str = getattr(catalogue, kind)(name).key if name else ""
    except WaferlineError as error:
        choices = getattr(error, "choices", ())
        return str(choices[0]) if choices else ""
    return found
