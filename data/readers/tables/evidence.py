"""What a table's other columns lead one to expect of an open one; grounds for proposals, never for silent choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

Values = Sequence[float | None]
Known = Mapping[str, Values]
SHOWN = 3  # values of a column quoted in a question


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """Values that `how`, arithmetic over other columns in words, gives for a field, row by row."""

    how: str
    values: Values


def expectations(name: str, known: Known) -> list[Expectation]:
    """Every way in which columns already understood give this field's values (rates per second, times in ms)."""
    found = []
    for field, how, needed, rule in _RULES:
        columns = [known[one] for one in needed if one in known]
        if field == name and len(columns) == len(needed):
            found.append(Expectation(how=how, values=_rowwise(rule, columns)))
    return found


def users(known: Known) -> dict[str, Values]:
    """The table's figures with `users`: the concurrency, or the batch size where no concurrency is given."""
    count = known.get("concurrency") or known.get("batch_size")
    return {**known, **({"users": count} if count else {})}


def distance(values: Values, expected: Values) -> float | None:
    """Median share by which values are off what is expected; None where nothing can be compared."""
    offs = [abs(value - one) / one for value, one in zip(values, expected, strict=True) if value is not None and one]
    return median(offs) if offs else None


def few(values: Values) -> str:
    """The first values in words."""
    return ", ".join(f"{value:.4g}" for value in [one for one in values if one is not None][:SHOWN])


def _rowwise(rule: Callable[..., float], columns: Sequence[Values]) -> list[float | None]:
    return [rule(*row) if all(row) else None for row in zip(*columns, strict=True)]


_RULES: tuple[tuple[str, str, tuple[str, ...], Callable[..., float]], ...] = (
    (
        "output_tps",
        "users * output / (TTFT + (output - 1) * TPOT)",
        ("users", "osl", "ttft_mean_ms", "tpot_mean_ms"),
        lambda count, length, first, token: 1000 * count * length / (first + (length - 1) * token),
    ),
    ("output_tps", "users / TPOT", ("users", "tpot_mean_ms"), lambda count, token: 1000 * count / token),
    ("output_tps", "users * rate per user", ("users", "output_tps_per_user"), lambda count, each: count * each),
    ("output_tps", "requests/s * output length", ("request_rps", "osl"), lambda rate, length: rate * length),
    (
        "total_tps",
        "requests/s * (input + output length)",
        ("request_rps", "isl", "osl"),
        lambda rate, asked, length: rate * (asked + length),
    ),
    (
        "request_rps",
        "Little's law, users / latency in ms",
        ("users", "any_latency"),
        lambda count, latency: 1000 * count / latency,
    ),
    ("e2e", "users / requests per second", ("users", "request_rps"), lambda count, rate: 1000 * count / rate),
    (
        "e2e",
        "users * output / tokens per second",
        ("users", "osl", "output_tps"),
        lambda count, length, rate: 1000 * count * length / rate,
    ),
    ("token", "users / tokens per second", ("users", "output_tps"), lambda count, rate: 1000 * count / rate),
)
