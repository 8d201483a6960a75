"""What is wrong with a sweep or a series of measurements, told from its numbers alone, with the evidence."""

from analysis.diagnosis.diagnose import diagnose_series, diagnose_sweep
from analysis.diagnosis.finding import KINDS, Finding
from analysis.diagnosis.observed import Series, Sweep

__all__ = ["KINDS", "Finding", "Series", "Sweep", "diagnose_series", "diagnose_sweep"]
