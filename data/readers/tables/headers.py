"""A column's header in words: the canonical field it names, the candidates if it is ambiguous, its unit."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from data.readers.intake.fields import FIELDS, latency_names
from data.readers.tables import words
from data.readers.tables.numbers import Cell
from data.readers.tables.units import rate_unit, time_unit

_BRACKETS = re.compile(r"[(\[{]([^)\]}]*)[)\]}]")
_IN_UNIT = re.compile(r"\b(?:in|im)\s+([a-zµμ]+)\s*$", re.I)
_LAST_WORD = re.compile(r"[\s_]([a-zµμ]+)\s*$", re.I)
_FIRST_IDEOGRAPH = "\u3040"
# Columns of this name hold names that people use, not keys of the catalogue; devices may come with their count.
_NOT_AS_WRITTEN = {"hardware": "DEVICE", "hardware_key": "DEVICE", "model_id": "model_raw"}
_COUNTED = ("ISL", "OSL", "BOTH_LENGTHS", "concurrency", "batch_size", "num_requests", "completed", "device_count")
LOAD = "concurrency or batch size"  # header of a column that the reader itself makes out of a header of bare numbers
_CANONICAL_TIMES = frozenset(latency_names())


@dataclass(frozen=True, kw_only=True)
class Role:
    """What a column holds.

    target       canonical field, or a figure in capitals that rows.py turns into fields; "" if not recognised
    candidates   the fields it might be, when the header does not decide; the person is asked
    unit         unit named by the header ("" if none); factor takes rates into one a second
    assumed      the header names no statistic, so the mean is assumed
    """

    target: str = ""
    candidates: tuple[str, ...] = ()
    unit: str = ""
    factor: float = 1.0
    assumed: bool = False

    @property
    def measures(self) -> bool:
        """True for a result: a latency or a rate, decided or not."""
        return any(one in _CANONICAL_TIMES or one in _RATES for one in (self.target, *self.candidates))


_RATES = (
    "output_tps",
    "total_tps",
    "input_tps",
    "prefill_tps",
    "request_rps",
    "goodput_rps",
    "output_tps_per_user",
    "output_tps_per_device",
)


@dataclass(kw_only=True)
class Column:
    """A column with its cells as read; `said` marks a meaning that the person gave."""

    index: int
    name: str
    label: str
    role: Role
    cells: list[Cell] = field(default_factory=list)
    said: bool = False
    proposed: str = ""  # field proposed while the meaning is open
    unit: str = ""  # of cells that carry none
    unit_from: str = ""  # why, when the header does not give it
    bare: dict[int, tuple[str, str]] = field(default_factory=dict)  # row index -> (unit, why) of single cells

    @property
    def is_time(self) -> bool:
        """True if the column's figures need a unit of time."""
        return any(one.endswith("_ms") or one == "duration_s" for one in (self.role.target, *self.role.candidates))

    def numbers(self) -> list[float | None]:
        """Figures by row as they stand in the cells, in the column's own unit."""
        return [cell.value for cell in self.cells]


def plain(text: str) -> str:
    """Lower-case words without accents, underscores, camel case or brackets."""
    text = re.sub(r"([a-z])([A-Z][a-z])", r"\1 \2", text)
    letters = unicodedata.normalize("NFKD", text.lower())
    text = "".join(letter for letter in letters if letter.isascii() or letter >= _FIRST_IDEOGRAPH)
    return " ".join(re.sub(r"[_\-:()\[\]{}*]+", " ", text).split())


def role_of(name: str) -> Role:
    """The role that this header names."""
    exact = name.strip().lower().replace(" ", "_")
    if exact in _NOT_AS_WRITTEN:
        return Role(target=_NOT_AS_WRITTEN[exact])
    if exact in FIELDS and not exact.endswith("_ms"):
        return Role(target=exact, unit=FIELDS[exact].unit)
    if name == LOAD:
        return Role(candidates=("concurrency", "batch_size"))
    unit, body = _unit(name)
    text = plain(body)
    if any(words.FIELDS[0][0].search(one) for one in (text, plain(name))):
        return Role()
    return _measured(name, text, unit) or _described(text, unit)


