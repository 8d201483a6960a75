"""Shares of a peak that microbenchmarks reach, by chip and number format: what need not be fitted."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from data.errors import CatalogueError

ACHIEVABLE_FILE = Path(__file__).parent / "achievable.csv"


@lru_cache(maxsize=2)
def product_shares(path: Path = ACHIEVABLE_FILE) -> Mapping[tuple[str, str], float]:
    """Share of the dense peak that large matrix products reach, by chip key and format ("fp8-block" apart).

    Raises CatalogueError for a share that is none.
    """
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    shares: dict[tuple[str, str], float] = {}
    for row in rows:
        share = float(row["share_of_peak"])
        if not 0 < share <= 1:
            where = f"{path.name}, {row['chip']}"
            raise CatalogueError("a share of peak is not between 0 and 1", where=where, found=share)
        shares[row["chip"], row["format"]] = share
    return MappingProxyType(shares)
