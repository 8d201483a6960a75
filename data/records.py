"""What the catalogue and the store hand out: frozen records of SI numbers, each with its sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from data.sources import Fact, Source

ChipKind = Literal["gpu", "apu", "npu", "tpu", "cpu", "wafer", "sram_asic"]
Execution = Literal["kernels", "mesh", "deterministic", "dataflow"]
AttentionKind = Literal["gqa", "mla", "linear", "none"]
MlpKind = Literal["dense", "moe", "none"]


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """What another source says about a field, kept beside the figure that was chosen."""

    field: str
    value: float  # SI
    shown: str  # as written, with its unit
    by: str  # who says so
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Chip:
    """One device as it is bought: a GPU, a chip, a wafer. Peaks are dense, links one direction, per device.

    `facts` holds every field again with its source; a field that no source gives is None, never zero.
    """

    key: str
    name: str
    vendor: str
    kind: ChipKind
    generation: str  # family whose members behave alike: hopper, blackwell, ada, cdna3, apple, wse, ...
    execution: Execution  # which latency form serves it: kernel by kernel, wafer mesh, deterministic, dataflow
    status: str
    available: bool  # False for announced or cancelled parts: figures are promises
    confidence: Literal["high", "medium", "low"]
    audited: str
    note: str
    facts: Mapping[str, Fact] = field(repr=False)
    memory_byte: float | None = None
    memory_visible_byte: float | None = None  # what the driver reports; used for fit checks where known
    bandwidth_byte_per_s: float | None = None
    second_tier_byte: float | None = None
    second_tier_bandwidth_byte_per_s: float | None = None
    onchip_memory_byte: float | None = None
    onchip_bandwidth_byte_per_s: float | None = None
    peak_fp32_flop_per_s: float | None = None
    peak_tf32_flop_per_s: float | None = None
    peak_bf16_flop_per_s: float | None = None
    peak_fp16_flop_per_s: float | None = None
    peak_fp8_flop_per_s: float | None = None
    peak_fp6_flop_per_s: float | None = None
    peak_fp4_flop_per_s: float | None = None
    peak_int8_op_per_s: float | None = None
    peak_int4_op_per_s: float | None = None
    link_bandwidth_byte_per_s: float | None = None  # one direction, per device, scale-up fabric
    link_pair_only: bool = False  # a bridge between two cards, no fabric beyond the pair
    scale_up_device_count: int | None = None
    core_count: int | None = None  # processing cores of a mesh; needed by the wafer law
    power_w: float | None = None  # rated board or system power
    price_usd: float | None = None
    rental_usd_per_hour: float | None = None
    fabric_bandwidth_byte_per_s: float | None = None  # on-wafer mesh, all cores together
    conflicts: tuple[Conflict, ...] = ()
    source_check: str = ""  # how far the sources were opened
    release: str = ""
    process: str = ""
    memory_type: str = ""
    interconnect: str = ""
    host_link: str = ""
    second_tier: str = ""
    system: str = ""  # the machine it is sold in
    sparsity: str = ""  # what a vendor's sparse figure is a multiple of
    price_note: str = ""
    rental_note: str = ""

    @property
    def usable_memory_byte(self) -> float | None:
        """Bytes a fit check may count on: what the driver reports where known, else the vendor's decimal GB."""
        return self.memory_visible_byte or self.memory_byte


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """One weight matrix as the checkpoint stores it.

    split   how tensor parallelism divides it: by query heads, by KV heads (copied once tp exceeds them), or not at all
    """

    name: str
    rows: int
    columns: int
    split: Literal["heads", "kv_heads", "whole"] = "heads"


@dataclass(frozen=True, kw_only=True)
class Attention:
    """Token mixing of one layer. Widths are elements per head; 0 means the feature is absent.

    gqa covers MHA (kv_heads = query_heads), MQA (kv_heads = 1) and windows; linear covers every layer with a
    fixed-size state instead of a cache (Gated DeltaNet, lightning, Mamba-2).
    """

    kind: AttentionKind
    query_heads: int = 0
    kv_heads: int = 0
    head_width: int = 0
    window_tokens: int = 0  # sliding or chunked window; 0 = the whole context
    cache_vectors: int = 2  # keys and values; 1 where the values are the keys
    history_ratio: int = 1  # tokens of history per stored entry; above 1 a window keeps raw entries beside them
    q_rank: int = 0
    kv_rank: int = 0
    rope_width: int = 0
    nope_width: int = 0
    value_width: int = 0  # in gqa only where values are narrower than keys; then head_width is the key's
    selected_tokens: int = 0  # sparse attention reads this many tokens; 0 = all
    indexer_heads: int = 0
    indexer_width: int = 0
    state_elements: int = 0  # recurrent state of one sequence in this layer
    stores_cache: bool = True  # False where the layer reads the cache that an earlier layer keeps
    matrices: tuple[Matrix, ...] = ()  # every weight matrix of the layer's token mixing


