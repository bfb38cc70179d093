"""Where an arena is: a file's path, or the address of a PostgreSQL database."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from equipoise.core.errors import ParameterError, ReadError
from equipoise.core.options import shown
from equipoise.data.files.arena_files import is_arena


def is_postgres(where: str) -> bool:
    """Distinguish an address from a file's path.

    >>> is_postgres("postgresql://localhost/x"), is_postgres("x.db")
    (True, False)
    """
    return where.startswith(("postgresql://", "postgres://"))


@dataclass(frozen=True, slots=True)
class StorePlace:
    """A file, or a PostgreSQL address.

    >>> StorePlace.of("ladder.db").file.name, StorePlace.of("postgresql://localhost/ladder").file
    ('ladder.db', None)
    """

    file: Path | None
    address: str

    @classmethod
    def of(cls, where: str | Path) -> Self:
        """Read a path or an address."""
        if isinstance(where, Path):
            return cls(where, "")
        if not isinstance(where, str) or not where.strip():
            raise ParameterError(f"an arena is a file's path or postgresql://..., not {shown(where)}")
        if is_postgres(where):
            return cls(None, where.replace("postgres://", "postgresql://", 1))
        if "://" in where:
            raise ParameterError(f"an arena is a file's path or postgresql://..., not {shown(where)}")
        return cls(Path(where), "")

    def __str__(self) -> str:
        return str(self.file) if self.file is not None else self.hidden()

    def hidden(self) -> str:
        """Give the address without its password."""
        from sqlalchemy.engine import make_url

        return make_url(self.address).render_as_string(hide_password=True)

    def refuse_existing(self) -> None:
        """Refuse to make an arena where something is already."""
        if self.file is None:
            return
        if not self.blank:
            raise ReadError(f"{self.file} exists already: open it, or choose another name")
        if not self.file.absolute().parent.is_dir():
            raise ReadError(f"there is no folder {self.file.absolute().parent}")

    @property
    def blank(self) -> bool:
        """Whether the file is not there, or has nothing in it."""
        return self.file is not None and (not self.file.exists() or _blank(self.file))

    def refuse_other(self) -> None:
        """Refuse to open what is no arena."""
        if self.file is None:
            return
        if not self.file.exists():
            raise ReadError(f"there is no arena {self.file}")
        if self.file.is_dir():
            raise ReadError(f"{self.file} is a folder, not an arena")
        try:
            with self.file.open("rb") as file:
                start = file.read(100)
        except OSError as error:
            raise ReadError(f"{self.file} cannot be read: {error.strerror}") from None
        # One whose owner was killed soon after it was made has everything, its mark too, in the write-ahead log only.
        log = self.file.with_name(f"{self.file.name}-wal")
        young = start.startswith(b"SQLite format 3\x00") and log.exists() and log.stat().st_size > 0
        if not is_arena(start) and not young:
            raise ReadError(f"{self.file} is no arena")


def _blank(file: Path) -> bool:
    """Say whether a file is a database with nothing in it: what is left of one that was killed while it was made."""
    if not file.is_file():
        return False
    try:
        # For writing: SQLite must be able to take back what it was killed in.
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True)) as database:
            return not database.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.Error:
        return False
