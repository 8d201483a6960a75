"""Picking a format's records out of a JSON file, and the per-request arrays that some of them carry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from data.errors import ReadError
from data.readers.intake.content import Content
from data.readers.intake.draft import Draft
from data.readers.intake.json_values import Located
from data.readers.intake.result import Skipped

MAX_RUNS, MAX_REQUESTS = 50_000, 1_000_000  # records of one file, where each is a run, or one request of one
Record = Mapping[str, Any]


def pick(
    content: Content, belongs: Callable[[Record], bool], title: str, most: int = MAX_RUNS
) -> tuple[list[Located], list[Skipped]]:
    """Records of the format, and every other record or line with the reason why it is left out.

    Raises ReadError where there is none, or more than `most`.
    """
    taken, left = list[Located](), list(content.unparsed)
    for item in content.records:
        if isinstance(item.value, dict) and belongs(item.value):
            taken.append(item)
        else:
            left.append(Skipped(line=item.line, why=f"{item.place} is no {title} record"))
    if not taken:
        raise ReadError(f"no {title} record in the file")
    if len(taken) > most:
        raise ReadError(f"too many {title} records for one file", found=f"{len(taken):,}",
                        expected=f"{most:,} at most", remedy="Split the file.")  # fmt: skip
    return taken, left


def numbers(value: object) -> list[float] | None:
    """A list of numbers, or None if the value is anything else."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    good = [float(one) for one in value if isinstance(one, int | float) and not isinstance(one, bool)]
    return good if len(good) == len(value) else None


def use_arrays(draft: Draft, record: Record) -> None:
    """Learn from per-request arrays: spread of lengths, true E2E mean, and first tokens counted as gaps."""
    outputs, firsts = numbers(record.get("output_lens")), numbers(record.get("ttfts"))
    answered = [length for length in outputs or [] if length > 0]
    if answered:
        draft.lengths_fixed = max(answered) == min(answered)
    gaps = record.get("itls")
    if firsts is None or not isinstance(gaps, list) or len(gaps) != len(firsts) or outputs is None:
        return
    if len(outputs) != len(firsts):
        return
    rows = [(numbers(gap) or [], first, length) for gap, first, length in zip(gaps, firsts, outputs, strict=True)]
    if not _first_token_in_gaps(draft, rows):
        _end_to_end_of_arrays(draft, rows)


def _first_token_in_gaps(draft: Draft, rows: list[tuple[list[float], float, float]]) -> bool:
    """True, with the mean mended, if the gaps begin with the time to the first token (as many gaps as tokens)."""
    told = [(gaps, first) for gaps, first, length in rows if gaps and len(gaps) == length]
    wrong = [gaps for gaps, first in told if abs(gaps[0] - first) <= 1e-6 + 1e-3 * first]
    if not told or len(wrong) < 0.9 * len(told):
        return False
    rest = [gap for gaps in wrong for gap in gaps[1:]]
    before = draft.values.get("itl_mean_ms")
    draft.warn(
        "ttft_in_itl",
        f"each request's gaps begin with its TTFT: the file's mean ITL ({before} ms) counts the first "
        "token; the mean is taken from the remaining gaps",
        "itl_mean_ms",
    )
    for name in [name for name in draft.values if name.startswith("itl_")]:
        draft.drop(name)
    if rest:
        draft.put(
            "itl_mean_ms",
            1000 * sum(rest) / len(rest),
            path="itls without their first entries",
            unit="ms",
            origin="derived",
            shown=str(before),
        )
    return True


def _end_to_end_of_arrays(draft: Draft, rows: list[tuple[list[float], float, float]]) -> None:
    whole = [1000 * (first + sum(gaps)) for gaps, first, length in rows if length > 0]
    stated = draft.number("e2e_mean_ms")
    if not whole or stated is None:
        return
    mean = sum(whole) / len(whole)
    draft.lengths_fixed = False  # the arrays have answered what the means cannot
    if abs(mean - stated) > 0.05 * stated:
        draft.warn(
            "inconsistent",
            f"mean E2E = {stated:.5g} ms but TTFT + gaps of the single requests give {mean:.5g} ms",
            "e2e_mean_ms",
        )
