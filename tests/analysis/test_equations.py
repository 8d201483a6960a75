"""One list of checks for every public function of analysis/models: a new equation is tested by existing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pint
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis import formula
from analysis.explain import Equation, equation_functions, read_equation
from data.units import format_quantity, quantity, unit_of_suffix

FUNCTIONS = {f"{each.__module__.rsplit('.', 1)[-1]}.{each.__name__}": each for each in equation_functions()}
EQUATIONS = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())

# Functions that cannot be called with pint quantities, each with its reason; an entry that is not needed fails.
NOT_HOMOGENEOUS: dict[str, str] = {}

# Shares and probabilities, which mean something between 0 and 1 only, by the ending of their name.
SHARES = ("fraction", "share", "delaying", "reuse", "acceptance", "utilisation")
# Shares at 1 of which the formula line is 0 / 0; the limit that the code gives there has a test of its own.
OPEN_AT_ONE = ("acceptance",)


def arguments(function: Callable[..., Any], draw: Callable[[str], float]) -> dict[str, float]:
    return {name: draw(name) for name in inspect.signature(function).parameters}


def drawn(data: st.DataObject, function: Callable[..., Any]) -> dict[str, float]:
    """Random inputs: sixteenths between 0 and 1 for shares, quarters up to 32 for the rest; exact in binary."""

    def one(name: str) -> float:
        if name.endswith(SHARES):
            return data.draw(st.integers(1, 15 if name in OPEN_AT_ONE else 16), label=name) / 16
        return data.draw(st.integers(4, 128), label=name) / 4

    return arguments(function, one)


def calculated(function: Callable[..., Any], inputs: Mapping[str, Any]) -> Any:
    with np.errstate(all="ignore"):
        return function(**{name: np.float64(value) for name, value in inputs.items()})


def by_formula(read: Equation, inputs: Mapping[str, Any]) -> Any:
    with np.errstate(all="ignore"):
        values = {name: np.float64(value) for name, value in inputs.items()}
        return formula.evaluate(read.lines, read.symbol_values(values), where=read.name)[read.result]


@EQUATIONS
def test_docstring_is_complete(function: Callable[..., Any]) -> None:
    """Summary with unit, formula, a row an argument, remarks, source: reading raises where one is missing."""
    read = read_equation(function)
    assert read.remarks, "says nothing about ranges, shapes or errors"
    used = set().union(*(formula.names_in(formula.split_line(line)[1]) for line in read.lines))
    unused = {each.symbol for each in read.arguments if each.parameter} - used
    assert not unused, f"arguments that the formula does not use: {unused}"


@EQUATIONS
def test_names_end_in_their_unit(function: Callable[..., Any]) -> None:
    """The table's unit of every argument is the one its parameter's name ends in."""
    for argument in read_equation(function).arguments:
        if argument.parameter:
            assert unit_of_suffix(argument.parameter)[1] == argument.unit, argument.parameter


@EQUATIONS
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_formula_line_equals_the_code(function: Callable[..., Any], data: st.DataObject) -> None:
    inputs = drawn(data, function)
    expected = by_formula(read_equation(function), inputs)
    np.testing.assert_allclose(calculated(function, inputs), expected, rtol=1e-9, atol=1e-12)


@EQUATIONS
def test_takes_arrays_that_broadcast(function: Callable[..., Any]) -> None:
    """Arrays give what a loop over their elements gives; every second argument stays a single number."""
    names = list(inspect.signature(function).parameters)
    rows = [
        {name: (0.25 + 0.25 * row if name.endswith(SHARES) else 2.0 + place + row) for place, name in enumerate(names)}
        for row in range(3)
    ]
    for row in rows:
        row.update({name: rows[0][name] for name in names[1::2]})
    together = {name: np.array([row[name] for row in rows]) for name in names[0::2]}
    with np.errstate(all="ignore"):
        result = function(**together, **{name: rows[0][name] for name in names[1::2]})
    loop = [calculated(function, row) for row in rows]
    np.testing.assert_allclose(np.broadcast_to(result, (3,)), loop, rtol=1e-12)


def dimensionality(value: Any, unit: str) -> Any:
    return quantity(value, unit).dimensionality


@EQUATIONS
def test_dimensions_come_out_as_stated(function: Callable[..., Any]) -> None:
    """Called with quantities in the units of its parameters, an equation gives the unit its first line states."""
    read = read_equation(function)
    name = f"{read.topic}.{read.name}"
    units = {each.parameter: each.unit for each in read.arguments if each.parameter}
    inputs = {
        parameter: quantity(0.5 if parameter.endswith(SHARES) else 3.0 + place, unit) if unit else 3.0 + place
        for place, (parameter, unit) in enumerate(units.items())
    }
    if name in NOT_HOMOGENEOUS:
        with pytest.raises((pint.errors.PintError, TypeError)):
            function(**inputs)
        return
    with np.errstate(all="ignore"):
        result = function(**inputs)
    found = result.dimensionality if isinstance(result, pint.Quantity) else dimensionality(1.0, "")
    assert found == dimensionality(1.0, read.unit)


@EQUATIONS
def test_result_can_be_printed(function: Callable[..., Any]) -> None:
    """The stated unit is one the screen can write."""
    assert format_quantity(1.5, read_equation(function).unit)


def test_the_list_of_exceptions_names_equations() -> None:
    assert set(NOT_HOMOGENEOUS) <= set(FUNCTIONS)
    assert all(reason.strip() for reason in NOT_HOMOGENEOUS.values())