def _measured(name: str, text: str, unit: str) -> Role | None:
    """A latency or a rate, or None if the header names neither."""
    statistic = next((stat for pattern, stat in words.STATISTICS if re.search(pattern, text)), "")
    for pattern, metric in words.METRICS:
        if re.search(pattern, text):
            return _latency((metric,), statistic, unit)
    rate = _rate(plain(name) if "/" not in name else name.lower().replace("_", " "), text)
    if rate is None and re.search(words.LATENCY, text):
        return _latency(("ttft", "e2e") if re.search(words.PREFILL, text) else ("e2e", "ttft"), statistic, unit)
    return rate


def _described(text: str, unit: str) -> Role:
    """Anything that is no measurement: what ran, how often, how long."""
    target = next((field for pattern, field in words.FIELDS if pattern.search(text)), "")
    if unit and target in _COUNTED:
        return Role()  # a time of something, not how many there are
    if target in ("ISL", "OSL"):
        mean = any(re.search(pattern, text) for pattern, stat in words.STATISTICS if stat == "mean")
        return Role(target=f"{target.lower()}_{'mean' if mean else 'nominal'}", unit="tokens")
    return Role(target=target, unit=unit)


def _unit(name: str) -> tuple[str, str]:
    """(time unit named by the header, the header without it)."""
    for match in _BRACKETS.finditer(name):
        for part in (match[1], match[1].split()[-1] if match[1].split() else ""):
            if unit := time_unit(part):
                return unit, name.replace(match[0], " " + match[1][: match[1].rfind(part)] + " ")
    for pattern in (_IN_UNIT, _LAST_WORD):
        match_ = pattern.search(name)
        if match_ and (unit := time_unit(match_[1])):
            return unit, name[: match_.start()]
    return "", name


def _latency(metrics: tuple[str, ...], statistic: str, unit: str) -> Role:
    names = tuple(f"{metric}_{statistic or 'mean'}_ms" for metric in metrics)
    if len(names) > 1:
        return Role(candidates=names, unit=unit, assumed=not statistic)
    return Role(target=names[0], unit=unit, assumed=not statistic)


def _rate(header: str, text: str) -> Role | None:
    """A throughput of tokens or requests, or None if the header names neither."""
    found = rate_unit(header)
    if found is None and not re.search(words.THROUGHPUT, text):
        return None
    what, factor = found or ("", 1.0)
    if "goodput" in text and what != "tokens":
        return Role(target="goodput_rps", unit="1/s", factor=factor)
    if re.search(r"\brequests? (throughput|rate)|\breq(uest)?s?/", header) and what != "tokens":
        what = "requests"
    if what == "requests":
        targeted = re.search(r"rate|target|arrival", text) and not re.search("throughput", text)
        return Role(target="request_rate" if targeted else "request_rps", unit="1/s", factor=factor)
    if re.search(words.PER_USER, header):
        return Role(target="output_tps_per_user", unit="tokens/s", factor=factor)
    if re.search(words.PER_DEVICE, header):
        return Role(target="output_tps_per_device", unit="tokens/s", factor=factor)
    unit = "tokens/s" if what == "tokens" or "tok" in header else ""
    for pattern, target in ((words.OUTPUT, "output_tps"), (words.PREFILL, "prefill_tps"), (words.INPUT, "input_tps")):
        if re.search(pattern, text) and not re.search(r"\+|\band\b|input.*output", text):
            return Role(target=target, unit=unit or "tokens/s", factor=factor)
    candidates = ("output_tps", "total_tps") if unit else ("output_tps", "total_tps", "request_rps")
    return Role(candidates=candidates, unit=unit, factor=factor)
