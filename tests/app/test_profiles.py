"""Profiles on the pages and the command line: offered where there are any, said wherever used, kept and removed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from app import cache
from app.cli import cli
from app.components.page import FoundPage
from app.pages import find_pages
from app.profiles import profiles_folder
from data.catalogue.profile_files import write_profile
from data.readers import read_bytes
from data.store import resolve_names
from tests.app.pages_as_text import open_page, page_text
from tests.data.test_profile_files import PROFILE

PAGES = {found.page.key: found for found in find_pages()}
SAID = (
    "With your profile my-lab: fitted on 2026-12-01 to 2 runs on GPU servers; other machines keep the shipped values."
)
TABLE_HEAD = "model,gpu,num_gpus,engine,precision,concurrency,input tokens,output tokens,tpot (ms)\n"
# 4 x H200 at FP8: about 10 ms for one request by the model; these are a third slower, as 1.3 + load shows.
TIMES = ((1, 13.9), (4, 12.6), (8, 14.2), (16, 17.0), (32, 22.9), (64, 33.8), (128, 55.5))
ROWS = "".join(f"Llama 3.1 70B,H200 SXM,4,vllm,fp8,{load},1024,256,{time}\n" for load, time in TIMES)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data folder of its own."""
    monkeypatch.setenv("WAFERLINE_DATA", str(tmp_path))
    yield tmp_path
    cache.store().close()


def keep_own_runs() -> None:
    result = resolve_names(read_bytes("own.csv", (TABLE_HEAD + ROWS).encode(), {}), cache.catalogue())
    cache.store().import_result(result)


def shown(found: FoundPage, **query: str) -> str:
    return page_text(open_page(found, **query))


def test_without_profiles_no_page_speaks_of_them() -> None:
    assert "Profile" not in shown(PAGES["compare"])


@pytest.mark.parametrize("key", ["compare", "memory", "roofline", "bandwidth"])
def test_a_page_offers_profiles_and_says_which_it_uses(key: str) -> None:
    write_profile(profiles_folder(), PROFILE)
    text = shown(PAGES[key])
    assert "choice: Profile = shipped" in text
    assert SAID not in text
    assert SAID in shown(PAGES[key], profile="my-lab")


def test_a_profile_moves_gpu_servers_and_leaves_wafers() -> None:
    """Operators a third slower than shipped: one H200 slows down, a wafer does not."""
    write_profile(profiles_folder(), PROFILE)

    def speeds(**query: str) -> pd.DataFrame:
        tester = open_page(PAGES["compare"], slots="8.h200-sxm_fit.wse-3", **query)
        frame: pd.DataFrame = tester.table[0].value
        return frame

    column = next(name for name in speeds().columns if "per" in name and "user" in name)
    before, after = speeds()[column].astype(float), speeds(profile="my-lab")[column].astype(float)
    assert after.iloc[0] < before.iloc[0]
    assert after.iloc[1] == before.iloc[1]


def test_a_link_to_a_profile_that_is_not_here_is_told() -> None:
    tester = open_page(PAGES["compare"], profile="elsewhere")
    assert [each.value for each in tester.toast if "elsewhere" in each.value]
    assert "With your profile" not in page_text(tester)


def test_a_broken_profile_breaks_no_page() -> None:
    keep_own_runs()
    path = write_profile(profiles_folder(), PROFILE)
    path.write_text("name: my-lab\n")
    assert "Profile" not in shown(PAGES["compare"])
    assert "my-lab.yaml" in shown(PAGES["measured"])


def press(tester: AppTest, key: str) -> AppTest:
    return next(each for each in tester.button if each.key == key).click().run()


def test_a_profile_is_fitted_named_kept_and_removed_on_the_page() -> None:
    keep_own_runs()
    tester = press(open_page(PAGES["measured"]), "profile_fit")
    assert "GPU servers" in page_text(tester)
    tester.text_input(key="profile_name").set_value("no good").run()
    press(tester, "profile_keep")
    assert "cannot be called so" in page_text(tester)
    tester.text_input(key="profile_name").set_value("rack-7").run()
    press(tester, "profile_keep")
    assert not tester.exception
    assert [each.name for each in profiles_folder().iterdir()] == ["rack-7.yaml"]
    assert "choice: Profile = shipped" in page_text(tester)
    press(tester, "profile_remove_rack-7")
    assert list(profiles_folder().iterdir()) == []


