"""Recounting an arena from its journal: whether everything shown follows from what was committed."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.arena.contests.contest import Decision
from equipoise.arena.engine.blocks import mean_by_player
from equipoise.arena.engine.reported_results import normalised_scores
from equipoise.arena.engine.state import SNAPSHOT_FORMAT, WRITTEN_BEFORE, ArenaState
from equipoise.arena.engine.tally import Tally
from equipoise.arena.journal.events import BEGINNING, Event
from equipoise.arena.journal.results import Readable, counted
from equipoise.arena.spec.names import escaped
from equipoise.arena.spec.outcome import Outcome, digest
from equipoise.arena.store.store import RESTORED
from equipoise.arena.store.transaction import Transaction
from equipoise.core.errors import DataError, EquipoiseError, StoreError
from equipoise.core.results import jsonable

MOST_PROBLEMS = 20
UNREADABLE = (KeyError, ValueError, AssertionError, TypeError, IndexError, AttributeError, EquipoiseError)
"""What reading events raises that nobody wrote."""
WARM = ("rating", "fitted")
"""Parts of a contest that say where the next fit of ratings starts from."""


@dataclass(frozen=True, slots=True)
class Verification:
    """What a recount found.

    Attributes
    ----------
    ok
        Whether nothing disagrees.
    events, results, decisions
        How many were looked at.
    head
        Hash of the last event: two people who see the same one have the same journal.
    problems
        What disagrees, in words.
    """

    ok: bool
    events: int
    results: int
    decisions: int
    head: str
    problems: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The outcome in whole sentences."""
        counts = f"{self.events:,} events, {self.results:,} results and {self.decisions:,} decisions were recounted"
        if self.ok:
            return (f"{counts}: everything agrees.", self._end)
        return (f"{counts}; this does not agree:", *self.problems, self._end)

    @property
    def _end(self) -> str:
        return (
            f"The journal has {self.events:,} events and ends with {self.head}. Whether its end was cut off shows only "
            "beside a count and a hash that were noted elsewhere."
        )

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        return {
            "ok": self.ok, "events": self.events, "results": self.results, "decisions": self.decisions,
            "head": self.head, "problems": list(self.problems),
        }  # fmt: skip


def verified(arena: Readable) -> Verification:
    """Read the whole journal again and compare it with everything that is kept beside it."""
    recount = _Recount(_shown(arena), arena.store.id, arena.store.secret)
    with arena.store.read() as transaction:
        saved = _saved(transaction, recount)
        for event in transaction.events():
            if recount.complete(event, saved):
                break
        else:
            recount.finish(transaction.end(), saved)
        recount.check_texts(transaction)
    return recount.result()


def _shown(arena: Readable) -> tuple[int, dict[str, Any]] | None:
    """Give what the arena shows; None where its journal cannot be read, which the recount finds, too."""
    try:
        return arena.look(lambda state: (state.seq, state.snapshot()))
    except StoreError:
        raise
    except UNREADABLE:
        return None


def _saved(transaction: Transaction, recount: "_Recount") -> dict[str, Any] | None:
    try:
        saved = transaction.snapshot()
        if saved is None or saved.get("format") != SNAPSHOT_FORMAT:
            return None
        ArenaState.from_snapshot(saved)
    except DataError as error:
        recount.problem(str(error))
        return None
    except UNREADABLE:
        recount.problem("the snapshot beside the journal cannot be read")
        return None
    return saved


