"""What was read from a file: its runs, where each figure comes from, warnings; and the files that are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.parameters import Parameters
from analysis.sentences import runs_words
from analysis.studies.benchmark_cases import LeftOut
from app.components.controls import pick_profile
from app.components.intake import Dropped, keep_and_clear, keep_nothing, read_all
from app.components.intake_steps import go_on, keeping
from app.components.kept_files import kept_files, undo_line
from app.components.problem import unlinked
from app.components.questions import SEND, ask, profile_button, proposal_of
from app.components.study_view import one_part
from data.catalogue.catalogue import Catalogue
from data.readers import ReadResult, in_words, label_of, readers, tool_of
from data.records import Run
from data.store import Store

NOTICE_LIMIT, ROW_LIMIT = 4, 24
FILES_NAMED = 3
MANY = 8  # files up to which each has a place of its own
STATUS = {"taken": "ready", "questions": "needs an answer", "refused": "refused"}
SHOWN = ("users", "input tokens", "output tokens", "TTFT, ms", "TPOT, ms", "output tok/s")


def formats_list() -> None:
    """The formats that are read, and what is asked because the file does not say it; a list wraps on a phone."""
    known = sorted(readers(), key=lambda each: (each.fallback, each.title.lower()))
    lines = [f"- {each.title}{_asked(each.asks)}" for each in known]
    st.markdown("**We read**, and we ask for what the file does not say:")
    st.markdown("\n".join(lines))
    st.caption("Source: the files these tools write. Any other file is refused with the reason, and leaves no trace.")


def _asked(fields: Sequence[str]) -> str:
    names = ", ".join(label_of(name) for name in fields)
    return f"  \n:gray[:small[{names}]]" if names else ""


def beside_uploader(files: Sequence[Dropped], store: Store, catalogue: Catalogue) -> Parameters | None:
    """What waits to be looked at; else the files that are kept; else what can be read; the profile chosen."""
    uploads = store.uploads()
    if keeping(store):
        st.caption("A file is kept whole or not at all. What is kept can be deleted again.")
    elif files:
        results = read_all(files, store, catalogue)
        if results is not None:
            review(files, results, store, catalogue)
    elif uploads:
        with st.container(gap="xsmall"):
            undo_line(store)
            kept_files(store, uploads, catalogue)
    else:
        undo_line(store)
        formats_list()
    return pick_profile()


def some_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """All runs of a short table; of a long one those of one machine and model, chosen from a list."""
    if len(frame) <= ROW_LIMIT:
        return frame
    return one_part(frame, ("slot", "model"), key="runs_of", label="Runs of")


def review(files: Sequence[Dropped], results: Sequence[ReadResult], store: Store, catalogue: Catalogue) -> None:
    """Every waiting file: what it is, what is asked, what was read; then keep or leave."""
    by_hash = {result.sha256: result for result in results}
    shown = [(file, by_hash[file.sha256]) for file in files if file.sha256 in by_hash]
    if len(shown) > MANY:
        overview(results)
        shown = [(file, result) for file, result in shown if result.status == "questions"][:MANY]
    for file, result in shown:
        with st.container(border=True, gap="xsmall"):
            _review_one(file, result, catalogue)
    unread = len(files) - len([file for file in files if file.sha256 in by_hash])
    if unread:
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.caption(f"{unread:,} of {len(files):,} files were not read: you stopped.")
            st.button("Read the rest", key="read_rest", type="tertiary", on_click=go_on)
    _not_taken([result for _, result in shown], catalogue)
    ready = [result for result in results if result.status == "taken"]
    with st.container(horizontal=True, gap="small"):
        count = sum(result.run_count for result in ready)
        st.button(
            f"Keep {runs_words(count)}", type="primary", disabled=not ready, key="keep",
            on_click=keep_and_clear, args=(store, results),
        )  # fmt: skip
        st.button("Keep nothing", key="keep_nothing", on_click=keep_nothing)


def _not_taken(shown: Sequence[ReadResult], catalogue: Catalogue) -> None:
    """What Keep leaves behind: files whose questions block them, and proposals that nobody has confirmed."""
    blocked = sum(result.status == "questions" for result in shown)
    if blocked:
        st.caption(f":material/lock: {blocked:,} {'file is' if blocked == 1 else 'files are'} kept only after "
                   "what must be answered is answered.")  # fmt: skip
    proposed = sum(
        bool(proposal_of(one, catalogue)) for result in shown if result.status == "taken" for one in result.questions
    )
    if proposed:
        what = "the proposed answer" if proposed == 1 else f"any of the {proposed:,} proposed answers"
        st.caption(f"Keep does not store {what} above: press **{SEND}** first to take what is right.")


def overview(results: Sequence[ReadResult]) -> None:
    """Many files in one table: what each is, and why it cannot be kept yet or at all."""
    counts = Counter(str(result.status) for result in results)
    st.markdown(", ".join(f"**{counts[status]:,}** {word}" for status, word in STATUS.items() if counts[status]))
    frame = pd.DataFrame(
        [(result.file, STATUS[result.status], tool_of(result.format), result.run_count,
          len(result.warnings), result.reason)
         for result in sorted(results, key=lambda one: list(STATUS).index(one.status), reverse=True)],
        columns=["File", "State", "Format", "Runs", "Warnings", "Why not"],
    )  # fmt: skip
    st.dataframe(frame, hide_index=True, alt="Files that were read")


def _review_one(file: Dropped, result: ReadResult, catalogue: Catalogue) -> None:
    tool = f", {tool_of(result.format)} {result.tool_version}".rstrip() if result.format else ""
    runs = f", {runs_words(result.run_count)}" if result.runs else ""
    st.markdown(f"**{result.file}**: {STATUS[result.status]}{tool}{runs}")
    if result.reason:
        st.caption(result.reason)
    notices = [f"{each.text}" for each in result.warnings] + [
        f"line {each.line} left out: {each.why}" for each in result.skipped
    ]
    for text in list(dict.fromkeys(notices))[:NOTICE_LIMIT]:
        st.caption(f":material/warning: {unlinked(in_words(text))}")
    if len(notices) > NOTICE_LIMIT:
        st.caption(f"and {len(notices) - NOTICE_LIMIT} more such notes, kept with the runs")
    ask(result, file.sha256, catalogue)
    profile_button(result, file.sha256)
    if result.runs:
        with st.expander("What was read, and from where", key=f"read_{file.sha256[:12]}", type="compact"):
            st.dataframe(runs_frame(result.runs), hide_index=True, placeholder="–", alt="Runs of the file")
            st.dataframe(fields_frame(result.runs), hide_index=True, placeholder="–", alt="Origin of every figure")


def runs_frame(runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run with its leading figures."""
    names = ("concurrency", "isl_mean", "osl_mean", "ttft_mean_ms", "tpot_mean_ms", "output_tps")
    rows = [
        {"model": run.values.get("model_raw"), "device": run.values.get("hardware"),
         "devices": run.values.get("device_count"), "outcome": run.outcome,
         **{shown: run.values.get(name) for shown, name in zip(SHOWN, names, strict=True)}}
        for run in runs
    ]  # fmt: skip
    return pd.DataFrame(rows)


