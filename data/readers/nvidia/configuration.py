"""What the JSON of AIPerf and GenAI-Perf says of the load: `input_config` in all the shapes it has had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft

Place = tuple[str | int, ...]

# Places of one setting in the order of preference: newer AIPerf, older AIPerf, GenAI-Perf nested, GenAI-Perf flat.
_MODEL: tuple[Place, ...] = (
    ("models", "items", 0, "name"),
    ("endpoint", "model_names", 0),
    ("model_names", 0),
    ("model", 0),
    ("model",),
    ("formatted_model_name",),
)
_CONCURRENCY: tuple[Place, ...] = (
    ("loadgen", "concurrency"),
    ("perf_analyzer", "stimulus", "concurrency"),
    ("concurrency",),
)
_RATE: tuple[Place, ...] = (
    ("loadgen", "request_rate"),
    ("perf_analyzer", "stimulus", "request_rate"),
    ("request_rate",),
)
_NOMINAL: dict[str, tuple[Place, ...]] = {
    "isl_nominal": (
        ("datasets", 0, "prompts", "isl", "mean"),
        ("input", "prompt", "input_tokens", "mean"),
        ("input", "synthetic_tokens", "mean"),
        ("synthetic_input_tokens_mean",),
    ),
    "osl_nominal": (
        ("datasets", 0, "prompts", "osl", "mean"),
        ("input", "prompt", "output_tokens", "mean"),
        ("input", "output_tokens", "mean"),
        ("output_tokens_mean",),
    ),
}
_STREAMING: tuple[Place, ...] = (("endpoint", "streaming"), ("streaming",))
_ENGINES = {"vllm": "vllm", "tensorrtllm": "tensorrt-llm"}


def put_configuration(draft: Draft, config: Mapping[str, Any], place: str) -> None:
    """Model, load and lengths asked for; what the file does not hold stays absent."""
    where, model = _first(config, _MODEL)
    draft.put("model_raw", model, path=f"{place}{where}")
    _load(draft, config, place)
    for name, places in _NOMINAL.items():
        where, value = _first(config, places)
        if isinstance(value, int | float) and value > 0:  # GenAI-Perf writes -1 for "not set"
            draft.put(name, value, path=f"{place}{where}")
    engine = _ENGINES.get(str(config.get("backend", "")).lower())
    if engine and config.get("service_kind") == "triton":
        draft.put("engine", engine, path=f"{place}.backend (of the Triton server)", origin="assumed")


def streams(config: Mapping[str, Any]) -> bool | None:
    """Whether the client asked for streamed answers; None if the configuration does not say."""
    value = _first(config, _STREAMING)[1]
    return value if isinstance(value, bool) else None


def _load(draft: Draft, config: Mapping[str, Any], place: str) -> None:
    phases = config.get("phases")
    listed = [one for one in phases if isinstance(one, dict)] if isinstance(phases, list) else []
    measured = [(n, one) for n, one in enumerate(listed) if one.get("kind", "profiling") == "profiling"]
    if measured:
        number, phase = measured[-1]
        draft.put("concurrency", phase.get("concurrency"), path=f"{place}.phases[{number}].concurrency")
        put_rate(draft, phase.get("rate"), f"{place}.phases[{number}].rate")
        return
    where, value = _first(config, _CONCURRENCY)
    draft.put("concurrency", value, path=f"{place}{where}")
    where, rate = _first(config, _RATE)
    put_rate(draft, rate, f"{place}{where}")


def _first(config: Mapping[str, Any], places: Sequence[Place]) -> tuple[str, Any]:
    """(place in words, value) of the first of these places that holds anything but null and containers."""
    for place in places:
        value: Any = config
        for step in place:
            value = _step(value, step)
        if value is not None and not isinstance(value, dict | list):
            return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place), value
    return "", None


def _step(value: Any, step: str | int) -> Any:
    if isinstance(step, int):
        return value[step] if isinstance(value, list) and len(value) > step else None
    return value.get(step) if isinstance(value, dict) else None
