"""Delimited text as bytes: where it is, how it is packed, and its content piece by piece."""

import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import polars as pl


@dataclass(frozen=True, slots=True)
class TextSource:
    """The text behind a table.

    Attributes
    ----------
    place
        A file, or the text itself.
    compression
        ``.gz``, ``.zst`` or nothing.
    separator
        What stands between the fields of a row.
    skip, comments
        Lines before the header, and how many of them are comments.
    """

    place: Path | bytes
    compression: str
    separator: str
    skip: int = 0
    comments: int = 0

    @property
    def size(self) -> int:
        """Bytes as they lie there, packed or not."""
        return self.place.stat().st_size if isinstance(self.place, Path) else len(self.place)

    def open(self) -> BinaryIO:
        """Open the unpacked bytes, from the header on."""
        file = self._open()
        if self.skip:
            file = cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, file)))
            for _ in range(self.skip):
                file.readline()
        return file

    def _open(self) -> BinaryIO:
        if isinstance(self.place, bytes):
            return io.BytesIO(self.place)
        if self.compression == ".gz":
            return cast(BinaryIO, gzip.open(self.place, "rb"))
        if self.compression == ".zst":
            return cast(BinaryIO, _Pieces(_lines_by_polars(self.place)))
        return cast(BinaryIO, self.place.open("rb", buffering=0))

    def read(self) -> bytes:
        """Give all unpacked bytes at once."""
        with self.open() as file:
            return file.read()


class _Pieces(io.RawIOBase):
    """A file out of pieces as they come."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.coming = pieces
        self.piece = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as the piece at hand goes."""
        while not self.piece:
            piece = next(self.coming, None)
            if piece is None:
                return 0
            self.piece = piece
        size = min(len(buffer), len(self.piece))
        buffer[:size] = self.piece[:size]
        self.piece = self.piece[size:]
        return size


def _lines_by_polars(path: Path) -> Iterator[bytes]:
    """Unpack .zst, which the standard library cannot before Python 3.14: each line as a row of one column."""
    lines = pl.scan_csv(
        path, has_header=False, infer_schema=False, separator="\x01", quote_char=None, truncate_ragged_lines=True,
        glob=False,
    )  # fmt: skip
    batches = lines.collect_batches() if hasattr(lines, "collect_batches") else [lines.collect(engine="streaming")]
    for batch in batches:
        column = batch.to_series().fill_null("")
        yield ("\n".join(column.to_list()) + "\n").encode()
