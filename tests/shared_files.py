"""Real files and second-route models that live beside the project; tests that need them skip where they are missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("WAFERLINE_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def shared_path(*parts: str) -> Path:
    """A file of the reference collection; skips the calling test, saying which file is missing."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"reference collection not found: {'/'.join(parts)} (set WAFERLINE_SHARED to its folder)")
    return path
