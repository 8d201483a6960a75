"""Adding an own entry from a file, all or nothing, and taking one away."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from data.catalogue.catalogue import Catalogue
from data.catalogue.claim_files import Claim
from data.catalogue.name_forms import folded
from data.catalogue.yaml_file import read_yaml
from data.errors import CatalogueError, UnknownNameError
from data.own.configurations import kept_text, parse_configuration
from data.own.entries import Kind, OwnEntry, OwnRecords, kind_of_content, own_files, read_own, with_file
from data.own.merge import merge, taken_key, taken_names

_NOT_IN_KEYS = re.compile(r"[^a-z0-9.-]+")


def add(
    folder: Path, shipped: Catalogue, claims: tuple[Claim, ...], content: bytes, file: str, *,
    key: str = "", name: str = "", stated_total: int | None = None,
) -> OwnEntry:  # fmt: skip
    """Keep one file's entry; nothing is left behind if it cannot be used.

    content        YAML of a chip, a model, prices or claims; or a model's config.json
    key, name      how a model from a config.json is called; from the file's own words if empty
    stated_total   parameters its publisher states, to hold the count against

    Raises CatalogueError naming file and field, UnknownNameError for a model_type no family reads, and CatalogueError
    for a key or name that the shipped catalogue has or an own entry, of whatever kind and readable or not, has already.
    """
    with tempfile.TemporaryDirectory() as place:
        kind, path = _written(Path(place), content, file, key, name, stated_total)
        alone = with_file(OwnRecords(), kind, path)
        if any(path.stem == other.stem for _, other in own_files(folder)):
            raise CatalogueError("you have an own entry of this key already", where=path.stem,
                                 remedy="Remove that first, or choose another.")  # fmt: skip
        _check_free(alone, path, shipped, claims, read_own(folder))
        target = folder / kind / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".part")
        partial.write_bytes(path.read_bytes())
        os.replace(partial, target)
    return OwnEntry(kind=kind, key=alone.entries[0].key, name=alone.entries[0].name, path=target)


def _written(place: Path, content: bytes, file: str, key: str, name: str, total: int | None) -> tuple[Kind, Path]:
    """The entry in the form it is kept in, in a folder of its own."""
    stem, ending = _key_from(Path(file).stem), Path(file).suffix.lower()
    if ending == ".json":
        values = parse_configuration(content, file)
        called = name or str(values.get("_name_or_path") or "") or stem
        chosen = key or _key_from(called.rsplit("/", 1)[-1])
        path = place / f"{chosen or 'model'}.json"
        path.write_text(kept_text(chosen, called, Path(file).name, values, total), encoding="utf-8")
        return "architectures", path
    if ending not in (".yaml", ".yml"):
        raise CatalogueError("not a file of the catalogue", where=file, found=ending, expected=".yaml, or config.json")
    path = place / f"{stem or 'entry'}.yaml"
    path.write_bytes(content)
    mapping = read_yaml(path, untrusted=True)
    kind = kind_of_content(mapping, file)
    if kind in ("chips", "architectures"):
        path = path.rename(place / f"{_key_from(str(mapping.get('key', '')))}.yaml")
    return kind, path


def _key_from(text: str) -> str:
    return _NOT_IN_KEYS.sub("-", text.lower()).strip("-.")[:80]


def _check_free(
    alone: OwnRecords, path: Path, shipped: Catalogue, claims: tuple[Claim, ...], own: OwnRecords
) -> None:
    """Raise CatalogueError if the new entry takes a key or name that is in use, or cannot be merged."""
    taken = taken_names(shipped)
    named = {"chip": [each.key for each in alone.chips], "model": [each.key for each in alone.architectures]}
    for sort, keys in named.items():
        if found := [each for each in keys if folded(each) in taken[sort]]:
            raise taken_key(found[0])
    own_claims = {claim.key for claim in own.claims}
    if again := [claim.key for claim in alone.claims if claim.key in own_claims]:
        raise CatalogueError("your own claims have this key already", where=path.name, found=", ".join(again))
    if faults := merge(shipped, claims, alone).faults:
        raise CatalogueError(faults[0].rstrip("."), where=path.name)


def remove(folder: Path, key: str) -> OwnEntry:
    """Take an own entry away by its key, readable or not. Raises UnknownNameError with near matches."""
    known = {path.stem: (kind, path) for kind, path in own_files(folder)}
    if key not in known:
        raise UnknownNameError("own entry", key, known)
    kind, path = known[key]
    path.unlink()
    return OwnEntry(kind=kind, key=key, name=key, path=path)
