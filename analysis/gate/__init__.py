"""Does an optimised model still compute what its reference computes? Tensors compared piece by piece."""

from analysis.gate.agreement import Agreement, LogitAgreement
from analysis.gate.compare import compare
from analysis.gate.tokens import Targets, targets_from
from analysis.gate.verdict import Thresholds, Verdict, judge

__all__ = ["Agreement", "LogitAgreement", "Targets", "Thresholds", "Verdict", "compare", "judge", "targets_from"]
