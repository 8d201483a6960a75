"""Which program, data and libraries a report was made with."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import version

from data.catalogue.parameter_files import load_parameters

LIBRARIES = ("numpy", "pandas", "plotly", "duckdb", "streamlit")
FITTED = ("gpu-serving", "streamed-layers", "wafer-mesh")


def versions() -> dict[str, str]:
    """Program, date of making, dates of the fitted parameters, and libraries, as the report prints them."""
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    fitted = {f"parameters {name}": f"fitted {load_parameters()[name].dated}" for name in FITTED}
    libraries = {name: version(name) for name in LIBRARIES}
    return {"waferline": version("waferline"), "made": made, **fitted, "python": platform.python_version(), **libraries}
