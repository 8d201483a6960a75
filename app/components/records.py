"""A catalogue record field by field: value, how it was obtained, source, place in it, and who says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pandas as pd

from analysis.shapes import cache_byte_per_token, components, weights_read_per_token
from data.records import Architecture, Chip, Conflict, Price
from data.sources import NOT_LOCATED, Fact, Source
from data.units import format_number, format_quantity, unit_of_suffix

KILO, GIGA, TERA = 1e3, 1e9, 1e12
FIELD_HEADERS = ("Field", "Value", "How", "Source", "Place in it", "Note")
KINDS = {
    "gpu": "GPU",
    "apu": "APU",
    "npu": "NPU",
    "tpu": "TPU",
    "cpu": "CPU",
    "wafer": "wafer",
    "sram_asic": "SRAM chip",
}
SHORT_NAMES = frozenset({"kv", "mtp"})
TITLES = {
    "hidden": "Hidden width", "max_context_tokens": "Longest context", "tied_embeddings": "Output shares embedding",
    "scale_up_device_count": "Devices on that link", "link_bandwidth_byte_per_s": "Link bandwidth, one way",
    "memory_visible_byte": "Memory a program sees", "fp8_block_scaled": "FP8 scaled by block",
    "native_weight_format": "Weights published in", "native_attention_format": "Attention published in",
    "native_expert_format": "Experts published in", "published_total_parameters": "Parameters published",
    "published_rounded_parameters": "Parameters published, rounded",
    "published_active_parameters": "Active parameters published", "outer_parameters": "Parameters outside the layers",
    "blocks": "Kinds of layer", "q_rank": "Query rank",
}  # fmt: skip
_FORMAT = re.compile(r"^(fp|bf|tf|int)(\d+)$")
_LONG = re.compile(r"^\d{4,}")


def field_title(name: str) -> str:
    """A field as people say it: bandwidth_byte_per_s -> "Bandwidth", peak_fp8_flop_per_s -> "Peak FP8"."""
    if name in TITLES:
        return TITLES[name]
    words = unit_of_suffix(name)[0].split("_")
    said = [word.upper() if _FORMAT.match(word) or word in SHORT_NAMES else word for word in words]
    text = " ".join(said).replace("onchip", "on-chip")
    return text[:1].upper() + text[1:]


def _printed(fact: Fact) -> str:
    """The value as its file has it, in words and with its thousands apart: "143,771 MiB", "no", "BF16"."""
    if isinstance(fact.value, bool):
        return "yes" if fact.value else "no"
    if _FORMAT.match(fact.shown):
        return fact.shown.upper()
    return _LONG.sub(lambda found: f"{int(found[0]):,}", fact.shown)


def _sources_text(fact: Fact) -> str:
    titles = [each.title for each in fact.sources]
    return "; ".join(titles[:2]) + (f"; {len(titles) - 2} more" if len(titles) > 2 else "")


def facts_table(facts: Mapping[str, Fact], conflicts: Mapping[str, Iterable[str]]) -> pd.DataFrame:
    """One row per fact; `conflicts` gives, by field, what other sources say, and is printed with the note."""
    rows = []
    for name, fact in facts.items():
        notes = [part for part in (fact.note, *conflicts.get(name, ())) if part]
        how = f"*{fact.kind}*" if fact.kind == "estimate" else fact.kind
        place = ":gray[not located]" if fact.at == NOT_LOCATED else fact.at
        rows.append((field_title(name), _printed(fact), how, _sources_text(fact), place, "; ".join(notes)))
    return pd.DataFrame(rows, columns=list(FIELD_HEADERS))


def chip_facts(chip: Chip) -> pd.DataFrame:
    """Every figure of a chip with its source, and the figures that disagree."""
    said: dict[str, list[str]] = {}
    for each in chip.conflicts:
        said.setdefault(each.field, []).append(f"but {each.shown} ({each.by}{': ' + each.note if each.note else ''})")
    return facts_table(chip.facts, said)


def disagreements(facts: Mapping[str, Fact], conflicts: Iterable[Conflict]) -> pd.DataFrame:
    """The figure chosen beside what another source says, and how far apart they are."""
    rows = [
        {
            "Field": field_title(each.field),
            "Chosen": _printed(fact) if fact else "",
            "From": _sources_text(fact) if fact else "",
            "But": each.shown,
            "Says": each.by,
            "Apart, %": _apart(fact, each),
            "Note": each.note,
        }
        for each in conflicts
        for fact in [facts.get(each.field)]
    ]
    return pd.DataFrame(rows)


def _apart(fact: Fact | None, other: Conflict) -> float:
    """By how many percent the other figure is above the chosen one; nan where one is no number."""
    if fact is None or isinstance(fact.value, bool | str) or not fact.value:
        return float("nan")
    return 100.0 * (other.value / float(fact.value) - 1.0)


def price_table(prices: Iterable[Price]) -> pd.DataFrame:
    """Dated prices of one chip, newest first."""
    rows = [
        {
            "Amount": f"{each.amount:,.2f} {each.currency}",
            "Per": each.unit,
            "Provider": each.provider,
            "Date": each.date,
            "Source": each.source.title,
            "Note": each.note,
        }
        for each in sorted(prices, key=lambda one: one.date, reverse=True)
    ]
    return pd.DataFrame(rows)


def model_counts(model: Architecture) -> pd.DataFrame:
    """What follows from a model's dimensions: parameters by component, weights read and cache per token."""
    counts = components(model)
    integers = {
        "Parameters, main model": counts.total,
        "of these in attention": counts.attention,
        "of these in routed experts": counts.experts,
        "of these in dense MLPs": counts.dense_mlp,
        "of these in embedding and output head": counts.embedding + counts.head,
        "Weights read per token": weights_read_per_token(model),
    }
    rows = [(name, format_number(value), f"{value:,}") for name, value in integers.items()]
    cache_byte = cache_byte_per_token(model)
    rows.append(("KV cache per token, 16 bits", format_quantity(cache_byte, "byte"), f"{cache_byte:,.0f} B"))
    if model.published_total_parameters is not None:
        published = model.published_total_parameters
        rows.insert(1, ("Published by the model's hub", _agreement(model, counts.total), f"{published:,}"))
    return pd.DataFrame(rows, columns=["Derived from the dimensions", "Value", "Exactly"])


