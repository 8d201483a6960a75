"""Parameter files: what ships agrees with what was published, and a wrong file says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.parameters import ideal, starting_parameters
from data.catalogue.parameter_files import load_parameters, read_parameters
from data.errors import CatalogueError, UnknownNameError

GOOD = """
key: some
title: Some values
dated: 2026-11-30
sources:
  paper: {title: A paper, kind: paper}
values:
  step_s: {value: 1.0e-5, neutral: 1.0e-5, low: 9.0e-6, high: 1.1e-5, source: paper}
"""


def write(folder: Path, text: str, name: str = "some.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_every_shipped_value_has_a_source_and_lies_in_its_range() -> None:
    for each in load_parameters().values():
        for value in each.values.values():
            assert value.source.title
            assert (value.low or value.value) <= value.value <= (value.high or value.value)


@pytest.mark.parametrize(
    ("form", "name", "value"),
    [
        ("gpu-serving", "bandwidth_fraction", 0.92), ("gpu-serving", "allreduce_s", 4.5e-6),
        ("wafer-mesh", "fixed_s", 4.20e-6), ("wafer-mesh", "crossing_s", 13.98e-9), ("wafer-mesh", "mac_s", 1.004e-9),
        ("fixed-layers", "groq_layer_s", 45e-6), ("streamed-layers", "dataflow_weight_fraction", 0.85),
    ],
)  # fmt: skip
def test_pinned_values(form: str, name: str, value: float) -> None:
    assert load_parameters()[form].value(name) == value


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("operator_s", 7.5e-6, 10.5e-6), ("engine_factor", 0.97, 1.23), ("expert_operators", 2.7, 3.4),
        ("weight_only_expert_operators", 4.2, 5.9), ("expert_bandwidth_fraction", 0.94, 1.13),
        ("cache_bandwidth_fraction", 0.53, 0.66),
    ],
)  # fmt: skip
def test_fitted_values_lie_where_an_earlier_fit_on_more_runs_put_them(name: str, low: float, high: float) -> None:
    """10-90 % bootstrap ranges of a fit of the same form to 2,250 runs; operators a little below: a lone step adds."""
    assert low <= load_parameters()["gpu-serving"].value(name) <= high


def test_ideal_parameters_lose_nothing() -> None:
    serving = ideal(starting_parameters()).serving
    assert serving.operator_s == serving.sequence_s == serving.allreduce_s == 0.0
    assert serving.bandwidth_fraction == serving.peak_fraction_fp8 == 1.0
    assert serving.node_link_byte_per_s == starting_parameters().serving.node_link_byte_per_s


def test_a_good_file_is_read(tmp_path: Path) -> None:
    assert read_parameters(write(tmp_path, GOOD)).value("step_s") == 1e-5


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("source: paper", "source: rumour", "unknown source"), ("low: 9.0e-6", "low: 2.0e-5", "outside its own range"),
        ("key: some", "key: other", "key and file name differ"), ("value: 1.0e-5", "value: fast", "step_s"),
        ("dated: 2026-11-30", "dated: lately", "dated"), ("title: Some values\n", "", "title"),
    ],
)  # fmt: skip
def test_a_wrong_file_says_where(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(CatalogueError, match=said):
        read_parameters(write(tmp_path, GOOD.replace(old, new, 1)))


def test_an_unknown_parameter_lists_near_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="step_s"):
        read_parameters(write(tmp_path, GOOD)).value("steps")
