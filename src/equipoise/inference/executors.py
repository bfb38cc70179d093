"""Work in blocks, on any executor: the same seed gives the same answer, whoever does the work.

Executors are processes of this machine, or a Ray cluster.
"""

import os
import pickle
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from itertools import starmap
from threading import Thread
from typing import Any, ParamSpec, TypeVar

import numpy as np

from equipoise.core.errors import MissingDependencyError, ParameterError, WorkerError
from equipoise.core.options import check, whole
from equipoise.core.progress import counted
from equipoise.core.wording import Option
from equipoise.inference.threads import one_thread

_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")
_Piece = TypeVar("_Piece")
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
    blocks are done one after the other as they are asked for; with one all are submitted at once, and whoever stops
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
    task: Callable[[list[_Piece]], list[_Answer]],
    draw: Callable[[int], list[_Piece]],
    n: int,
    work: str,
    executor: Executor | None = None,
) -> list[_Answer]:
    """Let a task do ``n`` small pieces of work, a batch at a time, and give the answers in the order they were drawn.

    ``draw(size)`` makes the next pieces, and the progress of the ``work`` is said after each batch.
    """
    sizes = blocks(n)
    answers = in_order(task, ((draw(size),) for size in sizes), executor)
    return [answer for batch in counted(answers, work, sizes) for answer in batch]


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


@contextmanager
def processes(jobs: int) -> Iterator[Executor | None]:
    """Give an executor of so many processes; None for one job, which this process does itself.

    They start when work comes, do linear algebra on one thread each, leave Ctrl-C to the program that started them, and
    end with it, however it ends.
    """
    check(whole(1), "jobs", jobs)
    if jobs == 1:
        yield None
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_prepared)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _prepared() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    one_thread().__enter__()


def _end_with_parent() -> None:
    """A process of a pool would wait for work for ever where its parent was killed."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


class RayExecutor(Executor):
    """Hand work to a Ray cluster, wherever an executor is taken.

    Parameters
    ----------
    address
        Of a running cluster; ``"auto"`` for the one this machine belongs to. None uses the cluster that the program
        is connected to already, or starts Ray on this machine alone.
    retries
        How often work whose node was lost is given to another; -1 for as often as it takes.
    cores
        That each piece of work claims.

    Notes
    -----
    The nodes need Equipoise installed. Shutting the executor down leaves the cluster as it is.
    """

    def __init__(self, address: str | None = None, *, retries: int = 5, cores: float = 1.0) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingDependencyError(
                'Ray is needed to work on a cluster; run: pip install "equipoise[ray]"'
            ) from error
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False)
        self._call = ray.remote(max_retries=retries, num_cpus=cores)(_call)
        self._open = True

    def submit(
        self, fn: Callable[_Given, _Answer], /, *args: _Given.args, **kwargs: _Given.kwargs
    ) -> "Future[_Answer]":
        """Submit one piece of work."""
        if not self._open:
            raise RuntimeError("cannot submit work after shutdown")
        future: Future[_Answer] = self._call.remote(fn, args, kwargs).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Take no more work; what was submitted goes on."""
        self._open = False


def _call(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return fn(*args, **kwargs)
