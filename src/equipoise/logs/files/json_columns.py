"""Long files of JSON lines as columns: the few keys that are wanted, a piece of the file at a time.

Polars reads them several times as fast as Python reads objects. It knows only one type a column, so a piece in which
something is odd (a text among numbers, NaN, a line that is broken) is given as it is, to be read object by object.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import polars as pl

from equipoise.core.errors import ReadError
from equipoise.logs.files.bytes_read import BROKEN
from equipoise.logs.files.json_files import object_of

__all__ = ["Piece", "pieces_of"]

PIECE = 1 << 23
"""Bytes that are read at a time: so much memory is needed, however long the file."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a file, and the number of the first."""

    path: Path
    data: bytes
    first: int

    def objects(self) -> Iterator[dict[str, Any]]:
        """Give the lines as objects.

        Fails when
            a line is no object in JSON, or the file was left in the middle of a merge.
        """
        for number, line in enumerate(self.data.splitlines(), self.first):
            if line and not line.isspace():
                yield object_of(line, self.path, number)

    def columns(self, texts: Sequence[str], number: str) -> pl.DataFrame | None:
        """Give keys as texts, and one as a number (truths are 1 and 0); None where the lines are not so simple."""
        for kind in (pl.Float64, pl.Boolean):
            try:
                frame = pl.read_ndjson(self.data, schema={**dict.fromkeys(texts, pl.String), number: kind})
            except pl.exceptions.PolarsError:
                continue
            return frame.with_columns(pl.col(number).cast(pl.Float64))
        return None


def pieces_of(path: Path, file: IO[bytes]) -> Iterator[Piece]:
    """Give the lines of an open file, many at a time."""
    first = 1
    try:
        while data := file.read(PIECE):
            data += file.readline()
            yield Piece(path, data.removeprefix(b"\xef\xbb\xbf"), first)
            first += data.count(b"\n")
    except BROKEN as error:
        raise ReadError(f"{path}: cannot be read: {error}") from error
