"""Taking results: what counts, what came too late, what is refused."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise.arena.engine.batch import Batch
from equipoise.arena.engine.blocks import OpenBlock
from equipoise.arena.engine.leasing import end_in_vain, void_if_tried, void_open
from equipoise.arena.engine.proposing import ended_by
from equipoise.arena.journal.events import Event, EventKind
from equipoise.arena.spec.names import checked_text, escaped
from equipoise.arena.spec.outcome import Outcome, digest
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.arena.spec.trial import Fault, Lease, Receipt
from equipoise.core.errors import DataError, LeaseError, ParameterError, some_of
from equipoise.core.options import Check, check, choice, shown

TEXT = Check("a text", others=(str,))
ROUNDING = 1e-9
"""How far beyond the ends of its range a score may lie by rounding, as a share of the range."""


class OtherResultError(DataError):
    """What is said of a game differs from what was said before under the same key."""


@dataclass(frozen=True, slots=True)
class SubmittedResult:
    """A result to be taken: whose lease, what came out, under which key.

    ``lease, scores, key, controls, transcript, costs`` as in :meth:`Arena.tell`; ``vote`` is who chose what.
    """

    lease: Lease
    outcome: Outcome
    key: str | None = None
    forfeit: Mapping[str, Any] | None = None
    vote: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """The key: a worker's own, or one that the lease gives."""
        return self.key if self.key is not None else f"attempt {self.lease.attempt}"


def checked_key(key: str) -> str:
    """Give the key that a worker chose, or refuse one that leases have by themselves: it may be another worker's."""
    checked_text(key, "the key of a result", 200)
    if re.fullmatch(r"attempt \d+", key):
        raise DataError(f'"{key}" is a key that leases have by themselves: choose another one, or none')
    return key


def tell(batch: Batch, result: SubmittedResult) -> Receipt:
    """Take a result once: the same again gives the same answer, another under the same key is refused."""
    return _take(batch, result, _judged(batch, result))


def tell_many(batch: Batch, results: Sequence[SubmittedResult]) -> list[Receipt]:
    """Take several results, all of them or none: each is judged before the first is taken."""
    trials = [result.lease.trial.number for result in results]
    twice = (
        [trial for trial in dict.fromkeys(trials) if trials.count(trial) > 1] if len(set(trials)) < len(trials) else []
    )
    if twice:
        raise DataError(f"several results of one game: {some_of(twice)}")
    judged = [_judged(batch, result) for result in results]
    return [_take(batch, result, what) for result, what in zip(results, judged, strict=True)]


def _judged(batch: Batch, result: SubmittedResult) -> Receipt | tuple[EventKind, dict[str, Any]]:
    """Say what a result is, or refuse it: the receipt of a repeated one, or the event to be written."""
    state, lease = batch.state, result.lease
    trial = lease.trial.number
    block = state.open_trial(trial)
    if block is None:
        return _finished_before(batch, result)
    if lease.trial != block.trial(trial):
        raise LeaseError(f"the lease of game {trial} is not of this game of the arena: it is of another copy")
    return "result", _body(state.spec, result, block)


def _finished_before(batch: Batch, result: SubmittedResult) -> Receipt | tuple[EventKind, dict[str, Any]]:
    """Judge a result for a trial that waits for none: repeated, late, or for nothing."""
    trial = result.lease.trial.number
    if trial > batch.state.last_trial:
        raise LeaseError(f"this arena has no game {trial}: it may be an older copy of the one that gave the lease")
    before = batch.journal.event_of_key(trial, result.name)
    if before is not None:
        return _repeated(before, result)
    void = batch.journal.void_of(result.lease.trial.block)
    if void is not None:
        raise LeaseError(f"game {trial} is void ({void.content()['reason']}): its result does not count")
    return "late", {"trial": trial, "block": result.lease.trial.block, **_said(result)}


