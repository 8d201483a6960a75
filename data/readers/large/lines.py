"""A long file by lines: where each begins, single rows as a small file, blocks that keep them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from data.readers.intake.content import Content
from data.readers.intake.result import ReadResult
from data.readers.large.runs import BLOCK_ROWS

_ROW = re.compile(r"\b(row|line) (\d+)\b")
_NEWLINE = 10
CODEC = "zstd"


@dataclass(frozen=True, kw_only=True)
class Lines:
    """The lines of a file that hold something. `starts` and `ends` are byte offsets, `numbers` count from 1."""

    content: bytes
    starts: np.ndarray
    ends: np.ndarray
    numbers: np.ndarray
    all_starts: np.ndarray  # of blank lines too

    def text(self, index: int) -> str:
        """One line without its end."""
        return self.content[self.starts[index] : self.ends[index]].decode("utf-8", "replace").rstrip("\r\n")

    def small(self, name: str, indices: Sequence[int]) -> Content:
        """The header and these lines as a file of their own."""
        text = "\n".join([self.text(0), *(self.text(int(index)) for index in indices)]) + "\n"
        return Content(name=name, text=text, encoding="utf-8", size_byte=len(text))

    def blocks(self) -> tuple[bytes, ...]:
        """Every line from the second on, blank ones too, compressed: BLOCK_ROWS lines a block."""
        codec = pa.Codec(CODEC, compression_level=1)
        cuts = [*self.all_starts[1::BLOCK_ROWS].tolist(), len(self.content)]
        pieces = (self.content[first:last] for first, last in pairwise(cuts))
        return tuple(len(piece).to_bytes(8, "big") + codec.compress(piece, asbytes=True) for piece in pieces)


def lines_of(content: bytes) -> Lines:
    """Where the lines of the file are; blank ones are left out but counted."""
    newlines = np.flatnonzero(np.frombuffer(content, dtype=np.uint8) == _NEWLINE)
    ends = newlines + 1 if content.endswith(b"\n") else np.append(newlines + 1, len(content))
    starts = np.concatenate(([0], ends[:-1]))
    short = np.flatnonzero(ends - starts <= 2)
    kept = np.ones(len(starts), dtype=bool)
    kept[[at for at in short if not content[starts[at] : ends[at]].strip()]] = False
    return Lines(content=content, starts=starts[kept], ends=ends[kept], numbers=np.flatnonzero(kept) + 1,
                 all_starts=starts)  # fmt: skip


def unpacked(block: bytes) -> list[bytes]:
    """The lines of a block."""
    size = int.from_bytes(block[:8], "big")
    plain: bytes = pa.Codec(CODEC).decompress(block[8:], decompressed_size=size, asbytes=True)
    return plain.split(b"\n")


def renumbered(result: ReadResult, numbers: Sequence[int]) -> ReadResult:
    """A small file's result with the line numbers of the long file; `numbers` are those of its rows in order."""

    def real(line: int) -> int:
        return int(numbers[line - 2]) if 2 <= line < len(numbers) + 2 else line

    def words(text: str) -> str:
        return _ROW.sub(lambda match: f"{match[1]} {real(int(match[2]))}", text)

    return replace(
        result,
        runs=tuple(
            replace(run, fields={name: replace(one, path=words(one.path)) for name, one in run.fields.items()})
            for run in result.runs
        ),
        warnings=tuple(replace(one, text=words(one.text)) for one in result.warnings),
        skipped=tuple(replace(one, line=real(one.line), why=words(one.why)) for one in result.skipped),
    )
