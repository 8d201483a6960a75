"""Devices and power that the load generator saw beside the run; a hint of the hardware, not a statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from data.readers.intake.draft import Draft
from data.readers.intake.json_values import as_number


@dataclass(frozen=True, kw_only=True)
class SeenDevice:
    """A device of the telemetry: its name ("" if none is written) and mean power in W."""

    identity: str
    name: str = ""
    power_w: float | None = None


def put_devices(draft: Draft, devices: Iterable[SeenDevice], place: str) -> None:
    """Name, count and summed power of the devices seen; all of the host, whether or not they served the model."""
    seen: dict[str, SeenDevice] = {}
    for one in devices:
        before = seen.get(one.identity)
        name = one.name or (before.name if before else "")
        power = one.power_w if one.power_w is not None else (before.power_w if before else None)
        seen[one.identity] = SeenDevice(identity=one.identity, name=name, power_w=power)
    if not seen:
        return
    names = [name for name in dict.fromkeys(one.name for one in seen.values()) if name]
    path = f"{place}: devices of the telemetry"
    draft.put("hardware", " + ".join(names), path=path, origin="assumed")
    draft.put("device_count", len(seen), path=path, origin="assumed")
    powers = [one.power_w for one in seen.values() if one.power_w is not None]
    if len(powers) == len(seen):
        draft.derive("power_w", sum(powers), f"{place}: mean power of {len(powers)} devices, summed")
        draft.put("power_scope", "gpu", path=path, origin="derived")


def devices_of_report(telemetry: object) -> list[SeenDevice]:
    """Devices of the `telemetry_data` block of an AIPerf report, or of GenAI-Perf's `telemetry_stats`."""
    if not isinstance(telemetry, Mapping):
        return []
    endpoints = telemetry.get("endpoints")
    if not isinstance(endpoints, Mapping):
        return _by_metric(telemetry)
    gpus = [one.get("gpus") for one in endpoints.values() if isinstance(one, Mapping)]
    found = []
    for key, gpu in ((key, gpu) for group in gpus if isinstance(group, Mapping) for key, gpu in group.items()):
        if isinstance(gpu, Mapping):
            metrics = gpu.get("metrics")
            power = metrics.get("gpu_power_usage") if isinstance(metrics, Mapping) else None
            name = gpu.get("gpu_name")
            found.append(
                SeenDevice(
                    identity=str(gpu.get("gpu_uuid") or key),
                    name=name if isinstance(name, str) else "",
                    power_w=_watts(power),
                )
            )
    return found


def _by_metric(telemetry: Mapping[Any, Any]) -> list[SeenDevice]:
    power = telemetry.get("gpu_power_usage")
    if not isinstance(power, Mapping) or power.get("unit") != "W":
        return []
    gpus = [(key, value) for key, value in power.items() if isinstance(value, Mapping)]
    return [SeenDevice(identity=str(key), power_w=as_number(value.get("avg"))) for key, value in gpus]


def _watts(power: object) -> float | None:
    return as_number(power.get("avg")) if isinstance(power, Mapping) and power.get("unit") == "W" else None
