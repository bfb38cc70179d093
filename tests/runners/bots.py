"""Referees and bots for the tests of the runners; workers load them by name."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from equipoise.arena.spec.trial import PlayerFault


def strength(players, seed):
    """The name decides, the same in every process."""
    return [float(player.name > other.name) for player, other in zip(players, reversed(players), strict=True)]


def once(folder, name):
    """Tell whether this is the first time, whoever asks."""
    try:
        (Path(folder) / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def sleeps_once(players, seed, options):
    if once(options["folder"], "slept"):
        # Somebody in a session of its own, as players are: it must not outlive us.
        sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        Path(options["folder"], "sleeper").write_text(str(sleeper.pid))
        time.sleep(600)
    return strength(players, seed)


def dies_once(players, seed, options):
    if once(options["folder"], "died"):
        os._exit(7)
    return strength(players, seed)


def leaves(players, seed):
    sys.exit(3)


def fails(players, seed):
    raise RuntimeError("the server is down")


def out_of_range(players, seed):
    return 7.0, 0.0


def gives_up(players, seed):
    if players[0].name == "a":
        raise PlayerFault(0, "a gives up", transcript="1. f3", costs={"tokens": 3.0})
    return strength(players, seed)


def waits(players, seed, options):
    time.sleep(options["seconds"])
    return strength(players, seed)


def ticks(players, seed, options, progress):
    for tick in range(options["ticks"]):
        time.sleep(options["seconds"])
        progress(tick)
    return strength(players, seed)


async def asks_a_server(players, seed, options):
    begun = time.time()
    await asyncio.sleep(options["seconds"])
    return {"scores": strength(players, seed), "costs": {"begun": begun, "ended": time.time(), "tokens": 12.0}}


def where(players, seed):
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return {"scores": strength(players, seed), "costs": {"pid": os.getpid(), "cores": len(cores)}}


class Remembers:
    """Writes down what it is told."""

    def __init__(self, log):
        self.log = Path(log)
        self.note("made")

    def note(self, word):
        with self.log.open("a") as file:
            file.write(f"{word}\n")

    def __call__(self):
        self.note("asked")
        return 1.0

    def reset(self):
        self.note("reset")

    def close(self):
        self.note("closed")


def asks_bots(players, seed):
    return [player() / 2 for player in players]


def blames_with_nonsense(players, seed):
    raise PlayerFault(0, "it lost its mind", transcript="\x00", costs={"tokens": float("inf")})


def breaks(players, seed):
    raise RuntimeError("the table is broken")


def leaves_orphans(players, seed, options):
    """Start somebody who forks twice and leaves the group; the first time, die then."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            (Path(options["folder"]) / f"orphan-{os.getpid()}").touch()
            time.sleep(600)
        os._exit(0)
    os.wait()
    while not any(Path(options["folder"]).glob("orphan-*")):
        time.sleep(0.001)
    if once(options["folder"], "died"):
        os.kill(os.getpid(), signal.SIGKILL)
    return strength(players, seed)
