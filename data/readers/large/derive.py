"""What follows from the columns of a long table: the arithmetic of intake.derive and tables.rows, all rows at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa

from data.readers.intake.derive import UNLIMITED_RATE
from data.readers.intake.names import split_devices, split_format, split_version
from data.readers.large.columns import Columns
from data.readers.large.runs import ColumnOrigin

OUTCOMES = ("ok", "partial", "failed")


def complete(columns: Columns) -> np.ndarray:
    """Add what is derived; the outcome of every row as an index into OUTCOMES."""
    _names(columns)
    lengths(columns)
    _counts(columns)
    _per_request(columns)
    outcome = _judge(columns)
    _load_mode(columns)
    return outcome


def lengths(columns: Columns) -> None:
    """Stated lengths as means, where no column gives a mean."""
    for side in ("isl", "osl"):
        nominal, mean = f"{side}_nominal", f"{side}_mean"
        if nominal in columns.numbers and mean not in columns.numbers:
            where = columns.origins[nominal]
            columns.numbers[mean] = columns.numbers[nominal]
            path = f"{where.path}; taken as every request's length"
            columns.origins[mean] = replace(where, field=mean, origin="derived", path=path, raw="")


def _derive(columns: Columns, name: str, values: np.ndarray, how: str) -> None:
    """Fill a field that no column states."""
    if name not in columns.numbers and not np.isnan(values).all():
        columns.put(name, np.where(values >= 0, values, np.nan), how)


def _counts(columns: Columns) -> None:
    sent, done, failed = (columns.number(name) for name in ("num_requests", "completed", "failed"))
    cut = np.nan_to_num(columns.number("incomplete"))
    _derive(columns, "failed", sent - done - cut, "requests sent - completed - incomplete")
    if "failed" in columns.numbers and columns.origins["failed"].column is not None:
        _derive(columns, "completed", sent - failed - cut, "requests sent - failed")
        _derive(columns, "num_requests", done + failed + cut, "completed + failed")


def _per_request(columns: Columns) -> None:
    done, seconds = columns.number("completed"), columns.number("duration_s")
    with np.errstate(divide="ignore", invalid="ignore"):
        for total, mean in (("total_input_tokens", "isl_mean"), ("total_output_tokens", "osl_mean")):
            _derive(columns, mean, _known(columns.number(total) / done), f"{total} / completed")
        _derive(columns, "request_rps", _known(done / seconds), "completed / duration")


def _known(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)


def _judge(columns: Columns) -> np.ndarray:
    done, failed, cut = (columns.number(name) for name in ("completed", "failed", "incomplete"))
    none, some = done == 0, (np.nan_to_num(failed) > 0) | (np.nan_to_num(cut) > 0)
    outcome = np.broadcast_to(np.where(none, 2, np.where(some, 1, 0)), columns.row_count)
    if none.any():
        text = f"no request was completed in {none.sum():,} rows: their zeros are not measurements"
        columns.warn("failed_requests", text, "completed")
        for name in [name for name in columns.numbers if name.endswith(("_ms", "_tps", "_rps", "sl_mean", "_peak"))]:
            columns.numbers[name] = np.where(none, np.nan, columns.numbers[name])
    partial = np.broadcast_to(some & ~none, columns.row_count)
    if partial.any():
        text = (
            f"requests failed or were cut off in {partial.sum():,} rows: their latencies and rates are those of the "
            "survivors, not comparable with a complete run"
        )
        columns.warn("failed_requests", text, "failed")
    return outcome


def _load_mode(columns: Columns) -> None:
    """Which kind of load every row's columns say, as intake.derive decides it."""
    if "load_mode" in columns.texts:
        return
    rate, limit = columns.number("request_rate"), columns.number("concurrency")
    unlimited = rate >= UNLIMITED_RATE
    batch, modes = columns.number("batch_size"), ["rate", "concurrency", "offline", "batch", None]
    said = [(rate > 0) & ~unlimited, limit > 0, ~np.isnan(rate), batch > 0]
    code = np.full(columns.row_count, len(said), dtype=np.int8)
    for number, holds in reversed(list(enumerate(said))):
        code[np.broadcast_to(holds, columns.row_count)] = number
    if "request_rate" in columns.numbers:
        columns.numbers["request_rate"] = np.where(unlimited, np.nan, rate)
    if (code < 4).any():
        columns.texts["load_mode"] = pa.DictionaryArray.from_arrays(pa.array(code, pa.int8()), pa.array(modes))
        path = "the rate, limit or batch size of the row"
        columns.origins["load_mode"] = ColumnOrigin(
            field="load_mode", column=None, unit="", origin="derived", path=path
        )


def _names(columns: Columns) -> None:
    """Counts out of device names, versions out of engine names, weight formats out of model names."""
    if "hardware" in columns.with_counts:
        counts = _mapped(columns.texts["hardware"], lambda text: split_devices(text)[0])
        if counts.null_count < len(counts) and "device_count" not in columns.numbers:
            columns.numbers["device_count"] = counts.cast(pa.float64()).to_numpy(zero_copy_only=False)
            columns.origins["device_count"] = replace(columns.origins["hardware"], field="device_count", raw="")
        columns.texts["hardware"] = _renamed(columns.texts["hardware"], lambda text: split_devices(text)[1])
    if "engine" in columns.texts:
        _split_off(columns, "engine", "engine_version", lambda text: split_version(text)[1])
        columns.texts["engine"] = _renamed(columns.texts["engine"], _engine)
    if "model_raw" in columns.texts:
        _split_off(columns, "model_raw", "weight_format", lambda text: split_format(text)[1])


def _engine(text: str) -> str:
    name = split_version(text)[0]
    return name.lower() if name.lower() in ("vllm", "sglang") else name


def _split_off(columns: Columns, source: str, target: str, part: Callable[[str], str]) -> None:
    if target in columns.texts:
        return
    found = _renamed(columns.texts[source], lambda text: part(text) or None)
    if found.dictionary.null_count < len(found.dictionary):
        columns.texts[target] = found
        where = replace(columns.origins[source], raw="")
        columns.origins[target] = (
            replace(where, field=target, path="from the model's name", origin="assumed")
            if target == "weight_format"
            else replace(where, field=target)
        )


def _mapped(texts: pa.DictionaryArray, part: Callable[[str], object]) -> pa.Array:
    values = pa.array([None if text is None else part(text) for text in texts.dictionary.to_pylist()])
    return values.take(texts.indices)


def _renamed(texts: pa.DictionaryArray, part: Callable[[str], str | None]) -> pa.DictionaryArray:
    words = [None if text is None else part(text) for text in texts.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(texts.indices, pa.array(words, pa.string()))
