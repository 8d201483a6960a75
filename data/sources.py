"""Where a fact comes from; a fact without a source cannot be built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from data.errors import CatalogueError

SourceKind = Literal["datasheet", "paper", "page", "repository", "measurement", "configuration", "upload", "person"]
FactKind = Literal["stated", "derived", "estimate"]

NOT_LOCATED = "field not located"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A document, a repository or a file in which figures were seen."""

    title: str
    kind: SourceKind
    where: str = ""  # address, repository@commit or file name
    retrieved: str = ""  # ISO date, empty if the reference gives none
    seen: str = ""  # what was read in it, in short: "989 BF16, 3.35 TB/s"

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise CatalogueError("a source has no title", remedy="Name the document the figure was seen in.")


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One value with its origin.

    value   SI float, integer or text; never a guess in disguise
    shown   the value as the catalogue file prints it, with its unit ("4.8 TB/s")
    sources every document that carries this value, most telling first
    at      locator inside the first source, or "field not located"
    kind    stated by the source, derived from it, or an estimate; the last two need a note
    """

    value: float | int | str | bool
    shown: str
    sources: tuple[Source, ...]
    at: str = NOT_LOCATED
    kind: FactKind = "stated"
    note: str = ""

    def __post_init__(self) -> None:
        if not self.sources:
            raise CatalogueError("a fact has no source", found=self.shown)
        if self.kind != "stated" and not self.note:
            raise CatalogueError(f"a fact marked {self.kind} needs a note that says how", found=self.shown)
