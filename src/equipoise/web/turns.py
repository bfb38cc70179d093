"""Turns: what a worker did and what it asks for, in one request and one transaction.

A lease on the wire is one text, ``TRIAL.ATTEMPT.SECRET``; its secret is made for the token that asked, so that it is of
no use to another worker.
"""

import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.arena.arena import Arena
from equipoise.arena.engine import reported_results
from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.leasing import LeaseIssuer
from equipoise.arena.engine.reported_results import SubmittedResult
from equipoise.arena.spec.access_token import AccessToken
from equipoise.arena.spec.names import checked_name, checked_text
from equipoise.arena.spec.outcome import Outcome
from equipoise.arena.spec.trial import Lease, Receipt, Trial
from equipoise.core.errors import EquipoiseError, LeaseError, ParameterError
from equipoise.core.options import check, number, whole
from equipoise.web.problems import ProblemError, problem_of

MOST_ITEMS, MOST_LEASES, DEEPEST, LONGEST_WAIT = 256, 256, 20, 30.0
KEYS = ("request", "worker", "tells", "fails", "renew", "ask", "take_over")
TELL = ("lease", "scores", "key", "controls", "transcript", "costs")
FAIL = ("lease", "fault", "seat", "message", "transcript", "costs")
RENEW = ("lease", "progress")
ASK = ("n", "wait", "labels")


