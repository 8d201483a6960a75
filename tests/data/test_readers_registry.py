"""What every format must satisfy, checked for each file of data/readers by being there."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.errors import ReadError
from data.readers import Reader, read_bytes, readers, report, sample_path
from data.readers.intake.content import decode
from data.readers.intake.fields import FIELDS
from data.readers.intake.handbook import PAGE, page
from tests.shared_files import SHARED

READERS = readers()
by_key = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.key)

JUNK = [
    b"", b"\0" * 50, b"{", b"[", b"[]", b"{}", b"null", b'"text"', b"[1,2",
    b"{'a': 1}", b'{"a": NaN}', b"a,b\n1", b",,,\n,,,",
    b"\xff\xfe", b"\xff\xfea\x00", b"\xef\xbb\xbf",
    b"PK\x03\x04zip", b"\x1f\x8b", b"[" * 5000, b'{"a":' * 5000, b"<xml/>",
    b'[{"model_id": [], "num_prompts": {}, "request_throughput": null, "mean_ttft_ms": "x"}]',
    b'{"backend": 1, "total_output_tokens_retokenized": [], "mean_ttft_ms": {}}',
    b'{"build_commit":0,"model_filename":null,"n_prompt":"a","n_gen":[],"avg_ts":{}}',
    b"model,tok/s\n" + b"9" * 5000 + b",1\n", b'model,"tok/s\n1,2\n', b"| a | b |\n|---|---|\n| 1 |\n",
    b'{"model_id":"\\ud800","num_prompts":1e999,"request_throughput":1e308,"mean_ttft_ms":1e308,"completed":1e300}',
]  # fmt: skip


@by_key
def test_declares_itself_completely(reader: Reader) -> None:
    assert reader.title
    assert reader.lacks
    assert set(reader.asks) <= set(FIELDS)
    assert sample_path(reader).is_file()


@by_key
def test_reads_its_sample_without_open_questions(reader: Reader) -> None:
    path = sample_path(reader)
    result = read_bytes(path.name, path.read_bytes())
    assert (result.status, result.format) == ("taken", reader.key)
    assert result.runs
    told = {"oom", "metric_definition"}  # an outcome, and a word that means something else here; no disagreement
    assert {one.kind for one in result.warnings} <= told, "the sample's invented figures must agree with each other"
    assert all(set(run.values) == set(run.fields) for run in result.runs), "every figure says where it comes from"
    assert all(set(run.values) <= set(FIELDS) for run in result.runs)


@by_key
def test_sample_is_recognised_by_this_reader_alone(reader: Reader) -> None:
    content = decode("sample", sample_path(reader).read_bytes())
    recognised = [one.key for one in READERS if not one.fallback and one.recognise(content)]
    assert recognised == ([] if reader.fallback else [reader.key])


@by_key
def test_a_broken_sample_ends_in_words(reader: Reader) -> None:
    """Cut anywhere, the file is read in part with the rest listed, or refused with a remedy."""
    whole = sample_path(reader).read_bytes()
    for cut in range(1, len(whole), max(1, len(whole) // 60)):
        result = read_bytes("cut", whole[:cut])
        if result.status == "refused":
            assert len(result.reason) > 20
        assert len(result.runs) + len(result.skipped) > 0 or result.status == "refused"


@by_key
def test_recognise_never_raises_on_junk(reader: Reader) -> None:
    for junk in JUNK:
        try:
            content = decode("junk", junk)
        except ReadError:
            continue
        assert reader.recognise(content) in (True, False)


@pytest.mark.parametrize("junk", JUNK, ids=range(len(JUNK)))
def test_junk_is_refused_or_read_but_never_raises(junk: bytes) -> None:
    result = read_bytes("junk", junk)
    text = json.dumps(report(result), allow_nan=False, ensure_ascii=False)
    text.encode("utf-8")
    assert result.status in ("taken", "questions", "refused")
    assert result.reason or result.status == "taken"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_end_in_a_result(junk: bytes) -> None:
    json.dumps(report(read_bytes("junk", junk)), allow_nan=False)


CELLS = st.one_of(
    st.text(max_size=12), st.floats().map(str), st.sampled_from(["OOM", "-", "1.234,5", "1,234", "TTFT (ms)"])
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(CELLS, min_size=1, max_size=6), min_size=1, max_size=8), st.sampled_from(",;\t|"))
def test_any_table_ends_in_a_result(rows: list[list[str]], delimiter: str) -> None:
    text = "model,tok/s,TTFT,gpu,BS=1,BS=2".replace(",", delimiter) + "\n"
    text += "\n".join(delimiter.join(row) for row in rows)
    json.dumps(report(read_bytes("junk", text.encode("utf-8", "replace"))), allow_nan=False)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)


def documents() -> list[object]:
    """Every sample that is JSON, parsed."""
    contents = [decode(one.sample, sample_path(one).read_bytes()) for one in READERS]
    return [value.value for content in contents for value in content.values[:2]]


DOCUMENTS = documents()


def spoil(value: object, data: st.DataObject) -> None:
    """Put something else into a random place of a JSON value, or take the place away."""
    while isinstance(value, dict | list) and value:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = data.draw(st.sampled_from(keys))
        inner = value[key]  # type: ignore[index]
        if isinstance(inner, dict | list) and inner and data.draw(st.integers(0, 4)):
            value = inner
            continue
        if data.draw(st.booleans()):
            value[key] = data.draw(VALUES)  # type: ignore[index]
        else:
            del value[key]  # type: ignore[arg-type]
        return


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_value_may_stand_in_any_place_of_a_report(data: st.DataObject) -> None:
    document = copy.deepcopy(data.draw(st.sampled_from(DOCUMENTS)))
    for _ in range(data.draw(st.integers(1, 5))):
        spoil(document, data)
    result = read_bytes("spoilt", json.dumps(document).encode("utf-8", "surrogatepass"))
    json.dumps(report(result), allow_nan=False, ensure_ascii=False).encode("utf-8")
    assert result.reason or result.status == "taken"


@by_key
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "gb18030"])
def test_the_same_runs_in_every_encoding_and_line_ending(reader: Reader, encoding: str) -> None:
    whole = sample_path(reader).read_bytes()
    plain = read_bytes(reader.sample, whole)
    text = whole.decode().replace("\r\n", "\n")
    for form in (text, text.replace("\n", "\r\n")):
        again = read_bytes(reader.sample, form.encode(encoding))
        assert (again.status, again.format) == (plain.status, plain.format)
        assert [run.run_id for run in again.runs] == [run.run_id for run in plain.runs]


@by_key
def test_depth_beyond_reason_is_no_crash(reader: Reader) -> None:
    """A value nested a thousand and a hundred thousand levels in the place of the sample's first figure."""
    text = sample_path(reader).read_text()
    for depth in (1_000, 100_000):
        deep = re.sub(r"(?<=: )\d[\d.]*|(?<=:)\d[\d.]*", "[" * depth + "]" * depth, text, count=1)
        assert read_bytes("deep", deep.encode()).status in ("taken", "questions", "refused")


