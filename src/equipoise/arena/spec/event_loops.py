"""Event loops of others: in a notebook one runs in the main thread, and nothing of ours can run in it."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["apart"]

_Answer = TypeVar("_Answer")


def apart(call: Callable[[], _Answer]) -> _Answer:
    """Call from a thread in which no event loop runs: this one, or another.

    >>> apart(lambda: 3)
    3
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return call()
    with ThreadPoolExecutor(max_workers=1) as elsewhere:
        return elsewhere.submit(call).result()
