"""Reads which flags a serving engine takes, as its documentation gave them on a date."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from data.catalogue.yaml_file import CatalogueSchema, read_checked
from data.errors import CatalogueError
from data.sources import Source, SourceKind

LAUNCH_FOLDER = Path(__file__).parent / "launch"
Kind = Literal["count", "share", "none", "model", "file", "variable"]


class Flag(CatalogueSchema):
    """One flag or option: what kind of value it takes, or the values the engine accepts.

    value   count, a share of one, none for a switch, a model's name, a file's name, a variable of the shell
    """

    value: Kind | list[str]
    source: str
    note: str = ""


class _SourceFields(CatalogueSchema):
    title: str
    kind: SourceKind
    where: str
    retrieved: str


class Launcher(CatalogueSchema):
    """The command line of one serving engine.

    flags     of the command; options   of its configuration file, nested names joined by dots
    """

    key: str
    name: str
    dated: str
    program: str
    sources: dict[str, _SourceFields]
    flags: dict[str, Flag]
    options: dict[str, Flag] = Field(default_factory=dict)

    def documents(self) -> tuple[Source, ...]:
        """Where the flags were looked up."""
        return tuple(
            Source(title=each.title, kind=each.kind, where=each.where, retrieved=each.retrieved)
            for each in self.sources.values()
        )


@lru_cache(maxsize=1)
def load_launchers() -> Mapping[str, Launcher]:
    """Every engine by key. Raises CatalogueError naming file and flag if one names a source that the file lacks."""
    found = {path.stem: read_checked(path, Launcher) for path in sorted(LAUNCH_FOLDER.glob("*.yaml"))}
    for name, launcher in found.items():
        for flag, said in {**launcher.flags, **launcher.options}.items():
            if said.source not in launcher.sources:
                raise CatalogueError("no such source in this file", where=f"{name}.yaml, {flag}", found=said.source)
    return found
