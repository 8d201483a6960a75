"""`waferline import`: read benchmark files, say what was read, store what is beyond doubt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from app import cache
from data.errors import ReadError, WaferlineError
from data.readers import ReadResult, joined, load_profile, read_bytes, report
from data.readers.intake.content import content_of
from data.readers.intake.finish import refused
from data.readers.intake.result import Notice
from data.readers.metrics_text.joined import HEAD_BYTE, LARGEST_BYTE, looks_scraped
from data.store import ImportReceipt, Store, open_store, remember, resolve_names, with_memory

EXIT_TAKEN, EXIT_QUESTIONS, EXIT_REFUSED = 0, 3, 4
_EXIT = {"taken": EXIT_TAKEN, "questions": EXIT_QUESTIONS, "refused": EXIT_REFUSED}


def import_command(
    files: Annotated[list[Path], typer.Argument(help="Result files of benchmark tools, or tables as CSV.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print what was read as JSON.")] = False,
    answer: Annotated[list[str] | None, typer.Option(help="field=value: what a file does not say.")] = None,
    profile: Annotated[Path | None, typer.Option(help="YAML file with answers kept from another time.")] = None,
    store: Annotated[Path | None, typer.Option(help="Store to write to instead of your own.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and report, store nothing.")] = False,
) -> None:
    """Read benchmark files into the store. Exit status: 0 taken, 3 questions open, 4 refused (the worst file)."""
    results, receipts = [], list[ImportReceipt | None]()
    for source in _sources(files):
        result, receipt = _import_one(source, answer or [], profile, store, dry_run)
        results.append(result)
        receipts.append(receipt)
    if as_json:
        printed = [report(result) for result in results]
        typer.echo(
            json.dumps(printed[0] if len(printed) == 1 else printed, ensure_ascii=False, allow_nan=False, indent=1)
        )
    else:
        for result, receipt in zip(results, receipts, strict=True):
            typer.echo(_in_words(result, receipt))
    raise typer.Exit(max(_EXIT[result.status] for result in results))


@dataclass(frozen=True, kw_only=True)
class _Source:
    """What is read as one file: a path, or several scrapes of one server whose `content` is already joined."""

    name: str
    path: Path
    content: bytes | None = None

    def read(self) -> bytes:
        """The bytes; raises ReadError where there is no readable file."""
        return content_of(self.path) if self.content is None else self.content


def _sources(files: list[Path]) -> list[_Source]:
    """The files one by one, but scrapes of one server together: they are the begin and the end of one run."""
    found = []
    for name, content in joined([(str(path), _if_scrape(path)) for path in files]):
        path = Path(name) if not content else files[0]
        found.append(_Source(name=name, path=path, content=content or None))
    return found


def _if_scrape(path: Path) -> bytes:
    """The bytes of a file that looks like a scrape of metrics; empty for anything else, which is read later."""
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTE)
            return head + stream.read() if looks_scraped(head) and path.stat().st_size <= LARGEST_BYTE else b""
    except OSError:
        return b""


def _import_one(
    source: _Source, answer: list[str], profile: Path | None, store_at: Path | None, dry_run: bool
) -> tuple[ReadResult, ImportReceipt | None]:
    """Read one file and store it unless something is open; a failure of any kind becomes a refusal."""
    try:
        kept = load_profile(profile) if profile else {}
        result = read_bytes(source.name, source.read(), _answers(answer), kept)
        result = resolve_names(result, cache.catalogue())
        if dry_run or result.status == "refused":
            return result, None
        with open_store(store_at) as store:
            return _store_one(store, result, source)
    except WaferlineError as error:
        return refused(source.name, b"", error.sentence()), None


def _store_one(store: Store, result: ReadResult, source: _Source) -> tuple[ReadResult, ImportReceipt | None]:
    """Store a taken result and remember its answers; fill questions with what was said before."""
    folder, earlier = str(source.path.resolve().parent), store.answers_of(result.sha256)
    if earlier and result.answers and not earlier.items() <= result.answers.items():
        again = read_bytes(source.name, source.read(), {**earlier, **result.answers})
        result = resolve_names(again, cache.catalogue())
    if result.status != "taken":
        return with_memory(store, result, folder), None
    receipt = store.import_result(result)
    shown = with_memory(store, result, folder)
    remember(store, result, folder)
    notices = [
        Notice(kind="same_run", text=f"this run came before, in {file}: it is kept once", run=run_id)
        for run_id, file in receipt.same_as.items()
    ]
    return replace(shown, warnings=(*shown.warnings, *notices)), receipt


def _answers(pairs: list[str]) -> Mapping[str, str]:
    """`field=value` texts as a mapping; the field itself may hold an equals sign (a column called BS=1)."""
    found: dict[str, str] = {}
    for pair in pairs:
        field, sign, value = pair.rpartition("=")
        if not sign or not field.strip():
            raise ReadError("an answer is not of the form field=value", found=pair)
        found[field] = value
    return found


def _in_words(result: ReadResult, receipt: ImportReceipt | None) -> str:
    """What happened to one file, line by line."""
    version = f" {result.tool_version}" if result.tool_version else ""
    lines = [f"{result.file}: {result.status}" + (f" ({result.format}{version})" if result.format else "")]
    lines += [f"  {result.reason}"] if result.reason else []
    if receipt is not None:
        again = " (this file was imported before)" if receipt.file_known else ""
        renewed = f", {receipt.replaced} read anew with the answers" if receipt.replaced else ""
        runs = "run" if receipt.added == 1 else "runs"
        lines.append(f"  {receipt.added} {runs} added, {receipt.already_there} already there{renewed}{again}")
    lines += [f"  warning: {one.text}" for one in result.warnings]
    lines += [f"  left out, line {one.line}: {one.why}" for one in result.skipped]
    for one in result.questions:
        proposal = f" Proposal: {one.proposal}." if one.proposal else ""
        lines.append(f"  {'QUESTION' if one.blocking else 'question'} {one.text}{proposal} ({one.because})")
        lines.append("    --answer " + _quoted(f"{one.field}={one.proposal or '...'}"))
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return f"'{text}'" if any(letter in text for letter in " ()#*?&|;<>") else text
