"""Which family reads which model_type of a config.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from data.readers.model_config import dense, gemma, hybrid, latent, mixtures
from data.readers.model_config.configuration import Configuration
from data.readers.model_config.layers import Decoder

Family = Callable[[Configuration], Decoder]

FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        **dict.fromkeys(("llama", "mistral", "ministral3", "granite", "phi3"), dense.llama),
        **dict.fromkeys(("qwen2", "mimo"), dense.qwen2),
        "qwen": dense.qwen1,
        "qwen3": dense.qwen3,
        "gemma": dense.gemma,
        "falcon": dense.falcon,
        **dict.fromkeys(("gpt3", "opt"), dense.gpt),
        "nemotron": dense.nemotron,
        "nemotron-nas": dense.nemotron_nas,
        **dict.fromkeys(("gemma2", "gemma2_text"), gemma.gemma2),
        **dict.fromkeys(("gemma3", "gemma3_text"), gemma.gemma3),
        **dict.fromkeys(("gemma4", "gemma4_text"), gemma.gemma4),
        "mixtral": mixtures.mixtral,
        "qwen3_moe": mixtures.qwen3_moe,
        "gpt_oss": mixtures.gpt_oss,
        **dict.fromkeys(("llama4", "llama4_text"), mixtures.llama4),
        "glm4_moe": mixtures.glm4_moe,
        "ernie4_5_moe": mixtures.ernie,
        "minimax_m2": mixtures.minimax_m2,
        "minimax_m3": mixtures.minimax_m3,
        **dict.fromkeys(("mimo_v2", "mimo_v2_flash"), mixtures.mimo_v2),
        **dict.fromkeys(("step3p5", "step3p7"), mixtures.step3p7),
        **dict.fromkeys(("deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2"), latent.deepseek),
        **dict.fromkeys(("glm4_moe_lite", "glm_moe_dsa", "mistral4"), latent.deepseek),
        "deepseek_v4": latent.deepseek_v4,
        "qwen3_next": hybrid.qwen3_next,
        **dict.fromkeys(("qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"), hybrid.qwen3_next),
        "kimi_linear": hybrid.kimi_linear,
        **dict.fromkeys(("glm5_next", "glm5_next_text"), hybrid.glm5_next),
        "minimax_m1": hybrid.minimax_m1,
        "jamba": hybrid.jamba,
        "nemotron_h": hybrid.nemotron_h,
    }
)
