"""The vectorised engine: a mixed table of cases in, speeds, bounds, fits and reasons out."""

from analysis.engine.case import OFFLINE, Case
from analysis.engine.evaluation import columns_for, evaluate

__all__ = ["OFFLINE", "Case", "columns_for", "evaluate"]
