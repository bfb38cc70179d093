"""Places where a test may kill the process, or have a function called: named here, so that a test can name them all.

``EQUIPOISE_FAILPOINT=after-insert:3`` kills the process with SIGKILL when it reaches that place for the third time.
Nothing else sets the variable; without it a failpoint is one comparison.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FAILPOINTS = (
    "after-insert",
    "before-commit",
    "before-acknowledgement",
    "in-snapshot",
    "in-migration",
    "in-recovery",
)
"""After rows were inserted; before the transaction is committed; after it, before anybody was answered; while a
snapshot is written; while a file is upgraded; while a journal is read after a crash."""


class _Armed:
    """What happens at a failpoint."""

    call: Callable[[str], None] | None = None


def arm(text: str) -> None:
    """Choose the place and the time of death: ``after-insert:3``; an empty text for nowhere.

    Fails when
        there is no such place: a test that kills nothing shows nothing.
    """
    name, _, count = text.partition(":")
    if name and name not in FAILPOINTS:
        raise ValueError(f"no failpoint {name}: {', '.join(FAILPOINTS)}")
    left = int(count or 1)

    def die(place: str) -> None:
        nonlocal left
        left -= place == name
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    _Armed.call = die if name else None


@contextmanager
def calling(function: Callable[[str], None]) -> Iterator[None]:
    """Have a function called at each failpoint with its name: it may let time pass, or raise."""
    before, _Armed.call = _Armed.call, function
    try:
        yield
    finally:
        _Armed.call = before


arm(os.environ.get("EQUIPOISE_FAILPOINT", ""))


def failpoint(name: str) -> None:
    """Do here what a test has chosen."""
    if _Armed.call is not None:
        _Armed.call(name)
