"""Work in blocks, on any executor: the same seed gives the same answer, whoever does the work."""

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from typing import TypeVar

import numpy as np

from equipoise.errors import ParameterError, WorkerError
from equipoise.wording import Option

__all__ = ["blocks", "in_blocks", "streams"]

_Answer = TypeVar("_Answer")
_UNSENDABLE = re.compile("pickle|Can't get (local object|attribute)")
"""What pickle says of functions and objects that it cannot send."""
BLOCK = 16
"""Replicates of a block: few enough that many workers share them, enough that a block is worth sending."""


def blocks(count: int, size: int = BLOCK) -> list[int]:
    """Cut ``count`` replicates into blocks of ``size`` and what is left; the cut knows nothing of workers.

    >>> blocks(40)
    [16, 16, 8]
    """
    return [min(size, count - done) for done in range(0, count, size)]


def streams(rng: np.random.Generator, count: int) -> list[np.random.Generator]:
    """Give independent generators, the same ones for the same state of ``rng``."""
    root = np.random.SeedSequence([int(word) for word in rng.integers(2**63, size=2)])
    return [np.random.default_rng(seed) for seed in root.spawn(count)]


def in_blocks(
    task: Callable[[int, np.random.Generator], _Answer],
    sizes: Sequence[int],
    rng: np.random.Generator,
    executor: Executor | None = None,
) -> Iterator[_Answer]:
    """Do ``task(size, generator)`` for each block and yield the answers in the order of the blocks.

    Each block has a generator of its own, so that nothing depends on who does which block, or when. Without an executor
    blocks are done one after the other as they are asked for; with one all are handed out at once, and whoever stops
    listening calls off those not begun.
    """
    own = streams(rng, len(sizes))
    if executor is None:
        yield from map(task, sizes, own)
        return
    futures: list[Future[_Answer]] = []
    try:
        futures += [executor.submit(task, size, stream) for size, stream in zip(sizes, own, strict=True)]
        for future in futures:
            yield _answer(future)
    except BrokenExecutor as error:
        raise WorkerError(f"a worker died at its work ({error}); it may have run out of memory") from error
    finally:
        for future in futures:
            future.cancel()


def _answer(future: "Future[_Answer]") -> _Answer:
    try:
        return future.result()
    except CancelledError as error:
        raise WorkerError("the executor was shut down before the work was done") from error
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        if not _UNSENDABLE.search(str(error)):
            raise
        raise ParameterError(
            Option("executor"),
            f" sends the work to other processes, which a function without a name in a module cannot be ({error})",
        ) from error
