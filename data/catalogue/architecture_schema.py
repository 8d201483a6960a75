"""The shape of an architecture file: dimensions with their places, blocks with every matrix, published counts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from data.catalogue.yaml_file import CatalogueSchema
from data.records import AttentionKind, MlpKind
from data.sources import FactKind, SourceKind

Count = Annotated[int, Field(ge=0)]
Size = Annotated[int, Field(gt=0)]
Split = Literal["heads", "kv_heads", "whole"]
MatrixEntry = Annotated[tuple[Size, Size, Split], Field(strict=False)]
CONFIGURATION = "configuration"


class SourceEntry(CatalogueSchema):
    """A document; every figure names one by its key in the file."""

    title: str = Field(min_length=1)
    kind: SourceKind
    where: str = ""
    retrieved: str = Field(default="", pattern=r"^(\d{4}(-\d{2}){0,2})?$")


class FactEntry(CatalogueSchema):
    """One value with the key or place that gives it; from the configuration unless it names another source."""

    value: bool | int | float | str
    source: list[str] = Field(default_factory=lambda: [CONFIGURATION], min_length=1)
    at: str = ""
    kind: FactKind = "stated"
    note: str = ""


class AttentionEntry(CatalogueSchema):
    """Token mixing of one layer; the fields of records.Attention, matrices apart."""

    kind: AttentionKind
    query_heads: Count = 0
    kv_heads: Count = 0
    head_width: Count = 0
    window_tokens: Count = 0
    cache_vectors: Literal[1, 2] = 2
    history_ratio: Size = 1
    q_rank: Count = 0
    kv_rank: Count = 0
    rope_width: Count = 0
    nope_width: Count = 0
    value_width: Count = 0
    selected_tokens: Count = 0
    indexer_heads: Count = 0
    indexer_width: Count = 0
    state_elements: Count = 0
    stores_cache: bool = True


class MlpEntry(CatalogueSchema):
    """Channel mixing of one layer; the fields of records.Mlp."""

    kind: MlpKind
    inner_width: Count = 0
    matrices: Literal[2, 3] = 3
    experts: Count = 0
    experts_per_token: Count = 0
    expert_width: Count = 0
    expert_vectors: Count = 0
    latent_width: Count = 0


class BlockEntry(CatalogueSchema):
    """Equal layers: matrices are [rows, columns, split], vectors elements per layer."""

    layers: Size
    attention: AttentionEntry
    matrices: dict[str, MatrixEntry] = Field(default_factory=dict)
    mlp: MlpEntry
    vectors: dict[str, Size] = Field(default_factory=dict)


class FormatsEntry(CatalogueSchema):
    """The number formats in which the weights are published."""

    weight: str = Field(min_length=1)
    attention: str = Field(min_length=1)
    expert: str = Field(min_length=1)
    fp8_block_scaled: bool = False
    source: list[str] = Field(default_factory=lambda: [CONFIGURATION], min_length=1)
    at: str = ""
    kind: FactKind = "stated"
    note: str = ""


class ExactTotal(CatalogueSchema):
    """An integer total as printed, and what it holds beyond the main model."""

    value: Size
    source: list[str] = Field(min_length=1)
    at: str = ""
    beyond_main: dict[str, Size] = Field(default_factory=dict)
    unexplained: Count = 0
    note: str = ""


class PublishedEntry(CatalogueSchema):
    """Counts others print: exact integer, rounded total, parameters active per token."""

    total: ExactTotal | None = None
    rounded_total: FactEntry | None = None
    active: FactEntry | None = None


class ConflictEntry(CatalogueSchema):
    """What another source says about a field."""

    field: str
    value: Size
    by: str = Field(min_length=1)
    note: str = ""


class ArchitectureFile(CatalogueSchema):
    """One model's file."""

    key: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    name: str = Field(min_length=1)
    publisher_name: str = Field(min_length=1)
    release: str = Field(pattern=r"^\d{4}-\d{2}$")
    audited: str = Field(default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    confidence: Literal["high", "medium", "low"]
    configuration_kind: str = Field(min_length=1)
    note: str = ""
    sources: dict[str, SourceEntry] = Field(min_length=1)
    dimensions: dict[str, FactEntry]
    blocks: list[BlockEntry] = Field(min_length=1)
    outer: dict[str, Size] = Field(default_factory=dict)
    lookup_parameters: Count = 0
    mtp_parameters: FactEntry | None = None
    formats: FormatsEntry
    published: PublishedEntry = Field(default_factory=PublishedEntry)
    conflicts: list[ConflictEntry] = Field(default_factory=list)
