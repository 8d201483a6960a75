"""A published config.json (as a mapping) becomes an Architecture with exact matrices; not a benchmark format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from data.errors import CatalogueError, UnknownNameError
from data.readers.model_config.configuration import Configuration, language_part
from data.readers.model_config.families import FAMILIES
from data.readers.model_config.layers import Decoder, blocks_of
from data.readers.model_config.number_formats import NumberFormats, read_formats
from data.records import Architecture
from data.sources import Fact, Source

__all__ = ["ReadConfiguration", "known_model_types", "read_configuration", "read_decoder"]


@dataclass(frozen=True, kw_only=True)
class ReadConfiguration:
    """A configuration's decoder and the key behind each number that was looked up."""

    configuration: Configuration
    decoder: Decoder


def known_model_types() -> tuple[str, ...]:
    """Every model_type this reader can turn into matrices, sorted."""
    return tuple(sorted(FAMILIES))


def read_decoder(values: Mapping[str, object], *, where: str = "config.json") -> ReadConfiguration:
    """The decoder a config.json describes, layer by layer.

    Raises UnknownNameError with near matches for a model_type no family reads, and CatalogueError naming the key
    where something is missing or contradicts itself.
    """
    c = language_part(values, where)
    outer_type, inner_type = str(values.get("model_type") or ""), c.word("model_type")
    family = FAMILIES.get(inner_type) or FAMILIES.get(outer_type)
    if family is None:
        if not inner_type:
            raise CatalogueError(
                "the configuration does not say model_type", where=where, remedy="Upload the model's config.json."
            )
        raise UnknownNameError("readable model_type", inner_type, FAMILIES, where=where)
    decoder = family(c)
    if len(decoder.layers) != c.found["layers"].value:
        raise CatalogueError("layers do not add up", where=where, found=len(decoder.layers))
    return ReadConfiguration(configuration=c, decoder=decoder)


def read_configuration(
    values: Mapping[str, object], *, source: Source, key: str = "", name: str = "", formats: NumberFormats | None = None
) -> Architecture:
    """A user's config.json as an Architecture; every fact carries `source` and the configuration key it was read from.

    key, name   how the model is to be called; the file's own name for itself where they are empty
    formats     the published number formats where the file does not say them
    """
    read = read_decoder(values, where=source.where or source.title)
    c, decoder = read.configuration, read.decoder
    called = name or c.word("_name_or_path") or c.word("model_type")
    told = formats or read_formats(c)
    return Architecture(
        key=key or called.rsplit("/", 1)[-1].lower().replace(" ", "-"),
        name=called,
        publisher_name=called,
        release="",
        **_dimensions(c),
        **_formats(told),
        blocks=blocks_of(decoder.layers),
        tied_embeddings=decoder.tied,
        outer_parameters=sum(decoder.outer.values()),
        lookup_parameters=decoder.lookup,
        mtp_parameters=decoder.mtp,
        published_total_parameters=None,
        published_total_note="",
        published_active_parameters=None,
        configuration_kind="uploaded",
        audited="",
        note="Counted from the uploaded configuration; nobody has compared it with a published total.",
        facts=_facts(c, decoder, told, source),
    )


def _dimensions(c: Configuration) -> dict[str, Any]:
    return {
        "hidden": c.size("hidden", "hidden_size"),
        "vocabulary": c.size("vocabulary", "vocab_size", "padded_vocab_size"),
        "max_context_tokens": c.size("max_context_tokens", "max_position_embeddings", "n_positions", "seq_length"),
    }


def _formats(formats: NumberFormats) -> dict[str, Any]:
    return {
        "native_weight_format": formats.weight,
        "native_attention_format": formats.attention,
        "native_expert_format": formats.expert,
        "fp8_block_scaled": formats.fp8_block_scaled,
    }


def _facts(c: Configuration, decoder: Decoder, formats: NumberFormats, source: Source) -> dict[str, Fact]:
    facts = {
        name: Fact(value=found.value, shown=str(found.value), sources=(source,), at=found.key)
        if found.key
        else Fact(
            value=found.value,
            shown=str(found.value),
            sources=(source,),
            kind="derived",
            note="the file is silent; what its family's code assumes",
        )
        for name, found in c.found.items()
    }
    counted = {"blocks": len(decoder.layers), "mtp_parameters": decoder.mtp, "tied_embeddings": decoder.tied}
    facts |= {
        name: Fact(value=value, shown=str(value), sources=(source,), kind="derived", note="follows from the dimensions")
        for name, value in counted.items()
    }
    facts["native_weight_format"] = Fact(value=formats.weight, shown=formats.weight, sources=(source,), at=formats.at)
    return facts
