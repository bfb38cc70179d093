"""Names of plays in the journal, by which a play that died is known."""

import os
import socket

from equipoise.arena.store.ownership import process_runs

__all__ = ["is_gone", "name_of_this_play"]


def name_of_this_play() -> str:
    """Give the name under which this process leases trials."""
    return f"play@{_host()}:{os.getpid()}"


def is_gone(worker: str, *, alone: bool) -> bool:
    """Tell whether a play has died, as far as can be known from here.

    Parameters
    ----------
    worker
        Its name in the journal; others than plays are never known to be gone.
    alone
        Whether this process alone writes to the arena: who did so from another machine has ended.

    >>> is_gone("worker 7", alone=True), is_gone(name_of_this_play(), alone=True)
    (False, False)
    """
    host, colon, number = worker.removeprefix("play@").rpartition(":")
    if not worker.startswith("play@") or not colon or not number.isdecimal():
        return False
    return not process_runs(int(number)) if host == _host() else alone


def _host() -> str:
    return socket.gethostname()[:60] or "here"
