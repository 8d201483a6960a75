"""What reading a file gives: runs, what is doubtful, what must be asked, what was left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from data.records import Run

if TYPE_CHECKING:
    from data.readers.intake.content import Content
    from data.readers.intake.draft import Draft
    from data.readers.large.runs import LargeRuns

Status = Literal["taken", "questions", "refused"]
Answers = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Notice:
    """A warning: `kind` for programs, `text` for people with both sides of a disagreement, `run` its run_id or None."""

    kind: str
    text: str
    run: str | None = None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Question:
    """Something the file does not say. The answer goes back under `field`.

    proposal   an answer that the file makes likely; it counts for nothing until a person gives it
    blocking   a number's meaning or unit is open: nothing is stored until it is answered
    choices    the answers that are customary, fields by their names; others may fit too
    assumed    what was read in the meantime, where the proposal is to leave it so
    """

    field: str
    text: str
    proposal: str = ""
    because: str = ""
    blocking: bool = False
    choices: tuple[str, ...] = ()
    assumed: str = ""


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A line (first line = 1) that became no run, or a column (line of the header) that fills no field, and why."""

    line: int
    why: str


@dataclass(frozen=True, kw_only=True)
class ReadResult:
    """Everything one file gave. `runs` of a result with open questions are a preview: the store refuses them.

    large   the runs of a long tidy table, as columns; `runs` then holds its first rows, to be looked at
    """

    file: str
    format: str
    tool_version: str
    status: Status
    reason: str
    runs: tuple[Run, ...] = ()
    warnings: tuple[Notice, ...] = ()
    questions: tuple[Question, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    sha256: str = ""
    size_byte: int = 0
    answers: Answers | None = None  # what the person said for this file
    large: LargeRuns | None = None

    @property
    def single_runs(self) -> tuple[Run, ...]:
        """Runs that are stored one by one."""
        return self.runs if self.large is None else self.large.single_runs

    @property
    def run_count(self) -> int:
        """Runs in all."""
        return len(self.runs) if self.large is None else self.large.run_count


@dataclass(kw_only=True)
class Reading:
    """What a format's reader hands back, before answers, checks and identities."""

    drafts: list[Draft]
    questions: list[Question]
    skipped: list[Skipped]
    notices: list[Notice]
    tool_version: str = ""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """One file format.

    recognise   content -> is it this format; looks at content only, never raises
    read        content, answers -> Reading; raises ReadError with place and remedy
    lacks       what the format never says, for the table in the documentation
    asks        canonical fields asked of the person when no run has them
    sample      a file of data/samples in this format
    fallback    tried only when no other reader recognises the content
    first       asked before the others: its files may hold theirs
    """

    key: str
    title: str
    recognise: Callable[[Content], bool]
    read: Callable[[Content, Answers], Reading]
    lacks: tuple[str, ...]
    asks: tuple[str, ...]
    sample: str
    fallback: bool = False
    first: bool = False
