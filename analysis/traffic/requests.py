"""What is asked of a server: lengths of prompts and answers, conversations, what the prefix cache spares."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
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
    def earlier_tokens(self) -> float:
        """What has been said before the last turn, on average."""
        return (self.turns - 1) * (self.new_tokens.mean + self.output_tokens.mean)

    @property
    def longest_tokens(self) -> float:
        """Context of the longest request."""
        return float(self.new_tokens.values[-1] + self.output_tokens.values[-1]) + self.earlier_tokens

    def within(self, most_tokens: float) -> tuple[RequestMix, bool]:
        """The mix with no context beyond a model's limit, and whether anything was cut."""
        if self.longest_tokens <= most_tokens:
            return self, False
        made = self.output_tokens.mapped(np.minimum(self.output_tokens.values, most_tokens / 2))
        cut = replace(self, output_tokens=made)
        room = most_tokens - float(made.values[-1]) - cut.earlier_tokens
        if room < 1.0:
            return replace(cut, turns=1).within(most_tokens)[0], True
        return replace(cut, new_tokens=self.new_tokens.mapped(np.minimum(self.new_tokens.values, room))), True


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
    """A use with its lengths, load and goals; it sets what is asked, never what is answered."""

    input_tokens: int
    output_tokens: int
    cv: float
    rate_per_s: float
    tokens_per_s: int
    goals: Goals


# Assumed, round figures to start from, lengths as on the page on cost; every one of them can be changed.
PRESETS = MappingProxyType({
    "Chat": Preset(input_tokens=2048, output_tokens=512, cv=1.0, rate_per_s=10.0, tokens_per_s=30,
                   goals=Goals(ttft_s=1.0, tpot_s=0.05, e2e_s=60.0)),
    "Batch": Preset(input_tokens=4096, output_tokens=512, cv=0.5, rate_per_s=20.0, tokens_per_s=5,
                    goals=Goals(ttft_s=60.0, tpot_s=0.2, e2e_s=600.0)),
    "Edge": Preset(input_tokens=512, output_tokens=256, cv=0.5, rate_per_s=0.5, tokens_per_s=20,
                   goals=Goals(ttft_s=0.5, tpot_s=0.05, e2e_s=20.0)),
    "Research": Preset(input_tokens=32768, output_tokens=8192, cv=0.5, rate_per_s=1.0, tokens_per_s=100,
                       goals=Goals(ttft_s=10.0, tpot_s=0.025, e2e_s=300.0)),
})  # fmt: skip
