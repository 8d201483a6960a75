"""The benchmark tools that can measure an endpoint, and the command that makes each do it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from app.probe.load import Load
from data.errors import UnknownNameError, WaferlineError

Command = Callable[[Load, int, Path], list[str]]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A tool that measures one load at a time and leaves a file.

    program   its executable
    install   how to get it
    command   arguments for a load at one concurrency, results going into a folder
    results   pattern of the result file in that folder
    """

    key: str
    title: str
    program: str
    install: str
    command: Command = field(repr=False)
    results: str

    @property
    def path(self) -> str | None:
        """Where the program is: beside this Python, or on the path; None if it is not installed."""
        return shutil.which(self.program, path=str(Path(sys.executable).parent)) or shutil.which(self.program)


def _aiperf(load: Load, concurrency: int, folder: Path) -> list[str]:
    return [
        "profile", "--model", load.model, "--url", load.server, "--endpoint-type", "chat", "--streaming",
        "--concurrency", str(concurrency), "--request-count", str(max(load.requests, concurrency)),
        "--synthetic-input-tokens-mean", str(load.input_tokens), "--synthetic-input-tokens-stddev", "0",
        "--output-tokens-mean", str(load.output_tokens), "--output-tokens-stddev", "0",
        "--extra-inputs", "ignore_eos:true", "--artifact-dir", str(folder), "--ui", "none",
        *_tokenizer("--tokenizer", load),
    ]  # fmt: skip


def _guidellm(load: Load, concurrency: int, folder: Path) -> list[str]:
    lengths = {"prompt_tokens": load.input_tokens, "output_tokens": load.output_tokens}
    return [
        "run", "--backend", _json("openai_http", target=load.server, model=load.model),
        "--profile", _json("concurrent", streams=concurrency),
        "--constraint", _json("max_requests", count=max(load.requests, concurrency)),
        "--data", _json("synthetic_text", **lengths),
        "--tokenizer", _json("hf_auto", model=load.tokenizer or load.model),
        "--output", _json("json", path=str(folder / "guidellm.json")), "--disable-console-interactive",
    ]  # fmt: skip


def _json(kind: str, **settings: object) -> str:
    """An option of GuideLLM as JSON, in which a name may hold commas or look like a number; key=value may not."""
    return json.dumps({"kind": kind, **settings})


def _vllm(load: Load, concurrency: int, folder: Path) -> list[str]:
    return [
        "bench", "serve", "--backend", "openai-chat", "--base-url", load.server, "--endpoint", "/v1/chat/completions",
        "--model", load.model, "--dataset-name", "random", "--random-input-len", str(load.input_tokens),
        "--random-output-len", str(load.output_tokens), "--num-prompts", str(max(load.requests, concurrency)),
        "--max-concurrency", str(concurrency), "--ignore-eos", "--percentile-metrics", "ttft,tpot,itl,e2el",
        "--save-result", "--result-dir", str(folder), "--result-filename", "vllm.json",
        *_tokenizer("--tokenizer", load),
    ]  # fmt: skip


def _tokenizer(option: str, load: Load) -> list[str]:
    return [option, load.tokenizer] if load.tokenizer else []


TOOLS: Mapping[str, Tool] = MappingProxyType(
    {
        tool.key: tool
        for tool in (
            Tool(key="aiperf", title="AIPerf", program="aiperf", install="pip install aiperf", command=_aiperf,
                 results="profile_export_aiperf.json"),
            Tool(key="guidellm", title="GuideLLM", program="guidellm", install="pip install 'guidellm>=0.8'",
                 command=_guidellm, results="guidellm.json"),
            Tool(key="vllm", title="vLLM bench serve", program="vllm", install="pip install vllm", command=_vllm,
                 results="vllm.json"),
        )
    }
)  # fmt: skip


def find_tool(wanted: str = "") -> Tool:
    """The tool named, or the first that is installed.

    Raises UnknownNameError for a name that is none, WaferlineError with what to install if it is missing.
    """
    if wanted and wanted not in TOOLS:
        raise UnknownNameError("benchmark tool", wanted, TOOLS)
    candidates = [TOOLS[wanted]] if wanted else list(TOOLS.values())
    found = next((tool for tool in candidates if tool.path), None)
    if found is None:
        raise WaferlineError("no benchmark tool is installed", expected=" or ".join(t.title for t in candidates),
                             remedy=f"One is enough, e.g. {candidates[0].install}.")  # fmt: skip
    return found
