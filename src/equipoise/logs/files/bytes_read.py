"""Files of logs, opened packed or not; how much of them has been read is reported to whoever listens.

Archives (zip) are opened with Zstandard members among them, which Python's ``zipfile`` cannot before version 3.14.
Marks that git leaves in a text file in the middle of a merge are found: such a file contains two versions, and is
refused.

>>> from equipoise.core.progress import listening
>>> with listening(print), reporting_progress([]):
...     pass
megabytes of logs 0 0
"""

import bz2
import gzip
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import polars as pl

from equipoise.core.errors import ReadError
from equipoise.core.progress import tell
from equipoise.data.files.formats import COMPRESSIONS, ends_in_returns, unpacked

MEGABYTE = 1_000_000
WORK = "megabytes of logs"
OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
START_OF_TEXT = 8192
"""Bytes in which the ends of lines are looked for."""
BROKEN = (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError, zlib.error)
"""What goes wrong with files that are damaged, or cannot be opened."""


@dataclass(slots=True)
class _ReadProgress:
    """How far the reading of some files is: those before the one that is open count in full."""

    sizes: dict[Path, int]
    total: int
    passed: int = 0
    current: Path | None = None
    inside: int = 0
    last: int = 0

    def enter(self, path: Path) -> None:
        if path != self.current:
            self.passed += self.sizes.pop(self.current, 0) if self.current else 0
            self.current, self.inside = path, 0

    def add(self, count: int) -> None:
        self.inside += count
        size = self.sizes.get(self.current, 0) if self.current else 0
        done = (self.passed + min(self.inside, size)) // MEGABYTE
        if done > self.last and done < self.total:
            self.last = done
            tell(WORK, done, self.total)


_PROGRESS: ContextVar[_ReadProgress | None] = ContextVar("read_progress", default=None)


@contextmanager
def reporting_progress(files: Sequence[Path]) -> Iterator[None]:
    """Report the bytes of these files as they are read within."""
    sizes = {path: path.stat().st_size for path in files if path.is_file()}
    progress = _ReadProgress(sizes, sum(sizes.values()) // MEGABYTE)
    tell(WORK, 0, progress.total)
    token = _PROGRESS.set(progress)
    try:
        yield
    finally:
        _PROGRESS.reset(token)
        if progress.total:
            tell(WORK, progress.total, progress.total)


class _Counted(io.FileIO):
    """A file that reports how much of it was read."""

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer) or 0
        self._report_bytes(count)
        return count

    def readall(self) -> bytes:
        data = super().readall() or b""
        self._report_bytes(len(data))
        return data

    @staticmethod
    def _report_bytes(count: int) -> None:
        progress = _PROGRESS.get()
        if progress is not None:
            progress.add(count)


@contextmanager
def opened(path: Path, *, unpack: bool = True) -> Iterator[IO[bytes]]:
    """Open a file for reading, packed or not; what is read of it is reported."""
    progress = _PROGRESS.get()
    if progress is not None:
        progress.enter(path)
    with io.BufferedReader(_Counted(path), 1 << 20) as file:
        if not unpack:
            yield file
            return
        with unpacking(path, file) as text:
            yield text


@contextmanager
def unpacking(path: Path, file: Any) -> Iterator[IO[bytes]]:
    """Give the contents of an open file, unpacked as it is read where the first bytes say that it is packed."""
    start = file.peek(8)[:8]
    compression = next((name for name, magic in COMPRESSIONS.items() if start.startswith(magic)), "")
    if not compression:
        yield _with_new_lines(file)
    elif compression == ".zst":
        yield io.BufferedReader(_Zstandard(path), 1 << 20)
    else:
        with OPENERS[compression](file, "rb") as text:
            yield _with_new_lines(text)


def _with_new_lines(file: Any) -> IO[bytes]:
    """Give new lines for carriage returns, where the beginning of a text has no others."""
    start = file.peek(START_OF_TEXT)[:START_OF_TEXT]
    return io.BufferedReader(_NewLines(file), 1 << 20) if ends_in_returns(start) else file


