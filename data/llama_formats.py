"""How wide a weight is in each of llama.cpp's number formats."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Mean bytes of a weight over a whole file. Source: the table of bits a weight in llama.cpp's tools/quantize/README.md
# (Llama 3.1 8B), over 8; q3_k_m from the file size its help prints, 3.74 GiB of 8.03 billion weights; q*_0, q*_1 and
# tq* from the block layout (32 or 256 weights with their scales); mxfp4 and nvfp4 from theirs (32 and 16).
BYTE_PER_WEIGHT: Mapping[str, float] = MappingProxyType(
    {
        "f32": 4.0, "f16": 2.0, "bf16": 2.0, "q8_0": 1.0625, "q6_k": 0.8203,
        "q5_1": 0.75, "q5_k_m": 0.711, "q5_k_s": 0.6963, "q5_0": 0.6875,
        "q4_1": 0.625, "q4_k_m": 0.606, "iq4_nl": 0.5852, "q4_k_s": 0.5834, "q4_0": 0.5625, "iq4_xs": 0.5575,
        "nvfp4": 0.5625, "mxfp4": 0.53125,
        "q3_k_l": 0.5372, "q3_k_m": 0.500, "iq3_m": 0.4704, "iq3_s": 0.4576, "q3_k_s": 0.4554, "iq3_xs": 0.4372,
        "iq3_xxs": 0.4069,
        "q2_k": 0.3949, "q2_k_s": 0.3712, "iq2_m": 0.3662, "iq2_s": 0.3425, "iq2_xs": 0.3235, "iq2_xxs": 0.2978,
        "iq1_m": 0.2683, "tq2_0": 0.2578, "iq1_s": 0.2505, "tq1_0": 0.2113,
    }
)  # fmt: skip
# What a size is read as where the name is wrong: the common step next to it.
LADDER = ("f32", "f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q4_0", "q3_k_m", "q2_k", "iq2_xxs", "iq1_s")
