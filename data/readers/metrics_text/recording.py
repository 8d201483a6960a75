"""Scrapes of a server's metrics as a text that keeps their times, and the one request that takes them."""

from __future__ import annotations

import urllib.error
import urllib.parse
import urllib.request
from datetime import UTC, datetime

from data.errors import ReadError
from data.readers.metrics_text.names import ENGINES
from data.server_address import server_address

TIMEOUT_S = 10.0
MOST_BYTES = 20_000_000
PATH = "/metrics"


def metrics_address(server: str) -> str:
    """Where a server publishes its metrics; "/metrics" is added to a bare address.

    Raises ReadError unless it is an http or https address with a host.
    """
    parts = server_address(server)
    path = parts.path if parts.path not in ("", "/") else PATH
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def scrape(address: str) -> str:
    """One scrape, its time in a comment before it, only the engine's own metrics kept.

    Raises ReadError if the server does not answer, answers with something else, or with too much.
    """
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT_S) as answer:  # noqa: S310 - http and https only, checked
            content = answer.read(MOST_BYTES + 1)
    except (urllib.error.URLError, OSError, ValueError) as problem:
        reason = getattr(problem, "reason", problem)
        raise ReadError("the server did not answer", where=address, found=getattr(reason, "strerror", None) or reason,
                        remedy="Is it running, and does it publish metrics there?") from problem  # fmt: skip
    if len(content) > MOST_BYTES:
        raise ReadError("too long an answer", where=address, expected=f"at most {MOST_BYTES:,} bytes")
    lines = [line for line in content.decode("utf-8", "replace").splitlines() if _is_engines(line)]
    if not lines:
        raise ReadError("no metric of a serving engine", where=address, expected=", ".join(f"{e}:…" for e in ENGINES))
    moment = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return "\n".join([f"# scraped {moment}", *lines, ""])


def _is_engines(line: str) -> bool:
    return line.startswith(tuple(f"{engine}{mark}" for engine in ENGINES for mark in ":_")) and "_created" not in line