def _take(batch: Batch, result: SubmittedResult, judged: Receipt | tuple[EventKind, dict[str, Any]]) -> Receipt:
    """Write a result that was judged."""
    if isinstance(judged, Receipt):
        return judged
    kind, body = judged
    event, decisions = batch.emit(kind, body, result.name)
    if result.outcome.transcript is not None:
        batch.keep_text(digest(result.outcome.transcript), result.outcome.transcript)
    if kind == "late":
        return Receipt(counted=False, duplicate=False, seq=event.seq)
    for decision in decisions:
        batch.emit("decision", decision.to_dict())
    ended_by(batch, decided=bool(decisions))
    return Receipt(counted=True, duplicate=False, seq=event.seq)


def _repeated(before: Event, result: SubmittedResult) -> Receipt:
    said = before.content()
    if {key: said.get(key) for key in SAID} != {key: _said(result).get(key) for key in SAID}:
        raise OtherResultError(
            f'game {result.lease.trial.number} has another result under the key "{result.name}": the first one stays'
        )
    return Receipt(counted=before.kind == "result", duplicate=True, seq=before.seq)


SAID = ("scores", "controls", "costs", "transcript", "forfeit")
"""What a worker says of a trial."""


def _said(result: SubmittedResult) -> dict[str, Any]:
    said: dict[str, Any] = {"attempt": result.lease.attempt, "worker": result.lease.worker, **result.outcome.body()}
    if result.key is not None:  # beside its column, which no hash covers
        said["key"] = result.key
    said |= result.vote or {}
    return said if result.forfeit is None else {**said, "forfeit": dict(result.forfeit)}


def _body(spec: ArenaSpec, result: SubmittedResult, block: OpenBlock) -> dict[str, Any]:
    """Write everything about a result, so that it can be read without looking elsewhere."""
    trial = result.lease.trial
    body: dict[str, Any] = {
        "trial": trial.number, "block": block.number, "of": len(block.trials),
        "players": list(trial.players), "task": trial.task, "seed": block.trial(trial.number).seed,
        **_said(result),
    }  # fmt: skip
    return {**body, **normalised_scores(spec, result.outcome, block, result.forfeit is not None)}


def normalised_scores(spec: ArenaSpec, outcome: Outcome, block: OpenBlock, forfeit: bool) -> dict[str, list[float]]:
    """Give the normalised scores; what went with luck in each seat; and what decisions use, where they leave it out."""
    control = None if forfeit else _control(spec, outcome)
    weights = {"normalised": _normalised(spec, outcome.scores)}
    if control is not None:
        weights["control"] = control
    if block.coefficient is not None and spec.luck is not None:
        luck = control if control is not None else [0.0] * len(outcome.scores)
        adjusted = [score - block.coefficient * part for score, part in zip(outcome.scores, luck, strict=True)]
        weights["adjusted"] = [_within(score, spec.luck.range) for score in adjusted]
    return weights


def _control(spec: ArenaSpec, outcome: Outcome) -> list[float] | None:
    """Add up the chosen controls of each seat, less their mean."""
    luck = spec.luck
    if luck is None:
        return None
    names = luck.controls or tuple(sorted(outcome.controls))
    missing = [name for name in names if name not in outcome.controls]
    if missing and luck.decide:
        raise DataError(
            f'a result without the control "{missing[0]}", which decisions need: {shown(list(outcome.controls))}'
        )
    chosen = [outcome.controls[name] for name in names if name in outcome.controls]
    if not chosen or missing:
        return None
    return [sum(values) - luck.mean * len(chosen) for values in zip(*chosen, strict=True)]


def _normalised(spec: ArenaSpec, scores: tuple[float, ...]) -> list[float]:
    """Put scores between 0 and 1."""
    if spec.score_range is None and min(scores) >= 0.0 and max(scores) <= 1.0:
        return list(scores)
    if spec.score_range is None and spec.question.any_scores and len(scores) > 1:
        return _places(scores)
    return [_within(score, spec.score_range) for score in scores]


