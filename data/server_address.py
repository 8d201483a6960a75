"""The address of a server that a person names, checked before anything is asked of it."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from data.errors import ReadError


def server_address(text: str) -> SplitResult:
    """The parts of an http or https address; "http" is added to a bare host. Raises ReadError for any other."""
    address = text.strip() if "://" in text else f"http://{text.strip()}"
    try:
        parts = urlsplit(address)
        named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, brackets that do not close
        named = False
    if not named:
        raise ReadError("not the address of a server", found=text, expected="http://host:8000")
    return parts
