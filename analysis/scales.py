"""Scales in which prices, energies and lives are printed and typed, against the SI units that are computed with."""

from __future__ import annotations

HOUR_S = 3600.0
YEAR_S = 365.25 * 86400.0
MONTH_S = YEAR_S / 12.0
J_PER_KWH = 3.6e6
MILLION = 1e6  # tokens, which costs and energies are told for
