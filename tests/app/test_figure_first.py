"""Controls are drawn after the figure where an earlier run left their values behind, and never change what they say."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from app.components import figure_first


class Place:
    """Stands for a container: says when it is entered and left."""

    def __init__(self, drawn: list[str]) -> None:
        self.drawn = drawn

    def __enter__(self) -> None:
        self.drawn.append("<")

    def __exit__(self, *problem: Any) -> None:
        self.drawn.append(">")


class RerunError(Exception):
    """Raised where the page would be run anew."""


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The values that an earlier run left behind."""
    values: dict[str, Any] = {}

    def rerun(*, scope: str) -> None:
        raise RerunError(scope)

    monkeypatch.setattr(figure_first, "st", SimpleNamespace(session_state=values, rerun=rerun))
    figure_first.begin_page()
    return values


def control(drawn: list[str], name: str, value: int) -> Callable[[], int]:
    """A control that notes when it is drawn."""

    def draw() -> int:
        drawn.append(name)
        return value

    return draw


def test_controls_with_values_left_behind_are_drawn_after_the_figure_in_their_order(left: dict[str, Any]) -> None:
    drawn: list[str] = []
    left.update(one=1, two=2)
    with figure_first.Row(Place(drawn)):  # type: ignore[arg-type]
        assert figure_first.value_of("one", control(drawn, "one", 1), lambda _: True) == 1
        assert figure_first.value_of("two", control(drawn, "two", 2), lambda _: True) == 2
    drawn.append("figure")
    figure_first.figure_sent()
    figure_first.give_way()
    figure_first.give_way()
    assert drawn == ["<", ">", "figure", "<", "one", "two", ">"]


@pytest.mark.parametrize("unusable", ["missing", "no longer offered"])
def test_a_value_that_cannot_be_kept_draws_its_control_and_all_before_it_at_once(
    left: dict[str, Any], unusable: str
) -> None:
    drawn: list[str] = []
    left.update(one=1, three=3)
    if unusable != "missing":
        left["two"] = 9
    row = figure_first.Row(Place(drawn))  # type: ignore[arg-type]
    with row:
        figure_first.value_of("one", control(drawn, "one", 1), lambda _: True)
        assert figure_first.value_of("two", control(drawn, "two", 2), lambda value: value < 9) == 2
        figure_first.value_of("three", control(drawn, "three", 3), lambda _: True)
    figure_first.draw_controls()
    assert [name for name in drawn if name not in "<>"] == ["one", "two", "three"]


def test_a_new_page_draws_every_control_at_once(left: dict[str, Any]) -> None:
    drawn: list[str] = []
    left["one"] = 1
    figure_first.whole_page()
    figure_first.begin_page()
    with figure_first.Row(Place(drawn)):  # type: ignore[arg-type]
        assert figure_first.value_of("one", control(drawn, "one", 5), lambda _: True) == 5
    assert drawn == ["<", "one", ">"]
    figure_first.begin_page()
    with figure_first.Row(Place(drawn)):  # type: ignore[arg-type]
        figure_first.value_of("one", control(drawn, "again", 1), lambda _: True)
    assert "again" not in drawn, "only the first run of a page is whole"


def test_a_control_that_turns_out_otherwise_runs_the_page_again(left: dict[str, Any]) -> None:
    left["one"] = 1
    with figure_first.Row(Place([])):  # type: ignore[arg-type]
        figure_first.value_of("one", lambda: 2, lambda _: True)
    with pytest.raises(RerunError, match="fragment"):
        figure_first.draw_controls()


def test_controls_outside_such_a_row_are_drawn_where_they_stand(left: dict[str, Any]) -> None:
    drawn: list[str] = []
    left["one"] = 1
    assert figure_first.value_of("one", control(drawn, "one", 4), lambda _: True) == 4
    assert drawn == ["one"]