@dataclass(frozen=True, kw_only=True)
class Mlp:
    """Channel mixing of one layer: dense (or shared expert) and routed experts."""

    kind: MlpKind
    inner_width: int = 0  # dense MLP, or all shared experts of a mixture together
    matrices: int = 3  # 3 gated, 2 plain
    experts: int = 0
    experts_per_token: int = 0
    expert_width: int = 0
    expert_vectors: int = 0  # biases of one routed expert
    latent_width: int = 0  # routed experts work on latents of this width, between two shared projections; 0 = hidden


@dataclass(frozen=True, kw_only=True)
class Block:
    """`layers` decoder layers of equal shape."""

    layers: int
    attention: Attention
    mlp: Mlp
    vectors: Mapping[str, int] = field(default_factory=dict)  # norms, biases, sinks, convolutions: elements per layer


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """A language model's decoder, as its configuration gives it; multi-token-prediction layers apart."""

    key: str
    name: str
    publisher_name: str  # the name on the model hub
    release: str
    hidden: int
    vocabulary: int
    tied_embeddings: bool
    blocks: tuple[Block, ...]
    outer_parameters: int  # final norm, position tables, stem parts outside layers; embeddings and head not included
    mtp_parameters: int
    max_context_tokens: int
    native_weight_format: str  # as published, e.g. "fp8", "bf16", "mxfp4"
    native_attention_format: str
    native_expert_format: str
    fp8_block_scaled: bool
    published_total_parameters: int | None  # exact integer where the hub prints one for the main model
    published_total_note: str
    published_active_parameters: float | None
    configuration_kind: str
    audited: str
    note: str
    facts: Mapping[str, Fact] = field(repr=False)
    lookup_parameters: int = 0  # tables beside the embedding of which a token reads one row (per-layer embeddings)
    published_rounded_parameters: float | None = None  # the card's or paper's figure
    published_extra: Mapping[str, int] = field(default_factory=dict)  # what the exact total holds beyond the main model
    published_unexplained_parameters: int = 0  # documented difference that nothing here counts again
    confidence: Literal["high", "medium", "low"] = "medium"
    conflicts: tuple[Conflict, ...] = ()

    def __deepcopy__(self, memo: object) -> Architecture:
        """Itself: nothing in it changes, and what is chosen on a page is copied at every run."""
        return self

    @property
    def is_mixture(self) -> bool:
        """Whether any layer routes tokens to experts."""
        return any(block.mlp.experts for block in self.blocks)

    @property
    def layers(self) -> int:
        """Decoder layers in all."""
        return sum(block.layers for block in self.blocks)


@dataclass(frozen=True, kw_only=True)
class Price:
    """A dated price as somebody printed it."""

    item: str
    unit: str
    amount: float
    currency: str
    date: str
    provider: str
    source: Source
    note: str
    chip_key: str = ""


@dataclass(frozen=True, kw_only=True)
class RunField:
    """Where one figure of a run comes from.

    origin  stated in the file, converted from another unit, derived from other fields, said by the person, assumed
    path    the place inside the file: a JSON path, a column name with its row, a line
    """

    raw: str
    unit: str
    origin: Literal["stated", "converted", "derived", "person", "assumed"]
    path: str


@dataclass(frozen=True, kw_only=True)
class Run:
    """One benchmark run in the canonical fields of docs/run-record.md; `values` holds only what is known."""

    run_id: str
    source_file: str
    source_format: str
    outcome: Literal["ok", "partial", "failed", "oom", "invalid"]
    values: Mapping[str, float | int | str | bool | None]
    fields: Mapping[str, RunField]
    native: str = field(default="{}", repr=False)  # the record as the tool wrote it, JSON, generated texts dropped
