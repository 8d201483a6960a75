"""Load, model and lengths asked for, wherever a version of GuideLLM writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft

_OFFLINE = ("throughput",)
_RATES = ("constant", "poisson", "async")
_NAMED = re.compile(r"^([a-z]+)(?:@\s*([\d.]+))?$", re.I)  # "concurrent@4", as the tables print a strategy
_MODELS = ("model", "backend_model")
_MAX_SEARCHED = 20_000


def put_settings(draft: Draft, benchmark: Mapping[str, Any], report: Mapping[str, Any], place: str) -> None:
    """Load mode, concurrency or rate; model; nominal lengths or the name of the data."""
    _load(draft, _strategy(benchmark), f"{place}: strategy")
    config, spec = _inside(benchmark, "config"), _inside(report, "config", "spec")
    holders = [
        ("worker", _inside(benchmark, "worker")),
        ("config.backend", _inside(config, "backend")),
        ("benchmarker.backend", _inside(benchmark, "benchmarker", "backend")),
        ("backend", _inside(benchmark, "backend")),
        ("config.spec.backend", _inside(spec, "backend")),
        ("args", _inside(report, "args")),
    ]
    for where, holder in holders:
        for key in _MODELS:
            if "model_raw" not in draft.values and isinstance(holder.get(key), str):
                draft.put("model_raw", holder[key], path=f"{where}.{key}")
    _data(
        draft,
        [
            _inside(benchmark, "request_loader").get("data"),
            spec.get("data"),
            _inside(report, "args").get("data"),
            benchmark.get("generator_data"),
        ],
    )


def _strategy(benchmark: Mapping[str, Any]) -> Mapping[str, Any]:
    for path in (("config", "strategy"), ("args", "strategy"), ("scheduler", "strategy"), ("strategy",)):
        found = _inside(benchmark, *path)
        if found:
            return found
    named = _NAMED.match(str(benchmark.get("strategy") or "").strip())
    if named is None:
        return {}
    kind = named[1].lower()
    return {"type_": kind, "streams" if kind == "concurrent" else "rate": named[2]}


def _load(draft: Draft, strategy: Mapping[str, Any], path: str) -> None:
    kind = str(strategy.get("type_") or strategy.get("kind") or "")
    if kind == "synchronous":
        draft.put("concurrency", 1, path=f"{path} synchronous: one request after another", origin="derived")
    elif kind == "concurrent":
        draft.put("concurrency", strategy.get("streams") or strategy.get("max_concurrency"), path=f"{path}.streams")
    elif kind in _RATES:
        put_rate(draft, strategy.get("rate"), f"{path}.rate")
    elif kind in _OFFLINE:
        draft.put("load_mode", "offline", path=f"{path} throughput: all requests at once", origin="derived")
        draft.put("concurrency", strategy.get("max_concurrency"), path=f"{path}.max_concurrency")


def _data(draft: Draft, candidates: list[object]) -> None:
    """Lengths of synthetic prompts out of any spelling of the data's description, or the data's name."""
    for candidate in candidates:
        if candidate is None:
            continue
        text = candidate if isinstance(candidate, str) else json.dumps(candidate, default=str)
        for name, side in (("prompt_tokens", "isl"), ("output_tokens", "osl")):
            match = re.search(rf"(?<![a-z_]){name}[\"']?\s*[=:]\s*(\d+)", text[:_MAX_SEARCHED])
            if match and f"{side}_nominal" not in draft.values:
                draft.put(f"{side}_nominal", match[1], path=f"data: {name}")
        if isinstance(candidate, str) and candidate and "_tokens" not in candidate and "dataset" not in draft.values:
            draft.put("dataset", candidate[:200], path="data")


def _inside(value: Mapping[str, Any], *steps: str) -> Mapping[str, Any]:
    for step in steps:
        inner = value.get(step)
        if not isinstance(inner, Mapping):
            return {}
        value = inner
    return value
