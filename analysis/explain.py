"""An equation with its numbers in: formula, substitution, result and source, read from the equation's own docstring."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from analysis import formula, models
from analysis.study import Step
from data.errors import OutOfRangeError, UnitError, WaferlineError
from data.units import format_quantity, parse_quantity, unit_of_suffix

WIDTH = 110  # characters of a line of arithmetic on screen
_SUMMARY = re.compile(r"^(.*\S)\s*\[([^\[\]]+)\]$", re.DOTALL)
_ROW = re.compile(r"^([A-Za-z_]\w*(?:, [A-Za-z_]\w*)*)\s{2,}(\S.*?)\s*\[([^\[\]]+)\]$")


class EquationError(WaferlineError):
    """An equation whose docstring lacks a part that the screen and the tests read from it."""


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One row of an equation's table; `parameter` is empty for a part that a further formula line defines."""

    symbol: str
    parameter: str
    meaning: str
    unit: str  # as the unit reader spells it: "byte/s", "" if dimensionless


@dataclass(frozen=True, kw_only=True)
class Equation:
    """What the docstring of an equation says, taken apart."""

    name: str
    topic: str  # its module: "roofline"
    summary: str
    result: str  # symbol left of the first formula line
    unit: str
    lines: tuple[str, ...]
    arguments: tuple[Argument, ...]
    remarks: str  # ranges, shapes, errors
    source: str
    function: Callable[..., Any] = field(repr=False, compare=False)

    def symbol_values(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs keyed by the formula's symbols instead of the function's parameters."""
        return {each.symbol: inputs[each.parameter] for each in self.arguments if each.parameter}


@lru_cache(maxsize=1024)
def read_equation(function: Callable[..., Any]) -> Equation:
    """The equation as its docstring writes it. Raises EquationError naming the part that is missing."""
    where = f"{function.__module__}.{function.__name__}"
    text = inspect.cleandoc(function.__doc__ or "")
    body, source = _split_source(text, where)
    paragraphs = [part for part in re.split(r"\n\s*\n", body) if part.strip()]
    summary = _SUMMARY.match(" ".join(paragraphs[0].split())) if paragraphs else None
    if summary is None:
        raise EquationError("first line lacks the result's unit", where=where, expected="What comes back. [unit]")
    place = _formula_place(paragraphs, where)
    lines = tuple(line.strip() for line in paragraphs[place].splitlines())
    rows = _rows(paragraphs[place + 1] if place + 1 < len(paragraphs) else "", where)
    return Equation(
        name=function.__name__,
        topic=function.__module__.rsplit(".", 1)[-1],
        summary=summary[1],
        result=formula.split_line(lines[0])[0],
        unit=_unit(summary[2], where),
        lines=lines,
        arguments=_arguments(function, rows, lines, where),
        remarks=" ".join(" ".join(paragraphs[1:place] + paragraphs[place + 2 :]).split()),
        source=source,
        function=function,
    )


def _split_source(text: str, where: str) -> tuple[str, str]:
    parts = re.split(r"\n\s*Sources?\n\s*-+\n", text)
    if len(parts) != 2 or not parts[1].strip():
        raise EquationError("no source", where=where, expected="Source, a line of dashes, and who published it")
    return parts[0], " ".join(parts[1].split())


def _formula_place(paragraphs: list[str], where: str) -> int:
    for index, paragraph in enumerate(paragraphs):
        if index and all(formula.is_line(line) for line in paragraph.splitlines()):
            return index
    raise EquationError("no formula", where=where, expected="a paragraph of lines: name = expression")


def _rows(paragraph: str, where: str) -> list[tuple[str, str, str]]:
    """Symbol, meaning and unit of every row; a line that starts further right continues the one before."""
    joined: list[str] = []
    for line in textwrap.dedent(paragraph).splitlines():
        if joined and line.startswith(" "):
            joined[-1] += " " + line.strip()
        else:
            joined.append(line.strip())
    rows = []
    for line in filter(None, joined):
        match = _ROW.match(line)
        if match is None:
            raise EquationError(
                "not a row of the argument table", where=where, found=line, expected="symbol  text  [unit]"
            )
        rows += [(symbol, match[2].strip(), match[3]) for symbol in match[1].split(", ")]
    return rows


def _unit(text: str, where: str) -> str:
    if text in ("-", "1"):
        return ""
    try:
        return parse_quantity(f"1 {text}").unit
    except UnitError as problem:
        raise EquationError("unknown unit", where=where, found=text, expected=problem.expected) from problem


def _arguments(
    function: Callable[..., Any], rows: list[tuple[str, str, str]], lines: tuple[str, ...], where: str
) -> tuple[Argument, ...]:
    """Rows joined to parameters: a symbol is the parameter's name without its unit."""
    by_symbol: dict[str, str] = {}
    for parameter in inspect.signature(function).parameters:
        symbol = unit_of_suffix(parameter)[0]
        if symbol in by_symbol:
            raise EquationError("two parameters share a symbol", where=where, found=f"{by_symbol[symbol]}, {parameter}")
        by_symbol[symbol] = parameter
    parts = {formula.split_line(line)[0] for line in lines}
    listed = {symbol for symbol, _, _ in rows}
    if missing := set(by_symbol) - listed:
        raise EquationError("arguments without a row", where=where, found=", ".join(sorted(missing)))
    if strange := listed - set(by_symbol) - parts:
        raise EquationError("rows that are neither argument nor part", where=where, found=", ".join(sorted(strange)))
    return tuple(
        Argument(symbol=symbol, parameter=by_symbol.get(symbol, ""), meaning=meaning, unit=_unit(unit, where))
        for symbol, meaning, unit in rows
    )


def explain(equation: Callable[..., Any], *, subject: str = "", **inputs: Any) -> Step:
    """Run an equation on single numbers and write the arithmetic down. [a Step]

    subject   the slot or component the line is about
    inputs    the equation's parameters; those with a default may be left out

    Raises OutOfRangeError if a number is missing, not a number, or leads to none.
    """
    read = read_equation(equation)
    bound = inspect.signature(equation).bind(**inputs)
    bound.apply_defaults()
    values = {name: _number(value, f"{read.name}({name})") for name, value in bound.arguments.items()}
    with np.errstate(divide="ignore", invalid="ignore"):
        result = _number(equation(**values), read.name)
        all_values = read.symbol_values(values) | formula.evaluate(read.lines, read.symbol_values(values))
    units = {each.symbol: each.unit for each in read.arguments} | {read.result: read.unit}
    texts = {name: format_quantity(float(each), units.get(name, "")) for name, each in all_values.items()}
    return Step(
        formula="\n".join(read.lines),
        substituted="\n".join(_with_numbers(line, texts, first=line is read.lines[0]) for line in read.lines),
        result=format_quantity(result, read.unit),
        source=read.source,
        subject=subject,
    )


def _number(value: Any, where: str) -> np.float64:
    if value is None or math.isnan(float(value)):
        raise OutOfRangeError("no number", where=where, found=value, expected="a known figure")
    return np.float64(value)


def _with_numbers(line: str, texts: Mapping[str, str], *, first: bool) -> str:
    """The right side with numbers in; a part's line also keeps its name and says its value."""
    name, expression = formula.split_line(line)
    numbers = formula.with_numbers(expression, texts)
    return numbers if first else f"{name} = {numbers} = {texts[name]}"


def written_out(step: Step) -> str:
    """A step as lines of text, as on paper: formula, source, numbers, result; then the parts the formula names."""
    formulas, numbers = step.formula.splitlines(), step.substituted.splitlines()
    indent = " " * len(formula.split_line(formulas[0])[0])
    lines = [step.subject] if step.subject else []
    beside = f"{formulas[0]}    ({step.source})"
    lines += [beside if len(beside) <= WIDTH else formulas[0], f"{indent} = {numbers[0]}", f"{indent} = {step.result}"]
    for line, filled in zip(formulas[1:], numbers[1:], strict=True):
        name, rest = formula.split_line(filled)
        lines += [f"  {line}", *[f"  {' ' * len(name)} = {part}" for part in rest.rsplit(" = ", 1)]]
    return "\n".join(lines if len(beside) <= WIDTH else [*lines, f"  ({step.source})"])


def equation_functions() -> tuple[Callable[..., Any], ...]:
    """Every public function of analysis/models, by module and in the order written there; the folder is the list."""
    found: list[Callable[..., Any]] = []
    for module_info in pkgutil.iter_modules(models.__path__):
        module = importlib.import_module(f"{models.__name__}.{module_info.name}")
        members = inspect.getmembers(module, inspect.isfunction)
        own = [each for name, each in members if each.__module__ == module.__name__ and not name.startswith("_")]
        found += sorted(own, key=lambda each: each.__code__.co_firstlineno)
    return tuple(found)


@lru_cache(maxsize=1)
def equation_pages() -> tuple[Equation, ...]:
    """Every equation taken apart, for the Methods page.

    Raises EquationError, naming the function, if one lacks a formula, an argument's row, a unit or a source.
    """
    return tuple(read_equation(each) for each in equation_functions())
