"""The command that starts a plan on a serving engine, in flags that the engine's documentation knows."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from analysis.engine.formats import formats_of
from analysis.models.memory_fit import GPU_USABLE_FRACTION
from analysis.parameters import starting_parameters
from analysis.studies.plan_space import Spread
from data.catalogue.launch_files import Launcher, load_launchers
from data.records import Architecture, Chip
from data.sources import Source

LINE = " \\\n  "
OPTIONS_FILE = "options.yaml"
READY_MADE = frozenset({"nvfp4", "mxfp4", "int4", "int8"})  # engines load these from a checkpoint that has them
HOST_DEVICES = 8  # no host holds more devices of a rack than this; how many it does hold is not in the catalogue
RACK = "The devices of a rack sit in several hosts: start it on each of them, as its guide says for several nodes"
Flags = dict[str, str | None]


@dataclass(frozen=True, kw_only=True)
class Served:
    """A plan as a person would start it.

    users            sequences at once in the whole copy
    context_tokens   longest sequence
    """

    architecture: Architecture
    chip: Chip
    spread: Spread
    weights: str
    cache: str
    users: int
    context_tokens: float

    @property
    def attention_groups(self) -> int:
        """Groups of devices that attend to different sequences."""
        return self.spread.dp or 1

    @property
    def nodes(self) -> int:
        """Machines that the copy stretches over."""
        reached = self.chip.scale_up_device_count or starting_parameters().serving.node_device_count
        return math.ceil(self.spread.device_count / max(reached, 1))

    @property
    def in_a_rack(self) -> bool:
        """True where one fabric joins more devices than a host holds."""
        return (self.chip.scale_up_device_count or 0) > HOST_DEVICES and self.spread.device_count > 1


@dataclass(frozen=True, kw_only=True)
class Launch:
    """What one engine is started with; `refusal` says why it cannot be, and nothing else is set then."""

    engine: str
    command: str = ""
    options: str = ""  # content of OPTIONS_FILE, empty where the command needs none
    notes: tuple[str, ...] = ()
    refusal: str = ""
    sources: tuple[Source, ...] = ()
    flags: Mapping[str, str | None] = field(default_factory=dict)


def launches(served: Served) -> list[Launch]:
    """The plan on every engine that runs on its chip; one refusal where none does. Unknown flags are never written."""
    if served.chip.kind != "gpu":
        stack = "is served by its maker's own software" if served.chip.execution != "kernels" else "has its own engine"
        return [Launch(engine=served.chip.vendor, refusal=f"{served.chip.name} {stack}: there is no command to give.")]
    known = load_launchers()
    found = [write(served, known[key]) for key, write in _WRITERS.items() if key in known]
    return [each for each in found if each.engine != "TensorRT-LLM" or served.chip.vendor == "NVIDIA"]


def _vllm(served: Served, launcher: Launcher) -> Launch:
    groups = served.attention_groups
    flags: Flags = {
        "--tensor-parallel-size": str((served.spread.tp or 1) // groups),
        "--pipeline-parallel-size": _above_one(served.spread.pp),
        "--data-parallel-size": _above_one(groups),
        "--max-model-len": f"{served.context_tokens:.0f}",
        "--max-num-seqs": str(math.ceil(served.users / groups)),
        "--kv-cache-dtype": {"fp8": "fp8", "bf16": "bfloat16"}.get(served.cache, "auto"),
        "--quantization": _made_while_loading(served),
        "--gpu-memory-utilization": f"{GPU_USABLE_FRACTION:g}",
    }
    if served.nodes > 1:
        flags |= {"--nnodes": str(served.nodes), "--node-rank": "$NODE_RANK", "--master-addr": "$HEAD_ADDRESS"}
    apart = "Data parallel groups over several nodes also need --data-parallel-size-local and an address: see the guide"
    notes = [apart] if served.nodes > 1 and groups > 1 else []
    return _written(served, launcher, flags, ["--enable-expert-parallel"] if _spreads_experts(served) else [], notes)


def _sglang(served: Served, launcher: Launcher) -> Launch:
    groups = served.attention_groups
    flags: Flags = {
        "--model-path": _model(served),
        "--tp-size": str(served.spread.tp or 1),
        "--pp-size": _above_one(served.spread.pp),
        "--dp-size": _above_one(groups),
        "--ep-size": _above_one(served.spread.ep),
        "--context-length": f"{served.context_tokens:.0f}",
        "--max-running-requests": str(served.users),
        "--kv-cache-dtype": {"fp8": "fp8_e4m3", "bf16": "bf16"}.get(served.cache, "auto"),
        "--quantization": _made_while_loading(served),
    }
    if served.nodes > 1:
        flags |= {"--nnodes": str(served.nodes), "--node-rank": "$NODE_RANK", "--dist-init-addr": "$HEAD_ADDRESS:50000"}
    return _written(served, launcher, flags, ["--enable-dp-attention"] if groups > 1 else [], [])


def _tensorrt(served: Served, launcher: Launcher) -> Launch:
    groups, tp = served.attention_groups, served.spread.tp or 1
    if groups not in (1, tp):
        why = f"it gives every device its own users or none: {groups} groups on {tp} devices cannot be said"
        return Launch(engine=launcher.name, refusal=f"{launcher.name} cannot start this plan: {why}.")
    flags: Flags = {
        "--tp_size": str(tp),
        "--pp_size": _above_one(served.spread.pp),
        "--ep_size": _above_one(served.spread.ep),
        "--max_batch_size": str(math.ceil(served.users / groups)),
        "--max_seq_len": f"{served.context_tokens:.0f}",
        "--config": OPTIONS_FILE,
    }
    cache = {"fp8": "fp8"}.get(served.cache, "auto")
    options = f"kv_cache_config:\n  dtype: {cache}\n  free_gpu_memory_fraction: {GPU_USABLE_FRACTION:g}\n"
    options += "enable_attention_dp: true\n" if groups > 1 else ""
    notes = ["On several nodes, start it under your MPI or Slurm launcher"] if served.nodes > 1 else []
    if _made_while_loading(served):
        notes.append("It loads FP8 weights from a checkpoint that has them: name one in place of the model")
    return _written(served, launcher, flags, [], notes, options)


def _written(
    served: Served, launcher: Launcher, flags: Flags, switches: list[str], notes: list[str], options: str = ""
) -> Launch:
    """The command as text; values that are None are left out."""
    given: Flags = {name: value for name, value in flags.items() if value is not None} | dict.fromkeys(switches)
    head = launcher.program if "--model-path" in given else f"{launcher.program} {_model(served)}"
    parts = [name if value is None else f"{name} {value}" for name, value in given.items()]
    if _ready_made(served):
        notes = [*notes, f"Name a checkpoint of {served.architecture.name} whose weights are {_format(served).upper()}"]
    if served.in_a_rack:
        notes = [*notes, RACK]
    if served.nodes > 1:
        notes = [*notes, f"Run it once on each of the {served.nodes} machines"]
    return Launch(
        engine=launcher.name, command=LINE.join([head, *parts]), options=options, notes=tuple(notes),
        sources=launcher.documents(), flags=given,
    )  # fmt: skip


def _above_one(degree: int | None) -> str | None:
    return str(degree) if degree is not None and degree > 1 else None


def _format(served: Served) -> str:
    """The format of most weights, as this chip holds them."""
    return formats_of(served.architecture, served.chip, served.weights, "", "", served.cache, "").dense.name


def _native(served: Served) -> str:
    return formats_of(served.architecture, served.chip, "", "", "", "", "").dense.name


def _ready_made(served: Served) -> bool:
    """True if the published checkpoint does not hold the weights in this format and no engine makes it."""
    wanted = _format(served)
    return wanted != _native(served) and (wanted in READY_MADE or _native(served) not in ("bf16", "fp16"))


def _made_while_loading(served: Served) -> str | None:
    """ "fp8" where the engine makes it from a 16-bit checkpoint, else None."""
    return "fp8" if _format(served) == "fp8" and _native(served) in ("bf16", "fp16") else None


def _model(served: Served) -> str:
    """The model as one word of the shell, whatever its name holds: an own model is called as somebody typed it."""
    name = served.architecture.publisher_name
    return "$CHECKPOINT" if _ready_made(served) or not name else shlex.quote(name)


def _spreads_experts(served: Served) -> bool:
    return (served.spread.ep or 1) > 1


_WRITERS: Mapping[str, Callable[[Served, Launcher], Launch]] = {
    "vllm": _vllm,
    "sglang": _sglang,
    "tensorrt-llm": _tensorrt,
}
