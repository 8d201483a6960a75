"""Two tensor files matched by name, shape and number format, and compared tensor by tensor in the model's order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from analysis.gate.agreement import Agreement
from analysis.gate.logits import LogitSums
from analysis.gate.sums import Sums
from analysis.gate.tokens import Targets
from data.errors import ReadError, near_matches
from data.tensors import LONGEST_ROW, TensorFile, TensorInfo

AUTOMATIC, NO_LOGITS = "auto", "none"
_LAYER = re.compile(r"(?:^|[._/])(\d+)(?=[._/]|$)|layer[s]?[._]?(\d+)", re.IGNORECASE)
_LOGITS = re.compile(r"logit", re.IGNORECASE)
_ENTRY = re.compile(r"embed|wte|wpe", re.IGNORECASE)
_SHOWN = 5


def compare(
    reference: TensorFile,
    candidate: TensorFile,
    *,
    logits: str = AUTOMATIC,
    targets: Callable[[TensorInfo], Targets] | None = None,
    mixed_formats: bool = False,
) -> Iterator[Agreement]:
    """One Agreement per tensor, in the model's order: embedding, layers by number, the rest as in the file, logits.

    logits         name of the tensor whose last axis is the vocabulary; "auto" takes those called so, or a lone matrix
                   without a name; "none" takes none
    targets        gives the next tokens for logits of a shape; None leaves perplexity out
    mixed_formats  True lets the two files hold floating-point numbers of different widths

    Raises ReadError before anything is compared if names, shapes, headings or number formats differ.
    """
    names = in_order(list(reference.tensors))
    check_names(reference, candidate)
    for name in names:
        check_alike(reference, candidate, reference.tensor(name), candidate.tensor(name), mixed_formats)
    chosen = logits_of(reference, logits)
    return (_one(reference, candidate, reference.tensor(name), name in chosen, targets) for name in names)


def in_order(names: list[str]) -> list[str]:
    """Names in the order of the model: what embeds, layers by their number, the rest as given, logits."""

    def place(name: str) -> tuple[int, int]:
        found = _LAYER.search(name)
        if found:
            return 1, int(found[1] or found[2])
        if _LOGITS.search(name):
            return 3, 0
        return (0, 0) if _ENTRY.search(name) else (2, 0)

    return sorted(names, key=place)


def logits_of(file: TensorFile, asked: str) -> frozenset[str]:
    """Names of the tensors that hold logits.

    Raises UnknownNameError for a name the file lacks, ReadError for one that cannot be logits.
    """
    if asked == NO_LOGITS:
        return frozenset()
    if asked != AUTOMATIC:
        info = file.tensor(asked)
        if len(info.shape) < 2 or info.shape[-1] > LONGEST_ROW:
            raise ReadError("not the shape of logits", where=f"{file.name}, {asked}", found=info.shape,
                            expected=f"(positions, vocabulary), the vocabulary up to {LONGEST_ROW:,}")  # fmt: skip
        return frozenset([asked])
    wide = [info for info in file.tensors.values() if len(info.shape) > 1 and info.shape[-1] <= LONGEST_ROW]
    lone = len(file.tensors) == 1 and "values" in file.tensors
    return frozenset(info.name for info in wide if lone or _LOGITS.search(info.name))


def check_names(reference: TensorFile, candidate: TensorFile) -> None:
    """Raises ReadError unless both files hold the same names."""
    if not reference.tensors:
        raise ReadError("no tensor to compare", where=reference.name)
    missing = [name for name in reference.tensors if name not in candidate.tensors]
    extra = [name for name in candidate.tensors if name not in reference.tensors]
    if not missing and not extra:
        return
    near = near_matches(missing[0], extra) if missing else []
    parts = [f"without {_some(missing)}"] * bool(missing) + [f"with {_some(extra)} besides"] * bool(extra)
    raise ReadError(
        "the files do not hold the same tensors", where=candidate.name, found=" and ".join(parts),
        expected=f"the {len(reference.tensors):,} names of {reference.name}",
        remedy=f"{missing[0]} may be called {near[0]} there: give both one name." if near else "",
    )  # fmt: skip


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def check_alike(
    reference: TensorFile, candidate: TensorFile, one: TensorInfo, other: TensorInfo, mixed_formats: bool
) -> None:
    """Raises ReadError unless two tensors of one name have one shape and comparable numbers."""
    where = f"{candidate.name}, {one.name}"
    if one.shape != other.shape:
        turned = one.shape == other.shape[::-1]
        raise ReadError("another shape", where=where, found=other.shape, expected=one.shape,
                        remedy="It looks transposed." if turned else "")  # fmt: skip
    if one.columns != other.columns:
        raise ReadError("other headings", where=where, found=_some(list(other.columns)),
                        expected=_some(list(one.columns)))  # fmt: skip
    if not one.elements:
        raise ReadError("an empty tensor", where=f"{reference.name}, {one.name}", found=one.shape)
    if one.dtype != other.dtype and not (mixed_formats and one.is_float and other.is_float):
        both = one.is_float and other.is_float
        raise ReadError(
            "another number format", where=where, found=other.dtype, expected=one.dtype,
            remedy="Allow mixed formats if that is the difference you mean to judge." if both
            else "Integers are codes, not values: write the dequantised numbers.",
        )  # fmt: skip
    if not one.is_float:
        raise ReadError("not floating-point numbers", where=f"{reference.name}, {one.name}", found=one.dtype,
                        expected="float64, float32, float16, bfloat16 or float8",
                        remedy="Integers are codes, not values: write the dequantised numbers.")  # fmt: skip


def _one(
    reference: TensorFile,
    candidate: TensorFile,
    info: TensorInfo,
    is_logits: bool,
    targets: Callable[[TensorInfo], Targets] | None,
) -> Agreement:
    expected = targets(info).ids if is_logits and targets else None
    sums, by_row, at = Sums(), LogitSums(), 0
    other = candidate.tensor(info.name)
    for one, two in zip(reference.floats(info), candidate.floats(other), strict=True):
        sums = sums.with_piece(one, two)
        if is_logits:
            rows = slice(at, at + len(one))
            by_row = by_row.with_piece(one, two, None if expected is None else expected[rows])
            at += len(one)
    return Agreement(
        name=info.name,
        shape=info.shape,
        dtypes=(info.dtype, other.dtype),
        sums=sums,
        logits=by_row.agreement() if is_logits else None,
    )
