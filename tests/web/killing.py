"""A server that is killed again and again while workers play: what it acknowledged is there, and nothing twice."""

import contextlib
import random
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import equipoise as eq
from equipoise.arena.remote.arena import RemoteArena
from equipoise.core.errors import EquipoiseError
from tests.web.served import scores_of, spec_of

ROOT = Path(__file__).parents[2]
TIMED = "at any time"
HOWS = (TIMED, "before-acknowledgement", "before-commit", "after-insert", "in-snapshot")
"""How a server dies: the first failpoint is after the commit and before anybody is answered."""


class Workers:
    """Threads that play by themselves, and note what was acknowledged."""

    def __init__(self, url: str, tokens: list[str]) -> None:
        self.acknowledged: list[int] = []
        self.faults: list[BaseException] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._play, args=(url, token)) for token in tokens]
        for one in self._threads:
            one.start()

    def _play(self, url: str, token: str) -> None:
        with contextlib.ExitStack() as last:
            self._play_on(RemoteArena(url, token), last)

    def _play_on(self, arena: RemoteArena, last: contextlib.ExitStack) -> None:
        last.enter_context(arena)
        while not self._stop.is_set():
            try:
                for lease in arena.ask(4, wait=0.2):
                    receipt = arena.tell(
                        lease, scores_of(list(lease.trial.players)), transcript=f"game {lease.trial.number}"
                    )
                    if receipt.counted:
                        self.acknowledged.append(lease.trial.number)
            except EquipoiseError as error:
                if "another worker" not in str(error) and "cannot be reached" not in str(error):
                    self.faults.append(error)
                    return
            except BaseException as error:
                self.faults.append(error)
                raise

    def more(self, results: int) -> None:
        """Wait until so many more are acknowledged."""
        before, until = len(self.acknowledged), time.monotonic() + 60.0
        while len(self.acknowledged) < before + results and time.monotonic() < until and not self.faults:
            time.sleep(0.005)

    def close(self) -> None:
        """End them."""
        self._stop.set()
        for one in self._threads:
            one.join(90)


class Lives:
    """One server after the other, on the same port."""

    def __init__(self, place: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._place = place
        self._zygote = subprocess.Popen(
            [sys.executable, "-m", "tests.web.zygote"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=ROOT,
        )  # fmt: skip
        self._heard()

    def _heard(self) -> str:
        assert self._zygote.stdout is not None
        return self._zygote.stdout.readline().strip()

    def obey(self, line: str) -> str:
        """Have something done."""
        assert self._zygote.stdin is not None
        self._zygote.stdin.write(f"{line}\n")
        self._zygote.stdin.flush()
        return self._heard()

    def begin(self, failpoint: str = "") -> None:
        """Start a server."""
        self.obey(f"start {self._place} {self.port} {failpoint}")

    def wait(self) -> None:
        """Wait until it listens."""
        until = time.monotonic() + 60.0
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
                return
            time.sleep(0.02)

    def close(self) -> None:
        """End."""
        self._zygote.communicate(timeout=20)


def kill_again_and_again(place: str, kills: int, seed: int, workers: int = 3) -> Counter[str]:
    """Play over HTTP while the server dies, at each failpoint and at any time; give how often it died how.

    Nothing that was acknowledged is lost, and nothing counts twice.
    """
    with eq.Arena.create(place, spec_of(budget=1_000_000, lease=5.0)) as arena:
        tokens = [arena.make_token("worker", f"worker {number}") for number in range(workers)]
    draws, deaths, lives = random.Random(seed), Counter[str](), Lives(place)
    try:
        lives.begin()
        lives.wait()
        playing = Workers(f"http://127.0.0.1:{lives.port}/arenas/ladder", tokens)
        for at in range(kills):
            how = HOWS[at % len(HOWS)]
            if how == TIMED:
                playing.more(draws.randint(1, 8))
                lives.obey("kill")
            elif lives.obey("wait 20") == "lives":
                lives.obey("kill")
                how = "killed in vain"
            deaths[how] += 1
            following = HOWS[(at + 1) % len(HOWS)]
            times = 1 if following == "in-snapshot" else draws.randint(1, 4)
            lives.begin("" if following == TIMED else f"{following}:{times}")
        playing.close()
        lives.obey("kill")
    finally:
        lives.close()
    assert playing.faults == []
    with eq.Arena.open(place) as arena:
        results = [event.content()["trial"] for event in arena.events(kinds=["result"])]
        assert len(results) == len(set(results))
        assert set(playing.acknowledged) <= set(results)
        assert len(playing.acknowledged) == len(set(playing.acknowledged))
        checked = arena.verify()
        assert checked.ok, checked.problems
    deaths["acknowledged"] = len(playing.acknowledged)
    return deaths
