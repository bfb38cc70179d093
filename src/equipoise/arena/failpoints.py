"""Places where a test may kill the process: named here, so that a test can name them all.

``EQUIPOISE_FAILPOINT=after-insert:3`` kills the process with SIGKILL when it reaches that place for the third time.
Nothing else sets the variable; without it a failpoint is one comparison.
"""

import os
import signal

__all__ = ["FAILPOINTS", "failpoint"]

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

_name, _, _count = os.environ.get("EQUIPOISE_FAILPOINT", "").partition(":")
_left = int(_count or 1)


def failpoint(name: str) -> None:
    """Die here, if this is the place and the time."""
    global _left  # noqa: PLW0603  # a countdown that ends the process
    if name != _name:
        return
    _left -= 1
    if _left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
