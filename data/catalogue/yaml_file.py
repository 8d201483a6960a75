"""Catalogue files as checked mappings: YAML without duplicate keys, held to a schema, faults told by file and field."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from yaml.nodes import MappingNode, ScalarNode

from data.errors import CatalogueError

_Schema = TypeVar("_Schema", bound=BaseModel)


class CatalogueSchema(BaseModel):
    """Base of every catalogue file's shape: nothing unknown, nothing coerced."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Loader(yaml.CSafeLoader):
    """The C reader that refuses a key said twice; YAML itself would keep the last one in silence.

    Dates stay text, so that 2026-11 and 2026-11-30 are read alike.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [pair for pair in pairs if pair[0] != "tag:yaml.org,2002:timestamp"]
        for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key that is no word", key_node.start_mark)
            if key_node.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"key {key_node.value!r} is said twice", key_node.start_mark
                )
            seen.add(key_node.value)
        return super().construct_mapping(node, deep)


LARGEST_BYTE = 1_000_000  # of a file that somebody brings
DEEPEST = 20


def read_yaml(path: Path, *, untrusted: bool = False) -> Any:
    """Content of one YAML file. Raises CatalogueError naming file and line if it cannot be read or repeats a key.

    untrusted   the person's own file: also refused if it is large, nested deeply or written with aliases
    """
    try:
        if untrusted and path.stat().st_size > LARGEST_BYTE:
            raise CatalogueError("the file is too large", where=path.name, expected=f"{LARGEST_BYTE:,} bytes")
        text = path.read_text(encoding="utf-8")
        if untrusted:
            _check_bounds(text, path.name)
        return yaml.load(text, Loader=_Loader)  # noqa: S506  a SafeLoader underneath
    except (OSError, ValueError) as problem:
        raise CatalogueError("cannot be read", where=path.name, found=str(problem)) from problem
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        said = getattr(problem, "problem", None) or "not valid YAML"
        raise CatalogueError(str(said), where=path.name + line, remedy="Say each key once, as YAML.") from problem


def _check_bounds(text: str, name: str) -> None:
    """Raise CatalogueError before anything is built from a text that is nested too deeply or holds aliases."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or depth > DEEPEST:
            what = "nested too deeply" if depth > DEEPEST else "YAML aliases are not read here"
            line = 1 + (event.start_mark.line if event.start_mark else 0)
            raise CatalogueError(what, where=f"{name}, line {line}", remedy="Write every value out where it belongs.")


def read_checked(path: Path, schema: type[_Schema], *, untrusted: bool = False) -> _Schema:
    """One catalogue file in its schema's shape. Raises CatalogueError naming file, field, found and expected."""
    content = read_yaml(path, untrusted=untrusted)
    if not isinstance(content, dict):
        raise CatalogueError("not a mapping", where=path.name, found=type(content).__name__, expected="keys and values")
    try:
        return schema.model_validate(content)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        found = "" if first["type"] == "missing" else repr(first["input"])
        raise CatalogueError(
            _what(first["type"]), where=f"{path.name}, {place}", found=found, expected=first["msg"]
        ) from problem


def _what(kind: str) -> str:
    if kind == "missing":
        return "a field is missing"
    if kind == "extra_forbidden":
        return "an unknown field"
    return "a field has the wrong form"
