"""What the commands of the arena share: where it is, and reaching it through its owner."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from equipoise.arena.access.service import ArenaClient
    from equipoise.arena.arena import Arena


DatabaseOption = Annotated[
    str, typer.Option("--database", "-d", help="The arena: a file, or postgresql://USER@HOST/DATABASE.")
]


@contextmanager
def managed(database: str) -> Iterator["Arena | ArenaClient"]:
    """Open an arena, or reach it through the process that has it open."""
    from equipoise.arena.arena import Arena
    from equipoise.arena.store.ownership import owner_of
    from equipoise.arena.store.place import is_postgres

    owned = not is_postgres(database) and Path(database).exists() and owner_of(Path(database))
    with Arena.connect(database) if owned else Arena.open(database) as arena:
        yield arena
