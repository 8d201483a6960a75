"""Lets a browser draw a figure before the words and tables round it.

What reaches a browser together is drawn together, and a table takes it as long as a figure, which a person waits for.
"""

from __future__ import annotations

import threading
import time

HEAD_START_S = 0.02  # in which a browser draws a figure of a dozen marks
_last = threading.local()  # a run of the script has a thread of its own


def figure_sent() -> None:
    """Note that a figure has just been handed over."""
    _last.at = time.monotonic()


def give_way() -> None:
    """Wait for the rest of a figure's head start, if one has just been handed over."""
    left: float = getattr(_last, "at", -HEAD_START_S) + HEAD_START_S - time.monotonic()
    if left > 0:
        time.sleep(left)
