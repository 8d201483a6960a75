"""Names: one spelling means one entry, what could be two is refused with the choices, and reasons are told."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.catalogue.catalogue import Catalogue, load_catalogue
from data.catalogue.name_forms import folded, weight_format
from data.catalogue.names import Alias, NameBook, name_book, read_aliases
from data.errors import AmbiguousNameError, CatalogueError, UnknownNameError
from tests.shared_files import shared_path

FOLDER = Path(__file__).resolve().parents[2] / "data" / "catalogue"
ALIASES = read_aliases(FOLDER / "aliases.csv")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    """The shipped catalogue."""
    return load_catalogue()


def book(catalogue: Catalogue, kind: str) -> NameBook:
    """The resolver of one kind of name."""
    return catalogue.chip_book if kind == "chip" else catalogue.model_book


def meanings(resolver: NameBook, name: str) -> tuple[str, ...]:
    """What a name means, or what it could mean where it is refused as doubtful."""
    try:
        return (resolver.resolve(name).key,)
    except AmbiguousNameError as doubtful:
        return doubtful.choices


@pytest.mark.parametrize("name", ["H100-SXM-80GB", "NVIDIA H100 80GB HBM3", "h100-sxm", "h100 sxm", "H100 SXM5 80GB"])
def test_one_chip_has_many_names(name: str, catalogue: Catalogue) -> None:
    assert catalogue.chip(name).key == "h100-sxm"


def test_every_listed_name_means_what_the_list_says(catalogue: Catalogue) -> None:
    for alias in ALIASES:
        resolver = book(catalogue, alias.kind)
        if alias.status in ("exact", "same geometry"):
            assert resolver.resolve(alias.name).key == alias.key, alias.name
        elif alias.status == "ambiguous":
            with pytest.raises(AmbiguousNameError) as doubtful:
                resolver.resolve(alias.name)
            assert doubtful.value.choices == alias.choices, alias.name
            assert alias.note in str(doubtful.value), alias.name
        else:
            with pytest.raises(UnknownNameError) as refused:
                resolver.resolve(alias.name)
            assert alias.note in str(refused.value), alias.name


def test_every_name_of_the_reference_list_is_there() -> None:
    with shared_path("reference", "aliases.csv").open() as lines:
        wanted = {(row["kind"].replace("hardware", "chip"), row["name"], row["key"]) for row in csv.DictReader(lines)}
    assert wanted <= {(alias.kind, alias.name, alias.key) for alias in ALIASES}


def test_every_key_names_itself(catalogue: Catalogue) -> None:
    for key in catalogue.chips:
        assert catalogue.chip(key).key == key
    for key in catalogue.architectures:
        assert catalogue.architecture(key).key == key


def test_accepted_names_resolve_whatever_their_case_and_punctuation(catalogue: Catalogue) -> None:
    """A respelling means the same entry or is refused as doubtful; it never means another."""
    for kind in ("chip", "model"):
        resolver = book(catalogue, kind)
        for name in resolver.names():
            key = resolver.resolve(name).key
            for respelled in (name.upper(), name.lower(), name.replace("-", " "), f"  {name} "):
                assert key in meanings(resolver, respelled), respelled


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("RTX 4090", "rtx-4090"),
        ("GeForce RTX 4090 24GB", "rtx-4090"),
        ("nvidia l4", "l4"),
        ("L40S 48GB", "l40s"),
        ("A100-SXM4-80GB", "a100-sxm-80gb"),
        ("NVIDIA H100 SXM5 80GB HBM3", "h100-sxm"),
        ("AMD Instinct MI300X", "mi300x"),
        ("instinct mi355x", "mi355x"),
        ("Cerebras WSE-3", "wse-3"),
        ("CS-3", "wse-3"),
        ("TPU v5 lite", "tpu-v5e"),
        ("gaudi 3", "gaudi3"),
        ("B200", "b200-sxm"),
        ("NVIDIA GB200 NVL72", "gb200"),
        ("NVIDIA GH200 480GB", "gh200-96gb"),
        ("DGX Spark", "dgx-spark-gb10"),
    ],
)
def test_chips_as_people_write_them(name: str, key: str, catalogue: Catalogue) -> None:
    assert catalogue.chip(name).key == key


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("H100", {"h100-sxm", "h100-pcie", "h100-nvl"}),
        ("NVIDIA A100", {"a100-sxm-40gb", "a100-sxm-80gb", "a100-pcie-40gb", "a100-pcie-80gb"}),
        ("A100 80GB", {"a100-sxm-80gb", "a100-pcie-80gb"}),
        ("RTX 3080", {"rtx-3080"}),  # 10 GB and 12 GB cards report the same name
        ("M4 Pro", {"m4-pro", "m4-pro-16c"}),
        ("V100", {"v100-sxm2-32gb", "v100-pcie-32gb"}),
        ("RTX PRO 6000", {"rtx-pro-6000-bw", "rtx-pro-6000-server"}),
    ],
)
def test_doubtful_chips_are_refused_with_the_choices(name: str, choices: set[str], catalogue: Catalogue) -> None:
    with pytest.raises(AmbiguousNameError) as caught:
        catalogue.chip(name)
    assert set(caught.value.choices) == choices


@pytest.mark.parametrize(
    "name",
    [
        "NVIDIA A10G",  # a variant with a lower rate is not the A10
        "Tesla V100-SXM2-16GB",  # half the memory
        "L40S 24GB",  # no such memory
        "H100 SXM 64GB",
        "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA A100-SXM4-80GB MIG 1g.10gb",
        "Etched-Sohu",
        "nosuchchip",
        "",
        "?",
    ],
)
def test_similar_is_not_the_same(name: str, catalogue: Catalogue) -> None:
    with pytest.raises(UnknownNameError):
        catalogue.chip(name)


def test_unknown_names_list_near_ones(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalogue.chip("h100-smx")
    assert "h100-sxm" in caught.value.near
    with pytest.raises(UnknownNameError) as caught:
        catalogue.architecture("qwen3-8bb")
    assert "qwen3-8b" in caught.value.near


@pytest.mark.parametrize(
    ("name", "key", "hint"),
    [
        ("Qwen/Qwen3-8B", "qwen3-8b", ""),
        ("Qwen3-8B-AWQ", "qwen3-8b", "int4"),
        ("someone/Qwen3-8B-FP8", "qwen3-8b", "fp8"),
        ("Qwen3-8B-Q4_K_M.gguf", "qwen3-8b", "q4_k_m"),
        ("Llama-3.1-8B-Instruct", "llama-3.1-8b", ""),
        ("llama3.1:8b-instruct-q8_0", "llama-3.1-8b", "q8_0"),
        ("meta-llama/Meta-Llama-3.1-70B-Instruct-FP8", "llama-3.1-70b", "fp8"),
        ("RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8", "llama-3.3-70b", "int8"),
        ("nvidia/DeepSeek-R1-NVFP4", "deepseek-r1", "nvfp4"),
        ("openai/gpt-oss-120b", "gpt-oss-120b", ""),
        ("mlx-community/Qwen3-8B-4bit", "qwen3-8b", "int4"),
        ("/models/Qwen3-32B-FP8/", "qwen3-32b", "fp8"),
        ("Qwen2.5-7B-Instruct-GPTQ-Int8", "qwen2.5-7b", "int8"),
    ],
)
def test_models_as_people_write_them(name: str, key: str, hint: str, catalogue: Catalogue) -> None:
    found = catalogue.resolve_model(name)
    assert (found.key, found.format_hint) == (key, hint)


@pytest.mark.parametrize("name", ["Qwen2.5-VL-7B-Instruct", "Ling-2.6-1T", "llama", "8b", "Instruct", "-FP8", "/"])
def test_other_models_are_not_taken_for_ours(name: str, catalogue: Catalogue) -> None:
    with pytest.raises(UnknownNameError):
        catalogue.architecture(name)


def test_a_family_without_a_version_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(AmbiguousNameError) as caught:
        catalogue.architecture("Llama-70B-Instruct")
    assert set(caught.value.choices) >= {"llama-2-70b", "llama-3.1-70b"}


def test_a_model_without_dimensions_says_why(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownNameError, match="no architecture"):
        catalogue.architecture("GPT-5.6 Sol")


@given(st.text(max_size=40))
def test_any_text_resolves_or_is_refused_in_our_words(text: str) -> None:
    for resolver in (load_catalogue().chip_book, load_catalogue().model_book):
        with suppress(UnknownNameError, AmbiguousNameError):
            assert resolver.resolve(text).key in resolver.keys


def alias(name: str, key: str, status: str = "exact") -> Alias:
    """A made-up alias of a chip."""
    return Alias(kind="chip", name=name, key=key, status=status, choices=(), note="")


def test_a_name_that_would_mean_two_is_refused_when_loading() -> None:
    with pytest.raises(CatalogueError, match="two"):
        name_book("chip", ["a-1", "b-2"], [alias("Same Name", "a-1"), alias("same-name", "b-2")])
    with pytest.raises(CatalogueError, match="two"):
        name_book("chip", ["a-1", "b-2"], [alias("A1", "b-2")])
    with pytest.raises(CatalogueError, match="no entry"):
        name_book("chip", ["a-1"], [alias("x", "c-3")])


@pytest.mark.parametrize(
    "text",
    [
        "name,key\nx,y\n",
        "kind,name,key,status,choices,note\nchip,X,,exact,,\n",
        "kind,name,key,status,choices,note\nship,X,x,exact,,\n",
        "kind,name,key,status,choices,note\nchip,X,x,perhaps,,\n",
    ],
)
def test_a_broken_list_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "aliases.csv"
    path.write_text(text)
    with pytest.raises(CatalogueError, match=r"aliases\.csv"):
        read_aliases(path)


def test_forms() -> None:
    assert folded("NVIDIA(R) RTX-4090") == "nvidiartx4090"
    assert folded("Max+ 395") != folded("Max 395")
    assert weight_format("x-AWQ") == "int4"
    assert weight_format("x-GPTQ-Int8") == "int8"
    assert weight_format("x") == ""