def _within(score: float, ends: tuple[float, float] | None) -> float:
    low, high = ends or (0.0, 1.0)
    share = (score - low) / (high - low)
    if -ROUNDING <= share <= 1.0 + ROUNDING:
        return min(max(share, 0.0), 1.0)
    advice = "" if ends is not None else "; an arena with other scores needs score_range in its spec"
    raise DataError(f"a score of {score:g} lies outside the range from {low:g} to {high:g}{advice}")


def _places(scores: tuple[float, ...]) -> list[float]:
    """Without a range, all that can be compared is who scored more: the share of the others that a seat beat."""
    others = len(scores) - 1
    beaten = [sum((a > b) + (a == b) / 2 for b in scores) - 0.5 for a in scores]
    return [share / others for share in beaten]


def failure(
    lease: Lease,
    fault: Fault,
    seat: int | None,
    message: str,
    *,
    transcript: str | None = None,
    costs: Mapping[str, float] | None = None,
) -> Callable[[Batch], Receipt]:
    """Give what takes note of a failure, with the arguments of :meth:`Arena.fail`; refuse what makes no sense."""
    check(choice("worker", "player", "operator"), "fault", fault)
    check(TEXT, "message", message)
    line = escaped(" ".join(message.split()))[:500].encode("utf-8", "replace").decode()
    if fault != "player":
        return lambda batch: fail(batch, lease, fault, seat, line, None)
    outcome = Outcome.checked((0.0,), 1, transcript=transcript, costs=costs)

    def blame(batch: Batch) -> Receipt:
        spec = batch.state.spec
        loss = forfeited(spec, lease, seat, line)
        said = replace(loss, outcome=replace(outcome, scores=loss.outcome.scores))
        return fail(batch, lease, fault, seat, line, said if spec.forfeit == "loss" else None)

    return blame


def fail(
    batch: Batch, lease: Lease, fault: Fault, seat: int | None, message: str, result: SubmittedResult | None
) -> Receipt:
    """Take note that a trial was not finished, and whose fault it is."""
    state, trial = batch.state, lease.trial.number
    if fault == "player":
        if result is None:
            return _void_by_player(batch, lease, seat, message)
        return tell(batch, result)
    held = state.held.get(trial)
    if held is None or held.attempt != lease.attempt:
        # Somebody else has it, or has finished it: there is nothing to take back.
        return Receipt(counted=False, duplicate=True, seq=state.seq)
    body = {"trial": trial, "attempt": lease.attempt, "worker": lease.worker, "message": message}
    event, _ = batch.emit("failed", {**body, "stopped": True} if fault == "operator" else body)
    void_if_tried(batch, trial, message or "the worker failed")
    ended_by(batch, decided=True)
    return Receipt(counted=False, duplicate=False, seq=event.seq)


def _void_by_player(batch: Batch, lease: Lease, seat: int | None, message: str) -> Receipt:
    state = batch.state
    block = state.open_trial(lease.trial.number)
    if block is None:
        return Receipt(counted=False, duplicate=True, seq=state.seq)
    assert seat is not None  # the forfeit that was made of it has one
    player = lease.trial.players[seat]
    reason = f"game {lease.trial.number}, fault of {player}: {message}"
    void_open(batch, block.number, reason, player)
    ended_by(batch, decided=True)
    end_in_vain(batch, reason)
    return Receipt(counted=False, duplicate=False, seq=state.seq)


def forfeited(spec: ArenaSpec, lease: Lease, seat: int | None, message: str) -> SubmittedResult:
    """Give the result of a trial that a player forfeits: the lowest score for it, the highest for the others."""
    seats = len(lease.trial.players)
    if seat is None or isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < seats:
        raise ParameterError(f"a player's fault needs its seat, from 0 to {seats - 1}, not {shown(seat)}")
    low, high = spec.score_range or (0.0, 1.0)
    scores = tuple(low if at == seat else high for at in range(seats))
    return SubmittedResult(lease, Outcome(scores), None, {"seat": seat, "message": message})
