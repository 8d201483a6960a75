"""Architecture files are read whole or refused, with file, field, what was found and what was expected."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from data.catalogue.architecture_files import FOLDER, architecture_paths, read_architecture, without_configuration
from data.errors import CatalogueError

GOOD: dict[str, Any] = yaml.safe_load((FOLDER / "glm-4.6.yaml").read_text())


def written(folder: Path, content: dict[str, Any]) -> Path:
    """The content as a file of the name it had."""
    path = folder / "glm-4.6.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def changed(*path: Any, to: Any = None) -> dict[str, Any]:
    """The good file with one place changed; None removes it."""
    content = copy.deepcopy(GOOD)
    place = content
    for step in path[:-1]:
        place = place[step]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return content


@pytest.mark.parametrize("path", architecture_paths(), ids=lambda path: path.stem)
def test_every_shipped_file_reads_and_names_its_sources(path: Path) -> None:
    a = read_architecture(path)
    for field in ("hidden", "vocabulary", "layers", "tied_embeddings", "max_context_tokens", "blocks"):
        assert a.facts[field].sources
    for field in ("published_total_parameters", "published_rounded_parameters", "published_active_parameters"):
        assert (getattr(a, field) is None) == (field not in a.facts)
    assert a.facts["native_weight_format"].value == a.native_weight_format
    assert len(path.read_text().splitlines()) <= 90


def test_facts_carry_place_and_document() -> None:
    fact = read_architecture(FOLDER / "glm-4.6.yaml").facts["kv_heads"]
    assert (fact.value, fact.at, fact.sources[0].kind) == (8, "num_key_value_heads", "configuration")


BROKEN = {
    "unknown field": (changed("publisher", to="x"), "publisher"),
    "missing field": (changed("release"), "release"),
    "bad release": (changed("release", to="last year"), "release"),
    "no title": (changed("sources", "configuration", "title", to=""), "title"),
    "unknown source": (changed("formats", "source", to=["elsewhere"]), "elsewhere"),
    "unused source": (changed("sources", "unused", to={"title": "t", "kind": "page"}), "unused"),
    "missing dimension": (changed("dimensions", "vocabulary"), "vocabulary"),
    "width in words": (changed("dimensions", "hidden", "value", to="wide"), "hidden"),
    "layers that do not add up": (changed("blocks", 0, "layers", to=4), "layers"),
    "unknown split": (changed("blocks", 0, "matrices", "query", to=[1, 2, "rows"]), "query"),
    "matrix without rows": (changed("blocks", 0, "matrices", "query", to=[0, 2, "heads"]), "query"),
    "mixture without experts": (changed("blocks", 1, "mlp", "experts", to=0), "experts"),
    "more experts chosen than there are": (changed("blocks", 1, "mlp", "experts_per_token", to=161), "experts"),
    "attention without matrices": (changed("blocks", 0, "matrices"), "attention"),
    "negative width": (changed("blocks", 0, "mlp", "inner_width", to=-1), "inner_width"),
    "derived without a note": (changed("mtp_parameters", "note"), "derived"),
    "key of another file": (changed("key", to="glm-4.7"), "glm-4.7"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_by_place(case: str, tmp_path: Path) -> None:
    content, named = BROKEN[case]
    with pytest.raises(CatalogueError) as refusal:
        read_architecture(written(tmp_path, content))
    assert named in refusal.value.sentence()
    assert refusal.value.where.startswith("glm-4.6.yaml")


def test_the_unbroken_file_reads(tmp_path: Path) -> None:
    assert read_architecture(written(tmp_path, GOOD)).key == "glm-4.6"


def test_models_without_a_configuration_say_why() -> None:
    refused = without_configuration()
    assert set(refused) == {"mistral-large-3", "gpt-5.6-sol"}
    assert not set(refused) & {path.stem for path in architecture_paths()}
