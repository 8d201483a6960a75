"""Files of claims: quantities with units, clear faults, and texts that somebody brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.catalogue.claim_files import load_claims, read_claims
from data.errors import CatalogueError

HEAD = "document: {short: talk, title: A talk, kind: person}\nclaims:\n"
GOOD = HEAD + "  - {key: mine, says: it is fast, check: speed, given: {claimed_token_per_s: 900 tok/s, chip: wse-3}}\n"


def written(folder: Path, text: str) -> Path:
    """The text as a file."""
    path = folder / "own.yaml"
    path.write_text(text)
    return path


def test_quantities_are_read_in_si(tmp_path: Path) -> None:
    text = GOOD.replace("900 tok/s", "0.9 ktok/s, layer_s: [20 us, 10 us], claimed_byte_per_s: 710 GB/s")
    claim = read_claims(written(tmp_path, text), own=True)[0]
    assert claim.given["claimed_token_per_s"] == pytest.approx(900.0)
    assert claim.given["layer_s"] == pytest.approx((20e-6, 10e-6))
    assert claim.given["claimed_byte_per_s"] == pytest.approx(710e9)
    assert claim.own
    assert claim.source.title == "A talk"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD.replace("900 tok/s", "900"), "without its unit"),
        (GOOD.replace("900 tok/s", "900 GB/s"), "wrong kind of unit"),
        (GOOD.replace("900 tok/s", "900 toks per parsec"), "unknown unit"),
        (GOOD.replace("900 tok/s", ".inf"), "finite"),
        (GOOD.replace("check: speed", "chek: speed"), "check"),
        (GOOD.replace("chip: wse-3}}", "chip: wse-3}, fields: [wse-3.memory]}"), "not a figure"),
        (GOOD + GOOD.split("claims:\n")[1], "twice"),
        (GOOD.replace("chip: wse-3", "chip: wse-3, chip: wse-2"), "twice"),
        (GOOD.replace("chip: wse-3", "chip: [wse-3, 2]"), "texts and numbers"),
        ("- a list\n", "not a mapping"),
        ("document: !!python/object/apply:os.system ['true']\n", "could not determine a constructor"),
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("? [a]\n: b\n", "no word"),
        ("[" * 100 + "]" * 100, "deeply"),
        (HEAD + "x" * 1_000_001, "too large"),
        ("a: [\n", "line"),
    ],
)
def test_faults_are_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(CatalogueError) as caught:
        read_claims(written(tmp_path, text), own=True)
    assert told in caught.value.sentence()


def test_shipped_claims_name_document_and_check() -> None:
    claims = load_claims()
    assert len(claims) == 30
    assert all(claim.source.title and claim.check and claim.says for claim in claims)
    assert not any(claim.own for claim in claims)


def test_an_empty_folder_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError):
        load_claims(tmp_path)
