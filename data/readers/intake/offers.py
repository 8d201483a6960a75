"""Figures that a file only implies: shown with their value, taken when the person says so."""

from __future__ import annotations

from collections.abc import Sequence

from data.readers.intake.answers import AS_READ
from data.readers.intake.draft import Draft
from data.readers.intake.fields import latency_names
from data.readers.intake.result import Answers, Question

_TPOT, _LATENCY = "meaning:tpot", "meaning:first_byte"


def implied_tpot_ms(draft: Draft) -> float | None:
    """(E2E - TTFT) / (tokens - 1) of the run's means, or None where one of them is missing. [ms]"""
    first, whole, length = (draft.number(name) for name in ("ttft_mean_ms", "e2e_mean_ms", "osl_mean"))
    if first is None or whole is None or length is None or length <= 1 or whole <= first:
        return None
    return (whole - first) / (length - 1)


def offer_tpot(drafts: Sequence[Draft], answers: Answers, why: str) -> list[Question]:
    """Ask whether TPOT may be taken from the means; on the answer `derive` put it in place of the file's."""
    implied = [(draft, value) for draft in drafts if (value := implied_tpot_ms(draft)) is not None]
    if answers.get(_TPOT) == "derive":
        for draft, value in implied:
            for name in latency_names("tpot"):
                draft.drop(name)
            draft.put("tpot_mean_ms", value, path="(mean E2E - mean TTFT) / (mean tokens - 1)", origin="derived")
    if not implied or _TPOT in answers:
        return []
    shown = ", ".join(f"{value:.4g} ms" for _, value in implied[:4]) + (", …" if len(implied) > 4 else "")
    text = f"Shall TPOT be taken as (E2E - TTFT) / (tokens - 1) of the means: {shown}? Answer derive to take it."
    return [Question(field=_TPOT, text=text, proposal=AS_READ, because=why)]


def first_byte_is_ttft(answers: Answers) -> bool:
    """True if the person said that the first byte of the answer carried the first token."""
    return answers.get(_LATENCY) == "ttft"


def offer_first_byte(name: str, mean_ms: float, answers: Answers) -> list[Question]:
    """Ask whether a time to first byte is a time to first token; only the person knows if answers were streamed."""
    if _LATENCY in answers or mean_ms <= 0:
        return []
    return [
        Question(
            field=_LATENCY,
            text=f"{name} (mean {mean_ms:.4g} ms) is the time to the first byte of the response. "
            "Was it streamed, so that this byte carried the first token? Answer ttft to take it as TTFT.",
            proposal=AS_READ,
            because="without streaming the first byte comes with the whole answer",
        )
    ]
