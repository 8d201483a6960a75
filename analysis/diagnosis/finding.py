"""One thing found wrong: its kind, the points that show it, how large it is against its noise, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "out_of_memory", "runs_fail", "requests_fail", "invalid", "cut_off", "falls_with_load", "fluctuates", "below_peak",
    "saturates", "throttling", "prefix_warm_up", "kv_preemption", "tokenizer_mismatch", "client_bound",
]  # fmt: skip
SLOW: tuple[Kind, ...] = (
    "falls_with_load", "fluctuates", "below_peak", "saturates", "throttling", "prefix_warm_up", "kv_preemption",
    "tokenizer_mismatch", "client_bound",
)  # fmt: skip
ENDED_BADLY: tuple[Kind, ...] = ("out_of_memory", "runs_fail", "requests_fail", "invalid", "cut_off")
KINDS = (*ENDED_BADLY, *SLOW)
Confidence = Literal["clear", "likely", "possible"]
CLEAR, LIKELY = 2.0, 1.3  # effect over the least that counts


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A kind with its evidence.

    quantity    field of the sweep or series that shows it
    at          places of the points that show it
    effect      size of the effect, relative; `least` is the least that counts, `noise` the scatter of one point
    level       value of the quantity it is held against (a peak, a first level); nan for none, `level_words` names it
    brief       the evidence in a few words with its number, as a title carries it
    words       the same in a sentence or two
    confirmed   True if a second signal says the same (clocks, counters, room by the model)
    """

    kind: Kind
    quantity: str
    at: tuple[int, ...]
    effect: float
    least: float
    noise: float
    brief: str
    words: str
    level: float = float("nan")
    level_words: str = ""
    confirmed: bool = False

    @property
    def strength(self) -> float:
        """Effect over the least that counts."""
        return self.effect / self.least

    @property
    def confidence(self) -> Confidence:
        """How sure the finding is: by its size, or by a second signal."""
        if self.confirmed or self.strength >= CLEAR:
            return "clear"
        return "likely" if self.strength >= LIKELY else "possible"