def read_json(body: bytes) -> Any:
    """Read a body as strict JSON: finite numbers, not deeper than twenty levels."""
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        text = " ".join(str(error).split())[:200]
        raise ProblemError("bad-request", f"the body is no JSON: {text}") from None
    if _depth(value) > DEEPEST:
        raise ProblemError("bad-request", f"the body is more than {DEEPEST} levels deep")
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _depth(value: Any) -> int:
    deepest, level = 0, [value]
    while level and deepest <= DEEPEST:
        inside = [list(one.values()) if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        level = [one for some in inside for one in some]
        deepest += bool(inside)
    return deepest


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a worker.

    Attributes
    ----------
    token
        Who says so.
    worker
        The name in the journal: the token's, and which of its machines or processes.
    request
        By which the same question is known when it is asked again.
    tells, fails, renew
        Items as they came; each gets an answer of its own.
    n, wait, labels
        How many games are asked for, how long that may take, and what the worker has.
    take_over
        Workers of the same token that have died, whose games go on here.
    """

    token: AccessToken
    worker: str
    request: str | None
    tells: Sequence[Any]
    fails: Sequence[Any]
    renew: Sequence[Any]
    n: int
    wait: float
    labels: frozenset[str] | None
    take_over: frozenset[str]

    @classmethod
    def read(cls, token: AccessToken, body: bytes) -> "Turn":
        """Read a body; refuse what is no turn at all."""
        said = _table(read_json(body), KEYS, "a turn")
        tells, fails, renew = (_items(said, name) for name in ("tells", "fails", "renew"))
        if len(tells) + len(fails) + len(renew) > MOST_ITEMS:
            raise ProblemError("too-large", f"a turn has at most {MOST_ITEMS} items")
        asked = _table(said.get("ask") or {"n": 0}, ASK, "ask")
        n, wait, labels = asked.get("n", 1), asked.get("wait", 0.0), asked.get("labels")
        check(whole(0, MOST_LEASES), "n", n)
        check(number(0.0), "wait", wait)
        if labels is not None and not (isinstance(labels, list) and all(isinstance(one, str) for one in labels)):
            raise ParameterError("labels are a list of names")
        request, worker = said.get("request"), said.get("worker")
        if request is not None:
            request = f"{token.id}:{checked_text(request, 'the id of a request', 150)}"
        worker = token.name if worker is None else f"{token.name}/{checked_name(worker, 'worker')[:100]}"
        dead = frozenset(f"{token.name}/{checked_name(one, 'worker')}" for one in _items(said, "take_over"))
        return cls(
            token,
            worker,
            request,
            tells,
            fails,
            renew,
            n,
            min(float(wait), LONGEST_WAIT),
            _allowed(token, labels),
            dead,
        )

    @property
    def brings(self) -> bool:
        """Whether there is anything but a question in it."""
        return bool(self.tells or self.fails or self.renew or self.take_over)

    @property
    def waits(self) -> bool:
        """Whether it may be answered later."""
        return self.n > 0 and self.wait > 0.0 and not self.brings


@dataclass(frozen=True, slots=True)
class TurnTaker:
    """Takes turns at one arena."""

    issuer: LeaseIssuer

    @classmethod
    def of(cls, arena: Arena) -> "TurnTaker":
        """Get ready for an arena."""
        return cls(LeaseIssuer(arena.id, arena.store.secret))

    def take(self, batch: Batch, turn: Turn) -> dict[str, Any]:
        """Take a turn in a transaction: a receipt or a refusal for each item, then leases."""
        receipts = [_each(self._tell, batch, turn, one) for one in turn.tells]
        failed = [_each(self._fail, batch, turn, one) for one in turn.fails]
        renewed = [_each(self._renew, batch, turn, one) for one in turn.renew]
        leases = [] if turn.n == 0 else self.ask(batch, turn, final=not turn.waits)
        if turn.take_over:
            leases += [self._written(lease, turn.token) for lease in self.issuer.held_by(batch, turn.take_over)]
        return {
            "seq": batch.state.seq, "state": batch.state.phase, "receipts": receipts, "failed": failed,
            "renewed": renewed, "leases": leases,
        }  # fmt: skip

    def ask(self, batch: Batch, turn: Turn, *, final: bool) -> list[dict[str, Any]]:
        """Lease games; where there is none and the answer is ``final``, the same request has none for ever."""
        leases = self.issuer.ask(batch, turn.n, turn.worker, turn.request, turn.labels, final=final)
        return [self._written(lease, turn.token) for lease in leases]

    def _written(self, lease: Lease, token: AccessToken) -> dict[str, Any]:
        text = f"{lease.trial.number}.{lease.attempt}.{self._secret(lease.trial.number, lease.attempt, token)}"
        return {"lease": text, "trial": lease.trial.to_dict(), "reason": lease.reason, "until": lease.until}

    def _secret(self, trial: int, attempt: int, token: AccessToken) -> str:
        own = self.issuer.secret_of(trial, attempt)
        return hmac.digest(own.encode(), token.id.encode(), "sha256").hex()[:32]

    def lease(self, batch: Batch, text: object, turn: Turn) -> Lease:
        """Read a lease that this token was given."""
        parts = text.split(".") if isinstance(text, str) else []
        if len(parts) != 3 or not (parts[0].isdecimal() and parts[1].isdecimal() and len(text) < 100):  # type: ignore[arg-type]  # a text, then
            raise ParameterError("a lease is the text that a turn gave")
        trial, attempt = int(parts[0]), int(parts[1])
        if not hmac.compare_digest(parts[2].encode(), self._secret(trial, attempt, turn.token).encode()):
            raise LeaseError(f"the lease of game {trial} is not this worker's")
        state = batch.state
        block, held = state.block_of(trial), state.held.get(trial)
        worker = held.worker if held is not None and held.attempt == attempt else turn.worker
        played = self._finished(batch, trial) if block is None else block.trial(trial)
        return Lease(played, attempt, worker, "", 0.0, self.issuer.arena, self.issuer.secret_of(trial, attempt))

    def _finished(self, batch: Batch, trial: int) -> Trial:
        """Give a game that waits for nothing any more; what it was only matters as far as its block."""
        opening = batch.journal.opening_of(trial) if 1 <= trial <= batch.state.last_trial else None
        if opening is None:
            raise LeaseError(f"this arena has no game {trial}: it may be an older copy of the one that gave the lease")
        said = opening.content()
        seats = next((tuple(names) for at, names in said["trials"] if at == trial), ())
        return Trial(trial, said["block"], seats, said["task"], 0)

    def _tell(self, batch: Batch, turn: Turn, item: Any) -> dict[str, Any]:
        said = _table(item, TELL, "a result")
        lease = self.lease(batch, said.get("lease"), turn)
        key = said.get("key")
        if key is not None:
            reported_results.checked_key(key)
        more = {name: said.get(name) for name in ("controls", "transcript", "costs")}
        outcome = Outcome.checked(said.get("scores", ()), len(lease.trial.players), **more)
        return _receipt(reported_results.tell(batch, SubmittedResult(lease, outcome, key)))

    def _fail(self, batch: Batch, turn: Turn, item: Any) -> dict[str, Any]:
        said = _table(item, FAIL, "a failure")
        lease = self.lease(batch, said.get("lease"), turn)
        more = {name: said.get(name) for name in ("transcript", "costs")}
        take = reported_results.failure(
            lease, said.get("fault", "worker"), said.get("seat"), said.get("message", ""), **more
        )
        return _receipt(take(batch))

    def _renew(self, batch: Batch, turn: Turn, item: Any) -> dict[str, Any]:
        said = _table(item, RENEW, "a renewal")
        progress = said.get("progress")
        check(number(), "progress", progress)
        lease = self.issuer.renew(batch, self.lease(batch, said.get("lease"), turn), float(progress))  # type: ignore[arg-type]  # checked above
        return {"status": 200, "until": lease.until}


def _each(take: Any, batch: Batch, turn: Turn, item: Any) -> dict[str, Any]:
    """Give the answer to one item; what is refused has changed nothing, and the others go on."""
    before = batch.state.seq
    try:
        answer: dict[str, Any] = take(batch, turn, item)
        return answer
    except EquipoiseError as error:
        if batch.state.seq != before:
            raise
        return problem_of(error).to_dict()


def _receipt(receipt: Receipt) -> dict[str, Any]:
    return {"status": 200, "counted": receipt.counted, "duplicate": receipt.duplicate, "seq": receipt.seq}


def _table(value: Any, keys: Sequence[str], what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ParameterError(f"{what} is a JSON object")
    unknown = [name for name in value if name not in keys]
    if unknown:
        raise ParameterError(f"{what} has no key {unknown[0][:40]!r}; it takes {', '.join(keys)}")
    return value


def _items(said: Mapping[str, Any], name: str) -> Sequence[Any]:
    items = said.get(name) or []
    if not isinstance(items, list):
        raise ParameterError(f"{name} is a list")
    return items


def _allowed(token: AccessToken, labels: Sequence[str] | None) -> frozenset[str] | None:
    """Narrow what a worker says to have to what its token allows."""
    if not token.labels:
        return None if labels is None else frozenset(labels)
    return frozenset(token.labels) if labels is None else frozenset(labels) & frozenset(token.labels)
