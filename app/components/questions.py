"""What a file does not say, asked as a form; an empty answer stays unknown, a proposed one counts once it is sent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from analysis.weight_formats import as_printed
from app.components.problem import unlinked
from app.components.slots import full_name
from app.state import keep_answers
from data.catalogue.catalogue import Catalogue
from data.errors import WaferlineError
from data.readers import Question, ReadResult, in_words, label_of, profile_text
from data.readers.intake.fields import FIELDS

AS_READ = "as read"
REMEMBERED = "the answer given the last time"
FORMATS = ("bf16", "fp16", "fp8", "int8", "nvfp4", "mxfp4", "int4", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q4_0")
ENGINES = ("vllm", "sglang", "tensorrt-llm", "llama.cpp", "tgi", "lmdeploy", "mlx")
FIELD_WIDTH = 280
CHOICES = {"weight_format": FORMATS, "kv_format": FORMATS, "engine": ENGINES}
SAID = {"ignore": "none of these, leave it out", ".": "point", ",": "comma", "batch_size": "as many as the batch"}
SEND = "Use these answers"
MUST = ":material/lock: **Must be answered**, else the file cannot be kept:"
MAY = "**May stay open**: the runs can be kept without; what is left empty stays unknown."


def ask(result: ReadResult, sha256: str, catalogue: Catalogue) -> None:
    """The open questions of one file, those that keep it from being stored first."""
    if not result.questions:
        return
    with st.expander(_title(result.questions), expanded=True, key=f"ask_{sha256[:12]}"):
        said = answer_form(result.questions, sha256[:12], catalogue, SEND)
    if said is not None:
        keep_answers(sha256, said)
        st.rerun()


def _title(questions: Sequence[Question]) -> str:
    """What is open, and whether it keeps the file from being stored."""
    must = sum(one.blocking for one in questions)
    may = len(questions) - must
    if not must:
        return "What the file does not say; all of it may stay open"
    first = f"{must:,} {'question' if must == 1 else 'questions'} must be answered before this file can be kept"
    return f"{first}; {may:,} more may stay open" if may else first


def answer_form(questions: Sequence[Question], key: str, catalogue: Catalogue, send: str) -> dict[str, str] | None:
    """Questions as a form, those that keep a file from being stored first; the answers given once it is sent."""
    answers: dict[str, str] = {}
    with st.form(f"form_{key}", border=False):
        for blocking, words in ((True, MUST), (False, MAY)):
            if group := [one for one in questions if one.blocking == blocking]:
                st.markdown(words)
                with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
                    answers |= {one.field: _field(one, f"{key}_{one.field}", catalogue) for one in group}
        if reasons := [_reason(one) for one in questions if proposal_of(one, catalogue)]:
            st.caption(f"Proposed: {'; '.join(reasons)}.  \n**{send}** takes what is proposed as said by you; until "
                       "then nothing of it is stored.")  # fmt: skip
        sent = st.form_submit_button(send)
    return {field: text for field, text in answers.items() if text and text != AS_READ} if sent else None


def proposal_of(question: Question, catalogue: Catalogue) -> str:
    """What a question's box is filled with before anybody has answered; empty where nothing is likely."""
    subject, proposal = question.field.partition(":")[0], question.proposal
    if proposal == AS_READ:
        return ""
    if subject == "hardware":
        return _key(catalogue, "chip", proposal)
    if subject == "model_raw":
        # A near match of an unknown name is a hint, not an answer: it stands in the help text alone.
        return _key(catalogue, "architecture", proposal) if question.because == REMEMBERED else ""
    return proposal


def _reason(question: Question) -> str:
    because = unlinked(in_words(question.because))
    return f"{_subject(question)}, {because}" if because else _subject(question)


def _subject(question: Question) -> str:
    """What is asked after, in a few words: the field's label, or the name whose meaning is open."""
    subject, _, name = question.field.partition(":")  # "hardware:H100" asks what one name in the file means
    if subject in FIELDS:
        return f"{label_of(subject)} that the file calls {name}" if name else label_of(subject)
    return {"column": f"what {name} holds", "unit": f"unit of {name}"}.get(subject, "the answer")


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
    proposal, subject = proposal_of(question, catalogue), question.field.partition(":")[0]
    text = in_words(question.text)
    label = text if question.blocking or subject not in FIELDS else _subject(question)
    label = unlinked(f"{label} (proposed)" if proposal else label)
    help_text = unlinked(f"{text} {in_words(question.because)}".strip())
    if subject == "hardware":
        chips = {chip.key: full_name(chip) for chip in catalogue.chips.values()}
        return _chosen(label, chips, proposal, key, "unknown", help_text, width=FIELD_WIDTH)
    if subject == "model_raw":
        models = {each.key: each.name for each in catalogue.architectures.values()}
        return _chosen(label, models, proposal, key, "unknown", help_text, width=FIELD_WIDTH)
    width = 2 * FIELD_WIDTH if question.blocking or label == text else FIELD_WIDTH
    if offered := question.choices or CHOICES.get(question.field, ()):
        names = {each: _choice_name(question.field, each) for each in dict.fromkeys((*offered, proposal)) if each}
        return _chosen(label, names, proposal, key, _empty(question), help_text, width=width, others=True)
    return st.text_input(label, proposal, key=key, placeholder=_empty(question), width=width, help=help_text)


def _choice_name(field: str, choice: str) -> str:
    """An answer as people say it; what is sent back is the choice itself."""
    return as_printed(choice) if field.endswith("_format") else SAID.get(choice, label_of(choice))


def _empty(question: Question) -> str:
    """What an empty box stands for."""
    if question.proposal == AS_READ:
        return f"as read: {_choice_name(question.field, question.assumed)}" if question.assumed else AS_READ
    return "needs an answer" if question.blocking else "unknown"


def _chosen(
    label: str, names: dict[str, str], proposal: str, key: str, empty: str, help_text: str, *, width: int,
    others: bool = False,
) -> str:  # fmt: skip
    """One of several answers from a list, of which `proposal` is chosen already; `others`: or one that is typed."""
    options = list(names) if others else sorted(names, key=lambda each: names[each].lower())
    index = options.index(proposal) if proposal in options else None
    chosen = st.selectbox(label, options, index=index, format_func=lambda each: names.get(each, each), key=key,
                          width=width, placeholder=empty, help=help_text, accept_new_options=others)  # fmt: skip
    return chosen or ""


def _key(catalogue: Catalogue, kind: str, name: str) -> str:
    """Catalogue key of a proposed name; empty where it means nothing, or several things of which none is usual."""
    try:
        found: str = getattr(catalogue, kind)(name).key if name else ""
    except WaferlineError as error:
        choices = getattr(error, "choices", ())
        return str(choices[0]) if choices and "usual" in error.what else ""
    return found
