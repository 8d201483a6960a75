"""What a check says about a claim, and what it is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from analysis.parameters import Parameters, starting_parameters
from analysis.study import Step
from data.catalogue.catalogue import Catalogue
from data.catalogue.claim_files import Claim
from data.errors import WaferlineError
from data.records import Architecture, Chip
from data.sources import Fact, Source

Kind = Literal["holds", "holds only if", "unit slip", "false by a factor", "not testable", "a rule"]
KINDS: tuple[Kind, ...] = ("holds", "holds only if", "unit slip", "false by a factor", "not testable", "a rule")
CLOSE = 0.05  # a printed figure this near to the computed one is rounding
NEAR = 0.10  # and this near where it was printed with "about"
MODEL_ERROR = 1.25  # a speed within this factor of its prediction is within the law's own error


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One claim judged, now.

    sentence   the verdict in words, with its numbers
    figures    the numbers behind it by name, SI
    steps      the arithmetic
    sources    documents of the figures used, the claim's own last
    assumed    what was taken for granted
    """

    kind: Kind
    sentence: str
    figures: Mapping[str, float]
    steps: tuple[Step, ...] = ()
    sources: tuple[Source, ...] = ()
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A claim with the catalogue it is held against; hands out what the check needs or says what the claim lacks."""

    claim: Claim
    catalogue: Catalogue
    parameters: Parameters = field(default_factory=starting_parameters)

    def _given(self, name: str, kind: str) -> object:
        value = self.claim.given.get(name)
        if value is None:
            raise WaferlineError(
                f"the check {self.claim.check!r} needs {name}", where=f"claim {self.claim.key}", expected=kind,
                remedy="Add it under given.",
            )  # fmt: skip
        return value

    def number(self, name: str) -> float:
        """A number or quantity, SI."""
        value = self._given(name, "a number")
        if not isinstance(value, float):
            raise WaferlineError("not a number", where=f"claim {self.claim.key}, {name}", found=value)
        return value

    def positive(self, name: str) -> float:
        """A number or quantity above zero."""
        value = self.number(name)
        if value <= 0:
            raise WaferlineError("not above zero", where=f"claim {self.claim.key}, {name}", found=value)
        return value

    def numbers(self, name: str) -> tuple[float, ...]:
        """Several numbers, or one."""
        value = self._given(name, "numbers")
        found = value if isinstance(value, tuple) else (value,)
        if not found or not all(isinstance(each, float) for each in found):
            raise WaferlineError("not numbers", where=f"claim {self.claim.key}, {name}", found=value)
        return tuple(float(each) for each in found)

    def text(self, name: str, default: str | None = None) -> str:
        """A text; the default where the claim says none."""
        if default is not None and name not in self.claim.given:
            return default
        return str(self._given(name, "a text"))

    def texts(self, name: str) -> tuple[str, ...]:
        """Several texts, or one."""
        value = self._given(name, "texts")
        return tuple(str(each) for each in value) if isinstance(value, tuple) else (str(value),)

    def has(self, name: str) -> bool:
        """True if the claim gives this."""
        return name in self.claim.given

    def chip(self, name: str = "chip") -> Chip:
        """The chip a claim names. Raises UnknownNameError with near matches."""
        return self.catalogue.chip(self.text(name))

    def model(self, name: str = "model") -> Architecture:
        """The model a claim names. Raises UnknownNameError with near matches."""
        return self.catalogue.architecture(self.text(name))

    def figure(self, chip: Chip, name: str) -> float:
        """A figure of a chip. Raises WaferlineError if no source gives it."""
        value = getattr(chip, name)
        if value is None:
            raise WaferlineError(f"no source gives {name} of {chip.name}", where=f"claim {self.claim.key}")
        return float(value)


def within(value: float, reference: float, tolerance: float = CLOSE) -> bool:
    """True if two figures agree to a tolerance, whichever is larger."""
    return reference > 0 and 1 / (1 + tolerance) <= value / reference <= 1 + tolerance


def documents(facts: Iterable[Fact | None]) -> tuple[Source, ...]:
    """The first document of every fact, each once."""
    return tuple(dict.fromkeys(fact.sources[0] for fact in facts if fact is not None))
