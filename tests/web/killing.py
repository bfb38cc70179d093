"""A server that is killed again and again while workers play: what it acknowledged is there, and nothing twice."""

import contextlib
import random
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import equipoise as eq
from equipoise.arena.remote.arena import RemoteArena
from equipoise.core.errors import EquipoiseError
from tests.web.served import scores_of, spec_of

ROOT = Path(__file__).parents[2]


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

    def close(self) -> None:
        """End them."""
        self._stop.set()
        for one in self._threads:
            one.join(90)


def wait_for(port: int) -> None:
    """Wait until a server listens."""
    until = time.monotonic() + 60.0
    while time.monotonic() < until:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
            return
        time.sleep(0.02)


def kill_again_and_again(folder: Path, kills: int, seed: int, workers: int = 3) -> dict[str, int]:
    """Play over HTTP while the server is killed; give counts, after checking that nothing was lost or counted twice."""
    file = folder / "ladder.db"
    with eq.Arena.create(file, spec_of(budget=1_000_000, lease=5.0)) as arena:
        tokens = [arena.make_token("worker", f"worker {number}") for number in range(workers)]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    zygote = subprocess.Popen(
        [sys.executable, "-m", "tests.web.zygote"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert zygote.stdin is not None
    assert zygote.stdout is not None

    def obey(line: str) -> None:
        zygote.stdin.write(f"{line}\n")
        zygote.stdin.flush()
        zygote.stdout.readline()

    draws = random.Random(seed)
    try:
        zygote.stdout.readline()
        obey(f"start {file} {port}")
        wait_for(port)
        playing = Workers(f"http://127.0.0.1:{port}/arenas/ladder", tokens)
        for _ in range(kills):
            before = len(playing.acknowledged)
            until = time.monotonic() + 60.0
            while (
                len(playing.acknowledged) < before + draws.randint(1, 12)
                and time.monotonic() < until
                and not playing.faults
            ):
                time.sleep(0.005)
            obey("kill")
            obey(f"start {file} {port}")
        playing.close()
        obey("kill")
    finally:
        zygote.stdin.close()
        zygote.wait(20)
        zygote.stdout.close()
    assert playing.faults == []
    with eq.Arena.look_at(file) as arena:
        results = [event.content()["trial"] for event in arena.events(kinds=["result"])]
        assert len(results) == len(set(results))
        assert set(playing.acknowledged) <= set(results)
        assert len(playing.acknowledged) == len(set(playing.acknowledged))
        checked = arena.verify()
        assert checked.ok, checked.problems
    return {"kills": kills, "acknowledged": len(playing.acknowledged), "results": len(results)}
