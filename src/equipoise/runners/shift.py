"""One after another: a worker plays what is in a queue, and reports. The same in threads, processes and actors."""

import queue
from collections.abc import Callable
from time import monotonic

from equipoise.runners.messages import Check, Job, Report, Setup, Sign
from equipoise.runners.worker import Worker

__all__ = ["Work", "play_all"]

Work = queue.SimpleQueue[Check | Job | None]
"""What is to be done, in order; None ends the shift of everybody who takes from it."""


def play_all(setup: Setup, work: Work, tell: Callable[[Report], None]) -> None:
    """Do what is in a queue until it says that there is no more.

    Parameters
    ----------
    setup
        What is played.
    work
        The queue; several may take from one.
    tell
        Called with each report, signs of progress included.
    """
    worker = Worker(setup)
    try:
        while (one := work.get()) is not None:
            tell(worker.work(one, _signs(one, setup.pulse, tell)))
        work.put(None)  # for the next one who takes from it
    finally:
        worker.close()


def _signs(one: Check | Job, pulse: float, tell: Callable[[Report], None]) -> Callable[[], None]:
    """Give what a game calls with every move; not every call is told."""
    last = monotonic()

    def progress() -> None:
        nonlocal last
        if monotonic() - last >= pulse:
            last = monotonic()
            tell(Sign(one.number if isinstance(one, Job) else 0))

    return progress
