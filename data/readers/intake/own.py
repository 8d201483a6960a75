"""Canonical values as Waferline itself exports them, put back as they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from data.readers.intake.derive import put_rate
from data.readers.intake.draft import Draft, Outcome
from data.readers.intake.fields import FIELDS


def put_back(draft: Draft, values: Mapping[str, object], place: str) -> None:
    """Fill the draft with exactly these canonical values; what the file says elsewhere and they do not hold goes."""
    for name in [name for name in draft.values if values.get(name) in (None, "")]:
        draft.drop(name)
    for name, value in values.items():
        if name == "request_rate":
            put_rate(draft, value, f"{place}.{name}")
        elif name in FIELDS and value not in (None, ""):
            draft.put(name, value, path=f"{place}.{name}")
    outcome = values.get("outcome")
    if outcome in get_args(Outcome):
        draft.outcome = outcome  # type: ignore[assignment]
