"""What recounting, rating and exporting need of an arena: its database, and its state at one moment."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from equipoise.arena.engine.state import State
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.arena.store.store import Store

__all__ = ["Readable"]

_Answer = TypeVar("_Answer")


class Readable(Protocol):
    """An arena that can be read."""

    @property
    def id(self) -> str:
        """Identity of the arena."""

    @property
    def spec(self) -> ArenaSpec:
        """What is played; players that joined later included."""

    @property
    def store(self) -> Store:
        """The database behind it."""

    def look(self, function: Callable[[State], _Answer]) -> _Answer:
        """Run a function on the state as it is on disk; it must not change it."""