LINES = [sample_path(one).read_text().splitlines()[0] for one in READERS if one.sample.endswith(".jsonl")]
EXTRA = {"model_id", "num_prompts", "request_throughput", "mean_ttft_ms", "itls", "ttfts", "output_lens", "server_info"}
KEYS = st.sampled_from(sorted(EXTRA | {key for line in LINES for key in json.loads(line)}))


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=12))
def test_known_keys_with_wrong_values_end_in_a_result(record: dict[str, object]) -> None:
    record |= {"model_id": "m", "num_prompts": record.get("num_prompts", 1), "request_throughput": 1, "mean_tpot_ms": 2}
    result = read_bytes("junk", json.dumps(record).encode())
    json.dumps(report(result), allow_nan=False)


def test_limits_are_checked_before_parsing() -> None:
    assert "too many lines" in read_bytes("lines", b"\n1" * 3_000_001).reason
    assert "too large" in read_bytes("large", bytes(200_000_001)).reason
    assert "too many columns" in read_bytes("wide", b"a," * 600 + b"b\n" + b"1," * 600 + b"2\n").reason
    assert "too many rows" in read_bytes("long", b"model,tok/s\n" + b"m,1\n" * 50_001).reason
    assert read_bytes("deep", b"[" * 100_000).status == "refused"
    assert read_bytes("objects", b"[" + b"{}," * 3_100_000 + b"{}]").status == "refused"


def test_the_page_about_the_run_record_is_current() -> None:
    """Written anew by `python -m data.readers.intake.handbook`."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_mutated_files_end_in_a_result() -> None:
    """Cut, overwritten, doubled, re-encoded: seeded mutations of the samples, each a strict report.

    400 of one seed; `make soak` sets SOAK_SECONDS and goes on with other seeds, printed, for as long.
    """
    seconds = float(os.environ.get("SOAK_SECONDS", "0"))
    seed = random.randrange(10**9) if seconds else 20260101  # noqa: S311 - mutations, not secrets
    print(f"seed {seed}")  # shown where the test fails
    choice = random.Random(seed)  # noqa: S311
    originals = [sample_path(reader).read_bytes() for reader in READERS] + (_collection() if seconds else [])
    until, done = time.monotonic() + seconds, 0
    while done < 400 or time.monotonic() < until:
        done += 1
        mutant = bytearray(choice.choice(originals))
        for _ in range(choice.randint(1, 3)):
            mutant = _mutate(mutant, choice)
        printed = json.dumps(report(read_bytes("mutant", bytes(mutant))), allow_nan=False, ensure_ascii=False)
        printed.encode("utf-8")


def _collection() -> list[bytes]:
    """Every file of the reference collection, where it is there."""
    folders = [SHARED / name for name in ("samples", "handmade")]
    return [path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()]


def _mutate(content: bytearray, choice: random.Random) -> bytearray:
    if not content:
        return content
    at, kind = choice.randrange(len(content)), choice.randrange(6)
    if kind == 0:
        return content[:at]
    if kind == 1:
        for _ in range(choice.randint(1, 20)):
            content[choice.randrange(len(content))] = choice.randrange(256)
        return content
    if kind == 2:
        return content[:at] + content[at // 2 : at] + content[at:]
    if kind == 3:
        old, new = (
            choice.choice([b",", b'"', b"\n", b"0", b"}"]),
            choice.choice([b"\t", b"\r", b"NaN", b"1e999", b"[", b"="]),
        )
        return bytearray(bytes(content).replace(old, new, choice.randint(1, 40)))
    if kind == 4:
        text = bytes(content).decode("utf-8", "replace")
        return bytearray(text.encode(choice.choice(["utf-16", "utf-8-sig", "cp1252", "gb18030"]), "replace"))
    return bytearray(bytes(content).replace(b"\n", b"\r\n"))
