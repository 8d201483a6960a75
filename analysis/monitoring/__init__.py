"""Series of a server at work: their baseline, and when they leave it."""

from analysis.monitoring.changes import Alarm, Watch, alarms, watched
from analysis.monitoring.series import SIGNALS, Signal, frame_of

__all__ = ["SIGNALS", "Alarm", "Signal", "Watch", "alarms", "frame_of", "watched"]
