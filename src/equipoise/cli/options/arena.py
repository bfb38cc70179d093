"""What the commands of the arena share: where it is, and reaching it through its owner."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option

if TYPE_CHECKING:
    from equipoise.arena.access.service import ArenaClient
    from equipoise.arena.arena import Arena
    from equipoise.arena.remote.arena import RemoteArena


DatabaseOption = Annotated[
    str, typer.Option("--database", "-d", help="The arena: a file, postgresql://USER@HOST/DATABASE, or http://...")
]

DatabaseInstead = Annotated[str | None, typer.Option("--database", "-d", help="The arena, instead of FILE.")]
FileOrUrl = Annotated[
    str | None, typer.Argument(metavar="FILE", help="The arena: a file, or postgresql://USER@HOST/DATABASE.")
]


def one_place(file: str | None, database: str | None) -> str:
    """Give the place of an arena that was said in one of two ways."""
    if (file is None) == (database is None):
        raise ParameterError("say which arena: FILE, or ", Option("database"))
    return file or database or ""


@contextmanager
def managed(database: str) -> Iterator["Arena | ArenaClient | RemoteArena"]:
    """Open an arena, or reach it through the process or the server that has it open."""
    from equipoise.arena.arena import Arena
    from equipoise.arena.store.ownership import owner_of
    from equipoise.arena.store.place import is_postgres

    owned = not is_postgres(database) and "://" not in database and Path(database).exists() and owner_of(Path(database))
    with Arena.connect(database) if owned else Arena.open(database) as arena:
        yield arena
