"""Measuring an endpoint with a benchmark tool that is installed beside Waferline."""

from app.probe.load import Load
from app.probe.programs import TOOLS, Tool, find_tool
from app.probe.run import Progress, run_probe

__all__ = ["TOOLS", "Load", "Progress", "Tool", "find_tool", "run_probe"]
