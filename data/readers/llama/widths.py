"""How wide llama.cpp's formats are, and what a file's size says about the format that its name claims."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from data.llama_formats import BYTE_PER_WEIGHT, LADDER
from data.readers.intake.json_values import as_number

TOLERANCE = 0.15  # files keep a few tensors wider than their name; further off, the name is not what the file holds
POSSIBLE_BYTE = (0.1, 4.2)  # narrowest and widest mean of any file; outside, size or count is no size or count

_FORMAT = re.compile(
    r"\b(IQ\d_[A-Z]+|Q\d_K_(?:XL|[SML])|Q\d_K(?: - (?:Small|Medium|Large))?|Q\d_\d|TQ\d_\d|MXFP4|NVFP4|BF16|F16|F32)\b",
    re.I,
)
_ALIASES = {"q2_k_m": "q2_k", "q3_k": "q3_k_m", "q4_k": "q4_k_m", "q5_k": "q5_k_m"}
_AMOUNT = re.compile(r"([\d.]+)\s*(GiB|MiB|KiB|T|B|M|K)?", re.I)
_FACTOR = {"": 1.0, "gib": 2.0**30, "mib": 2.0**20, "kib": 2.0**10, "t": 1e12, "b": 1e9, "m": 1e6, "k": 1e3}


@dataclass(frozen=True, kw_only=True)
class Stated:
    """What a row says of its model's weights.

    text    the words of the file; `named` is the format in them as files are spelt, q4_k_m; empty if there is none
    size_byte, weight_count   None where the row does not say both, or no file can be so narrow or wide
    """

    text: str
    named: str
    size_byte: float | None
    weight_count: float | None

    @property
    def width_byte(self) -> float | None:
        """Mean bytes of a weight by size and count."""
        return None if self.size_byte is None or self.weight_count is None else self.size_byte / self.weight_count

    @property
    def named_byte(self) -> float | None:
        """Bytes of a weight in the format named; None for a name without a known width."""
        return BYTE_PER_WEIGHT.get(self.named)

    @property
    def contradicts(self) -> bool:
        """True if size over count is further than TOLERANCE from the width of the format named."""
        width, named = self.width_byte, self.named_byte
        return width is not None and named is not None and abs(width / named - 1.0) > TOLERANCE

    @property
    def arithmetic(self) -> str:
        """Both figures in words: what the size says, and what the name says."""
        by_size = f"{self.size_byte:,.0f} B / {self.weight_count:,.0f} weights = {self.width_byte:.3g} B a weight"
        if self.named_byte is not None:
            return f"{by_size}; {self.named.upper()} takes {self.named_byte:.3g} B"
        return by_size


def stated(record: Mapping[str, object]) -> Stated:
    """The format, size and count that a row of llama-bench states, whichever its output."""
    text = str(record.get("model_type") or record.get("model") or "")
    size = _amount(record.get("model_size") or record.get("size"))
    count = _amount(record.get("model_n_params") or record.get("params"))
    if not size or not count or not POSSIBLE_BYTE[0] <= size / count <= POSSIBLE_BYTE[1]:
        size = count = None
    return Stated(text=text, named=format_named(text), size_byte=size, weight_count=count)


def format_named(text: str) -> str:
    """The format in a model's description, as files are spelt: "Q4_K - Medium" is q4_k_m; empty if there is none."""
    found = _FORMAT.findall(text)
    if not found:
        return ""
    short = re.sub(r" - (\w)\w*", r"_\1", found[-1]).lower()
    return _ALIASES.get(short, short)


def nearest_format(width_byte: float) -> str:
    """The step of LADDER whose width is nearest, by ratio."""
    return min(LADDER, key=lambda name: abs(math.log(BYTE_PER_WEIGHT[name] / width_byte)))


def _amount(raw: object) -> float | None:
    """A count or size: 13779630336, "4677120000", "3.56 GiB", "6.74 B" (billions)."""
    number = as_number(raw)
    if number is not None:
        return number
    match = _AMOUNT.fullmatch(raw.strip()) if isinstance(raw, str) else None
    value = as_number(match[1]) if match else None
    return None if value is None or match is None else value * _FACTOR[(match[2] or "").lower()]
