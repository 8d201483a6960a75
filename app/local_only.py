"""Keeps the web server from asking the internet anything about itself, and its pages from asking anything of it."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

THIS_MACHINE = "127.0.0.1"
# Scripts, styles, pictures, typefaces and sockets come from this server alone, whatever ends up in a page. Streamlit
# sets its styles and one flag inline, and draws pictures from memory.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        f"connect-src 'self' ws://{THIS_MACHINE}:*",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


class NothingFromOutside:
    """Sends the policy with every answer of the server."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the policy to the answer's headers."""

        async def with_policy(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), (b"content-security-policy", POLICY.encode())]
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, with_policy if scope["type"] == "http" else send)


def keep_pages_here() -> None:
    """Have the server send the policy: Streamlit has no setting for headers of its own."""
    from starlette.middleware import Middleware
    from streamlit.web.server.starlette import starlette_app

    own = starlette_app.create_streamlit_middleware
    starlette_app.create_streamlit_middleware = lambda: [Middleware(NothingFromOutside), *own()]


def stay_on_this_machine() -> None:
    """Answer the server's two questions about its own address before it looks them up outside.

    Streamlit asks an address-echo service for its external address when a page of another origin connects, and
    opens a socket toward a public address for its internal one. Both answers serve only to widen the list of
    allowed origins, which this dashboard does not want.
    """
    from streamlit import net_util

    net_util._external_ip = THIS_MACHINE
    net_util._internal_ip = THIS_MACHINE
