"""YAML files as plain values: safe types only, dates kept as text, aliases and nesting bounded before building."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.json_values import Located

MAX_YAML_CHARACTERS = 5_000_000
MAX_DEPTH = 60
MAX_NODES = 500_000  # after aliases are written out
_REMEDY = "Bring the report as the tool wrote it, or as JSON."


class _Loader(yaml.CSafeLoader):
    """Safe types without dates, which JSON cannot hold."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag != "tag:yaml.org,2002:timestamp"]
    for first, pairs in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def documents(content: Content) -> list[Located]:
    """The JSON objects of the file, or else its YAML documents that are mappings.

    Raises ReadError for YAML that is broken, too large, too deep, or whose aliases grow beyond all bounds.
    """
    if content.values:
        return content.records
    if len(content.text) > MAX_YAML_CHARACTERS:
        raise ReadError("the YAML file is too large", expected=f"{MAX_YAML_CHARACTERS:,} characters", remedy=_REMEDY)
    try:
        lines = list(_measured(content.text))
        values = list(yaml.load_all(content.text, Loader=_Loader))
    except (yaml.YAMLError, ValueError) as error:
        raise ReadError("the YAML does not parse", found=" ".join(str(error).split())[:200], remedy=_REMEDY) from error
    named = [
        Located(value=value, place="$" if len(values) == 1 else f"document {number}", line=line)
        for number, (value, line) in enumerate(zip(values, lines, strict=False), start=1)
    ]
    return [one for one in named if isinstance(one.value, dict)]


def _measured(text: str) -> Iterator[int]:
    """First line of every document; raises ReadError before anything is built that would be too large."""
    anchors: dict[str, int] = {}
    sizes, names = [0], list[str | None]()
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.DocumentStartEvent):
            yield _line(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            sizes.append(1)
            names.append(event.anchor)
        elif isinstance(event, yaml.CollectionEndEvent):
            size, name = sizes.pop(), names.pop()
            sizes[-1] += size
            if name:
                anchors[name] = size
        elif isinstance(event, yaml.AliasEvent):
            sizes[-1] += anchors.get(event.anchor or "", MAX_NODES + 1)  # an alias of what still holds it never ends
        elif isinstance(event, yaml.ScalarEvent):
            sizes[-1] += 1
            if event.anchor:
                anchors[event.anchor] = 1
        if len(sizes) > MAX_DEPTH or sum(sizes) > MAX_NODES:
            what = "nested too deeply" if len(sizes) > MAX_DEPTH else "made of aliases that grow without bound"
            raise ReadError(f"the YAML is {what}", where=f"line {_line(event)}", remedy=_REMEDY)


def _line(event: yaml.Event) -> int:
    return 1 + (event.start_mark.line if event.start_mark else 0)
