"""Fits the power shares of GPUs to measured powers, and predicts each measured energy without its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.case_table import read_rows
from analysis.engine import evaluate
from analysis.models.energy import serving_power, utilisation
from analysis.power_shares import PowerShares
from data.catalogue.catalogue import Catalogue, load_catalogue
from data.catalogue.power_files import read_conditions, read_readings
from data.errors import WaferlineError

NEUTRAL = PowerShares(idle_share=0.20, busy_share=0.80, waiting_share=0.30, wall_factor=1.50)
WIDTH = 0.15  # log error beyond which a row counts less and less
PULL = 1.0  # weight of each neutral value in the fit, in rows
STEPS = 30
INSIDE = 0.80
SOURCES = ("argo", "mle", "mlpw")
METRIC = "energy_j_per_token"
_ADDED = ("hardware", "concurrency", "input_tokens", "output_tokens", "tp", "weight_format", "kv_format")
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class EnergyFit:
    """The shares fitted to all rows, and every row's energy by them.

    rows   one row a measured run: measured energy, and predicted energy with measured and with modelled speed, each
           in sample and with the row's source left out
    factor   80 % of left-out rows lie within this factor of their prediction, with modelled speed
    """

    shares: PowerShares
    rows: pd.DataFrame
    factor: float


def calibrate_energy(measured: pd.DataFrame, catalogue: Catalogue | None = None) -> EnergyFit:
    """The fit on every row of metric energy of the sources above. Raises WaferlineError if there are none.

    measured   rows of the measured table, as text: id, model, hardware, ..., metric, value

    Shares are fitted to power alone, the work of a token taken from the speed model and its time from the measurement,
    so that an error of the speed model does not bend them; its errors then show in the energies with modelled speed.
    """
    rows = energy_rows(measured, catalogue or load_catalogue())
    shares = fit_shares(rows)
    kept = {source: fit_shares(rows[rows["source"] != source]) for source in SOURCES}
    left_out = [kept[source] for source in rows["source"]]
    table = rows.assign(
        measured_speed_in_sample=_energy(rows, [shares] * len(rows), timed=True),
        measured_speed_left_out=_energy(rows, left_out, timed=True),
        own_speed_in_sample=_energy(rows, [shares] * len(rows), timed=False),
        own_speed_left_out=_energy(rows, left_out, timed=False),
    )
    return EnergyFit(shares=shares, rows=table, factor=spread(table))


def spread(rows: pd.DataFrame, share: float = INSIDE) -> float:
    """Factor within which so much of the measured energies lie of their left-out prediction with modelled speed.

    Runs of one model on one device share their weight, as in the fit.
    """
    off = np.abs(np.log((rows["measured_j_per_token"] / rows["own_speed_left_out"]).to_numpy(dtype=float)))
    order, weight = np.argsort(off), 1.0 / _alike(rows)
    reached = np.cumsum(weight[order]) / weight.sum()
    return float(np.exp(off[order][np.searchsorted(reached, share)]))


def _alike(rows: pd.DataFrame) -> Floats:
    """How many runs each shares its source, model and device with. (rows,)"""
    groups = [rows["source"], rows["model"], rows["hardware"]]
    return rows.groupby(groups)["row_id"].transform("count").to_numpy(dtype=float)


def energy_rows(measured: pd.DataFrame, catalogue: Catalogue) -> pd.DataFrame:
    """Measured runs with the model's share of time at work, conditions completed from what the sources say elsewhere.

    `share_*` are of the modelled time of a token; `slower` is measured over modelled time.
    """
    chosen = measured[measured["metric"] == METRIC].merge(read_readings(), left_on="id", right_on="row_id")
    if chosen.empty:
        raise WaferlineError("no measured energies", where="calibration", expected=f"rows of metric {METRIC}")
    chosen = chosen.assign(source=chosen["id"].str.rsplit("-", n=1).str[0])
    read = read_rows(_completed(chosen), catalogue)
    cases = [row.case for row in read if row.case is not None]
    if len(cases) < len(read):
        raise WaferlineError("a measured energy cannot be read", found=next(r.reason for r in read if r.case is None))
    answer = evaluate([replace(case, at_wall=False) for case in cases])
    measured_j, power = chosen["value"].astype(float), chosen["mean_power_w"]
    rated = [float(case.chip.power_w or np.nan) for case in cases]
    table = chosen[["row_id", "source", "engine", "concurrency_or_batch", "scope"]].assign(
        model=[case.architecture.key for case in cases],
        hardware=[case.chip.key for case in cases],
        devices=answer["device_count"].to_numpy(dtype=float),
        rated_w=rated,
        power_w=power,
        measured_j_per_token=measured_j,
        slower=answer["output_tokens_per_s"].to_numpy() / (power / measured_j),
        modelled_tokens_per_s=answer["output_tokens_per_s"].to_numpy(dtype=float),
        share_memory=answer["share_memory"].to_numpy(dtype=float),
        share_compute=answer["share_compute"].to_numpy(dtype=float),
    )
    return table.reset_index(drop=True)


def _completed(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows with the first condition that applies filled in."""
    conditions = read_conditions().to_dict("records")
    completed = []
    for row in rows.drop(columns=["metric", "value"]).to_dict("records"):
        cells = {str(name): value for name, value in row.items()}
        for each in conditions:
            same = each["block"] == cells["source"] and each["model"] in ("", cells["model"])
            if same and each["hardware_said"] in ("", cells["hardware"]):
                cells |= {name: each[name] for name in _ADDED if each[name]}
                break
        completed.append(cells)
    return completed


