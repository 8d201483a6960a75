"""How names are spelled in the wild: folding, vendor words of chips, tuning and format words of models."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Words a driver, a shop or a table puts before a chip's own name.
_VENDOR_WORDS = (
    "nvidia geforce", "nvidia tesla", "nvidia", "geforce", "tesla", "amd instinct", "amd radeon", "amd", "instinct",
    "radeon", "intel", "apple", "google cloud", "google", "cloud", "aws", "cerebras", "groq", "sambanova", "huawei",
    "qualcomm", "tenstorrent", "d-matrix", "microsoft", "graphcore", "ibm",
)  # fmt: skip

# What may follow a model's name without changing a single dimension: how it was tuned, packed or quantised.
_TUNING_WORDS = frozenset({"instruct", "it", "chat", "base", "hf", "pt"})
_PACKING_WORDS = frozenset({
    "gguf", "mlx", "awq", "gptq", "quantized", "dynamic", "static", "pertensor", "kv", "block", "autoround", "qat",
    "preview", "ct", "onnx", "exl2", "marlin",
})  # fmt: skip
_FORMAT_WORDS = {
    "fp8": "fp8", "f8": "fp8", "mxfp8": "fp8", "nvfp4": "nvfp4", "mxfp4": "mxfp4", "fp4": "fp4", "bf16": "bf16",
    "fp16": "fp16", "f16": "fp16", "int8": "int8", "w8a8": "int8", "w8a16": "int8", "8bit": "int8", "int4": "int4",
    "w4a16": "int4", "w4a8": "int4", "4bit": "int4", "awq": "int4", "gptq": "int4",
}  # fmt: skip
_GGML_FORMAT = re.compile(r"(?:ud-)?(i?q\d(?:[_-](?:k[_-](?:xs|s|m|l|xl)|k|0|1|xs|xxs|s|m|nl))?)$", re.IGNORECASE)
_MEMORY_SIZE = re.compile(r"[\s_-]*\b(\d+) ?GB?\b(?!/)", re.IGNORECASE)
_FILE_ENDINGS = re.compile(r"\.(gguf|safetensors|bin)$", re.IGNORECASE)
_SHARD = re.compile(r"-\d{5}-of-\d{5}$")


def folded(name: str) -> str:
    """Letters and digits alone, in lower case; "+" is kept, for it tells products apart."""
    plain = name.lower().replace("(r)", "").replace("(tm)", "")
    return "".join(sign for sign in plain if sign.isalnum() or sign == "+")


def chip_forms(name: str) -> Iterator[str]:
    """Safe respellings of a chip's name, closest first: vendor words, SXM generations, memory kind, memory size."""
    plain_socket = re.sub(r"\bSXM[2-9]\b", "SXM", name, flags=re.IGNORECASE)
    without_kind = re.sub(r"[\s-]*\b(HBM|GDDR|LPDDR)\d\w?\b", "", plain_socket, flags=re.IGNORECASE)
    without_size = _MEMORY_SIZE.sub("", without_kind)
    for form in dict.fromkeys((name, plain_socket, without_kind, without_size)):
        if form != name:
            yield form
        yield from prefixed_chip_names(form)


def stated_memory_gb(name: str) -> float | None:
    """Gigabytes a chip's name states: "L40S 48GB" -> 48.0; None if it states none."""
    sizes = _MEMORY_SIZE.findall(name)
    return float(sizes[-1]) if sizes else None


def prefixed_chip_names(name: str) -> Iterator[str]:
    """The name without a leading vendor word, then with each: "NVIDIA L4" -> "L4", "nvidia L4", ..."""
    stripped = name.strip()
    lowered = re.sub(r"[\s_-]+", " ", stripped.lower())
    for words in _VENDOR_WORDS:
        if lowered.startswith(words + " "):
            yield stripped[len(words) :].lstrip(" -_")
    for words in _VENDOR_WORDS:
        if not lowered.startswith(words):
            yield f"{words} {stripped}"


def bare_model_names(name: str) -> Iterator[str]:
    """The name without its publisher, then shorter by one tuning, packing or format word at a time."""
    last = _last_part(name)
    for start in (last, re.sub(r"^(meta|nvidia)-", "", last, flags=re.IGNORECASE)):
        stem = start
        yield stem
        while shorter := _without_last_word(stem):
            stem = shorter
            yield stem


def _last_part(name: str) -> str:
    """What stands after the publisher or folder, without file ending and shard number."""
    return _SHARD.sub("", _FILE_ENDINGS.sub("", name.strip().rstrip("/").split("/")[-1])).replace(":", "-")


def _without_last_word(name: str) -> str:
    """Name less one closing word that changes no dimension; empty if its last word is part of the name."""
    ggml = _GGML_FORMAT.search(name)
    if ggml and ggml.start() > 0 and name[ggml.start() - 1] in "-._":
        return name[: ggml.start() - 1]
    parts = re.split(r"[-._ ]", name)
    if len(parts) > 1 and _is_suffix(parts[-1].lower()):
        return name[: len(name) - len(parts[-1]) - 1]
    return ""


def _is_suffix(word: str) -> bool:
    return word in _TUNING_WORDS or word in _PACKING_WORDS or word in _FORMAT_WORDS


def weight_format(name: str) -> str:
    """Weight format a model's name tells: "fp8", "nvfp4", "int4", "q4_k_m", ...; empty if it tells none.

    The format word nearest the end wins; AWQ or GPTQ alone means int4.
    """
    last = _last_part(name)
    if ggml := _GGML_FORMAT.search(last):
        return ggml[1].lower().replace("-", "_")
    words = re.split(r"[-._ ]", last.lower())
    told = [_FORMAT_WORDS[word] for word in reversed(words) if word in _FORMAT_WORDS]
    exact = [_FORMAT_WORDS[word] for word in reversed(words) if word in _FORMAT_WORDS and word not in ("awq", "gptq")]
    return next(iter(exact or told), "")
