"""Blocks that are played at the same time, counted in the order of their numbers.

Each key (a pair, or a player) has a queue of its own. A block enters the queues of its keys when it opens; its values
are counted once every earlier block of the same key is closed. What is counted, and in which order, is hence the same
whatever order blocks close in.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, Self

from equipoise.core.errors import DataError, did_you_mean, some_of

VOID = "void"
_OPEN = "open"
Value = float | str
"""A score, or :data:`VOID`."""


class BlockQueue:
    """Open blocks, and values that wait for an earlier block of their key."""

    def __init__(self) -> None:
        self._keys: dict[int, tuple[int, ...]] = {}
        self._waiting: dict[int, dict[int, Value]] = {}
        self._last = -1

    def opened(self, block: int, keys: tuple[int, ...]) -> None:
        """Let a block enter the queues of its keys.

        Fails when
            a block of that number or a later one was opened before.
        """
        if block <= self._last:
            raise DataError(f"block {block} is opened after block {self._last}; numbers only grow")
        self._last = block
        self._keys[block] = keys
        for key in keys:
            self._waiting.setdefault(key, {})[block] = _OPEN

    def closed(self, block: int, values: Mapping[int, Value]) -> Iterator[tuple[int, int, Value]]:
        """Take a block's value for each of its keys; give what counts now as (key, block, value), in order."""
        for key in self._keys.pop(block):
            queue = self._waiting[key]
            queue[block] = values[key]
            while queue and (first := next(iter(queue.items())))[1] != _OPEN:
                del queue[first[0]]
                yield key, first[0], first[1]
            if not queue:
                del self._waiting[key]

    def waits(self, key: int, block: int) -> bool:
        """Whether a block is closed, but not yet counted for a key."""
        return self._waiting.get(key, {}).get(block, _OPEN) != _OPEN

    def make_void(self, key: int, block: int) -> None:
        """Turn a value that waits into a void one."""
        self._waiting[key][block] = VOID

    def put_back(self, key: int, block: int, value: Value) -> None:
        """Turn a void value that waits into what it was."""
        self._waiting[key][block] = value

    def state(self) -> dict[str, Any]:
        """Give strict JSON: only what is open or waits."""
        return {
            "last": self._last,
            "keys": [[block, list(keys)] for block, keys in self._keys.items()],
            "waiting": [[key, [list(entry) for entry in queue.items()]] for key, queue in self._waiting.items()],
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Go on from :meth:`state`."""
        new = cls()
        new._last = state["last"]
        new._keys = {block: tuple(keys) for block, keys in state["keys"]}
        new._waiting = {key: dict(queue) for key, queue in state["waiting"]}  # JSON keeps the order of lists
        return new


# What a block says: checked scores, and the evidence of each pair in it.


def checked_scores(block: int, names: Sequence[str], scores: Mapping[str, float]) -> dict[str, float]:
    """Give the scores of a block's players; refuse other players, missing ones, and what is no score.

    Fails when
        a player of the block has no score, somebody else has one, or a score is outside [0, 1].
    """
    if not isinstance(scores, Mapping):
        raise DataError(f"block {block}: scores are a score for each player, not {scores!r}")
    missing = [name for name in names if name not in scores]
    if missing:
        raise DataError(f"block {block}: no score for {some_of(missing)}")
    others = [str(name) for name in scores if name not in names]
    if others:
        raise DataError(f"block {block}: scores of {some_of(others)}, who {_be(others)} not in it")
    for name in names:
        value = scores[name]
        if not isinstance(value, Real) or isinstance(value, bool) or not 0.0 <= value <= 1.0:
            raise DataError(f"block {block}: the score of {name} is a number from 0 to 1, not {value!r}")
    return {name: float(scores[name]) for name in names}


def _be(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def pair_score(first: float, second: float) -> float:
    """Give the evidence of a block for a pair: 1/2 where both scored the same, 1 and 0 at the ends."""
    x = (1.0 + first - second) / 2.0
    assert math.isfinite(x)
    return x


def player_numbers(block: int, players: Sequence[str], places: Mapping[str, int]) -> tuple[int, ...]:
    """Find players by name.

    Fails when
        a name is unknown or there twice.
    """
    unknown = [name for name in players if name not in places]
    if unknown:
        raise DataError(f'block {block}: no player "{unknown[0]}"{did_you_mean(str(unknown[0]), list(places))}')
    if len(set(players)) < len(players):
        raise DataError(f"block {block} names a player twice")
    return tuple(places[name] for name in players)
