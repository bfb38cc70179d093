"""Starts servers quickly, to be killed: everything is imported once, and each server is a fork of this process.

Lines on standard input: ``start FILE PORT`` and ``kill``.
"""

import os
import signal
import sys

import equipoise as eq
from equipoise.web.app import make_app
from equipoise.web.serving import server_of


def serve(file: str, port: int) -> None:
    """Serve an arena until killed."""
    arena = eq.Arena.open(file)
    app = make_app({"ladder": arena}, rates=False)
    server_of(app, port=port).run()


def main() -> None:
    """Obey."""
    child = 0
    print("ready", flush=True)
    for line in sys.stdin:
        do, *rest = line.split()
        if do == "start":
            child = os.fork()
            if child == 0:
                serve(rest[0], int(rest[1]))
                os._exit(0)
        elif child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        print("done", flush=True)


if __name__ == "__main__":
    main()
