"""Zip archives, Zstandard members among them, which Python's ``zipfile`` cannot open before version 3.14."""

import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from equipoise.core.errors import ReadError
from equipoise.data.files.formats import unpacked
from equipoise.logs.files.bytes_read import opened

__all__ = ["Archive", "opened_archive"]

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