def _agreement(model: Architecture, counted: int) -> str:
    """How the count from dimensions stands to the published integer."""
    gap = (model.published_total_parameters or 0) - counted
    if gap == 0:
        return "equal"
    if gap == model.mtp_parameters:
        return f"equal, with {format_number(gap)} for predicting several tokens"
    return f"{gap:+,} against the count; {model.published_total_note}".rstrip("; ")


def chip_list(chips: Iterable[Chip]) -> pd.DataFrame:
    """One row per chip with its leading figures in GB, TB/s, TFLOP/s and W, for the sortable list."""
    rows = [
        {
            "Maker": chip.vendor,
            "Chip": chip.name,
            "Kind": KINDS[chip.kind],
            "Memory, GB": _scaled(chip.memory_byte, GIGA),
            "Bandwidth, TB/s": _scaled(chip.bandwidth_byte_per_s, TERA),
            "BF16, TFLOP/s": _scaled(chip.peak_bf16_flop_per_s, TERA),
            "FP16, TFLOP/s": _scaled(chip.peak_fp16_flop_per_s, TERA),
            "FP8, TFLOP/s": _scaled(chip.peak_fp8_flop_per_s, TERA),
            "Power, W": chip.power_w,
            "Status": chip.status,
            "Confidence": chip.confidence,
        }
        for chip in chips
    ]
    return pd.DataFrame(rows)


def model_list(models: Iterable[Architecture]) -> pd.DataFrame:
    """One row per model with its leading figures, for the sortable list."""
    rows = [
        {
            "Model": model.name,
            "Layers": model.layers,
            "Width": model.hidden,
            "Parameters, billion": components(model).total / GIGA,
            "Read per token, billion": weights_read_per_token(model) / GIGA,
            "KV per token, kB": cache_byte_per_token(model) / KILO,
            "Longest context": model.max_context_tokens,
            "Published in": model.native_weight_format.upper(),
            "Release": model.release,
        }
        for model in models
    ]
    return pd.DataFrame(rows)


def _scaled(value: float | None, unit: float) -> float | None:
    return None if value is None else value / unit


def record_sources(facts: Mapping[str, Fact]) -> tuple[Source, ...]:
    """Every document behind a record, each once."""
    return tuple(dict.fromkeys(source for fact in facts.values() for source in fact.sources))
