"""What is asked of a server: lengths of prompts and answers, conversations, what the prefix cache spares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from analysis.traffic.spread import Spread, fixed, lognormal, mixed, uniform

Shape = Literal["fixed", "lognormal", "uniform"]
SHAPES: tuple[Shape, ...] = ("fixed", "lognormal", "uniform")


@dataclass(frozen=True, kw_only=True)
class RequestMix:
    """Requests with their lengths in tokens.

    new_tokens       what a person adds in one turn
    output_tokens    what the model answers
    turns            turns of a conversation; the prompt of a later turn holds everything said before
    think_s          time a person takes between an answer and the next turn
    cached_fraction  share of all prompt tokens that the prefix cache holds, so that they are not computed again
    """

    new_tokens: Spread
    output_tokens: Spread
    turns: int = 1
    think_s: float = 0.0
    cached_fraction: float = 0.0

    @property
    def prompts(self) -> Spread:
        """Prompt tokens over all turns, grown by what was said before on average."""
        said = self.new_tokens.mean + self.output_tokens.mean
        grown = [self.new_tokens.mapped(self.new_tokens.values + turn * said) for turn in range(self.turns)]
        return mixed(grown)

    @property
    def most_cached_fraction(self) -> float:
        """Share of prompt tokens that earlier turns have already computed: a cache that forgets nothing finds these."""
        return 1.0 - self.new_tokens.mean / self.prompts.mean

    @property
    def context_tokens(self) -> float:
        """Mean context of a sequence that is being decoded; long answers are met more often than short ones."""
        made = self.output_tokens
        return self.prompts.mean + made.second_moment / (2.0 * made.mean)

    @property
    def longest_tokens(self) -> float:
        """Context of the longest request."""
        return float(self.prompts.values[-1] + self.output_tokens.values[-1])

    def within(self, most_tokens: float) -> tuple[RequestMix, bool]:
        """The mix with no context beyond a model's limit, and whether anything was cut."""
        if self.longest_tokens <= most_tokens:
            return self, False
        made = self.output_tokens.mapped(np.minimum(self.output_tokens.values, most_tokens / 2))
        room = most_tokens - made.values[-1]
        earlier = self.prompts.values[-1] - self.new_tokens.values[-1]
        if earlier >= room:
            return replace(self, output_tokens=made, turns=1).within(most_tokens)[0], True
        new = self.new_tokens.mapped(np.minimum(self.new_tokens.values, room - earlier))
        return replace(self, new_tokens=new, output_tokens=made), True


def request_mix(
    shape: Shape, input_tokens: float, output_tokens: float, cv: float, *, turns: int = 1, think_s: float = 0.0,
    cached_fraction: float = 0.0,
) -> RequestMix:  # fmt: skip
    """Requests of one shape; `cv` (spread over mean) holds for prompts and answers alike."""
    makers = {"fixed": lambda mean, _: fixed(mean), "lognormal": lognormal, "uniform": uniform}
    new, made = makers[shape](input_tokens, cv), makers[shape](output_tokens, cv)
    return RequestMix(
        new_tokens=new.mapped(np.maximum(new.values, 1.0)),
        output_tokens=made.mapped(np.maximum(made.values, 2.0)),
        turns=turns,
        think_s=think_s,
        cached_fraction=cached_fraction,
    )


@dataclass(frozen=True, kw_only=True)
class Goals:
    """What is promised to a share of all requests, `share`; infinite where nothing is."""

    ttft_s: float
    tpot_s: float
    e2e_s: float
    share: float = 0.95


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A use with its lengths and goals; it sets what is asked, never what is answered."""

    name: str
    input_tokens: int
    output_tokens: int
    shape: Shape
    cv: float
    turns: int
    rate_per_s: float
    goals: Goals


# Assumed, round figures; every one of them can be changed on the page.
PRESETS = (
    Preset(name="chat", input_tokens=1024, output_tokens=512, shape="lognormal", cv=1.0, turns=1, rate_per_s=5.0,
           goals=Goals(ttft_s=2.0, tpot_s=0.05, e2e_s=60.0)),
    Preset(name="batch", input_tokens=4096, output_tokens=512, shape="lognormal", cv=0.5, turns=1, rate_per_s=10.0,
           goals=Goals(ttft_s=60.0, tpot_s=0.2, e2e_s=300.0)),
    Preset(name="edge", input_tokens=512, output_tokens=128, shape="lognormal", cv=0.5, turns=1, rate_per_s=0.5,
           goals=Goals(ttft_s=0.5, tpot_s=0.1, e2e_s=15.0)),
    Preset(name="research", input_tokens=8192, output_tokens=4096, shape="lognormal", cv=1.0, turns=1, rate_per_s=1.0,
           goals=Goals(ttft_s=10.0, tpot_s=0.025, e2e_s=300.0)),
)  # fmt: skip
