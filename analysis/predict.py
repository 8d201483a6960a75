"""The case table answered: every row and column kept, predictions, ceilings, fits and reasons added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.case_table import ReadRow, read_rows
from analysis.engine import evaluate
from analysis.parameters import Parameters
from data.catalogue.catalogue import Catalogue, load_catalogue
from data.errors import WaferlineError

_MS = 1000.0
# Output column -> (low, high) beside it; the interval stands before the unit.
PREDICTED = {
    "predicted_tpot_ms": ("predicted_tpot_low_ms", "predicted_tpot_high_ms"),
    "predicted_ttft_ms": ("predicted_ttft_low_ms", "predicted_ttft_high_ms"),
    "predicted_e2e_ms": ("predicted_e2e_low_ms", "predicted_e2e_high_ms"),
    "predicted_decode_tps_per_user": ("predicted_decode_low_tps_per_user", "predicted_decode_high_tps_per_user"),
    "predicted_output_tps": ("predicted_output_low_tps", "predicted_output_high_tps"),
    "predicted_prefill_tps": ("predicted_prefill_low_tps", "predicted_prefill_high_tps"),
    "predicted_energy_j_per_token": ("predicted_energy_low_j_per_token", "predicted_energy_high_j_per_token"),
}
OTHERS = (
    "ceiling_decode_tps_per_user", "binding", "binding_shares", "feasible", "reason", "devices_needed",
    "kv_room_tokens", "assumed", "confidence", "tau_needed",
)  # fmt: skip
_SHARES = ("memory", "compute", "latency", "communication", "host")
_ELSEWHERE = "prompts are computed by other devices: no time to first token, end-to-end time, total rate or energy"
_NO_PREFILL = "no prefill law is known for this machine: no time to first token and no end-to-end time"
_KEPT_FULL = "a machine kept full: the wait for a first token is the queue's"
_SINGLE = "one output token has no time per output token"
_NO_PROMPT = "no prompt: no prefill rate"
_NO_POWER = "the catalogue has no rated power of this device: no energy"


def predict(
    cases: pd.DataFrame, catalogue: Catalogue | None = None, parameters: Parameters | None = None
) -> pd.DataFrame:
    """Every row and column of `cases`, in order, with the prediction columns added.

    cases       one row a case, cells as text or numbers; columns of the case table, any of them missing, others kept
    catalogue   names are looked up here; the shipped one if None
    parameters  what the engine believes; the shipped values if None

    A row without an answer has feasible False and its reason, and its rates stay blank. Measured values are read only
    for `tau_needed`: how many tokens a speculating machine must accept per step to reach them.
    A column named like a prediction is kept as `given_` and its name; predictions made before are replaced.
    Raises WaferlineError for two columns of one name.
    """
    names = [str(name) for name in cases.columns]
    _refuse_namesakes(names)
    records: list[dict[str, Any]] = [dict(zip(names, row, strict=True)) for row in cases.itertuples(index=False)]
    rows = read_rows(records, catalogue or load_catalogue())
    added = _answers(rows, parameters)
    added.index = cases.index
    kept = cases.drop(columns=output_columns()) if is_answered(names) else cases.rename(columns=set_aside(names))
    return pd.concat([kept, added], axis=1)


def is_answered(names: Sequence[str]) -> bool:
    """True if these are the columns of a table that predict has answered before: all of its own are there."""
    return set(output_columns()) <= set(names)


def set_aside(names: Sequence[str]) -> dict[str, str]:
    """The name under which each column is kept that bears the name of a prediction; empty for an answered table."""
    if is_answered(names):
        return {}
    taken, aside = {*names, *output_columns()}, {}
    for name in [each for each in names if each in output_columns()]:
        other = f"given_{name}"
        while other in taken:
            other = f"given_{other}"
        taken.add(other)
        aside[name] = other
    return aside


def _refuse_namesakes(names: Sequence[str]) -> None:
    """Two columns of one name could say two things of one case; columns without a name are not read."""
    twice = [name for name, times in Counter(names).items() if times > 1 and name.strip()]
    if twice:
        raise WaferlineError(
            f"several columns are called {' and '.join(map(repr, twice))}", where="header",
            expected="every name once", remedy="Rename or remove all but one.",
        )  # fmt: skip


def output_columns() -> list[str]:
    """Names of all columns that predict adds, in order."""
    return [name for each, sides in PREDICTED.items() for name in (each, *sides)] + list(OTHERS)


def _answers(rows: Sequence[ReadRow], parameters: Parameters | None) -> pd.DataFrame:
    asked = [at for at, row in enumerate(rows) if row.case is not None]
    cases = [row.case for row in rows if row.case is not None]
    out: dict[str, Any] = {name: np.full(len(rows), np.nan) for name in output_columns()}
    out |= {name: np.full(len(rows), "", dtype=object) for name in ("binding", "binding_shares", "confidence")}
    out["feasible"] = np.zeros(len(rows), dtype=bool)
    reasons, assumed = [row.reason for row in rows], [list(row.assumed) for row in rows]
    if cases:
        answer = evaluate(cases, parameters)
        for name, values in _numbers(answer, [rows[at] for at in asked]).items():
            out[name][asked] = values
        _blank_single_tokens(out, rows)
        without_ttft, unpowered = answer["ttft_s"].isna().to_list(), answer["energy_j_per_token"].isna().to_list()
        texts = zip(asked, answer["reason"], answer["assumed"], without_ttft, unpowered, strict=True)
        for at, refused, said, no_ttft, no_power in texts:
            reasons[at] = refused or _blanks(rows[at], no_ttft=no_ttft, no_power=no_power)
            assumed[at].append(said)
    words = ["; ".join(dict.fromkeys(part for part in parts if part)) for parts in assumed]
    texts_of = {"reason": np.array(reasons, dtype=object), "assumed": np.array(words, dtype=object)}
    return pd.DataFrame(out | texts_of)[output_columns()]


def _numbers(answer: pd.DataFrame, rows: Sequence[ReadRow]) -> dict[str, NDArray[Any]]:
    """Output columns that come straight from the engine."""
    pools = np.array([row.pools for row in rows], dtype=float)
    here = np.array([row.case is not None and not row.case.prefill_elsewhere for row in rows])
    whole = np.where(here, 1.0, np.nan)
    per_user = answer["tokens_per_s_per_user"].to_numpy()
    return {
        "predicted_tpot_ms": answer["tpot_s"].to_numpy() * _MS,
        "predicted_ttft_ms": answer["ttft_s"].to_numpy() * _MS * whole,
        "predicted_e2e_ms": answer["e2e_s"].to_numpy() * _MS * whole,
        "predicted_decode_tps_per_user": per_user,
        "predicted_output_tps": answer["output_tokens_per_s"].to_numpy() * whole,
        "predicted_prefill_tps": answer["prefill_tokens_per_s"].to_numpy() * whole,
        "predicted_energy_j_per_token": answer["energy_j_per_token"].to_numpy() * whole,
        "predicted_energy_low_j_per_token": answer["energy_low_j_per_token"].to_numpy() * whole,
        "predicted_energy_high_j_per_token": answer["energy_high_j_per_token"].to_numpy() * whole,
        **_interval_columns(answer, whole),
        "ceiling_decode_tps_per_user": answer["ceiling_tokens_per_s_per_user"].to_numpy(),
        "binding": answer["binding"].to_numpy(dtype=object),
        "binding_shares": np.array(_share_texts(answer), dtype=object),
        "feasible": answer["feasible"].to_numpy(dtype=bool),
        "devices_needed": answer["devices_needed"].to_numpy() * pools,
        "kv_room_tokens": answer["kv_room_tokens"].to_numpy() * pools,
        "confidence": answer["confidence"].to_numpy(dtype=object),
        "tau_needed": _tau(rows, per_user),
    }


# Engine quantity -> predicted column, its size there, and whether it is left blank where prompts are elsewhere.
_AROUND = {
    "tpot_s": ("predicted_tpot_ms", _MS, False),
    "ttft_s": ("predicted_ttft_ms", _MS, True),
    "e2e_s": ("predicted_e2e_ms", _MS, True),
    "tokens_per_s_per_user": ("predicted_decode_tps_per_user", 1.0, False),
    "output_tokens_per_s": ("predicted_output_tps", 1.0, True),
    "prefill_tokens_per_s": ("predicted_prefill_tps", 1.0, True),
}


def _interval_columns(answer: pd.DataFrame, whole: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    """Both ends of every interval."""
    columns = {}
    for name, (predicted, size, here) in _AROUND.items():
        for side, column in zip(("low", "high"), PREDICTED[predicted], strict=True):
            columns[column] = answer[f"{side}_{name}"].to_numpy() * size * (whole if here else 1.0)
    return columns


def _is_single(row: ReadRow) -> bool:
    """True for a request of one output token, which has no time between tokens."""
    return row.case is not None and 0 < row.case.output_tokens * row.case.length_factor <= 1


def _blank_single_tokens(out: dict[str, Any], rows: Sequence[ReadRow]) -> None:
    single = np.array([_is_single(row) for row in rows])
    for name in ("predicted_tpot_ms", "predicted_decode_tps_per_user"):
        for column in (name, *PREDICTED[name]):
            out[column][single] = np.nan


def _share_texts(answer: pd.DataFrame) -> list[str]:
    shares = answer[[f"share_{name}" for name in _SHARES]].to_numpy()
    return [
        "" if np.isnan(row).any() else " ".join(f"{name} {value:.3f}" for name, value in zip(_SHARES, row, strict=True))
        for row in shares
    ]


def _tau(rows: Sequence[ReadRow], per_user: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tokens per step a speculating machine must accept to be as fast as measured; blank where it may not speculate."""
    values = [
        row.measured_tokens_per_s if row.measured_tokens_per_s and row.speculative not in ("", "no") else np.nan
        for row in rows
    ]
    return np.maximum(np.array(values, dtype=float) / per_user, 1.0)


def _blanks(row: ReadRow, *, no_ttft: bool, no_power: bool) -> str:
    """Why some values of an answered row stay blank; empty if none do."""
    if row.case is None:
        return ""
    said = []
    if row.case.prefill_elsewhere:
        said.append(_ELSEWHERE)
    elif isinstance(row.case.concurrency, str):
        said.append(_KEPT_FULL)
    elif no_ttft:
        said.append(_NO_PREFILL)
    if row.case.input_tokens == 0:
        said.append(_NO_PROMPT)
    if _is_single(row):
        said.append(_SINGLE)
    if no_power:
        said.append(_NO_POWER)
    return "; ".join(said)
