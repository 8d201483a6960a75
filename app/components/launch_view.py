"""The command that starts a plan, by engine, as a block to copy."""

from __future__ import annotations

import streamlit as st

from analysis.studies.launch import OPTIONS_FILE, Launch
from app.components.card import source_text
from app.components.controls import switch


def show_launch(found: list[Launch], *, title: str, key: str) -> None:
    """One engine's command, chosen from those that can start it; a sentence where none can."""
    st.markdown(f"**{title}**")
    names = [each.engine for each in found]
    chosen = names[0] if len(names) == 1 else switch("Engine", names, key=f"{key}_engine", default=names[0])
    launch = next(each for each in found if each.engine == chosen)
    if launch.refusal:
        st.caption(launch.refusal)
        return
    if launch.options:
        st.code(f"cat > {OPTIONS_FILE} <<'END'\n{launch.options}END", language="bash")
    st.code(launch.command, language="bash", wrap_lines=True)
    st.caption(" ".join([f"{each}." for each in launch.notes] + [source_text(launch.sources)]))
