"""Fitting a profile to the runs on a page, keeping it under a name, and the profiles that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from analysis.calibration.own_factors import FORMS
from analysis.sentences import runs_words
from analysis.studies.benchmark_cases import Measured
from analysis.studies.profile_runs import fit_for_a_profile
from app.components.problem import notice
from app.components.tables import Column, table, three_digits, unbroken
from app.profiles import profiles, profiles_folder
from data.catalogue.profile_files import NAME_WORDS, Profile, remove_profile, write_profile
from data.errors import WaferlineError

_TRIAL, _TOLD = "_profile_trial", "_profile_told"
FITTED = (
    Column(name="part", header="Part of the model"),
    Column(name="runs", header="runs", shown="{:,.0f}".format),
    Column(name="before", header="error with shipped values, %", shown=three_digits),
    Column(name="after", header="left out, fitted, %", shown=three_digits, strong=True),
    Column(name="interval", header="80 % interval"),
    Column(name="left_out", header="Left out"),
    Column(name="factors", header="Against the shipped values"),
)
EXPLAINED = (
    "Two or three factors a part of the model, drawn to one, fitted to the time per output token. The error is that of "
    "fits that had not seen the run. No speed passes its physical ceiling, whatever the profile."
)


def calibrate(runs: Sequence[Measured], part: str = "") -> None:
    """Fit, judge, name and keep a profile; below it, those that are kept.

    part   what was read of long files, in words
    """
    st.subheader("Calibrate to these runs", anchor=False)
    st.caption(f"{EXPLAINED} {part}".rstrip())
    fit_to, left_out = fit_for_a_profile(runs)
    for line in left_out:
        st.caption(line)
    ids = tuple(one.run.run_id for one in fit_to)
    if fit_to and st.button(f"Fit to {runs_words(len(fit_to))}", key="profile_fit"):
        from analysis.studies.own_profile import trial  # the optimiser is loaded when it is needed

        with st.spinner("Fitting, and judging each fit on runs it has not seen"):
            st.session_state[_TRIAL] = ids, trial(fit_to)
    kept_ids, found = st.session_state.get(_TRIAL, ((), None))
    if found is not None and kept_ids == ids:
        if len(found.table):
            table(found.table, FITTED, alt="Fits by part of the model")
        for refusal in found.refusals:
            st.caption(refusal)
        if found.worth_keeping:
            _name_and_keep()
    if told := st.session_state.pop(_TOLD, ""):
        st.caption(told)
    kept_profiles()


def _name_and_keep() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input("Name of the profile", key="profile_name", placeholder="my-lab", help=NAME_WORDS, width=220)
        st.button("Keep", key="profile_keep", type="primary", on_click=_keep)


def _keep() -> None:
    from analysis.studies.own_profile import profile_of

    name = str(st.session_state.get("profile_name") or "").strip()
    _, found = st.session_state[_TRIAL]
    try:
        write_profile(profiles_folder(), profile_of(found, name, datetime.now(UTC).date().isoformat()))
    except WaferlineError as error:
        st.session_state[_TOLD] = error.sentence()
    else:
        st.session_state[_TOLD] = f"Kept as {name}. Every page now offers it under Profile."
        st.session_state.pop(_TRIAL)


def kept_profiles() -> None:
    """The profiles of this machine, each with what it was fitted to and a button that forgets it; and broken files."""
    found, problems = profiles()
    if found:
        st.markdown("**Your profiles**")
        table(pd.DataFrame([_row(each) for each in found.values()]), KEPT, alt="Profiles that are kept")
        with st.container(horizontal=True, gap="small"):
            for name in found:
                st.button(
                    f"Remove {name}", key=f"profile_remove_{name}", type="tertiary", on_click=_remove, args=(name,)
                )
    for problem in problems:
        notice(f"{problem.sentence()} It is not offered.")


KEPT = (
    Column(name="name", header="Name"),
    Column(name="dated", header="Fitted on"),
    Column(name="runs", header="runs", shown="{:,.0f}".format),
    Column(name="parts", header="Parts of the model"),
    Column(name="errors", header="Error left out, before and after"),
    Column(name="files", header="Files"),
)


def _row(profile: Profile) -> dict[str, object]:
    forms = profile.forms.items()
    return {
        "name": profile.name,
        "dated": unbroken(profile.dated),
        "runs": float(len(profile.runs)),
        "parts": ", ".join(FORMS[key].title for key, _ in forms),
        "errors": ", ".join(
            f"{each.before_mape_percent:.3g} % and {each.after_mape_percent:.3g} %" for _, each in forms
        ),
        "files": ", ".join(dict.fromkeys(each.file for each in profile.runs)),
    }


def _remove(name: str) -> None:
    remove_profile(profiles_folder(), name)
    st.session_state.pop("profile", None)  # a page must not ask for what is gone
