"""A first look at a file: its beginning, the names inside an archive, the files beside it."""

import re
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from equipoise.logs.files.bytes_read import BROKEN, unpacking

START = 65_536
"""Bytes that are looked at."""
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\[\]]', re.DOTALL)


@dataclass(frozen=True)
class Peek:
    """What can be seen of a file without reading it.

    Attributes
    ----------
    path
        The file.
    start
        Its first 64 kB, unpacked.
    names
        Of the members, if it is a zip archive.
    """

    path: Path
    start: bytes
    names: tuple[str, ...] = ()

    @classmethod
    def at(cls, path: Path) -> "Peek":
        """Look at a file; one that cannot be opened shows nothing."""
        try:
            with path.open("rb") as file, unpacking(path, file) as text:
                start = text.read(START)
            return cls(path, start, _members(path) if start.startswith(b"PK") else ())
        except (*BROKEN, zipfile.BadZipFile):
            return cls(path, b"")

    @property
    def suffix(self) -> str:
        """The end of the file's name, in small letters."""
        return self.path.suffix.lower()

    @cached_property
    def siblings(self) -> frozenset[str]:
        """Names of the files beside it."""
        return frozenset(path.name for path in self.path.parent.iterdir())

    @cached_property
    def text(self) -> str:
        """The beginning as text."""
        return self.start.decode("utf-8-sig", errors="replace").lstrip()

    @cached_property
    def first_line(self) -> str:
        """The first line, or the part of it that was looked at."""
        return self.text.partition("\n")[0]

    @property
    def listed(self) -> bool:
        """Whether it begins as a list in JSON."""
        return self.text.startswith("[")

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the first JSON object (the first of a list), as far as they were seen.

        >>> sorted(Peek(Path("x"), b'[{"a": {"b": 1}, "c": ["d"], "e').keys)
        ['a', 'c']
        """
        keys, depth, inside = set(), 0, 2 if self.listed else 1
        if not self.text.startswith(("{", "[")):
            return frozenset()
        for token in TOKEN.finditer(self.text):
            sign = token[0][0]
            if sign in "{[":
                depth += 1
            elif sign in "}]":
                depth -= 1
                if depth < inside:
                    break
            elif token[2] and depth == inside:
                keys.add(token[1])
        return frozenset(keys)


def _members(path: Path) -> tuple[str, ...]:
    with zipfile.ZipFile(path) as archive:
        return tuple(archive.namelist())
