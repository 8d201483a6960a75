"""Figures of one run held against each other: warnings that name both sides, nothing replaced."""

from __future__ import annotations

from itertools import pairwise

from data.readers.intake.draft import Draft
from data.readers.intake.fields import LATENCIES

INCONSISTENT = 0.05  # share of disagreement that is worth a warning
CONTRADICTION = 0.20  # share beyond which one of the two figures must be wrong
_SIDES = {"isl": "input", "osl": "output"}
CHUNK_RATIO = 1.3  # gap between chunks over time per token, beyond which a chunk holds several tokens


def check(draft: Draft) -> None:
    """Append a notice for every pair of figures of the run that disagree."""
    if draft.outcome in ("failed", "oom"):
        return
    for one in (_rates, _end_to_end, _little, _totals, _peaks, _order, _first_token, _shares, _chunks, _lengths):
        one(draft)


def _hold(draft: Draft, left: str, a: float | None, right: str, b: float | None, *names: str) -> None:
    """Warn when a and b, which should be equal, differ by more than 5 % (contradiction beyond 20 %) of the smaller."""
    if a is None or b is None or min(a, b) < 0 or max(a, b) == 0:
        return
    low, high = min(a, b), max(a, b)
    off = (high - low) / low if low > 0 else float("inf")
    if off > INCONSISTENT:
        kind = "contradiction" if off > CONTRADICTION else "inconsistent"
        much = f"{high / low:.3g} times" if off > 1 and low > 0 else f"{off:.0%}"
        draft.warn(kind, f"{left} = {a:.5g} but {right} = {b:.5g}: they differ by {much}", *names)


def _answered(draft: Draft) -> float | None:
    completed = draft.number("completed")
    return completed if completed is not None else draft.number("num_requests")


def _rates(draft: Draft) -> None:
    seconds = draft.number("duration_s")
    if not seconds or draft.fields["duration_s"].origin == "derived":
        return
    answered, length, tokens = _answered(draft), draft.number("osl_mean"), draft.number("total_output_tokens")
    if answered is not None:
        rate, names = draft.number("request_rps"), ("request_rps", "completed", "duration_s")
        _hold(draft, "request_rps", rate, "completed / duration", answered / seconds, *names)
        tokens = answered * length if tokens is None and length is not None else tokens
    if tokens is not None:
        rate, names = draft.number("output_tps"), ("output_tps", "osl_mean", "duration_s")
        _hold(draft, "output_tps", rate, "output tokens / duration", tokens / seconds, *names)


def _end_to_end(draft: Draft) -> None:
    parts = [draft.number(name) for name in ("ttft_mean_ms", "tpot_mean_ms", "osl_mean", "e2e_mean_ms")]
    ttft, tpot, length, whole = parts
    if ttft is None or tpot is None or length is None or whole is None:
        return
    names = ("e2e_mean_ms", "ttft_mean_ms", "tpot_mean_ms", "osl_mean")
    expected = ttft + max(length - 1, 0) * tpot
    if draft.lengths_fixed:
        _hold(draft, "mean E2E", whole, "TTFT + (tokens - 1) * TPOT", expected, *names)
    elif draft.lengths_fixed is None and abs(expected - whole) > CONTRADICTION * min(expected, whole):
        draft.warn(
            "cannot_be_checked",
            f"mean E2E = {whole:.5g} ms, TTFT + (tokens - 1) * TPOT = {expected:.5g} ms; "
            "means of requests of different lengths need not agree, and the file does not say how lengths vary",
            *names,
        )


def _little(draft: Draft) -> None:
    rate, whole, limit = draft.number("request_rps"), draft.number("e2e_mean_ms"), draft.number("concurrency")
    if rate is None or whole is None:
        return
    inflight = rate * whole / 1000
    _hold(
        draft,
        "mean concurrency",
        draft.number("concurrency_mean"),
        "requests/s * mean E2E",
        inflight,
        "concurrency_mean",
        "request_rps",
        "e2e_mean_ms",
    )
    if limit and inflight > limit:
        _hold(
            draft,
            "concurrency limit",
            limit,
            "requests/s * mean E2E (requests in flight)",
            inflight,
            "concurrency",
            "request_rps",
            "e2e_mean_ms",
        )


def _totals(draft: Draft) -> None:
    inputs, outputs = draft.number("input_tps"), draft.number("output_tps")
    rate, isl, osl = draft.number("request_rps"), draft.number("isl_mean"), draft.number("osl_mean")
    total = draft.number("total_tps")
    if inputs is not None and outputs is not None:
        _hold(draft, "total_tps", total, "input + output tokens/s", inputs + outputs, "total_tps", "output_tps")
    elif rate is not None and isl is not None and osl is not None:
        _hold(
            draft,
            "total_tps",
            total,
            "requests/s * (input + output length)",
            rate * (isl + osl),
            "total_tps",
            "request_rps",
            "isl_mean",
            "osl_mean",
        )


