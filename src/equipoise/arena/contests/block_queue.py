"""Blocks that are played at the same time, counted in the order of their numbers.

Each key (a pair, or a player) has a queue of its own. A block enters the queues of its keys when it opens; its values
are counted once every earlier block of the same key is closed. What is counted, and in which order, is hence the same
whatever order blocks close in.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Self

from equipoise.core.errors import DataError

__all__ = ["VOID", "BlockQueue", "Value"]

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

    @property
    def open_blocks(self) -> tuple[int, ...]:
        """Numbers of the blocks that are not closed yet."""
        return tuple(self._keys)

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

    def is_open(self, block: int) -> bool:
        """Whether a block is being played."""
        return block in self._keys

    def waits(self, key: int, block: int) -> bool:
        """Whether a block is closed, but not yet counted for a key."""
        return self._waiting.get(key, {}).get(block, _OPEN) != _OPEN

    def make_void(self, key: int, block: int) -> None:
        """Turn a value that waits into a void one."""
        self._waiting[key][block] = VOID

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
