"""Leasing trials: leases, their renewal, and taking them back."""

import hashlib
import hmac
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.blocks import OpenBlock
from equipoise.arena.engine.proposing import NOTHING_PLAYED, ended_by, open_block
from equipoise.arena.engine.replaying import Replays
from equipoise.arena.engine.sessions import EmptyAnswers, Given
from equipoise.arena.engine.state import ENDED, ArenaState
from equipoise.arena.spec.trial import REPLAYED, Lease
from equipoise.core.errors import DataError, LeaseError

MOST_WAITING = 64
"""Trials that may wait for workers with other labels before no more blocks are opened for this one."""
MOST_IN_VAIN = 20
"""Blocks in a row that became void without a result between them, after which play ends: void trials cost no budget, so
that an arena none of whose games can be played would go on for ever."""


@dataclass(slots=True)
class LeaseIssuer:
    """Leases of one arena.

    Attributes
    ----------
    arena, secret
        Identity of the arena, and what secrets of leases are made from.
    """

    arena: str
    secret: str
    _nothing: EmptyAnswers = field(default_factory=EmptyAnswers)
    _replays: Replays = field(init=False)

    def __post_init__(self) -> None:
        self._replays = Replays(self.secret)

    def ask(
        self,
        batch: Batch,
        n: int,
        worker: str,
        request: str | None,
        labels: Collection[str] | None,
        *,
        final: bool = True,
    ) -> list[Lease]:
        """Lease up to ``n`` trials; where there is none and the answer is ``final``, that is the request's answer."""
        sweep(batch)
        state = batch.state
        if state.votes is not None:
            raise DataError("people vote here, on the page of a server: equipoise arena serve")
        if state.admission.excluded and (refusal := state.admission.refuses(worker)) is not None:
            raise DataError(refusal)
        if request is not None:
            asked = state.sessions.answer(request)
            if asked is not None:
                return [self._given(batch, asked.worker, given) for given in asked.leases]
            if self._nothing.has(request):
                return []
        leases: list[Lease] = []
        while state.phase in ("running", "answered", "paused") and len(leases) < n:
            again = self._replays.lease(batch, worker, labels, request) if state.spec.replay else None
            if again is not None:
                leases.append(self._given(batch, worker, Given(again["trial"], REPLAYED, again["until"])))
                continue
            trial = self._next(batch, labels)
            if trial is None:
                break
            leases.append(self._lease_trial(batch, trial, worker, request))
        ended_by(batch)
        if request is not None and not leases and (final or state.phase in ENDED):
            self._nothing.note(request)
        return leases

    def held_by(self, batch: Batch, workers: Collection[str]) -> list[Lease]:
        """Give the leases that workers hold, for another to go on with."""
        held = batch.state.held.items()
        mine = [(one.worker, Given(trial, one.attempt, one.until)) for trial, one in held if one.worker in workers]
        return [self._given(batch, worker, given) for worker, given in mine]

    def _next(self, batch: Batch, labels: Collection[str] | None) -> int | None:
        """Find a trial that waits and that this worker may play, or open a block for it."""
        state = batch.state
        if state.phase != "running":
            return None
        while True:
            if state.queue and not state.particular:
                return state.queue[0]
            for trial in state.queue:
                if self._may_play(state, trial, labels, batch.now):
                    return trial
            if len(state.queue) >= MOST_WAITING or not open_block(batch):
                return None

    def _may_play(self, state: ArenaState, trial: int, labels: Collection[str] | None, now: float) -> bool:
        block = state.block_of(trial)
        assert block is not None
        seats = set(block.trials[trial])
        for player in (state.players[name] for name in seats):
            if labels is not None and not set(player.labels) <= set(labels):
                return False
            if player.concurrency is not None and _in_play(state, player.name) >= player.concurrency:
                return False
            if player.per_minute is not None and len(state.recent(player.name, now)) >= player.rate[0]:
                return False
        return True

    def _lease_trial(self, batch: Batch, trial: int, worker: str, request: str | None) -> Lease:
        state = batch.state
        given = Given(
            trial, state.attempts.get(trial, 0) + 1, batch.now + min(state.spec.lease, state.spec.stall_after)
        )
        body = {**given._asdict(), "worker": worker}
        batch.emit("lease", body if request is None else {**body, "request": request})
        block = state.block_of(trial)
        assert block is not None
        return self._lease(block, worker, given)  # nobody can have renewed it: the database need not be asked

    def _given(self, batch: Batch, worker: str, given: Given) -> Lease:
        """Give a lease again, until when it was renewed last; also one that is over, of a finished trial."""
        state, trial, attempt = batch.state, given.trial, given.attempt
        held, block = state.held.get(trial), state.block_of(trial)
        if block is None:
            opening = batch.journal.opening_of(trial)
            assert opening is not None
            block = OpenBlock.from_dict(opening.content())
        row = batch.lease_of(trial, attempt) if held is not None and held.attempt == attempt else None
        return self._lease(block, worker, given if row is None else given._replace(until=row["until"]))

    def _lease(self, block: OpenBlock, worker: str, given: Given) -> Lease:
        secret = self.secret_of(given.trial, given.attempt)
        return Lease(block.trial(given.trial), given.attempt, worker, block.reason, given.until, self.arena, secret)

    def secret_of(self, trial: int, attempt: int) -> str:
        """Give the secret of a lease: the same each time, so that a repeated request gets the same lease."""
        mac = _begun(self.secret).copy()
        mac.update(f"{self.arena}/{trial}/{attempt}".encode())
        return mac.hexdigest()[:32]

    def refuse_foreign(self, lease: object) -> Lease:
        """Refuse what is no lease of this arena, or one whose secret is wrong."""
        if not isinstance(lease, Lease):
            raise LeaseError(f"a lease is what ask gave, not an object of type {type(lease).__name__}")
        if lease.arena != self.arena:
            raise LeaseError(f"the lease of game {lease.trial.number} is of another arena")
        if not hmac.compare_digest(self.secret_of(lease.trial.number, lease.attempt).encode(), lease.secret.encode()):
            raise LeaseError(f"the secret of this lease of game {lease.trial.number} is wrong")
        return lease

    def renew(self, batch: Batch, lease: Lease, progress: float) -> Lease:
        """Put the end of a lease off, as long as there is progress."""
        state, trial = batch.state, lease.trial.number
        held = state.held.get(trial)
        if lease.attempt == REPLAYED:  # nobody waits for it
            return self._given(batch, lease.worker, Given(trial, REPLAYED, batch.now + state.spec.lease))
        if held is None or held.attempt != lease.attempt:
            raise LeaseError(f"the lease of game {trial} was taken back: {_where(state, trial)}")
        row = batch.lease_of(trial, held.attempt)
        at = batch.now if row is None or progress > row["progress"] else row["progress_at"]
        until = min(batch.now + state.spec.lease, at + state.spec.stall_after)
        if until <= batch.now:
            raise LeaseError(
                f"the lease of game {trial} is not renewed: no progress in {batch.now - at:g} s "
                f"(stall_after is {state.spec.stall_after:g})"
            )
        batch.lease(
            {"trial": trial, "attempt": lease.attempt, "until": until, "progress": progress, "progress_at": at}
        )  # fmt: skip
        return self._given(batch, held.worker, Given(trial, held.attempt, held.until))


