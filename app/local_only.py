"""Keeps the web server from asking the internet anything about itself."""

from __future__ import annotations

THIS_MACHINE = "127.0.0.1"


def stay_on_this_machine() -> None:
    """Answer the server's two questions about its own address before it looks them up outside.

    Streamlit asks an address-echo service for its external address when a page of another origin connects, and
    opens a socket toward a public address for its internal one. Both answers serve only to widen the list of
    allowed origins, which this dashboard does not want.
    """
    from streamlit import net_util

    net_util._external_ip = THIS_MACHINE
    net_util._internal_ip = THIS_MACHINE
