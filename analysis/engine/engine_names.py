"""Serving engines as people name them, with or without version, reduced to the forms the model knows."""

from __future__ import annotations

from functools import lru_cache

TENSORRT_LLM, VLLM, SGLANG, LLAMA_CPP, GENERAL = "TensorRT-LLM", "vLLM", "SGLang", "llama.cpp", "general"
_WORDS = (
    (LLAMA_CPP, ("llama.cpp", "llama-cpp", "llamacpp", "ollama", "lm studio", "ggml", "exllama")),
    (TENSORRT_LLM, ("tensorrt", "trt-llm", "trtllm", "nim ")),
    (VLLM, ("vllm",)),
    (SGLANG, ("sglang",)),
)


@lru_cache(maxsize=4096)
def engine_family(text: str) -> str:
    """The family an engine's name belongs to; "general" if it is none the model was fitted on."""
    plain = f"{text.strip().lower()} "
    for family, words in _WORDS:
        if any(word in plain for word in words):
            return family
    return GENERAL
