"""Delimited text as bytes: where it is, how it is packed, and its content piece by piece."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

__all__ = ["TextSource"]

PIECE = 1 << 22
"""Bytes read at once."""


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

    def pieces(self) -> Iterator[bytes]:
        """Give the unpacked bytes from the header to the last."""
        left = self.skip
        for piece in self._all_pieces():
            while left and piece:
                _, end, piece = piece.partition(b"\n")  # noqa: PLW2901  # what is left of it
                left -= bool(end)
            if piece:
                yield piece

    def _all_pieces(self) -> Iterator[bytes]:
        if isinstance(self.place, bytes):
            yield self.place
        elif self.compression == ".zst":
            yield from _lines_by_polars(self.place)
        else:
            opened = gzip.open(self.place, "rb") if self.compression == ".gz" else self.place.open("rb", buffering=0)
            with opened as file:
                while piece := file.read(PIECE):
                    yield piece


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
