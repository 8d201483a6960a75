"""The small language of formula lines: read, evaluated and written with numbers in, without Python's eval."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np

from data.errors import WaferlineError

_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": lambda *values: reduce(np.minimum, values),
    "max": lambda *values: reduce(np.maximum, values),
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log2": np.log2,
    "ln": np.log,
    "ceil": np.ceil,
    "floor": np.floor,
}
_LINE = re.compile(r"^\s*([A-Za-z_]\w*) = (\S.*)$")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")


class FormulaError(WaferlineError):
    """A formula line that cannot be read, or names something that has no value."""


def split_line(line: str, *, where: str = "") -> tuple[str, str]:
    """Name and expression of "name = expression". Raises FormulaError for anything else."""
    match = _LINE.match(line)
    if match is None:
        raise FormulaError("not a formula line", where=where, found=repr(line), expected="name = expression")
    return match[1], match[2]


def is_line(line: str) -> bool:
    """True for text of the form "name = expression" that parses."""
    match = _LINE.match(line)
    if match is None:
        return False
    try:
        _parsed(match[2], "")
    except FormulaError:
        return False
    return True


def names_in(expression: str) -> set[str]:
    """Symbols an expression needs values for, functions apart."""
    return {node.id for node in ast.walk(_parsed(expression, "")) if isinstance(node, ast.Name)} - set(_FUNCTIONS)


def _parsed(expression: str, where: str) -> ast.expr:
    try:
        return ast.parse(expression.replace("^", "**"), mode="eval").body
    except SyntaxError as problem:
        raise FormulaError("cannot be read as arithmetic", where=where, found=repr(expression)) from problem


def evaluate(lines: tuple[str, ...], values: Mapping[str, Any], *, where: str = "") -> dict[str, Any]:
    """Values of every line's name: the first line is the result, further lines name its parts. [as the values]

    values   symbols to floats, arrays or pint quantities

    Parts may use one another in any order. Raises FormulaError for an unknown name, a circle or a foreign construct.
    """
    expressions = dict(split_line(line, where=where) for line in lines)
    known: dict[str, Any] = {}

    def look_up(name: str, pending: tuple[str, ...]) -> Any:
        if name in known:
            return known[name]
        if name in pending:
            raise FormulaError("defines itself", where=where, found=name)
        if name in expressions:
            tree = _parsed(expressions[name], where)
            known[name] = _value(tree, lambda inner: look_up(inner, (*pending, name)), where)
            return known[name]
        if name in values:
            return values[name]
        raise FormulaError("has no value for a name", where=where, found=name, expected=", ".join(sorted(values)))

    return {name: look_up(name, ()) for name in expressions}


def _value(node: ast.expr, look_up: Callable[[str], Any], where: str) -> Any:
    """Value of one node; only numbers, names, + - * / ^, a minus sign and the listed functions exist."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return np.float64(number)
        case ast.Name(id=name):
            return look_up(name)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, look_up, where)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_value(left, look_up, where), _value(right, look_up, where))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](*[_value(each, look_up, where) for each in arguments])
    raise FormulaError("holds something a formula may not", where=where, found=ast.unparse(node))


def with_numbers(expression: str, texts: Mapping[str, str]) -> str:
    """The expression with every symbol replaced by its printed value and × for *."""
    return _NAME.sub(lambda match: texts.get(match[0], match[0]), expression.replace("*", "×"))
