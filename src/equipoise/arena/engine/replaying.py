"""Finished trials that another worker plays again, so that whoever makes results up is found.

Which ones is drawn with the arena's secret: nobody who plays can know. What comes out is kept in the journal and never
counts.
"""

import hashlib
import hmac
from collections import deque
from collections.abc import Collection
from typing import Any

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.state import ArenaState
from equipoise.arena.spec.trial import REPLAYED

LOOKED_BACK = 10_000
"""Events before the end of the journal among which results are drawn when an arena is opened."""
MOST_DUE = 1_000


class Replays:
    """Results that were drawn to be played again and were not yet, oldest first.

    Parameters
    ----------
    secret
        Of the arena.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret.encode()
        self._read: int | None = None
        self._due: deque[dict[str, Any]] = deque(maxlen=MOST_DUE)

    def lease(
        self, batch: Batch, worker: str, labels: Collection[str] | None, request: str | None
    ) -> dict[str, Any] | None:
        """Write down that a worker plays a trial again that another one has played; None if there is none for it."""
        state = batch.state
        if not state.spec.replay or state.phase != "running":
            return None
        self._look(batch)
        one = next((body for body in self._due if _may(state, body, worker, labels)), None)
        if one is None:
            return None
        self._due.remove(one)
        until = batch.now + min(state.spec.lease, state.spec.stall_after)
        body = {
            "trial": one["trial"], "attempt": REPLAYED, "worker": worker, "until": until, "of": one["worker"],
            "scores": one["scores"],
        }  # fmt: skip
        batch.emit("replay", body if request is None else {**body, "request": request})
        return body

    def _look(self, batch: Batch) -> None:
        """Draw among the results that are new."""
        after = max(batch.state.seq - LOOKED_BACK, 0) if self._read is None else self._read
        begun = set()
        for event in batch.journal.events(after=after, kinds=["result", "replay"]):
            body = event.content()
            if event.kind == "replay":
                begun.add(body["trial"])
            elif self._drawn(body["trial"], batch.state.spec.replay):
                self._due.append(body)
        if self._read is None:
            self._due = deque((one for one in self._due if one["trial"] not in begun), MOST_DUE)
        self._read = batch.state.seq

    def _drawn(self, trial: int, share: float) -> bool:
        drawn = hmac.new(self._secret, f"replay/{trial}".encode(), hashlib.sha256).digest()
        return int.from_bytes(drawn[:8], "big") < share * 2.0**64


def owner_of(worker: str) -> str:
    """Give whose a worker is: a token may play from several machines.

    >>> owner_of("gpu box/play@here:12")
    'gpu box'
    """
    return worker.partition("/")[0]


def _may(state: ArenaState, result: dict[str, Any], worker: str, labels: Collection[str] | None) -> bool:
    """Whether a worker may play a result again: another's, of players that it can run and that have no limits."""
    players = [state.players[name] for name in result["players"]]
    return owner_of(result["worker"]) != owner_of(worker) and all(
        one.concurrency is None and one.per_minute is None and (labels is None or set(one.labels) <= set(labels))
        for one in players
    )
