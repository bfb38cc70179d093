"""What waits without a thread: questions for something to play, and streams that say how far the journal is."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.state import ENDED, Phase
from equipoise.core.errors import EquipoiseError
from equipoise.web.bridge import ArenaBridge
from equipoise.web.turns import Turn, TurnTaker

MOST_PARKED, MOST_STREAMS, STREAMS_EACH = 4_000, 1_000, 8
LOOK_AGAIN, SOON = 1.0, 0.05
"""Seconds between looks for those who wait when nothing moves (leases run out), and when much does."""
TWO_A_SECOND, KEEP_ALIVE = 0.5, 15.0


class LiveDesk:
    """Turns that may wait, and streams of moves, at one arena.

    Parameters
    ----------
    bridge
        To the arena.
    """

    def __init__(self, bridge: ArenaBridge) -> None:
        self.bridge = bridge
        self.taker = TurnTaker.of(bridge.arena)
        self._move = asyncio.Event()
        self._parked: dict[asyncio.Future[dict[str, Any]], Turn] = {}
        self._serving: asyncio.Task[None] | None = None
        self._streams: dict[str, int] = {}
        self.turns = self.results = 0
        self._closing = False

    def start(self) -> None:
        """Begin; call from the event loop."""
        self.bridge.start(self._moved)

    def dismiss(self) -> None:
        """End streams and answer everybody who waits: the server is about to close."""
        self._closing = True
        self._move.set()
        for future in self._parked:
            if not future.done():
                future.set_result(self._nothing())

    async def close(self) -> None:
        """Write what waits."""
        self.dismiss()
        if self._serving is not None:
            self._serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._serving
        await self.bridge.close()

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return sum(self._streams.values())

    @property
    def parked(self) -> int:
        """How many questions wait."""
        return len(self._parked)

    def _moved(self, _seq: int, _phase: Phase) -> None:
        self._move.set()
        self._move = asyncio.Event()

    async def _next_move(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._move.wait(), seconds)

    def _nothing(self) -> dict[str, Any]:
        empty: dict[str, list[Any]] = {"receipts": [], "failed": [], "renewed": [], "leases": []}
        return {"seq": self.bridge.seq, "state": self.bridge.phase, **empty}

    async def turn(self, turn: Turn) -> dict[str, Any]:
        """Take a turn; one that only asks may wait until there is something to play."""
        answer = await self.bridge.run(lambda batch: self.taker.take(batch, turn), last=turn.n > 0)
        self.turns += 1
        self.results += len(turn.tells)
        if answer["leases"] or not turn.waits or answer["state"] in ENDED:
            return answer
        if len(self._parked) >= MOST_PARKED:
            return await self._last_word(turn)
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._parked[future] = turn
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve())
        try:
            return await asyncio.wait_for(asyncio.shield(future), turn.wait)
        except TimeoutError:
            return await self._last_word(turn)
        finally:
            self._parked.pop(future, None)

    async def _last_word(self, turn: Turn) -> dict[str, Any]:
        """Ask once more; that there is nothing is then the answer of this request for ever."""
        leases = await self.bridge.run(lambda batch: self.taker.ask(batch, turn, final=True), last=True)
        return {**self._nothing(), "leases": leases}

    async def _serve(self) -> None:
        """Ask again for those who wait, first come first served, whenever something has moved."""
        while self._parked:
            await self._next_move(LOOK_AGAIN)
            waiting = [(future, turn) for future, turn in self._parked.items() if not future.done()]
            if not waiting:
                continue
            try:
                answers = await self.bridge.run(partial(self._ask, turns=[turn for _, turn in waiting]), last=True)
            except EquipoiseError:  # the database is away for a moment
                await asyncio.sleep(LOOK_AGAIN)
                continue
            for (future, _), answer in zip(waiting, answers, strict=False):
                ended = self.bridge.phase in ENDED
                if not future.done() and isinstance(answer, EquipoiseError):
                    future.set_exception(answer)
                    future.exception()  # whoever asked may have gone meanwhile
                elif not future.done() and (answer or ended):
                    future.set_result({**self._nothing(), "leases": answer})
            await asyncio.sleep(SOON)

    def _ask(self, batch: Batch, turns: list[Turn]) -> list[Any]:
        """Ask for everybody who waits: where there is nothing for one, there is nothing for others with its labels."""
        answers: list[Any] = []
        in_vain: set[frozenset[str] | None] = set()
        for turn in turns:
            if in_vain & {None, turn.labels}:
                answers.append([])
                continue
            try:
                answers.append(self.taker.ask(batch, turn, final=False))
            except EquipoiseError as error:
                answers.append(error)
                continue
            # What is played again is chosen by who asks, too.
            if not answers[-1] and batch.state.phase not in ENDED and not batch.state.spec.replay:
                in_vain.add(turn.labels)
        return answers

    def enter(self, session: str) -> bool:
        """Count one more stream of a session; False if there are too many."""
        if self.streams >= MOST_STREAMS or self._streams.get(session, 0) >= STREAMS_EACH:
            return False
        self._streams[session] = self._streams.get(session, 0) + 1
        return True

    def leave(self, session: str) -> None:
        """Count one stream less."""
        left = self._streams.pop(session, 1) - 1
        if left > 0:
            self._streams[session] = left

    async def moves(self, session: str, seen: int = -1) -> AsyncIterator[bytes]:
        """Say how far the journal is, at once and then at most twice a second; nothing else travels this way.

        Where a stream was cut makes no difference: the last message says all there is. Who has ``seen`` an event
        hears of the first one after it; an event that this journal does not have was another's.
        """
        loop = asyncio.get_running_loop()
        told, spoke = seen if seen <= self.bridge.seq else -1, loop.time()
        try:
            yield b"retry: 2000\n\n"
            while not self._closing:
                seq, phase = self.bridge.seq, self.bridge.phase
                if seq > told:
                    told, spoke = seq, loop.time()
                    data = json.dumps({"seq": seq, "state": phase})
                    yield f"id: {seq}\nevent: move\ndata: {data}\n\n".encode()
                    await asyncio.sleep(TWO_A_SECOND)
                    continue
                silence = loop.time() - spoke
                if silence >= KEEP_ALIVE:
                    spoke = loop.time()
                    yield b": still here\n\n"
                await self._next_move(min(KEEP_ALIVE - silence, KEEP_ALIVE) if silence < KEEP_ALIVE else KEEP_ALIVE)
        finally:
            self.leave(session)
