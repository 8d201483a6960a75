"""An uploaded config.json as an own model: checked, kept with its name and stated total, read again from there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from data.catalogue.yaml_file import LARGEST_BYTE
from data.errors import CatalogueError
from data.readers.model_config import read_configuration
from data.records import Architecture
from data.sources import Source

MOST_LAYERS = 5_000  # a file that says more would fill the memory with layers
_KEY = re.compile(r"^[a-z0-9][a-z0-9.-]{0,79}$")
_LAYER_KEY = re.compile(r"layer|n_block", re.IGNORECASE)


def parse_configuration(content: bytes, where: str) -> dict[str, Any]:
    """The mapping in a config.json. Raises CatalogueError for what is none, too large, or has absurdly many layers."""
    if len(content) > LARGEST_BYTE:
        raise CatalogueError("the file is too large", where=where, found=f"{len(content):,}", expected=LARGEST_BYTE)
    try:
        values = json.loads(content.decode("utf-8-sig"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as problem:
        raise CatalogueError("not JSON", where=where, found=str(problem)[:200], expected="config.json") from problem
    if not isinstance(values, dict):
        raise CatalogueError("not a mapping", where=where, found=type(values).__name__, expected="keys and values")
    _check_layers(values, where)
    return values


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _check_layers(values: Mapping[str, Any], where: str) -> None:
    for key, value in values.items():
        if isinstance(value, dict):
            _check_layers(value, where)
        elif _LAYER_KEY.search(key) and isinstance(value, int | float) and value > MOST_LAYERS:
            raise CatalogueError(
                "too many layers", where=f"{where}, {key}", found=value, expected=f"up to {MOST_LAYERS:,}"
            )


def kept_text(key: str, name: str, file: str, configuration: Mapping[str, Any], stated_total: int | None) -> str:
    """The text of the file in which an own model is kept. Raises CatalogueError for a key that is no key."""
    if not _KEY.match(key):
        raise CatalogueError(
            "not a key", where=file, found=key, expected="small letters, digits, dots and dashes, up to 80"
        )
    kept = {"key": key, "name": name, "file": file, "stated_total": stated_total, "config": dict(configuration)}
    return json.dumps(kept, indent=1, allow_nan=False)


def read_kept(path: Path) -> Architecture:
    """An own model from the file it is kept in. Raises CatalogueError (UnknownNameError for an unknown model_type)."""
    kept = parse_configuration(path.read_bytes(), path.name)
    configuration, total = kept.get("config"), kept.get("stated_total")
    if not isinstance(configuration, dict) or kept.get("key") != path.stem:
        raise CatalogueError("not a kept configuration", where=path.name, expected="key (the file's name) and config")
    if not (total is None or (isinstance(total, int) and not isinstance(total, bool) and total > 0)):
        raise CatalogueError("not a count", where=f"{path.name}, stated_total", found=total)
    file = str(kept.get("file") or "config.json")[:120]
    source = Source(title=f"{file}, uploaded, not reviewed", kind="upload", where=file)
    model = read_configuration(
        configuration, source=source, key=path.stem, name=str(kept.get("name") or path.stem)[:80]
    )
    if total is None:
        return model
    return replace(model, published_total_parameters=total, published_total_note="as stated by whoever added the model")
