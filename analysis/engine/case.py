"""One question to the engine: which model, on which chips, served how, under which load."""

from __future__ import annotations

from dataclasses import dataclass

from data.records import Architecture, Chip

OFFLINE = "offline"


@dataclass(frozen=True, kw_only=True)
class Case:
    """A model on a machine under a load. What is None or empty takes its default, which the answer then names.

    device_count       devices serving one copy of the model; None: the fewest that hold it with its cache
    engine             serving engine with or without version; empty: the general form
    weight_format      format of the checkpoint; empty: the model's native format. "fp4", "16-bit" and the like are read
    attention_format, expert_format   where token mixing or routed experts differ from it
    head_format        format of embedding and head; empty: as checkpoints in the weights' format are published
    kept_fraction, index_byte   share of the layers' weights that pruning leaves, and bytes that place one of them
    activation_format  what lies between operators and goes between devices; empty: 16 bits
    fused_fraction, launched_fraction   share of activations that fused kernels never write, and of operators launched
    kv_format          format of the cache; empty: 16 bits
    fp8_scaling        "block" or "tensor"; empty: block for models published so
    tp                 devices that share one layer, groups of attention data parallelism included
    pp, ep, dp         pipeline stages; devices over which experts are spread; attention groups inside tp
    concurrency        sequences in flight, or "offline": a machine kept full at the largest batch that fits
    output_tokens      0 means a decode step at a context of `input_tokens`, with no prefill to share
    length_factor      share of the nominal lengths that is really used
    new_tokens         tokens of each sequence in one decode step: 1, or a draft and one more while it is verified; with
                       more than one, ask for a step alone (output_tokens 0): rates then count steps, not tokens
    beside_byte        what a copy's devices hold beside this model, e.g. a draft model with its cache
    beside_spread      True if they share that evenly, False if one of them holds it all
    region_cores       cores of one layer's region on a wafer where stated; prefill_cores the same while prefilling
    parts              True if tp was stated in parts of a device (cores): heads are then padded, not refused
    prefill_elsewhere  True if prompts are computed by other devices, so that decoding is not delayed
    duty_fraction   share of all hours in which the machine serves; idle power of the others counts for the tokens
    at_wall         True if power is wanted at the wall, with hosts, fans and supplies
    """

    architecture: Architecture
    chip: Chip
    device_count: int | None = None
    engine: str = ""
    weight_format: str = ""
    attention_format: str = ""
    expert_format: str = ""
    head_format: str = ""
    kept_fraction: float = 1.0
    index_byte: float = 0.0
    activation_format: str = ""
    fused_fraction: float = 0.0
    launched_fraction: float = 1.0
    kv_format: str = ""
    fp8_scaling: str = ""
    tp: int | None = None
    pp: int | None = None
    ep: int | None = None
    dp: int | None = None
    concurrency: float | str = 1.0
    input_tokens: float = 1024.0
    output_tokens: float = 256.0
    length_factor: float = 1.0
    new_tokens: float = 1.0
    beside_byte: float = 0.0
    beside_spread: bool = True
    region_cores: float | None = None
    prefill_cores: float | None = None
    parts: bool = False
    prefill_elsewhere: bool = False
    duty_fraction: float = 1.0
    at_wall: bool = False
