"""Work in blocks, on any executor: the same seed gives the same answer, whoever does the work."""

import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from itertools import islice, starmap
from typing import Any, TypeVar

import numpy as np

from equipoise.core.errors import ParameterError, WorkerError
from equipoise.core.wording import Option

__all__ = ["blocks", "in_batches", "in_blocks", "in_order", "streams"]

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
    return in_order(task, zip(sizes, streams(rng, len(sizes)), strict=True), executor)


def in_order(
    task: Callable[..., _Answer], pieces: Iterable[tuple[Any, ...]], executor: Executor | None = None
) -> Iterator[_Answer]:
    """Do ``task(*piece)`` for each piece of work and yield the answers in the order of the pieces.

    A single piece is done here: others would take as long.
    """
    given = pieces if executor is None else list(pieces)
    if executor is None or (isinstance(given, list) and len(given) < 2):
        yield from starmap(task, given)
        return
    futures: list[Future[_Answer]] = []
    try:
        futures += [executor.submit(task, *piece) for piece in given]
        for future in futures:
            yield _answer(future)
    except BrokenExecutor as error:
        raise WorkerError(f"a worker died at its work ({error}); it may have run out of memory") from error
    finally:
        for future in futures:
            future.cancel()


def in_batches(
    task: Callable[..., _Answer],
    pieces: Iterable[tuple[Any, ...]],
    executor: Executor | None = None,
    size: int = BLOCK,
) -> Iterator[_Answer]:
    """Do ``task(*piece)`` for many small pieces and yield the answers in their order; so many are sent together."""
    if executor is None:
        yield from starmap(task, pieces)
        return
    left = iter(pieces)
    batches = iter(lambda: list(islice(left, size)), [])
    for answers in in_order(_each, ((task, batch) for batch in batches), executor):
        yield from answers


def _each(task: Callable[..., _Answer], batch: Sequence[tuple[Any, ...]]) -> list[_Answer]:
    return list(starmap(task, batch))


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
