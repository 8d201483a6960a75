"""The gate's figures against scipy, arithmetic by hand and the theory of rounding, and what it refuses."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cosine as cosine_distance
from scipy.special import log_softmax, rel_entr

from analysis.gate import Thresholds, Verdict, compare, judge, targets_from
from analysis.gate.compare import in_order
from analysis.gate.logits import LogitSums, shared_top
from analysis.gate.sums import Sums
from data.errors import OutOfRangeError, ReadError, UnknownNameError
from data.tensors import open_tensors

RNG = np.random.default_rng(7)
Arrays = dict[str, Any]


def saved(folder: Path, name: str, arrays: Arrays) -> Any:
    np.savez(folder / name, **arrays)
    return open_tensors(folder / name)


def judged(folder: Path, one: Arrays, two: Arrays, asked: Thresholds | None = None, **more: Any) -> Verdict:
    found = compare(saved(folder, "one.npz", one), saved(folder, "two.npz", two), **more)
    return judge(tuple(found), asked or Thresholds())


@given(size=st.integers(2, 200), offset=st.sampled_from([0.0, 1e3, -1e6]), cut=st.integers(1, 199))
def test_sums_in_pieces_give_what_whole_arrays_give(size: int, offset: float, cut: int) -> None:
    """Second route: numpy and scipy on the whole arrays."""
    one = np.random.default_rng(size).normal(size=size) + offset
    two = one + 0.1 * np.random.default_rng(size + 1).normal(size=size)
    sums = Sums()
    for part in (slice(0, cut), slice(cut, None)):
        sums = sums.with_piece(one[part], two[part])
    assert sums.spread == pytest.approx(one.var(), rel=1e-6)
    assert sums.squared_error / sums.count == pytest.approx(np.mean((two - one) ** 2))
    angle = sums.product / math.sqrt(sums.reference_square * sums.candidate_square)
    assert 1 - angle == pytest.approx(cosine_distance(one, two), abs=1e-9)
    assert sums.largest_error == np.abs(two - one).max()
    assert abs(two - one)[sums.largest_at] == sums.largest_error


def test_logits_agree_with_scipy() -> None:
    one, two = RNG.normal(size=(2, 9, 50)) * 3
    ids = RNG.integers(0, 50, 9)
    ids[4] = -100
    sums = LogitSums().with_piece(one[:4], two[:4], ids[:4]).with_piece(one[4:], two[4:], ids[4:])
    found = sums.agreement()
    p, q = (log_softmax(each, axis=1) for each in (one, two))
    expected = rel_entr(np.exp(p), np.exp(q)).sum(axis=1)
    assert found.divergence_mean == pytest.approx(expected.mean())
    assert found.divergence_largest == pytest.approx(expected.max())
    assert found.top1 == np.mean(one.argmax(1) == two.argmax(1))
    sets = [len(set(np.argsort(a)[-5:]) & set(np.argsort(b)[-5:])) / 5 for a, b in zip(one, two, strict=True)]
    assert found.top5 == pytest.approx(np.mean(sets))
    known = ids >= 0
    assert found.tokens == 8
    assert found.candidate_perplexity == pytest.approx(math.exp(-q[known, ids[known]].mean()))


def test_perplexity_by_hand() -> None:
    """Even odds over 4 tokens: perplexity 4, whichever token comes."""
    even = np.zeros((3, 4))
    found = LogitSums().with_piece(even, even, np.array([0, 3, -1])).agreement()
    assert (found.tokens, found.reference_perplexity) == (2, pytest.approx(4.0))
    assert found.perplexity_gap == pytest.approx(0.0)


def test_masked_vocabulary_and_broken_rows() -> None:
    """A token at minus infinity in both adds nothing; a row broken in one is left out and fails the tensor."""
    one = np.array([[0.0, 1.0, -np.inf], [0.0, 1.0, 2.0]])
    two = one.copy()
    two[1, 0] = np.nan
    found = LogitSums().with_piece(one, two, None).agreement()
    assert (found.rows, found.divergence_mean, found.top1) == (1, 0.0, 1.0)
    sums = Sums().with_piece(one, two)
    assert (sums.broken, sums.first_broken_at, sums.count) == (1, 3, 4)


def test_shared_top_of_a_small_vocabulary() -> None:
    assert shared_top(np.array([[3.0, 1.0]]), np.array([[1.0, 3.0]])) == [1.0]


def test_identical_tensors_pass_and_say_so(tmp_path: Path) -> None:
    one = {
        "w": RNG.normal(size=(8, 8)),
        "zero": np.zeros(5),
        "const": np.full(4, 3.0),
        "logits": RNG.normal(size=(4, 9)),
    }
    verdict = judged(tmp_path, one, one, Thresholds(divergence=1e-9, top1=1.0, top5=1.0, largest_error=1e-12))
    assert verdict.passed
    assert all(each.relative_error == 0 and each.cosine == pytest.approx(1) for each in verdict.agreements)


@pytest.mark.parametrize(("levels", "passes"), [(255, True), (127, False), (15, False)])
def test_rounding_noise_is_graded_by_its_number_of_levels(tmp_path: Path, levels: int, passes: bool) -> None:
    """Normal values clipped to +-4 sigma and rounded to n levels: step 8/n, noise step^2/12 of a variance of 1.

    n = 255: 8.2e-5, below 1e-4. n = 127: 3.3e-4. n = 15 (4 bits): 2.4e-2.
    """
    values = np.clip(np.random.default_rng(3).normal(size=(500, 200)), -4, 4)
    step = 8 / levels
    verdict = judged(tmp_path, {"w": values}, {"w": np.round(values / step) * step})
    assert verdict.passed is passes
    assert verdict.agreements[0].relative_error == pytest.approx(step**2 / 12, rel=0.03)


def test_the_first_bad_layer_is_named_in_the_models_order(tmp_path: Path) -> None:
    names = ["logits", "layers.10.out", "layers.2.out", "norm", "embed", "layers.9.out"]
    assert in_order(names) == ["embed", "layers.2.out", "layers.9.out", "layers.10.out", "norm", "logits"]
    one = {name: RNG.normal(size=(4, 4)) for name in names}
    two = {name: values + (0.5 if name in ("layers.9.out", "layers.10.out") else 0) for name, values in one.items()}
    assert judged(tmp_path, one, two).first_bad == "layers.9.out"


def test_a_scaled_tensor_keeps_its_angle_and_fails_by_its_error(tmp_path: Path) -> None:
    """Twice the values: cosine 1, error = mean square, so relative error = E[x^2]/var > 1e-4."""
    values = RNG.normal(size=1000)
    verdict = judged(tmp_path, {"w": values}, {"w": 2 * values})
    assert verdict.agreements[0].cosine == pytest.approx(1)
    assert verdict.agreements[0].relative_error == pytest.approx(np.mean(values**2) / values.var())
    assert not verdict.passed


def test_numbers_that_are_none_fail_with_their_place(tmp_path: Path) -> None:
    one = RNG.normal(size=(3, 4))
    two = one.copy()
    two[1, 2] = np.inf
    verdict = judged(tmp_path, {"w": one}, {"w": two})
    assert "1 numbers are not finite, the first at [1, 2]" in verdict.failures["w"][0]


def test_zeros_that_are_not_kept_fail(tmp_path: Path) -> None:
    verdict = judged(tmp_path, {"w": np.zeros(4)}, {"w": np.full(4, 1e-9)})
    assert math.isinf(verdict.agreements[0].relative_error)
    assert not verdict.passed


W = np.ones((2, 3))
MISMATCHES = {
    "names": ({"w": W}, {"v": W}, "same tensors"),
    "missing": ({"w": W, "v": W}, {"w": W}, "without v"),
    "shape": ({"w": W}, {"w": W.T}, "transposed"),
    "width": ({"w": W.astype("f4")}, {"w": W.astype("f2")}, "mixed formats"),
    "codes": ({"w": W.astype("f4")}, {"w": W.astype("i1")}, "dequantised"),
    "both codes": ({"w": W.astype("i1")}, {"w": W.astype("i1")}, "dequantised"),
    "nothing": ({"w": W[:0]}, {"w": W[:0]}, "empty"),
}


@pytest.mark.parametrize("kind", MISMATCHES)
def test_mismatches_are_refused_in_words(tmp_path: Path, kind: str) -> None:
    one, two, words = MISMATCHES[kind]
    with pytest.raises(ReadError, match=words):
        judged(tmp_path, one, two)


def test_float_widths_may_differ_when_asked(tmp_path: Path) -> None:
    one = RNG.normal(size=(20, 30)).astype("f4")
    assert judged(tmp_path, {"w": one}, {"w": one.astype("f2")}, mixed_formats=True).passed


def test_thresholds_that_cannot_be_judged_are_refused(tmp_path: Path) -> None:
    with pytest.raises(OutOfRangeError, match="no tensor holds them"):
        judged(tmp_path, {"w": W}, {"w": W}, Thresholds(top1=0.9))
    with pytest.raises(OutOfRangeError, match="no token ids"):
        judged(tmp_path, {"logits": W}, {"logits": W}, Thresholds(perplexity_gap=0.1))
    with pytest.raises(OutOfRangeError, match="no number"):
        Thresholds(cosine=math.nan)
    with pytest.raises(UnknownNameError, match="logits"):
        judged(tmp_path, {"logits": W}, {"logits": W}, logits="logit")


def test_token_ids_are_checked_and_shifted(tmp_path: Path) -> None:
    """Input 5 6 7 / 1 2 3: what is expected is 6 7 - / 2 3 -."""
    np.save(tmp_path / "t.npy", np.array([[5, 6, 7], [1, 2, 3]]))
    ids = open_tensors(tmp_path / "t.npy")
    assert targets_from(ids, (2, 3, 9), aligned=False).ids.tolist() == [6, 7, -1, 2, 3, -1]
    assert targets_from(ids, (2, 3, 9), aligned=True).ids.tolist() == [5, 6, 7, 1, 2, 3]
    with pytest.raises(ReadError, match="outside the vocabulary"):
        targets_from(ids, (2, 3, 7), aligned=True)
    with pytest.raises(ReadError, match="another number"):
        targets_from(ids, (2, 4, 9), aligned=True)


MEASURE = """
import sys
from pathlib import Path
from analysis.gate import Thresholds, compare, judge
from data.tensors import open_tensors
one, two = (open_tensors(Path(name)) for name in sys.argv[1:])
verdict = judge(tuple(compare(one, two)), Thresholds())
anonymous = [line for line in open("/proc/self/status") if line.startswith("RssAnon")]
print(verdict.passed, anonymous[0].split()[1])
"""


def test_logits_wider_than_a_piece_are_compared_position_by_position(tmp_path: Path) -> None:
    """A vocabulary of 151,936 (Qwen), more than a piece of 131,072 numbers holds; second route: scipy on the rows."""
    one = RNG.normal(size=(3, 151_936)).astype(np.float32)
    two = one + 0.1 * RNG.normal(size=one.shape).astype(np.float32)
    ids = RNG.integers(0, 151_936, 3)
    np.save(tmp_path / "ids.npy", ids)
    found = judged(
        tmp_path, {"logits": one}, {"logits": two},
        targets=lambda info: targets_from(open_tensors(tmp_path / "ids.npy"), info.shape, aligned=True),
    ).agreements[0].logits  # fmt: skip
    first, second = (log_softmax(each.astype(float), axis=1) for each in (one, two))
    assert found is not None
    assert found.rows == found.tokens == 3
    assert found.divergence_mean == pytest.approx(rel_entr(np.exp(first), np.exp(second)).sum(axis=1).mean(), rel=1e-6)
    assert found.top1 == pytest.approx((one.argmax(axis=1) == two.argmax(axis=1)).mean())
    assert found.candidate_perplexity == pytest.approx(np.exp(-second[np.arange(3), ids].mean()))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory of a process is read from /proc")
def test_large_files_need_the_memory_of_a_piece(tmp_path: Path) -> None:
    """Two files of 320 MB with holes: below 200 MB of the process's own memory, libraries included."""
    for name in ("one.npy", "two.npy"):
        with (tmp_path / name).open("wb") as stream:
            shape = (40_000, 1000)
            np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
            stream.truncate(stream.tell() + 320_000_000)
    arguments = [sys.executable, "-c", MEASURE, str(tmp_path / "one.npy"), str(tmp_path / "two.npy")]
    passed, kilobytes = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()
    assert passed == "True"
    assert int(kilobytes) < 200_000
