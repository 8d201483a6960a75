"""What a sweep shows by a second figure: tokens counted twice, a client that sends too little, a cache that is full."""

from __future__ import annotations

import numpy as np

from analysis.diagnosis.finding import Finding
from analysis.diagnosis.load_trends import FLAT_AT_MOST, known, latency_slope
from analysis.diagnosis.observed import Sweep
from analysis.diagnosis.trends import flat_end, levels, noise_of, slope_from

COUNTS_APART = 0.05  # logarithm; token counts further apart are not rounding or special tokens
COUNTS_ALIKE = 0.05  # spread of that ratio over runs: a wrong tokenizer is wrong by the same factor everywhere
CLIENT_FLAT = 0.20  # elasticity of throughput below which a client sends no more
STANDS_STILL = 0.30  # elasticity of latency: a server that is full would make requests wait
SENT = 0.80  # requests in flight over those asked for
TAIL_JUMPS = 2.5  # times the tail of the lower loads: stalled requests, where mere prefill makes it grow by degrees
TAIL_FLAT = 0.30  # elasticity of throughput past the jump
ROOM = 0.70  # of the sequences that fit by the model, from which a full cache is believed


def tokenizer_mismatch(sweep: Sweep) -> Finding | None:
    """Client and server count different numbers of tokens for the same text, by one factor."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.log(sweep.client_over_server)
    at = np.flatnonzero(np.isfinite(ratio))
    if not at.size:
        return None
    middle = float(np.median(ratio[at]))
    spread = float(np.median(np.abs(ratio[at] - middle)))
    if abs(middle) < COUNTS_APART or spread > COUNTS_ALIKE:
        return None
    return Finding(
        kind="tokenizer_mismatch", quantity="client_over_server", at=tuple(int(each) for each in at),
        effect=abs(middle), least=COUNTS_APART, noise=spread, level=1.0, level_words="both count alike",
        brief=f"{np.exp(middle):.2f} times the server's tokens by the client",
        words=f"The client counts {np.exp(middle):.2f} times the server's tokens"
        f"{' in every run' if at.size > 1 else ''}: figures per token are off by that factor.",
    )  # fmt: skip


def client_bound(sweep: Sweep) -> Finding | None:
    """More load is asked for and neither throughput nor latency moves: the requests are never sent."""
    if sweep.kind != "concurrency":
        return None
    x, y, at = known(sweep.load, sweep.output_rate)
    if len(np.unique(x)) < 3:
        return None
    noise = noise_of(x, y)
    x, y = levels(x, y)
    flat = flat_end(x, y, noise, CLIENT_FLAT)
    if flat is None or flat.value + 2 * flat.error > FLAT_AT_MOST:
        return None
    sent = sweep.in_flight[at[-1]] / sweep.load[at[-1]]
    if not latency_slope(sweep, float(x[flat.first])) <= STANDS_STILL or sent > SENT:
        return None
    start, is_counted = float(np.exp(x[flat.first])), bool(np.isfinite(sent))
    counted = f" {sweep.in_flight[at[-1]]:,.3g} requests are in flight where {sweep.load[at[-1]]:,.3g} were asked for."
    return Finding(
        kind="client_bound", quantity="in_flight" if is_counted else "output_rate",
        at=tuple(int(each) for each in at if sweep.load[each] > start * (1 + 1e-9)),
        effect=float(np.log2(flat.span)), least=1.0, noise=noise, confirmed=is_counted,
        brief=f"more than {start:,.3g} at once changes nothing",
        words=f"From a load of {start:,.3g} on neither throughput nor request time grows, so the load does not reach "
        f"the server.{counted if is_counted else ''}",
    )  # fmt: skip


def kv_preemption(sweep: Sweep) -> Finding | None:
    """The slowest gaps between tokens jump while throughput stands still or falls: requests lose their cache."""
    x, tail, at = known(sweep.load, sweep.tail_ratio)
    if len(x) < 4:
        return None
    usual = float(np.median(tail[: max(2, len(tail) // 2)]))
    jumped = tail - usual > np.log(TAIL_JUMPS)
    onset = int(np.argmax(jumped))
    if not jumped[-1] or onset < 2:
        return None
    full = bool(np.exp(x[onset]) >= ROOM * sweep.room)
    if _grows(sweep, x[onset - 1]) or (np.isfinite(sweep.room) and not full):
        return None
    times = float(np.exp(tail[-1] - usual))
    room = f" The cache has room for {sweep.room:,.0f} sequences by the model." if full else ""
    return Finding(
        kind="kv_preemption", quantity="tail_ratio", at=tuple(int(each) for each in at[jumped]),
        effect=float(np.log(times)), least=float(np.log(TAIL_JUMPS)), noise=noise_of(x, tail),
        level=float(np.exp(usual)), level_words="lower loads", confirmed=full,
        brief=f"slowest gaps {times:.1f} times as long from {np.exp(x[onset]):,.3g} at once on",
        words=f"From a load of {np.exp(x[onset]):,.3g} the slowest gaps between tokens are {times:.1f} times as long "
        f"against the median one as at lower loads, and throughput no longer grows.{room}",
    )  # fmt: skip


def _grows(sweep: Sweep, start: float) -> bool:
    """True if throughput still grows from a load (its logarithm) on, or is not known there."""
    x, y, _ = known(sweep.load, sweep.output_rate)
    x, y = levels(x, y) if len(x) else (x, y)
    first = int(np.searchsorted(x, start - 1e-9))
    return len(x) - first < 2 or slope_from(x, y, first, 0.0).value > TAIL_FLAT
