"""Profile files: written and read back alike, names that are safe as file names, and clear errors for broken files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from data.catalogue.profile_files import (
    Profile,
    ProfileForm,
    ProfileRun,
    load_profiles,
    profile_named,
    read_profile,
    remove_profile,
    write_profile,
)
from data.errors import CatalogueError, WaferlineError

FORM = ProfileForm(
    runs=7, left_out_by="run", before_mape_percent=24.4, after_mape_percent=6.6, low=0.86, high=1.16,
    chips=("h200-sxm",), models=("llama-3.1-70b",), factors={"fixed times": 1.33}, values={"operator_s": 1.095e-5},
)  # fmt: skip
PROFILE = Profile(
    name="my-lab", dated="2026-12-01", shipped="2026-11-30", forms={"serving": FORM},
    runs=(ProfileRun(run_id="a1", file="own.csv"), ProfileRun(run_id="b2", file="=cmd.csv")),
)  # fmt: skip


def test_a_profile_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = write_profile(tmp_path / "profiles", PROFILE)
    assert read_profile(path) == PROFILE
    assert load_profiles(path.parent) == ({"my-lab": PROFILE}, [])
    assert [each.name for each in path.parent.iterdir()] == ["my-lab.yaml"]
    remove_profile(path.parent, "my-lab")
    assert load_profiles(path.parent) == ({}, [])


@pytest.mark.parametrize("name", ["", "../evil", "My Lab", "a/b", "shipped", "x" * 41, "-a", "a.yaml"])
def test_names_that_are_no_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CatalogueError, match="cannot be called so"):
        write_profile(tmp_path, replace(PROFILE, name=name))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("low: 0.86", "low: fast", "low"),
        ("low: 0.86", "low: 1.4", "low"),
        ("operator_s: 1.095e-05", "operator_s: -1.0", "no positive number"),
        ("operator_s: 1.095e-05", "operator_s: .nan", "no positive number"),
        ("name: my-lab", "name: other", "differ"),
        ("left_out_by: run", "left_out_by: nothing", "left_out_by"),
        ("forms:", "shapes:", "missing"),
        ("dated: '2026-12-01'", "dated: '2026-12-01'\nextra: 1", "unknown field"),
        ("name: my-lab", "name: [", "my-lab.yaml"),
        ("name: my-lab", "name: !!python/object/apply:os.system ['true']", "my-lab.yaml"),
    ],
)
def test_a_broken_file_is_named_and_does_not_hide_the_others(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = write_profile(tmp_path, PROFILE)
    write_profile(tmp_path, replace(PROFILE, name="good"))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(CatalogueError, match=said):
        read_profile(path)
    found, problems = load_profiles(tmp_path)
    assert list(found) == ["good"]
    assert len(problems) == 1
    assert "my-lab.yaml" in problems[0].sentence()


def test_an_unknown_profile_names_those_that_are_there(tmp_path: Path) -> None:
    write_profile(tmp_path, PROFILE)
    with pytest.raises(WaferlineError, match="one of those kept: my-lab"):
        profile_named(tmp_path, "my-lap")
