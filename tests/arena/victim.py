"""A process that plays an arena and dies: ``python -m tests.arena.victim`` forks such processes, one for each line.

A line of JSON says which arena, at which failpoint or after how many seconds it dies, and with how many threads it
plays. The process that is asked has loaded everything and opened nothing, so that a life takes as long as what it does.
It writes down every result that was acknowledged to the one that died: pipes outlive those who write into them.
"""

import json
import os
import signal
import sys
import threading
import time

from equipoise.arena.arena import Arena
from equipoise.arena.contests.make import contest_of
from equipoise.arena.engine import commits, failpoints
from equipoise.core.errors import LeaseError, StoreError
from tests.arena.playing import outcome_of, small


def live(life, told):
    """Open the arena (make it, if it is not there) and play to the end."""
    commits.SNAPSHOT_EVERY, commits.SNAPSHOT_SHARE = 9, float("inf")
    failpoints.arm(life["failpoint"])
    arena = Arena.create(life["place"], life["spec"]) if life["create"] else Arena.open(life["place"])
    threads = [
        threading.Thread(target=work, args=(arena, f"{life['name']}-{at}", told)) for at in range(life["threads"])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    arena.close()


def work(arena, name, told):
    """Play; a request that got no answer is made again with the same id, as a real worker would."""
    done = 0
    while True:
        try:
            leases = arena.ask(worker=name, request=f"{name}.{os.getpid()}-{done}", wait=2.0)
            for lease in leases:
                scores = outcome_of(lease.trial)
                receipt = arena.tell(lease, scores, key=name, transcript=f"{lease.trial.players} {scores}")
                if receipt.counted:
                    os.write(told, f"{lease.trial.number} {receipt.seq}\n".encode())
        except StoreError:  # the database is away: what was said is said again, under the same key
            time.sleep(0.05)
            continue
        except LeaseError:
            leases = [None]
        done += 1
        if not leases and arena.state in ("spent", "answered", "stopped"):
            return


def run(life):
    """Fork one life; give how it ended and what was acknowledged to it."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        try:
            live(life, writer)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
            os._exit(3)
        os._exit(0)
    os.close(writer)
    if life["seconds"] is not None:
        time.sleep(life["seconds"])
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reader) as lines:
        told = [[int(number) for number in line.split()] for line in lines.read().splitlines()]
    return {"killed": os.WIFSIGNALED(status), "status": status, "told": told}


def load():
    """Load what is loaded at the first use, so that the lives need not."""
    spec = small()
    contest = contest_of(spec)
    for number in (1, 2):
        players = contest.propose(number).players
        contest.opened(number, players)
        contest.closed(number, dict.fromkeys(players, 0.5))


def main():
    """Answer each line with how that life went."""
    load()
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
