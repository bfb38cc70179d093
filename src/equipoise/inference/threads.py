"""Small linear algebra on one thread, long loops on several.

Factors and products of small matrices take less time than the threads of the linear algebra library need to meet, and
on a busy machine threads that wait for each other take many times as long. Large ones keep their threads.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Any

SMALL = 600
"""Rows of a matrix up to which a second thread does not pay."""
BLOCK, MOST_THREADS = 2**15, 8
"""Rows of a long loop that one thread takes at a time; threads at most."""


@dataclass(slots=True)
class _Held:
    """Who holds the libraries on one thread, and how many threads they had before."""

    lock: Lock = field(default_factory=Lock)
    holders: int = 0
    before: tuple[int, ...] = ()


_HELD = _Held()


@cache
def _libraries() -> tuple[Any, ...]:
    """Find the linear algebra libraries of this process, once: looking takes longer than a small fit."""
    import scipy.linalg  # noqa: F401  # brings a library of its own, which must be there to be found
    import threadpoolctl

    return tuple(threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers)


@contextmanager
def one_thread(rows: int = 0) -> Iterator[None]:
    """Hold linear algebra on one thread if its matrices have at most ``SMALL`` rows.

    The number of threads belongs to the process: of several holders the first one sets it, and the last one gives back
    what there was.
    """
    if rows > SMALL:
        yield
        return
    libraries = _libraries()
    with _HELD.lock:
        if not _HELD.holders:
            _HELD.before = tuple(library.num_threads for library in libraries)
            for library in libraries:
                library.set_num_threads(1)
        _HELD.holders += 1
    try:
        yield
    finally:
        with _HELD.lock:
            _HELD.holders -= 1
            if not _HELD.holders:
                for library, threads in zip(libraries, _HELD.before, strict=True):
                    library.set_num_threads(threads)


def in_blocks(rows: int, loop: Callable[..., Any], *args: Any) -> list[Any]:
    """Call ``loop(begin, end, *args)`` for blocks of the rows, on several threads where there are several blocks.

    Loops are compiled ones that let other threads run and that write to their own rows only. Blocks do not depend on
    the number of threads, and neither does the answer.
    """
    blocks = [(begin, min(begin + BLOCK, rows)) for begin in range(0, rows, BLOCK)]
    threads = min(_threads(), len(blocks))
    if threads <= 1:
        return [loop(*block, *args) for block in blocks]
    found = [loop(*blocks[0], *args)]  # compiles, where that has not been done: once
    with ThreadPoolExecutor(threads) as pool:
        return found + list(pool.map(lambda block: loop(*block, *args), blocks[1:]))


def _threads() -> int:
    """Processors that this process may use, or as many as the usual setting for such loops allows."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return min(int(asked), MOST_THREADS)
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(here, MOST_THREADS)
