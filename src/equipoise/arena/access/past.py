"""An arena as it stood at an earlier event: the fold over the journal stops there."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from equipoise.arena.access.reader import ArenaReader, Decided, decided
from equipoise.arena.engine.state import ArenaState
from equipoise.arena.journal.events import Event
from equipoise.core.errors import ParameterError

_Answer = TypeVar("_Answer")


class PastArena(ArenaReader):
    """Everything about an arena as it stood at an event; made by :func:`past_reader`."""

    def __init__(self, arena: ArenaReader, state: ArenaState) -> None:
        super().__init__(arena.store, _Standing(state))  # type: ignore[arg-type]  # all that is asked of it is a look
        self._state = state

    def events(self, after: int = 0, most: int | None = None, kinds: Sequence[str] | None = None) -> Iterator[Event]:
        """Give the journal up to then."""
        for event in super().events(after, most, kinds):
            if event.seq > self._state.seq:
                return
            yield event

    def decisions(self) -> tuple[Decided, ...]:
        """Give what was decided then."""
        with self._store.read() as transaction:
            return decided(self._state.contest.decisions, transaction)

    def close(self) -> None:
        """Nothing: the arena that it is made of is open elsewhere."""


class _Standing:
    """A state that does not move."""

    def __init__(self, state: ArenaState) -> None:
        self._state = state

    def look(self, function: Callable[[ArenaState], _Answer]) -> _Answer:
        return function(self._state)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"an arena at an earlier event changes no more: {name}")


def past_reader(arena: ArenaReader, seq: int) -> PastArena:
    """Read the journal up to an event.

    Fails when
        there is no such event.
    """
    state: ArenaState | None = None
    for event in arena.events(most=seq):
        if state is None:
            state = ArenaState.created(event)
        else:
            state.apply(event)
    if state is None or state.seq != seq:
        raise ParameterError(f"there is no event {seq} yet: the last one is {0 if state is None else state.seq}")
    return PastArena(arena, state)