@cache
def _begun(secret: str) -> hmac.HMAC:
    """Begin a code with a secret: each lease goes on from a copy."""
    return hmac.new(secret.encode(), digestmod=hashlib.sha256)


def sweep(batch: Batch) -> None:
    """Take back the leases that ran out; trials that were tried too often are void."""
    state = batch.state
    if batch.swept:
        return
    batch.swept, voids = True, state.voids
    for trial in list(_ran_out(batch)):
        held = state.held.get(trial)
        if held is None:  # its block became void with the trial before
            continue
        row = batch.lease_of(trial, held.attempt)
        stalled = row is not None and row["until"] >= row["progress_at"] + state.spec.stall_after
        cause = "no progress" if stalled else "lease ran out"
        batch.emit("expired", {"trial": trial, "attempt": held.attempt, "worker": held.worker, "cause": cause})
        void_if_tried(batch, trial, cause)
    if state.voids > voids:  # blocks that waited for a void one count now, and may have answered the question
        ended_by(batch, decided=True)


def void_if_tried(batch: Batch, trial: int, cause: str) -> None:
    """Make the block of a trial void that was tried as often as the spec allows."""
    state = batch.state
    if state.attempts.get(trial, 0) - state.given_back.get(trial, 0) < state.spec.attempts:
        return
    block = state.block_of(trial)
    assert block is not None
    reason = f"game {trial} was tried {state.spec.attempts} times: {cause}"
    void_open(batch, block.number, reason)
    end_in_vain(batch, f"{reason} ({', '.join(block.trials[trial])})")


def end_in_vain(batch: Batch, reason: str) -> None:
    """End play where too many blocks in a row became void; the reason is of the last."""
    state = batch.state
    if state.in_vain >= MOST_IN_VAIN and state.phase == "running":
        words = f"{MOST_IN_VAIN} sets of paired games in a row could not be played; the last: {reason}"
        batch.emit("state", {"state": "stopped", "ending": NOTHING_PLAYED, "words": words})


def void_open(batch: Batch, block: int, reason: str, player: str | None = None, by: str = "") -> None:
    """Make an unfinished block void; ``player`` is who made it so, or ``by`` who said so."""
    more = {name: who for name, who in (("player", player), ("by", by)) if who}
    _, decisions = batch.emit("void", {"block": block, "reason": reason, **more})
    for decision in decisions:
        batch.emit("decision", decision.to_dict())


def _ran_out(batch: Batch) -> Iterator[int]:
    """Trials whose lease has ended, renewals considered."""
    for trial, held in batch.state.held.items():
        if held.until <= batch.now and not (batch.state.votes and trial in batch.state.votes.casts):
            row = batch.lease_of(trial, held.attempt)
            if row is None or row["until"] <= batch.now:
                yield trial


def _in_play(state: ArenaState, name: str) -> int:
    return sum(name in block.trials[trial] for trial in state.held if (block := state.block_of(trial)) is not None)


def _where(state: ArenaState, trial: int) -> str:
    if trial in state.held:
        return "another worker has it"
    return "it waits for a worker" if trial in state.queue else "it is finished or void"
