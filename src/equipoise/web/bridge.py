"""From an event loop to an arena: one thread writes, and no request holds a thread while it waits.

Requests are handed to :meth:`Commits.submit`; one thread of the bridge carries whatever waits to the disk, and wakes
the event loop once for all answers of a transaction.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from equipoise.arena.arena import Arena
from equipoise.arena.engine.admission import NOBODY, Admission
from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.state import ArenaState, Phase
from equipoise.core.errors import StoreError

_Answer = TypeVar("_Answer")
LOOK_AGAIN = 1.0
"""Seconds between looks when nothing is written: leases run out, and a database may be written by others."""
Moved = Callable[[int, Phase], None]
"""Called in the event loop with the end of the journal and the phase whenever they have changed."""


class ArenaBridge:
    """Requests of an event loop to one arena.

    Parameters
    ----------
    arena
        The arena; others in this process may use it, too.

    Attributes
    ----------
    seq, phase, admission, last_write
        As of the last transaction; ``last_write`` is the stopwatch then.
    """

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.seq, self.phase, self.last_write = 0, "running", 0.0
        self.admission: Admission = NOBODY
        self._commits = arena.commits
        self._loop: asyncio.AbstractEventLoop | None = None
        self._moved: Moved = lambda _seq, _phase: None
        self._wake = threading.Event()
        self._done: deque[tuple[asyncio.Future[Any], Any, BaseException | None]] = deque()
        self._closing = False
        self._writer = threading.Thread(target=self._write, name="arena-writer", daemon=True)

    def start(self, moved: Moved) -> None:
        """Begin to write; call from the event loop."""
        self._loop, self._moved = asyncio.get_running_loop(), moved
        self._note(*self.arena.look(_seen))
        self._commits.on_change = self._others_wrote
        self._writer.start()

    def _others_wrote(self) -> None:
        """Look at what another thread of this process has written."""
        if threading.current_thread() is not self._writer:
            self._wake.set()

    async def refresh(self) -> None:
        """See what has just been written."""
        self._note(*await self.look(_seen))

    async def close(self) -> None:
        """Write what waits, and end."""
        self._commits.on_change = None
        self._closing = True
        self._wake.set()
        await asyncio.to_thread(self._writer.join, 10.0)

    async def run(self, function: Callable[[Batch], _Answer], *, last: bool = False) -> _Answer:
        """Run a function in the next transaction; give its answer once that is on disk."""
        if self._closing:
            raise StoreError("the server is closing: say it again in a moment")
        assert self._loop is not None
        future: asyncio.Future[_Answer] = self._loop.create_future()

        def then(answer: Any, error: BaseException | None) -> None:
            self._done.append((future, answer, error))
            if threading.current_thread() is not self._writer and self._loop is not None:
                self._loop.call_soon_threadsafe(self._deliver)

        self._commits.submit(function, then, last=last)
        self._wake.set()
        return await future

    async def look(self, function: Callable[[ArenaState], _Answer]) -> _Answer:
        """Run a function on the state as it is on disk, in a thread: it may have to wait for a transaction."""
        return await asyncio.to_thread(self.arena.look, function)

    def _write(self) -> None:
        while True:
            self._wake.wait(LOOK_AGAIN)
            closing = self._closing  # what was handed in before is carried below
            self._wake.clear()
            self.carry()
            if closing:
                return

    def carry(self) -> None:
        """Write what waits, and have the event loop answer."""
        assert self._loop is not None
        now = None
        try:
            self._commits.carry()
            now = self.arena.look(_seen)
        except StoreError:  # whoever asked has been told; the next transaction reads the journal anew
            pass
        except Exception as error:
            self._loop.call_soon_threadsafe(self._complain, error)
        self._loop.call_soon_threadsafe(self._written, now)

    def _complain(self, error: Exception) -> None:
        assert self._loop is not None
        self._loop.call_exception_handler({"message": "the arena's writer", "exception": error})

    def _written(self, now: tuple[int, Phase, Admission] | None) -> None:
        self._deliver()
        if now is not None:
            self._note(*now)

    def _note(self, seq: int, phase: Phase, admission: Admission) -> None:
        assert self._loop is not None
        self.last_write = self._loop.time()
        changed = (seq, phase) != (self.seq, self.phase)
        self.seq, self.phase, self.admission = seq, phase, admission
        if changed:
            self._moved(seq, phase)

    def _deliver(self) -> None:
        while self._done:
            future, answer, error = self._done.popleft()
            if future.done():  # whoever asked has gone
                continue
            if error is None:
                future.set_result(answer)
            else:
                future.set_exception(error)
                future.exception()  # whoever asked may have gone meanwhile: nobody is left to be told


def _seen(state: ArenaState) -> tuple[int, Phase, Admission]:
    return state.seq, state.phase, state.admission
