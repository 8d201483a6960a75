"""`waferline probe`: measure an OpenAI-compatible endpoint with an installed benchmark tool and keep the runs."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from app import cache
from app.probe import Load, Progress, find_tool, run_probe
from app.probe.keep import keep_result, probed_words
from data.errors import OutOfRangeError


def probe_command(
    server: Annotated[str, typer.Argument(help="Address of the endpoint, e.g. http://host:8000.")],
    model: Annotated[str, typer.Option(help="Name under which the server knows its model.")],
    concurrency: Annotated[str, typer.Option(help="Requests in flight, one run each: 1,4,16.")] = "1",
    input_tokens: Annotated[int, typer.Option(help="Prompt length of every request.")] = 512,
    output_tokens: Annotated[int, typer.Option(help="Output length of every request.")] = 128,
    requests: Annotated[int, typer.Option(help="Requests of each run.")] = 32,
    tokenizer: Annotated[str, typer.Option(help="Tokenizer's name or folder, where it is not the model's.")] = "",
    tool: Annotated[str, typer.Option(help="aiperf, guidellm or vllm; the first installed one if left out.")] = "",
    hardware: Annotated[str, typer.Option(help="The device it runs on, by any catalogue name.")] = "",
    devices: Annotated[int, typer.Option(help="How many devices; 0: not said.")] = 0,
    keep: Annotated[Path | None, typer.Option(help="Folder that keeps the tool's own files.")] = None,
) -> None:
    """Measure TTFT, ITL, TPOT and tokens/s of an endpoint. Sends requests to the server named and nowhere else."""
    load = Load(
        server=server, model=model, concurrencies=_counts(concurrency), input_tokens=input_tokens,
        output_tokens=output_tokens, requests=requests, tokenizer=tokenizer,
    )  # fmt: skip
    chosen = find_tool(tool)
    said = {"hardware": hardware} if hardware else {}
    said |= {"device_count": str(devices)} if devices else {}
    with TemporaryDirectory() as folder:
        place = keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for path in run_probe(chosen, load, place, _printed):
            typer.echo(probed_words(keep_result(path, cache.store(), cache.catalogue(), said)))


def _counts(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError as problem:
        raise OutOfRangeError("not counts", where="--concurrency", found=text, expected="1,4,16") from problem


def _printed(progress: Progress) -> bool:
    typer.echo(f"[{progress.number}/{progress.runs}, {progress.concurrency} in flight] {progress.line}", err=True)
    return True
