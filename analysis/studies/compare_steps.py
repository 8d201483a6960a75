"""The arithmetic behind a comparison, a few lines a slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from analysis.explain import explain
from analysis.models.bandwidth import naive_rate
from analysis.models.ceiling import compute_ceiling, memory_ceiling
from analysis.models.cost import cost_per_token, idle_paid_cost
from analysis.models.energy import energy_per_token, mean_power, serving_power, utilisation
from analysis.models.latency import step_time
from analysis.models.mesh import bandwidth_seen, layer_time, region_size, stream_step_time
from analysis.models.single_stream import fixed_layer_step_time
from analysis.parameters import starting_parameters
from analysis.power_shares import kind_of, shipped_power
from analysis.scales import HOUR_S
from analysis.studies.rental import Rental
from analysis.study import Slot, Step, rows_of
from analysis.workload import Workload

Row = Mapping[Any, Any]  # one slot of the table
ROUNDING = 0.99  # below this share of the memory ceiling, arithmetic is what sets the ceiling


def steps_of(
    workload: Workload,
    slots: Sequence[Slot],
    table: pd.DataFrame,
    rentals: Sequence[Rental | None],
    duty_fraction: float = 1.0,
) -> tuple[Step, ...]:
    """Every line of arithmetic of the slots that have a rate, in their order."""
    forms = {"mesh": _mesh_steps, "deterministic": _fixed_steps}
    steps: list[Step] = []
    for slot, row, rental in zip(slots, rows_of(table), rentals, strict=True):
        if row["feasible"]:
            time = forms.get(slot.chip.execution, _kernel_steps)
            steps += [*_bounds(slot, row), *time(workload, slot, row)]
            steps += [*_price_of_a_token(row, rental, duty_fraction), *energy_steps(slot, row, duty_fraction)]
    return tuple(steps)


def _bounds(slot: Slot, row: Row) -> list[Step]:
    """Naive bound and ceiling; the weights read are what the engine divided by, so the lines repeat its figures."""
    each, name, devices = slot.chip.bandwidth_byte_per_s, str(row["slot"]), float(row["device_count"])
    if each is None:
        return []
    read = devices * each / float(row["naive_tokens_per_s_per_user"])
    memory: dict[str, Any] = {"devices": devices, "bandwidth_byte_per_s": each}
    lines = [explain(naive_rate, subject=name, **memory, read_byte=read)]
    streamed = read + float(row["cache_byte"])
    lowest = float(row["ceiling_tokens_per_s_per_user"])
    if lowest > ROUNDING * float(memory_ceiling(**memory, streamed_byte_per_token=streamed)):
        return [*lines, explain(memory_ceiling, **memory, streamed_byte_per_token=streamed)]
    peak = slot.chip.peak_bf16_flop_per_s or slot.chip.peak_fp16_flop_per_s
    if peak is None:
        return lines
    work = devices * peak / lowest
    return [*lines, explain(compute_ceiling, devices=devices, peak_flop_per_s=peak, work_flop_per_token=work)]


def _kernel_steps(workload: Workload, slot: Slot, row: Row) -> list[Step]:
    return [
        explain(
            step_time,
            roofline_s=float(row["memory_s"] + row["compute_s"]),
            launch_s=float(row["latency_s"]),
            collective_s=float(row["communication_s"]),
            host_s=float(row["host_s"]),
        )
    ]


def _mesh_steps(workload: Workload, slot: Slot, row: Row) -> list[Step]:
    """One layer on its region, then all layers and hops."""
    mesh = (workload.parameters or starting_parameters()).mesh
    chip, layers = slot.chip, float(workload.architecture.layers)
    wafers, cores = float(row["device_count"]), float(chip.core_count or 0)
    region = float(region_size(cores, wafers, layers))
    macs = float(row["compute_s"]) / layers * region / mesh.mac_s
    law: dict[str, Any] = {"fixed_s": mesh.fixed_s, "crossing_s": mesh.crossing_s, "mac_s": mesh.mac_s}
    layer = float(layer_time(**law, macs=macs, region=region))
    read = float(row["weight_byte"]) / wafers / float(chip.bandwidth_byte_per_s or float("nan"))
    seen: dict[str, Any] = {"bandwidth_byte_per_s": chip.bandwidth_byte_per_s, "wafers": wafers, "layers": layers}
    return [
        explain(bandwidth_seen, **seen),
        explain(region_size, cores=cores, wafers=wafers, layers=layers),
        explain(layer_time, **law, macs=macs, region=region, reuse=mesh.reuse, rows=1.0),
        explain(stream_step_time, layers=layers, layer_s=layer, read_s=read, wafers=wafers, hop_s=mesh.hop_s),
    ]


def _fixed_steps(workload: Workload, slot: Slot, row: Row) -> list[Step]:
    layers = float(workload.architecture.layers)
    return [explain(fixed_layer_step_time, layers=layers, layer_s=float(row["latency_s"]) / layers)]


def _price_of_a_token(row: Row, rental: Rental | None, duty_fraction: float) -> list[Step]:
    """Cost, where the catalogue has a price."""
    if rental is None:
        return []
    load: dict[str, Any] = {
        "devices": float(row["device_count"]),
        "rate_token_per_s": float(row["output_tokens_per_s"]),
    }
    price = rental.usd_per_hour / HOUR_S
    lines = [explain(cost_per_token, price_usd_per_s=price, **load)]
    if duty_fraction < 1:
        token = float(cost_per_token(price, **load))
        lines.append(explain(idle_paid_cost, cost_usd_per_token=token, duty_fraction=duty_fraction))
    return lines


def energy_steps(slot: Slot, row: Row, duty_fraction: float) -> list[Step]:
    """From shares of the time to power and energy at the wall, where the catalogue has a rated power."""
    if slot.chip.power_w is None:
        return []
    shares = shipped_power().shares[kind_of(slot.chip)]
    works: dict[str, Any] = {f"{name}_share": float(row[f"share_{name}"]) for name in ("memory", "compute")}
    works["waiting_share"] = shares.waiting_share
    own: dict[str, Any] = {"rated_w": slot.chip.power_w, "idle_share": shares.idle_share}
    used = float(utilisation(**works))
    serving = float(serving_power(**own, busy_share=shares.busy_share, utilisation=used))
    mean = float(mean_power(serving_w=serving, **own, duty_fraction=duty_fraction))
    over_all_hours = [explain(mean_power, serving_w=serving, **own, duty_fraction=duty_fraction)]
    return [
        explain(utilisation, **works),
        explain(serving_power, **own, busy_share=shares.busy_share, utilisation=used),
        *(over_all_hours if duty_fraction < 1 else []),
        explain(
            energy_per_token,
            mean_w=mean,
            devices=float(row["device_count"]),
            wall_factor=shares.wall_factor,
            duty_fraction=duty_fraction,
            rate_token_per_s=float(row["output_tokens_per_s"]),
        ),
    ]
