"""What the journal may say, kept in the plainest way and apart from the engine's own state: which event may follow.

And how long leases last by the stopwatch, what was acknowledged, and what each worker holds without knowing it.
"""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from equipoise.arena.engine.state import ArenaState
from equipoise.arena.journal.events import BEGINNING, chained
from equipoise.arena.spec.spec import ArenaSpec
from tests.arena.simulation.world import BrokenPromiseError

__all__ = ["Held", "Journal", "must"]

READ = "SELECT seq, time, kind, body, hash FROM events WHERE seq > ? ORDER BY seq"
ROUNDING = 1e-3
"""Seconds by which times may differ that are the same: those of the wall are large numbers."""


def must(holds: object, words: str) -> None:
    """Break off where something does not hold."""
    if not holds:
        raise BrokenPromiseError(words)


@dataclass
class Held:
    """A lease: whose, until when by the arena's clock and by the stopwatch of its owners, and how far the game is.

    Nothing is ``sure`` of how far once an owner died while it renewed the lease.
    """

    attempt: int
    worker: str
    until: float
    ends: float
    progress: float = float("-inf")
    progressed: float = 0.0
    sure: bool = True


@dataclass
class Trial:
    """A trial of a block."""

    block: int
    seats: list[str]
    attempts: int = 0
    given_back: int = 0
    result: int | None = None


