"""Measured serving runs as points: how fast for one user, how much from one device, by whom, when, with what."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.case_table import read_rows
from analysis.engine import OFFLINE, Case
from analysis.models.serving import output_rate, request_time
from analysis.studies.benchmark_cases import MS_PER_S, Measured, case_of
from analysis.study import counted
from data.catalogue.catalogue import Catalogue
from data.catalogue.measurement_files import Row, block_of, load_blocks
from data.errors import WaferlineError
from data.sources import Source

OWN, NOT_SAID = "your own", "not said"
WHOLE, DECODE, STATED = "whole requests", "decode alone", "as stated"
_IMAGE = re.compile(r"^[^:]*:(.*)$")
_HASH = re.compile(r"[0-9a-f]{12,}")
_EXCLUDED = "exclude"
_ONE_RUN = (
    "hardware", "device_count", "model", "weight_format", "kv_format", "engine", "parallelism", "concurrency_or_batch",
    "input_tokens", "output_tokens", "speculative", "evidence", "source_date", "source",
)  # fmt: skip
_METRICS = ("tpot_ms", "ttft_ms", "output_tps_total", "decode_tps_per_user")


@dataclass(frozen=True, kw_only=True)
class Point:
    """One measured run.

    per_user     tokens/s of one user: one over the mean time per output token, or what `how` says
    per_device   output tokens/s of all users over the devices
    how          as stated, from the times of a whole request, or of decoding alone
    input_tokens, output_tokens   lengths; nan where the source does not say
    """

    row_id: str
    case: Case
    per_user: float
    per_device: float
    users: float
    input_tokens: float
    output_tokens: float
    engine: str
    release: str
    date: str
    evidence: str
    speculative: str
    how: str
    source: Source

    @property
    def machine(self) -> str:
        """Count and chip: "8 × H200"."""
        return counted(self.case.chip, self.case.device_count or 1)

    @property
    def lengths(self) -> str:
        """Prompt and output: "1,024 + 1,024"; "not said" where the source gives neither."""
        if math.isnan(self.input_tokens) and math.isnan(self.output_tokens):
            return NOT_SAID
        return " + ".join(
            "?" if math.isnan(each) else f"{each:,.0f}" for each in (self.input_tokens, self.output_tokens)
        )

    @property
    def weights(self) -> str:
        """Format of the weights as people write it."""
        return (self.case.weight_format or self.case.architecture.native_weight_format or "bf16").upper()


def rows_by_model(rows: Iterable[Row], catalogue: Catalogue) -> dict[str, list[Row]]:
    """Rows that say how many were served at once, by the key of their model; names that mean none are left out."""
    names: dict[str, str] = {}
    found: dict[str, list[Row]] = {}
    for row in rows:
        if not _tells_load(row):
            continue
        if row["model"] not in names:
            names[row["model"]] = _key_of(row["model"], catalogue)
        if key := names[row["model"]]:
            found.setdefault(key, []).append(row)
    return found


def _tells_load(row: Row) -> bool:
    """True for rows of the serving table, and for single measurements of a speed under a stated load."""
    if "metric" not in row:
        return row["clean"] == "True"
    stated = bool(row["concurrency_or_batch"]) and row["metric"] in _METRICS
    return stated and not row["quality"].startswith(_EXCLUDED)


def _key_of(name: str, catalogue: Catalogue) -> str:
    try:
        return catalogue.architecture(name).key
    except WaferlineError:
        return ""


def serving_points(rows: Sequence[Row], catalogue: Catalogue) -> list[Point]:
    """Rows of the serving table: both times are measured, the rate follows from a closed loop."""
    points = []
    source = load_blocks()["serving"].references["serving-1"]
    for row, read in zip(rows, read_rows([dict(row) for row in rows], catalogue), strict=True):
        if read.case is None or not read.case.device_count:
            continue
        users, tpot, ttft = (float(row[name]) for name in ("concurrency", "tpot_ms", "ttft_ms"))
        made = float(row["output_tokens"]) * float(row["length_factor"] or 1)
        total = rate_of(users, made, tpot / MS_PER_S, ttft / MS_PER_S)
        points.append(
            Point(
                row_id=row["id"], case=read.case, per_user=MS_PER_S / tpot, per_device=total / read.case.device_count,
                users=users, input_tokens=float(row["input_tokens"]), output_tokens=float(row["output_tokens"]),
                engine=row["engine"], release=release_of(row["engine"], row["engine_image"]), date=row["measured_on"],
                evidence="independent", speculative="no", how=WHOLE, source=source,
            )
        )  # fmt: skip
    return points


def rate_of(users: float, made: float, tpot_s: float, ttft_s: float) -> float:
    """Output tokens/s of a closed loop."""
    return float(output_rate(users, made, request_time(ttft_s, tpot_s, made)))


def release_of(engine: str, image: str) -> str:
    """Engine and release as people say them: "vLLM v0.18.0"."""
    tag = _IMAGE.sub(r"\1", image)
    return f"{engine} {_HASH.sub(lambda found: found[0][:7], tag)}".strip()


def measured_points(rows: Iterable[Row], catalogue: Catalogue) -> list[Point]:
    """Rows of the table of single measurements that say how many were served at once; the figures of a run joined."""
    runs: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        key = (block_of(row["id"]), *(row[name] for name in _ONE_RUN))
        runs.setdefault(key, {}).setdefault(row["metric"], row)
    firsts = [next(iter(run.values())) for run in runs.values()]
    read = read_rows([dict(row) | {"metric": "tpot_ms"} for row in firsts], catalogue)
    found = (
        _point(first, one.case, run)
        for first, one, run in zip(firsts, read, runs.values(), strict=True)
        if one.case is not None and one.case.device_count and one.case.concurrency != OFFLINE
    )
    return [point for point in found if point is not None]


def _point(row: Row, case: Case, run: Mapping[str, Row]) -> Point | None:
    users, devices = float(case.concurrency), float(case.device_count or 1)
    prompt, made = (float(row[name]) if row[name] else math.nan for name in ("input_tokens", "output_tokens"))
    speeds = _speeds({name: float(each["value"]) for name, each in run.items()}, users, made)
    if speeds is None:
        return None
    per_user, total, how = speeds
    return Point(
        row_id=row["id"], case=case, per_user=per_user, per_device=total / devices, users=users,
        input_tokens=prompt, output_tokens=made,
        engine=row["engine"].split(" ")[0] or NOT_SAID,
        release=row["engine"] or NOT_SAID, date=row["source_date"], evidence=row["evidence"],
        speculative=row["speculative"], how=how, source=load_blocks()[block_of(row["id"])].references[row["source"]],
    )  # fmt: skip


def _speeds(values: Mapping[str, float], users: float, made: float) -> tuple[float, float, str] | None:
    """Speed of one user, of all users, and how they were got; None where one of them does not follow."""
    tpot, ttft, total = (values.get(name) for name in ("tpot_ms", "ttft_ms", "output_tps_total"))
    if per_user := values.get("decode_tps_per_user"):
        return per_user, users * per_user, DECODE
    if tpot and total:
        return MS_PER_S / tpot, total, STATED
    if tpot and ttft and made > 0:
        return MS_PER_S / tpot, rate_of(users, made, tpot / MS_PER_S, ttft / MS_PER_S), WHOLE
    if tpot:
        return MS_PER_S / tpot, users * MS_PER_S / tpot, DECODE
    return (total / users, total, "mean over whole requests") if total else None


def own_points(measured: Iterable[Measured]) -> list[Point]:
    """The person's own runs."""
    return [_own(one) for one in measured]


def _own(one: Measured) -> Point:
    values = one.run.values
    rate, engine = values.get("output_tps"), str(values.get("engine") or NOT_SAID)
    stated = isinstance(rate, int | float) and rate > 0
    total = float(rate) if stated else one.users / one.step_s  # type: ignore[arg-type]
    version, when = str(values.get("engine_version") or ""), str(values.get("started_at") or "")
    return Point(
        row_id=one.run.run_id, case=case_of(one), per_user=1 / one.step_s, per_device=total / one.device_count,
        users=one.users, input_tokens=one.input_tokens, output_tokens=one.output_tokens, engine=engine,
        release=f"{engine} {version}".strip(), date=when[:10], evidence=OWN, speculative="unknown",
        how=STATED if stated else DECODE,
        source=Source(title=f"{one.run.source_file}, not reviewed", kind="upload", where=one.run.source_file),
    )  # fmt: skip
