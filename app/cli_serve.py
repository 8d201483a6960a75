"""`waferline serve`: build the store if it is missing, start the dashboard on this machine, open the browser."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from app.local_only import THIS_MACHINE, keep_pages_here, stay_on_this_machine
from data.errors import WaferlineError

SCRIPT = Path(__file__).resolve().parent / "web" / "start.py"
PROJECT = SCRIPT.parents[2]  # holds .streamlit/config.toml, which is read from the working directory
DEFAULT_PORT = 8501
START_LIMIT_S = 60.0


class PortTakenError(WaferlineError):
    """Another program listens where the dashboard should."""


def check_port_free(port: int) -> None:
    """Raise PortTakenError if something already listens on this port of this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((THIS_MACHINE, port))
        except OSError as error:
            raise PortTakenError(
                f"port {port} is taken or not allowed",
                found=error.strerror or error,
                remedy=f"Close the program that uses it, or choose another: waferline serve --port {port + 1}",
            ) from error


def can_open_browser() -> bool:
    """Whether there is a screen on which a browser could open."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_browser_when_up(port: int) -> None:
    """Open the dashboard once its port answers; give up quietly after a minute, the address is printed anyway."""
    until = time.monotonic() + START_LIMIT_S
    while time.monotonic() < until:
        try:
            with socket.create_connection((THIS_MACHINE, port), timeout=1):
                break
        except OSError:
            time.sleep(0.2)
    webbrowser.open(f"http://{THIS_MACHINE}:{port}/")


def start_server(port: int) -> None:
    """Run the web server in this process until it is ended."""
    from streamlit.web import cli as streamlit_cli

    if data_folder := os.environ.get("WAFERLINE_DATA"):
        os.environ["WAFERLINE_DATA"] = str(Path(data_folder).resolve())
    os.chdir(PROJECT)
    stay_on_this_machine()
    keep_pages_here()
    options = ["--server.port", str(port), "--server.address", THIS_MACHINE, "--server.headless", "true"]
    streamlit_cli.main(["run", str(SCRIPT), *options], standalone_mode=False)


def serve_command(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.", min=1, max=65535)] = DEFAULT_PORT,
    headless: Annotated[bool, typer.Option("--headless", help="Do not open a browser.")] = False,
    allow_servers: Annotated[
        bool, typer.Option("--allow-servers", help="Let the pages Monitor and Live probe ask servers you name.")
    ] = False,
) -> None:
    """Open the dashboard on this machine."""
    check_port_free(port)
    if allow_servers:
        os.environ["WAFERLINE_ALLOW_SERVERS"] = "1"
    from app import cache

    kept = cache.store()
    typer.echo(f"Waferline is at http://{THIS_MACHINE}:{port}/  (Ctrl+C ends it); its store is {kept.path}")
    if not headless and can_open_browser():
        threading.Thread(target=open_browser_when_up, args=(port,), daemon=True).start()
    start_server(port)