def _peaks(draft: Draft) -> None:
    peak, mean = draft.number("output_tps_peak"), draft.number("output_tps")
    if peak is not None and mean is not None and peak < mean:
        draft.warn(
            "unusable_peak",
            f"peak output {peak:.5g} tokens/s is below the mean {mean:.5g}: it counts streamed "
            "chunks, not tokens; not usable as a peak",
            "output_tps_peak",
            "output_tps",
        )
    most, usual = draft.number("concurrency_peak"), draft.number("concurrency_mean")
    if most is not None and usual is not None and most < usual * 0.999:
        text = f"peak concurrency = {most:.5g} is below mean concurrency = {usual:.5g}: one of them counts otherwise"
        draft.warn("contradiction", text, "concurrency_peak", "concurrency_mean")


def _order(draft: Draft) -> None:
    for metric in [one for one in LATENCIES if sum(name.startswith(one) for name in draft.values) > 1]:
        for ladder in (("min", "p50", "p75", "p90", "p95", "p99", "p999", "max"), ("min", "mean", "max")):
            known = [(name, draft.number(name)) for name in (f"{metric}_{stat}_ms" for stat in ladder)]
            steps = [(name, value) for name, value in known if value is not None]
            for (low_name, low), (high_name, high) in pairwise(steps):
                if low > high * 1.0001:
                    draft.warn(
                        "contradiction",
                        f"{low_name} = {low:.5g} is above {high_name} = {high:.5g}",
                        low_name,
                        high_name,
                    )


def _first_token(draft: Draft) -> None:
    for stat in ("mean", "p50", "p90", "p95", "p99"):
        first, whole = draft.number(f"ttft_{stat}_ms"), draft.number(f"e2e_{stat}_ms")
        if first is not None and whole is not None and first > whole * 1.0001:
            draft.warn(
                "contradiction",
                f"TTFT {stat} = {first:.5g} ms is above E2E {stat} = {whole:.5g} ms: the first "
                "token cannot come after the last",
                f"ttft_{stat}_ms",
                f"e2e_{stat}_ms",
            )


def _shares(draft: Draft) -> None:
    users, devices = draft.number("concurrency", "batch_size"), draft.number("device_count")
    rate = draft.number("output_tps")
    per_user, per_device = draft.side.get("output_tps_per_user"), draft.side.get("output_tps_per_device")
    if per_user is not None and users:
        _hold(
            draft,
            "output_tps",
            rate,
            f"{users:g} users * {per_user:g} tokens/s per user",
            users * per_user,
            "output_tps",
            "concurrency",
        )
    if per_device is not None and devices:
        _hold(
            draft,
            "output_tps",
            rate,
            f"{devices:g} devices * {per_device:g} tokens/s per device",
            devices * per_device,
            "output_tps",
            "device_count",
        )


def _chunks(draft: Draft) -> None:
    gap, token = draft.number("itl_mean_ms"), draft.number("tpot_mean_ms")
    if any(kind == "token_count" and "tpot_mean_ms" in names for kind, _, names in draft.notices):
        return  # the client counted tokens wrongly, which explains the ratio
    if gap is not None and token and gap / token > CHUNK_RATIO:
        draft.warn(
            "chunked_itl",
            f"ITL {gap:.4g} ms is {gap / token:.2f} times TPOT {token:.4g} ms: each streamed chunk "
            "holds several tokens (speculative decoding or bundling). Compare speeds by TPOT, not by ITL",
            "itl_mean_ms",
            "tpot_mean_ms",
        )


def _lengths(draft: Draft) -> None:
    pairs = [(side, draft.number(f"{side}_nominal"), draft.number(f"{side}_mean")) for side in ("isl", "osl")]
    off = [(side, asked, real) for side, asked, real in pairs if asked and real is not None]
    if any(abs(asked - real) > INCONSISTENT * asked for _, asked, real in off):
        asked_for = "/".join(f"{asked:g}" for _, asked, _ in off)
        means = "/".join(f"{real:.4g}" for _, _, real in off)
        draft.warn(
            "lengths",
            f"asked for {asked_for} tokens ({'/'.join(_SIDES[side] for side, _, _ in off)}) but the means were "
            f"{means}: comparisons use the means",
            *(f"{side}_mean" for side, _, _ in off),
        )