@dataclass
class Journal:
    """All events that are on disk, and what follows from them.

    Attributes
    ----------
    running
        Seconds for which somebody owned the arena, when the transaction began: its clock cannot go slower.
    by
        The same now: somewhere between lies the time of the transaction.
    recorded
        The same at the last event or progress: from there the clock of the next owner goes on.
    """

    database: sqlite3.Connection
    spec: ArenaSpec
    seq: int = 0
    head: str = BEGINNING
    time: float = 0.0
    running: float = 0.0
    by: float = 0.0
    recorded: float = 0.0
    phase: str = "running"
    trials: dict[int, Trial] = field(default_factory=dict)
    blocks: dict[int, list[int]] = field(default_factory=dict)
    held: dict[int, Held] = field(default_factory=dict)
    void: set[int] = field(default_factory=set)
    due: dict[int, str] = field(default_factory=dict)
    requests: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    answers: dict[int, tuple[str, int, Any]] = field(default_factory=dict)
    acknowledged: dict[tuple[int, str], tuple[int, bool]] = field(default_factory=dict)

    def read(self) -> None:
        """Take in what was committed since."""
        for seq, time, kind, body, found in self.database.execute(READ, (self.seq,)).fetchall():
            where = f"event {seq} ({kind} {body[:200]})"
            must(seq == self.seq + 1, f"{where}: the one before is missing")
            must(found == chained(self.head, seq, time, kind, body), f"{where}: it does not follow from the one before")
            must(time >= self.time - ROUNDING, f"{where}: the time goes back by {self.time - time:g} s")
            self.seq, self.head, self.time, self.recorded = seq, found, time, self.running
            must(not self.due or kind == "void", f"{where}: block {self.due} should have become void before")
            getattr(self, f"_{kind}", self._nothing)(json.loads(body), where)

    def _nothing(self, body: dict[str, Any], where: str) -> None:
        """Take in what concerns no trial."""

    @property
    def counted(self) -> int:
        """Results in blocks that are not void."""
        return sum(one.result is not None and one.block not in self.void for one in self.trials.values())

    @property
    def outstanding(self) -> int:
        """Trials that were opened and are not finished."""
        return sum(one.result is None and one.block not in self.void for one in self.trials.values())

    def _open(self, body: dict[str, Any], where: str) -> None:
        must(self.phase == "running", f"{where}: play is {self.phase}")
        must(body["block"] == len(self.blocks) + 1, f"{where}: blocks are numbered one after the other")
        for number, seats in body["trials"]:
            must(number == len(self.trials) + 1, f"{where}: so are trials")
            self.trials[number] = Trial(body["block"], seats)
        self.blocks[body["block"]] = [number for number, _ in body["trials"]]
        must(self.counted + self.outstanding <= (self.spec.budget or 10**9), f"{where}: more than the budget")

    def _lease(self, body: dict[str, Any], where: str) -> None:
        trial, number = self.trials[body["trial"]], body["trial"]
        must(self.phase == "running", f"{where}: play is {self.phase}")
        must(number not in self.held, f"{where}: somebody has it")
        must(trial.result is None and trial.block not in self.void, f"{where}: it is over")
        must(body["attempt"] == trial.attempts + 1, f"{where}: it was tried {trial.attempts} times")
        trial.attempts += 1
        most = self.spec.attempts + trial.given_back
        must(trial.attempts <= most, f"{where}: it may be tried {most} times")
        longest = min(self.spec.lease, self.spec.stall_after)
        must(abs(body["until"] - self.time - longest) < ROUNDING, f"{where}: a lease lasts {longest:g} s")
        self.held[number] = Held(body["attempt"], body["worker"], body["until"], self.by + longest, progressed=self.by)
        if body.get("request") is not None:
            given = self.requests.setdefault(body["request"], [])
            given.append((number, body["attempt"]))
            must(len({one for one, _ in given}) <= 3, f"{where}: one request for at most three games got {given}")

    def _result(self, body: dict[str, Any], where: str) -> None:
        trial = self.trials[body["trial"]]
        must(trial.result is None, f"{where}: its result counts already")
        must(trial.block not in self.void, f"{where}: it is void")
        must(body["players"] == trial.seats, f"{where}: others sat there")
        trial.result = self.seq
        self.answers[self.seq] = "result", body["trial"], body["scores"]
        self.held.pop(body["trial"], None)
        must(self.counted <= (self.spec.budget or 10**9), f"{where}: more than the budget")

    def _late(self, body: dict[str, Any], where: str) -> None:
        must(self.trials[body["trial"]].result is not None, f"{where}: nobody was earlier")
        self.answers[self.seq] = "late", body["trial"], body["scores"]

    def _gone(self, body: dict[str, Any], where: str) -> Held:
        held = self.held.pop(body["trial"], None)
        must(held is not None, f"{where}: nobody has it")
        assert held is not None
        whose = held.attempt, held.worker
        must(whose == (body["attempt"], body["worker"]), f"{where}: attempt {whose[0]} is {whose[1]}'s")
        return held

    def _failed(self, body: dict[str, Any], where: str) -> None:
        self._gone(body, where)
        self.trials[body["trial"]].given_back += bool(body.get("stopped"))
        self._tried(body["trial"])

    def _expired(self, body: dict[str, Any], where: str) -> None:
        left = self._gone(body, where).until - self.time
        must(left <= ROUNDING, f"{where}: its lease was good for another {left:g} s")
        self._tried(body["trial"])

    def _tried(self, number: int) -> None:
        trial = self.trials[number]
        if trial.attempts - trial.given_back >= self.spec.attempts:
            self.due[trial.block] = f"game {number}"

    def _void(self, body: dict[str, Any], where: str) -> None:
        block = body["block"]
        must(block not in self.void, f"{where}: it is void already")
        trials = [self.trials[number] for number in self.blocks[block]]
        tried = self.due.pop(block, None) is not None
        must(tried or "was tried" not in body["reason"], f"{where}: it may be tried again")
        self.void.add(block)
        complete = all(one.result is not None for one in trials)
        must(("trials" in body) == complete, f"{where}: what it had counted is wrong")
        for number in self.blocks[block]:
            self.held.pop(number, None)

    def _state(self, body: dict[str, Any], where: str) -> None:
        self.phase = body["state"]
        if self.phase == "spent":
            size = len(next(iter(self.blocks.values())))
            must(not self.outstanding, f"{where}: games are being played")
            must(self.counted + size > (self.spec.budget or 10**9), f"{where}: only {self.counted} count")

    def renewed(self, trial: int, attempt: int, until: float, progress: float) -> None:
        """Take in that a lease was renewed."""
        held = self.held.get(trial)
        if held is None or held.attempt != attempt:
            return
        if progress > held.progress:
            held.progress, held.progressed = progress, self.by
            self.recorded = self.running if held.sure else self.recorded
        held.until = until
        held.ends = min(self.by + self.spec.lease, held.progressed + self.spec.stall_after)

    def refused(self, trial: int, attempt: int, progress: float) -> None:
        """Take in that a lease was not renewed: nobody who gets on with a game loses it."""
        held = self.held.get(trial)
        got_on = held is not None and held.attempt == attempt and held.sure and progress > held.progress
        must(not got_on, f"the lease of game {trial} is not renewed, although there is progress ({progress:g})")

    def maybe_renewed(self, trial: int, attempt: int) -> None:
        """Take in that a lease may have been renewed: its owner died before anybody was answered."""
        held = self.held.get(trial)
        if held is not None and held.attempt == attempt:
            held.until, held.sure = float("-inf"), False
            held.ends = max(held.ends, self.by + min(self.spec.lease, self.spec.stall_after))

    def acknowledge(self, trial: int, key: str, seq: int, counted: bool, scores: list[float]) -> None:
        """Take in what a worker was told about its result."""
        before = self.acknowledged.setdefault((trial, key), (seq, counted))
        must(before == (seq, counted), f"game {trial}: {before} was acknowledged, and then {(seq, counted)}")
        self.keeps(trial, key, scores)

    def keeps(self, trial: int, key: str, scores: list[float] | None = None) -> None:
        """Hold what was acknowledged against what is there."""
        seq, counted = self.acknowledged[trial, key]
        kind, number, there = self.answers.get(seq, ("nothing", trial, None))
        wanted = ("result" if counted else "late", trial)
        must((kind, number) == wanted, f"game {trial} was acknowledged as event {seq}, {wanted[0]}; there is {kind}")
        must(scores is None or scores == there, f"game {trial}: {scores} was reported, {there} is written")

    def outlived(self) -> Iterator[str]:
        """Name leases that should have been taken back, at a time when somebody looked."""
        for trial, held in self.held.items():
            if held.ends < self.running - ROUNDING:
                yield f"the lease of game {trial} outlives its end by {self.running - held.ends:g} s of the stopwatch"

    def agrees(self, state: ArenaState) -> None:
        """Hold what the owner remembers against it."""
        ours = {trial: (held.attempt, held.worker) for trial, held in self.held.items()}
        theirs = {trial: (held.attempt, held.worker) for trial, held in state.held.items()}
        for what, one, other in (
            ("the last event", (self.seq, self.head), (state.seq, state.head)),
            ("what counts", self.counted, state.counted),
            ("what is open", self.outstanding, state.outstanding),
            ("the phase", self.phase, state.phase),
            ("void blocks", len(self.void), state.voids),
            ("leases", ours, theirs),
        ):
            must(one == other, f"{what}: the journal says {one}, the owner remembers {other}")
