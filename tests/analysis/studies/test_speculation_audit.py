"""Published speeds of SRAM machines: what needs speculation and what does not, against published arithmetic."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd
import pytest

from analysis.figures import speculation_audit as picture
from analysis.figures.style import ink
from analysis.studies import speculation_audit
from analysis.study import Study
from data.catalogue.catalogue import load_catalogue
from data.catalogue.measurement_files import load_measurements


@lru_cache(maxsize=1)
def audited() -> Study:
    return speculation_audit.study(load_measurements("measured"), load_catalogue())


def row(row_id: str) -> pd.Series:
    return audited().table.set_index("row_id").loc[row_id]


def test_launch_speeds_of_cs3_need_no_drafts() -> None:
    """Cerebras, August 2024: 1,800 (8B on one wafer) and 450 (70B on four); the model says 2,095 to 1,805 and 468 to
    420 between an empty context and 8K (WaferLLM's law carried to WSE-3), so tau is about one."""
    for name, low, high in (("sram-001", 0.86, 1.0), ("sram-002", 0.96, 1.07)):
        assert row(name)["tau_low"] == pytest.approx(low, abs=0.03)
        assert row(name)["tau_high"] == pytest.approx(high, abs=0.03)
        assert "within the prediction" in row(name)["verdict"]


def test_later_speeds_of_the_same_machine_do() -> None:
    """2,100 tok/s of Llama-3.1-70B (October 2024, with drafts as the vendor says) over at most 674 predicted."""
    assert row("sram-006")["speculative"] == "yes"
    assert row("sram-006")["tau_low"] > 2
    assert "drafts or newer kernels" in row("sram-006")["verdict"]


def test_a_speed_above_the_bound_must_speculate() -> None:
    """SN40L, 405B in 16 bit: 810 GB over 16 x 1.6 TB/s read once a token allow 32 tok/s; 129 were measured, so at
    least four tokens a step on 16 sockets. Twice the sockets are computed as well, so the bound used allows twice."""
    on_sixteen = 129 / (16 * 1.6e12 / 810e9)
    assert on_sixteen == pytest.approx(4.1, abs=0.05)
    assert row("sram-057")["tau_at_least"] == pytest.approx(on_sixteen / 2, rel=0.05)
    assert "speculates" in row("sram-057")["verdict"]


def test_undisclosed_counts_are_said_and_change_the_range() -> None:
    assert row("sram-025")["devices"].startswith("not said: 11 to")
    assert row("sram-025")["low_tokens_per_s_per_user"] < row("sram-025")["high_tokens_per_s_per_user"]
    assert row("sram-002")["devices"] == "4"


def test_vendor_and_independent_figures_stay_rows_of_their_own() -> None:
    table = audited().table
    both = table[(table["machine"] == "WSE-3") & (table["model"] == "Llama-3.1-8B") & (table["date"] < "2025")]
    assert set(both["by"]) == {"vendor", "independent"}
    assert not table["row_id"].duplicated().any()


def test_undisclosed_models_and_machines_without_a_law_are_not_testable() -> None:
    """GPT-5.6 Sol's architecture is not published; Taalas HC1 has no law here."""
    assert row("sram-035")["verdict"] == "not testable: the model's architecture is not published"
    assert "no law" in row("sram-066")["verdict"]
    assert pd.isna(row("sram-066")["tau_low"])


def test_figure_keeps_kinds_of_source_apart() -> None:
    """No two kinds share a marker or a colour."""
    drawing = picture.figure(audited().table, ink("dark"))
    named = [each for each in drawing["data"] if each.get("mode") == "markers" and each.get("x") != [None]]
    assert len({each["marker"]["symbol"] for each in named}) == len(named)
    assert len({each["marker"]["color"] for each in named}) == len(named)


def test_no_rows_is_an_answer() -> None:
    study = speculation_audit.study([], load_catalogue())
    assert "No published speed" in study.answer
    assert picture.figure(study.table, ink("light"))["layout"]
