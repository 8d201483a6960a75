"""How far a result moves when one of its inputs does."""

from __future__ import annotations

from typing import Any


def relative_change(moved: Any, standing: Any) -> Any:
    """Change of a result against where it stood. [1]

    change = moved / standing - 1

    moved      the result with one input moved     [1]
    standing   the result as it stood              [1]

    Floats or arrays that broadcast, both in one unit; standing not zero.

    Source
    ------
    Definition.
    """
    return moved / standing - 1.0