class _NewLines(io.RawIOBase):
    """Text whose lines end in carriage returns alone, with new lines in their place."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer)).replace(b"\r", b"\n")
        buffer[: len(data)] = data
        return len(data)


class _Zstandard(io.RawIOBase):
    """Text out of a packed file, which polars can unpack and the standard library cannot before Python 3.14."""

    def __init__(self, path: Path) -> None:
        lines = pl.scan_csv(
            path, has_header=False, schema={"line": pl.String}, separator="\x01", quote_char=None,
            truncate_ragged_lines=False,
        )  # fmt: skip
        by_batches = hasattr(lines, "collect_batches")  # polars since 1.34; before, all lines at once
        self._batches = iter(lines.collect_batches(maintain_order=True) if by_batches else [lines.collect()])
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            try:
                batch = next(self._batches, None)
            except pl.exceptions.PolarsError as error:
                raise OSError(str(error).partition("\n")[0]) from error
            if batch is None:
                return 0
            lines = batch.to_series().fill_null("").to_list()
            self._left = memoryview("".join(f"{line}\n" for line in lines).encode())
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


ZSTANDARD = 93
LOCAL_HEADER, NAME_LENGTHS_AT = 30, 26
"""Length of a member's own header, and where the lengths of its name and extra field stand (APPNOTE 4.3.7)."""


@dataclass(frozen=True, slots=True)
class Archive:
    """An open archive whose members are text."""

    path: Path
    file: IO[bytes]
    members: zipfile.ZipFile

    @property
    def names(self) -> list[str]:
        """Names of the members, in order."""
        return self.members.namelist()

    def read(self, name: str) -> bytes:
        """Give a member, unpacked.

        Fails when
            it is damaged.
        """
        try:
            entry = self.members.getinfo(name)
            return self._zstandard(entry) if entry.compress_type == ZSTANDARD else self.members.read(entry)
        except Exception as error:  # zlib, struct, polars and zipfile each have their own for the same thing: damage
            raise ReadError(f"{self.path}: {name} is damaged: {error}") from error

    def _zstandard(self, entry: zipfile.ZipInfo) -> bytes:
        self.file.seek(entry.header_offset)
        lengths = struct.unpack_from("<HH", self.file.read(LOCAL_HEADER), NAME_LENGTHS_AT)
        self.file.seek(sum(lengths), 1)
        return unpacked(self.file.read(entry.compress_size), ".zst")


@contextmanager
def opened_archive(path: Path) -> Iterator[Archive]:
    """Open an archive.

    Fails when
        it cannot be opened, or is cut off.
    """
    try:
        with opened(path, unpack=False) as file, zipfile.ZipFile(file) as members:
            yield Archive(path, file, members)
    except zipfile.BadZipFile as error:
        raise ReadError(f"{path}: an archive without its end: it was cut off, or is still being written") from error
    except OSError as error:
        raise ReadError(f"{path}: cannot be opened: {error}") from error


SEARCHED = 1 << 20
MERGE_MARK = re.compile(rb"^(?:[<>|]{7}(?: [^\r\n]*)?|={7})\r?$", re.MULTILINE)


def is_mark(line: str) -> bool:
    """Say whether a line is a mark.

    >>> is_mark("<<<<<<< HEAD"), is_mark("======="), is_mark("========")
    (True, True, False)
    """
    return bool(MERGE_MARK.match(line.encode()))


def refuse_conflict(path: Path) -> None:
    """Refuse a text file with marks of a merge that was not finished."""
    line = conflict_line(path)
    if line:
        raise ReadError(f"{path}: line {line:,} is a mark of an unfinished merge (git); settle the merge first")


def conflict_line(path: Path) -> int:
    """Give the line of the first mark of an unfinished merge, from 1; 0 where there is none."""
    try:
        with path.open("rb") as raw, unpacking(path, raw) as file:
            lines = 0
            while block := file.read(SEARCHED):
                block += file.readline()
                if mark := MERGE_MARK.search(block):
                    return lines + block.count(b"\n", 0, mark.start()) + 1
                lines += block.count(b"\n")
            return 0
    except BROKEN:
        return 0
