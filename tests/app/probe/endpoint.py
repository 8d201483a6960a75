"""An endpoint that streams made-up tokens at a set pace, for tests."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FIRST_S, GAP_S = 0.05, 0.01


class Endpoint(BaseHTTPRequestHandler):
    """POST /v1/chat/completions streams `max_tokens` tokens: the first after 50 ms, then one every 10 ms."""

    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"object": "list", "data": [{"id": "made-up", "object": "model"}]}).encode())

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked["model"] != "made-up":
            self.send_error(404, "no such model")
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for number in range(int(asked.get("max_tokens") or asked["max_completion_tokens"])):
            time.sleep(GAP_S if number else FIRST_S)
            chunk = {"choices": [{"delta": {"content": "word "}}]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@contextmanager
def endpoint() -> Iterator[str]:
    """The address of a running endpoint."""
    running = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        running.server_close()
