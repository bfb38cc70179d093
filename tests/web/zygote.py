"""Starts servers quickly, to be killed: everything is imported once, and each server is a fork of this process.

Lines on standard input: ``start PLACE PORT [FAILPOINT]``, ``kill``, and ``wait SECONDS`` for its death.
"""

import os
import signal
import sys
import time

import equipoise as eq
from equipoise.arena.engine import commits, failpoints
from equipoise.web.app import make_app
from equipoise.web.serving import server_of


def serve(place: str, port: int, failpoint: str) -> None:
    """Serve an arena until killed; snapshots are written often, so that one can be cut off."""
    commits.SNAPSHOT_EVERY, commits.SNAPSHOT_SHARE = 40, float("inf")
    failpoints.arm(failpoint)
    arena = eq.Arena.open(place)
    server_of(make_app({"ladder": arena}, rates=False), port=port).run()


def ended(child: int, seconds: float) -> bool:
    """Wait for a server to die."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.002)
    return False


def main() -> None:
    """Obey."""
    child = 0
    print("ready", flush=True)
    for line in sys.stdin:
        do, *rest = line.split()
        answer = "done"
        if do == "start":
            child = os.fork()
            if child == 0:
                serve(rest[0], int(rest[1]), rest[2] if len(rest) > 2 else "")
                os._exit(0)
        elif do == "wait":
            answer = "died" if ended(child, float(rest[0])) else "lives"
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        print(answer, flush=True)


if __name__ == "__main__":
    main()
