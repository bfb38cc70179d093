"""Processes of this machine that share long work."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from threading import Thread

from equipoise.core.options import check, whole
from equipoise.inference.threads import one_thread

__all__ = ["processes"]


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
