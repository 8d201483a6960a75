"""Names that people write together: "4x H100", "vLLM 0.11", "Llama-3.3-70B FP8", taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

DEVICE = (
    r"(?<![a-z0-9])((?:nvidia[ _-]?)?(?:gh200|gb200|gb300|gb10|h100|h200|h800|h20|b200|b300|a100|a800|a10g?|a30|a40|"
    r"a6000|l40s?|l4|t4|v100|p100|mi\d{3}[ax]?|gaudi ?[23]|tpu ?v\d[ep]?|wse-?[23]|cs-?[23]|"
    r"(?:geforce )?rtx[ _-]?(?:pro[ _-]?)?\d{4}|groq|trn[12]|inf2|inferentia2?|trainium2?))(?![0-9])"
)
_COUNT_FIRST = re.compile(r"^\s*(\d{1,5})\s*(?:x|×|\*)\s*(\S.*)$", re.I)
_COUNT_LAST = re.compile(
    r"^(\S.*?)[\s(\[]+(?:x|×|\*)\s*(\d{1,5})[)\]]?\s*$|^(\S.*?)[\s(\[]+(\d{1,5})\s*(?:x|×)[)\]]?\s*$", re.I
)
_FORMAT = re.compile(
    r"[\s_\-/(\[]+(fp8|fp16|bf16|fp32|fp4|nvfp4|mxfp4|mxfp8|int8|int4|w4a16|w8a8|w8a16|awq|gptq|q\d_k(?:_[sml])?|q\d_[01])"
    r"[)\]]?(?=$|[\s_\-])",
    re.I,
)
_DEVICE_PHRASE = re.compile(rf"(?:\d+ ?[x×] ?)?{DEVICE}(?:[ -](?:sxm\d?|pcie|nvl|\d+ ?gb))*", re.I)
_SIZE = re.compile(r"(?<![a-z0-9])\d+(?:\.\d+)?b(?![a-z0-9])", re.I)
_SEPARATED = re.compile(r"\s*[/|,;]\s+|\s+[/|\-–]\s+")
_VERSION = re.compile(r"^([A-Za-z][A-Za-z.\- ]*?)[\s\-_:=@]*v?(\d+(?:\.\d+)+\S*)$")
_BESIDE = {
    key: field
    for field, keys in {
        "model_raw": ("model", "model_name", "model_id", "llm"),
        "hardware": ("gpu", "gpu_type", "gpu_name", "hardware", "device", "accelerator", "machine"),
        "device_count": ("gpus", "num_gpus", "gpu_count", "n_gpus", "device_count", "devices", "world_size"),
        "tp": ("tp", "tp_size", "tensor_parallel_size", "tensor_parallel"),
        "engine": ("engine", "framework", "backend", "server"),
        "engine_version": ("engine_version", "vllm_version", "sglang_version", "version"),
        "weight_format": ("quantization", "precision", "dtype", "weight_format"),
        "kv_format": ("kv_cache_dtype", "kv_dtype"),
        "isl_mean": ("isl", "input_len", "input_length"),
        "osl_mean": ("osl", "output_len", "output_length"),
        "concurrency": ("concurrency", "max_concurrency"),
    }.items()
    for key in keys
}
_NAME_PATTERNS = {
    "hardware": DEVICE,
    "tp": r"(?<![a-z0-9])tp[_=-]?(\d{1,3})(?!\d)",
    "pp": r"(?<![a-z0-9])pp[_=-]?(\d{1,3})(?!\d)",
    "dp": r"(?<![a-z0-9])dp[_=-]?(\d{1,3})(?!\d)",
    "ep": r"(?<![a-z0-9])ep[_=-]?(\d{1,3})(?!\d)",
    "device_count": r"(?<![a-z0-9])(\d{1,3})x(?=[_ -]?(?:h|b|a|l|mi)\d)",
    "weight_format": r"(?<![a-z0-9])(?:\w+)?(fp8|bf16|fp16|int8|int4|nvfp4|mxfp4|fp4|awq|gptq)(?![a-z0-9])",
}


def name_hints(name: str) -> dict[str, str]:
    """Suggestions that people encode in file names: device, parallel degrees. Never taken without being asked."""
    plain = re.sub(r"[\\/]", " ", name)
    return {key: match[1] for key, pattern in _NAME_PATTERNS.items() if (match := re.search(pattern, plain, re.I))}


def hints_beside(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Canonical field -> (key, value) of what stands beside results in a wrapper: {"gpu": "4x H100", "tp": 4}."""
    found: dict[str, tuple[str, str]] = {}
    for key, value in pairs:
        field = _BESIDE.get(key.strip().lower().replace("-", "_").replace(" ", "_"), "")
        count, name = split_devices(value) if field == "hardware" else (None, value)
        if field:
            found.setdefault(field, (key, name))
        if count is not None:
            found.setdefault("device_count", (key, str(count)))
    return found


def split_devices(text: str) -> tuple[int | None, str]:
    """(how many, which) of "4x H100", "H100 x8", "H100 (8x)"; None where no count is written."""
    first, last = _COUNT_FIRST.match(text), _COUNT_LAST.match(text)
    if first:
        return int(first[1]), first[2].strip()
    if last:
        return int(last[2] or last[4]), (last[1] or last[3]).strip()
    return None, text.strip()


def split_format(model: str) -> tuple[str, str]:
    """(model name without it, number format) of a name that ends in or holds a weight format; format "" if none."""
    match = _FORMAT.search(model)
    if match is None:
        return model.strip(), ""
    return (model[: match.start()] + model[match.end() :]).strip(), match[1].lower()


def split_version(engine: str) -> tuple[str, str]:
    """(engine, version) of "vLLM 0.11"; version "" if none is written."""
    match = _VERSION.match(engine.strip())
    return (match[1].strip(), match[2]) if match else (engine.strip(), "")


def split_label(label: str) -> dict[str, str]:
    """Device, model and weight format of a row label such as "A100 / Llama-2-13B fp16"."""
    found: dict[str, str] = {}
    rest: list[str] = []
    whole = _DEVICE_PHRASE.search(label)
    others = label.replace(whole[0], " ") if whole else ""
    if whole and _SIZE.search(others) and not _SEPARATED.search(label):
        found["hardware"], label = whole[0].strip(), " ".join(others.split())
    for part in _SEPARATED.split(label):
        if "hardware" not in found and re.search(DEVICE, part, re.I):
            found["hardware"] = part.strip()
        elif part.strip():
            rest.append(part.strip())
    if rest:
        model, weights = split_format(" ".join(rest))
        found |= {"model_raw": model} | ({"weight_format": weights} if weights else {})
    return found