def fields_frame(runs: Sequence[Run]) -> pd.DataFrame:
    """One row a figure of every run: as kept, as the file wrote it, unit, how obtained, and the place in the file."""
    rows = [
        {"run": number, "figure": label_of(name), "kept as": str(run.values.get(name)), "in the file": field.raw,
         "unit": field.unit, "how": field.origin, "where": field.path}
        for number, run in enumerate(runs, start=1)
        for name, field in run.fields.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def left_out_lines(left_out: Sequence[LeftOut]) -> None:
    """Why runs are not compared, counted by reason; the first files are named."""
    files: dict[str, Counter[str]] = {}
    for each in left_out:
        files.setdefault(each.reason, Counter())[each.run.source_file] += 1
    for reason, counts in files.items():
        named = ", ".join(f"{count} of {name}" for name, count in list(counts.items())[:FILES_NAMED])
        more = len(counts) - FILES_NAMED
        rest = f" and of {more:,} more {'file' if more == 1 else 'files'}" if more > 0 else ""
        st.caption(f"Not compared: {named}{rest}, because {reason}.")


def empty_answer(left_out: int) -> tuple[str, str]:
    """Title and conditions of the page while no run can be compared."""
    waits = (
        "Drop the files your benchmark tool wrote. They stay on this machine, and nothing is stored before you keep it."
    )
    if left_out:
        title = "Your run cannot" if left_out == 1 else f"None of your {left_out:,} runs can"
        return f"{title} be compared with the model yet.", waits
    return "No runs of yours yet, so nothing here confirms or contradicts the model.", waits
