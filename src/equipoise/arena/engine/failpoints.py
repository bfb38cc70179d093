"""Places where a test may kill the process: named here, so that a test can name them all.

``EQUIPOISE_FAILPOINT=after-insert:3`` kills the process with SIGKILL when it reaches that place for the third time.
Nothing else sets the variable; without it a failpoint is one comparison.
"""

import os
import signal
from typing import Any

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

_armed: dict[str, Any] = {"name": "", "left": 0}


def arm(text: str) -> None:
    """Choose the place and the time: ``after-insert:3``; an empty text for nowhere.

    Fails when
        there is no such place: a test that kills nothing shows nothing.
    """
    name, _, count = text.partition(":")
    if name and name not in FAILPOINTS:
        raise ValueError(f"no failpoint {name}: {', '.join(FAILPOINTS)}")
    _armed.update(name=name, left=int(count or 1))


arm(os.environ.get("EQUIPOISE_FAILPOINT", ""))


def failpoint(name: str) -> None:
    """Die here, if this is the place and the time."""
    if name != _armed["name"]:
        return
    _armed["left"] -= 1
    if _armed["left"] <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