def fit_shares(rows: pd.DataFrame) -> PowerShares:
    """Busy and waiting shares from log errors of power, then the wall factor; idle is a paper's.

    Rows of one model on one device share their weight; far ones count less (pseudo-Huber). Every share is drawn to its
    neutral value by the weight of one row, and keeps it where no row tells.
    """
    weight = 1.0 / np.sqrt(_alike(rows))
    known = (rows["power_w"] / rows["rated_w"] / rows["devices"]).to_numpy(dtype=float)
    inside = (rows["scope"] == "devices").to_numpy()
    shares = _device_shares(_work(rows, timed=True)[inside], known[inside], weight[inside])
    if inside.all():
        return shares
    over = np.log(known[~inside] / _power_share(rows[~inside], [shares] * int((~inside).sum()), timed=True))
    wall = (weight[~inside] @ over + PULL * np.log(NEUTRAL.wall_factor)) / (weight[~inside].sum() + PULL)
    return replace(shares, wall_factor=float(np.exp(wall)))


def _device_shares(work: Floats, known: Floats, weight: Floats) -> PowerShares:
    """Shares above idle while working and while waiting, by Gauss-Newton from the neutral values."""
    span = NEUTRAL.busy_share - NEUTRAL.idle_share
    neutral = np.array([span, span * NEUTRAL.waiting_share])
    mix, above = np.column_stack([work, 1.0 - work]), neutral.copy()
    for _ in range(STEPS):
        power = NEUTRAL.idle_share + mix @ above
        off = np.log(known / power)
        counted = np.sqrt(weight / np.sqrt(1.0 + (off / WIDTH) ** 2))
        slope = np.vstack([mix / power[:, None] * counted[:, None], np.diag(PULL / span * np.ones(2))])
        rest = np.concatenate([off * counted, PULL / span * (neutral - above)])
        above = above + np.linalg.lstsq(slope, rest, rcond=None)[0]
    busy, waiting = (float(value) for value in above)
    return replace(NEUTRAL, busy_share=NEUTRAL.idle_share + busy, waiting_share=waiting / busy)


def _work(rows: pd.DataFrame, *, timed: bool) -> Floats:
    """Share of the measured (or else of the modelled) time that memory and arithmetic take. (rows,)"""
    over = rows["slower"].to_numpy(dtype=float) if timed else np.ones(len(rows))
    busy = (rows["share_memory"] + rows["share_compute"]).to_numpy(dtype=float)
    return np.asarray(np.minimum(1.0, busy / over))


def _power_share(rows: pd.DataFrame, shares: Sequence[PowerShares], *, timed: bool) -> Floats:
    """Power of the devices over their rating. (rows,)"""
    idle, busy, waiting = (
        np.array([getattr(each, name) for each in shares]) for name in ("idle_share", "busy_share", "waiting_share")
    )
    return np.asarray(serving_power(1.0, idle, busy, utilisation(_work(rows, timed=timed), 0.0, waiting)))


def _energy(rows: pd.DataFrame, shares: Sequence[PowerShares], *, timed: bool) -> Floats:
    """Predicted joules a token, with the measured or the modelled speed. (rows,)"""
    wall = np.where(rows["scope"] == "wall", [each.wall_factor for each in shares], 1.0)
    power = _power_share(rows, shares, timed=timed) * wall * (rows["rated_w"] * rows["devices"]).to_numpy(dtype=float)
    rate = rows["modelled_tokens_per_s"].to_numpy(dtype=float)
    return np.asarray(power / (rate / rows["slower"].to_numpy(dtype=float) if timed else rate))