class _Recount:
    """A second reading of the journal, event by event.

    ``shown`` is what the arena shows, with the number of the event that it is of.
    """

    def __init__(self, shown: tuple[int, dict[str, Any]] | None, identity: str, secret: str) -> None:
        self.problems: list[str] = []
        self._shown = shown if shown is not None else (0, {})
        self._identity, self._secret = identity, secret
        self._sealed = False
        if shown is None:
            self.problem("the journal cannot be read to its end, and nothing can be shown")
        self.state: ArenaState | None = None
        self.head, self.seq, self.events, self.results, self.decisions = BEGINNING, 0, 0, 0, 0
        self._owed: deque[Decision] = deque()
        self._kept: list[Event] = []
        self._texts: list[tuple[int, str]] = []

    def problem(self, words: str) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(escaped(words))

    def complete(self, event: Event, saved: dict[str, Any] | None) -> bool:
        """Take an event; True where nothing can be read any further."""
        self.events += 1
        if event.seq != self.seq + 1:
            self.problem(f"event {event.seq} follows event {self.seq}")
        if not event.holds_after(self.head):
            self.problem(f"event {event.seq} was changed: its hash does not follow from the one before")
        self.head, self.seq = event.hash, event.seq
        try:
            self._columns(event)
            self._apply(event)
        except UNREADABLE as error:
            self.problem(
                f"event {event.seq} ({event.kind}) cannot follow from those before: {type(error).__name__} {error}"
            )
            return True
        if saved is not None and saved["seq"] == event.seq and self.state is not None:
            self._compare(jsonable(self.state.snapshot()), saved, f"the snapshot after event {event.seq}")
        if self._shown[0] == event.seq and self.state is not None:
            self._compare(jsonable(self.state.snapshot()), jsonable(self._shown[1]), "what is shown")
        return False

    def _columns(self, event: Event) -> None:
        body = event.content()
        if not isinstance(body, dict):
            raise DataError("its body is no object")
        if self.state is None:
            self._begins(body)
        if not self._has_its_key(event, body):
            self.problem(f"the key of event {event.seq} was changed")
        if (event.trial, event.block) != (body.get("trial"), body.get("block")):
            self.problem(f"the columns of event {event.seq} differ from its body")

    def _begins(self, body: dict[str, Any]) -> None:
        """Compare what stands beside the journal with its first event."""
        if body.get("arena") != self._identity:
            self.problem(f"the identity of the arena was changed: its journal is of {body.get('arena')}")
        # A journal of an older Equipoise says nothing of the secret, nor of keys.
        self._sealed = "secret" in body
        restored = self._secret.startswith(RESTORED)
        if self._sealed and not restored and body["secret"] != digest(self._secret):
            self.problem("the secret of the arena was changed: leases that it gave are no longer known")

    def _has_its_key(self, event: Event, body: dict[str, Any]) -> bool:
        if event.kind not in ("result", "late"):
            return event.key is None
        own = f"attempt {body.get('attempt')}"
        if self._sealed or "key" in body:
            return bool(event.key == body.get("key", own))
        return event.key is not None and (event.key == own or not re.fullmatch(r"attempt \d+", event.key))

    def _apply(self, event: Event) -> None:
        if self.state is None:
            self.state = ArenaState.created(event)
            return
        if event.kind == "decision":
            self._decision(event)
        elif self._owed:
            self.problem(f"a decision is missing before event {event.seq}: {self._owed.popleft().sentence}")
            self._owed.clear()
        self._result(event)
        self._owed.extend(self.state.apply(event))

    def _decision(self, event: Event) -> None:
        self.decisions += 1
        wanted = self._owed.popleft() if self._owed else None
        # How a decision is worded may have changed since it was written; the hash covers the words of then.
        if wanted is None or jsonable(wanted.to_dict()) | {"sentence": ""} != event.content() | {"sentence": ""}:
            self.problem(f"event {event.seq} decides what does not follow: {event.content()['sentence']}")

    def _result(self, event: Event) -> None:
        if event.kind in ("result", "void", "vote"):
            self._kept.append(event)
        if event.kind == "result":
            self.results += 1
            body, state = event.content(), self.state
            assert state is not None
            block = state.open_trial(body["trial"])
            if block is None or list(block.trials[body["trial"]]) != body["players"]:
                self.problem(f"event {event.seq} is a result of a game that waited for none")
            elif (
                not normalised_scores(state.spec, Outcome.from_body(body), block, "forfeit" in body).items()
                <= body.items()
            ):
                self.problem(f"the normalised scores of event {event.seq} do not follow from its scores")
            if "transcript" in body:
                self._texts.append((body["trial"], body["transcript"]))

    def finish(self, end: tuple[int, str], saved: dict[str, Any] | None) -> None:
        """Compare the end of the journal with what is kept and shown."""
        if (self.seq, self.head) != end:
            self.problem(f"the journal ends with event {self.seq}, the arena says {end[0]}")
        if self.state is None:
            self.problem("the journal is empty")
            return
        if self._owed:
            self.problem(f"a decision is missing at the end: {self._owed[0].sentence}")
        if self._shown[0] > self.seq:
            self.problem(f"the arena shows event {self._shown[0]}, after the end of the journal")
        if saved is not None and saved["seq"] > self.seq:
            self.problem(f"a snapshot is of event {saved['seq']}, after the end of the journal")
        self._recount_tally()

    def _recount_tally(self) -> None:
        """Count the results once more, by the plain rule and not event by event."""
        state = self.state
        assert state is not None
        fresh = Tally(state.tally.names)
        blocks: dict[int, list[dict[str, Any]]] = {}
        for body in counted(iter(self._kept)):
            blocks.setdefault(body["block"], []).append(body)
            for player, score in zip(body["players"], body["normalised"], strict=True):
                fresh.add_score(player, score)
        for bodies in blocks.values():
            for first, second, score in _pairs_of(bodies):
                fresh.add_pair(first, second, score)
        if fresh.state()["players"] != state.tally.state()["players"]:
            self.problem("the counts of players do not agree with the results")
        # A mean of several trials may be rounded to the next part from the one side and not from the other.
        if np.abs(fresh.points() - state.tally.points()).max(initial=0) > self.results:
            self.problem("the counts of pairs do not agree with the results")

    def check_texts(self, transaction: Transaction) -> None:
        """Compare kept transcripts with their hashes; purged ones are no problem."""
        for trial, name in self._texts:
            text = transaction.transcript(name)
            if text is not None and digest(text) != name:
                self.problem(f"the transcript of game {trial} was changed")

    def _compare(self, recounted: dict[str, Any], kept: dict[str, Any], what: str) -> None:
        different = list(_differing(recounted, kept))
        if different:
            self.problem(f"{what} differs from the recount in: {', '.join(different)}")

    def result(self) -> Verification:
        """Say what was found."""
        return Verification(
            not self.problems, self.events, self.results, self.decisions, self.head, tuple(self.problems)
        )  # fmt: skip


def _pairs_of(block: list[dict[str, Any]]) -> Iterator[tuple[str, str, float]]:
    """What a complete block says about each pair: every game of two, or the mean scores where more or fewer sit."""
    if all(len(body["players"]) == 2 for body in block):
        for body in block:
            yield *body["players"], (1.0 + body["normalised"][0] - body["normalised"][1]) / 2.0
        return
    means = mean_by_player([(tuple(body["players"]), tuple(body["normalised"])) for body in block])
    for at, first in enumerate(names := list(means)):
        for second in names[at + 1 :]:
            yield first, second, (1.0 + means[first] - means[second]) / 2.0


def _differing(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    ours, theirs = _facts(one), _facts(other)
    return (key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key))


def _facts(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Leave out where the next fit of ratings starts from: it depends on when somebody asked, and decides nothing."""
    spec = {**WRITTEN_BEFORE, **snapshot["spec"]}
    return {
        **snapshot,
        "spec": spec,
        "contest": {name: part for name, part in snapshot["contest"].items() if name not in WARM},
    }
