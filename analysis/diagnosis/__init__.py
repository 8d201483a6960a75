"""What is wrong with a sweep or a series of measurements, told from its numbers alone, with the evidence."""

from analysis.diagnosis.diagnose import diagnose_series, diagnose_sweep
from analysis.diagnosis.finding import ENDED_BADLY, KINDS, SLOW, Finding
from analysis.diagnosis.observed import Series, Sweep

__all__ = ["ENDED_BADLY", "KINDS", "SLOW", "Finding", "Series", "Sweep", "diagnose_series", "diagnose_sweep"]