def test_an_impossible_run_is_neither_counted_nor_fitted_and_the_page_says_so() -> None:
    """70 GB of FP8 weights on 4 x 4.8 TB/s take 3.7 ms a token; a run that says 2 ms cannot be."""
    rows = ROWS + "Llama 3.1 70B,H200 SXM,4,vllm,fp8,2,1024,256,2\n"
    result = resolve_names(read_bytes("own.csv", (TABLE_HEAD + rows).encode(), {}), cache.catalogue())
    cache.store().import_result(result)
    tester = open_page(PAGES["measured"])
    labels = [each.label for each in tester.button if each.key == "profile_fit"]
    assert labels == ["Fit to 7 runs"]
    said = [each.value for each in tester.caption if each.value.startswith("Not fitted: 1 run of own.csv")]
    assert len(said) == 1
    assert "faster than its physical ceiling" in said[0]
    press(tester, "profile_fit")
    assert tester.session_state["_profile_trial"][1].fits[0].fit.runs == 7


def test_runs_of_seven_machines_are_drawn() -> None:
    """There are six colours; a seventh machine is grey."""
    lines = [f"Llama 3.1 70B,{chip} SXM,{count},vllm,fp8,4,1024,256,15" for chip in ("H100", "H200")
             for count in (2, 4, 8, 16)]  # fmt: skip
    result = resolve_names(read_bytes("own.csv", (TABLE_HEAD + "\n".join(lines)).encode(), {}), cache.catalogue())
    cache.store().import_result(result)
    tester = open_page(PAGES["measured"])
    assert "could not be drawn" not in page_text(tester)
    assert ":gray[●] " in page_text(tester)


def test_the_command_line_fits_keeps_and_uses_a_profile(folder: Path) -> None:
    runs, cases, out = folder / "own.csv", folder / "cases.csv", folder / "out.csv"
    runs.write_text(TABLE_HEAD + ROWS)
    cases.write_text(
        "model,hardware,device_count,engine,weight_format,concurrency\nllama-3.1-70b,h200-sxm,4,vllm,fp8,8\n"
    )
    fitted = CliRunner().invoke(cli, ["calibrate", "--profile", "rack-7", "--runs", str(runs)])
    assert fitted.exit_code == 0, fitted.output
    assert "GPU servers: 7 runs" in fitted.stdout
    times = []
    for more in ([], ["--profile", "rack-7"]):
        done = CliRunner().invoke(cli, ["predict", str(cases), "-o", str(out), *more])
        assert done.exit_code == 0
        times.append(pd.read_csv(out).iloc[0])
    assert times[1]["predicted_tpot_ms"] > 1.1 * times[0]["predicted_tpot_ms"]
    assert "profile rack-7" in times[1]["assumed"]


def test_the_command_line_says_why_no_profile_is_kept(folder: Path) -> None:
    runs = folder / "own.csv"
    runs.write_text(TABLE_HEAD + ROWS.splitlines()[0] + "\n")
    refused = CliRunner().invoke(cli, ["calibrate", "--profile", "rack-7", "--runs", str(runs)])
    assert refused.exit_code != 0
    assert "takes at least 5" in str(refused.exception)
    assert not profiles_folder().exists()


def test_a_file_beyond_the_size_that_is_imported_is_not_fitted_to_either(folder: Path) -> None:
    """300 MB that take no room on the disk; both commands refuse them unread, in the same words."""
    runs = folder / "own.csv"
    with runs.open("wb") as file:
        file.truncate(300_000_000)
    why = "the file is too large; found 300 MB; expected 200 MB at most."
    assert why in CliRunner().invoke(cli, ["import", str(runs)]).output
    refused = CliRunner().invoke(cli, ["calibrate", "--profile", "rack-7", "--runs", str(runs)])
    assert why in str(refused.exception)
    assert not profiles_folder().exists()
