"""What is true after so many events: a fold over the journal, the same when played and when read again."""

from bisect import insort
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self, get_args

from equipoise.arena.contests.contest import Contest, Decision
from equipoise.arena.contests.make import contest_again, contest_of
from equipoise.arena.engine.admission import NOBODY, Admission
from equipoise.arena.engine.blocks import OpenBlock, mean_by_player
from equipoise.arena.engine.record import Mishap, PlayRecord
from equipoise.arena.engine.sessions import Given, HeldTrial, Sessions
from equipoise.arena.engine.tally import Tally
from equipoise.arena.engine.voter_book import VoterBook
from equipoise.arena.journal.events import BEGINNING, Event, EventKind
from equipoise.arena.spec.spec import ArenaSpec, PlayerSpec
from equipoise.arena.spec.trial import REPLAYED
from equipoise.arena.spec.votes import GAME
from equipoise.luck.adjusted_mean import RunningControl

Trials = Sequence[tuple[tuple[str, ...], tuple[float, ...]]]
Phase = Literal["running", "paused", "answered", "spent", "stopped"]
ENDED = ("answered", "spent", "stopped")
"""Phases in which nothing is leased until somebody says so."""


class ArenaState:
    """What the journal says so far.

    Attributes
    ----------
    arena
        Identity of the arena.
    spec
        As it was created; players that joined later are in ``players``.
    phase, ending, why
        Whether play goes on; if it ended, in which way, and in words why.
    seq, head, time
        Number, hash and time of the last event.
    players, particular
        Specs by name, and whether any of them sets conditions: labels of workers, trials at once or in a minute.
    contest
        Which block comes next, and what is decided.
    tally
        Counts of the results in complete blocks.
    counted
        Trials that count against the budget.
    blocks
        Blocks that are not complete, by number.
    queue
        Numbers of trials that wait for a worker, lowest first.
    held, sessions
        Trials in workers' hands; what each session of a worker asked last, and was given.
    record
        Who brought results, who forfeits, and why games fail.
    attempts, given_back
        How often unfinished trials were leased, and how often of that they came back because play was stopped.
    in_vain
        Blocks that became void since the last result.
    broken
        Blocks that became void through a player's fault since it last finished a game or play was resumed, by player.
    versions, changed
        Which version of each player played last, and who had another one before.
    admission
        Who may take part over the network.
    votes
        Who voted on what; None where games are played.
    """

    def __init__(self, arena: str, spec: ArenaSpec) -> None:
        self.arena, self.spec = arena, spec
        self.phase: Phase = "running"
        self.seq, self.head, self.time = 0, BEGINNING, 0.0
        self.players: dict[str, PlayerSpec] = {player.name: player for player in spec.players}
        self._note_limits()
        self.contest: Contest = contest_of(spec)
        self.tally = Tally(spec.names)
        self.counted = self.last_trial = self.last_block = self.complete = self.voids = self.forfeits = self.late = 0
        self.in_vain = 0
        self.broken: dict[str, int] = {}
        self.blocks: dict[int, OpenBlock] = {}
        self.queue: list[int] = []
        self.held: dict[int, HeldTrial] = {}
        self.attempts: dict[int, int] = {}
        self.given_back: dict[int, int] = {}
        self.sessions, self.record = Sessions(), PlayRecord()
        self.versions: dict[str, str] = {}
        self.changed: set[str] = set()
        self.admission = NOBODY
        self.times_met: dict[tuple[str, ...], int] = {}
        self.control = RunningControl()
        self.votes = VoterBook() if spec.game == GAME else None
        self.ending = self.why = ""
        self.begun: dict[str, list[float]] = {}
        self._block_of: dict[int, int] = {}
        self._outstanding = 0

    def _note_limits(self) -> None:
        players = self.players.values()
        self._limited = frozenset(player.name for player in players if player.per_minute is not None)
        self.particular = any(
            player.labels or player.concurrency is not None or player.per_minute is not None for player in players
        )

    @classmethod
    def created(cls, event: Event) -> Self:
        """Begin with the first event of a journal."""
        body = event.content()
        new = cls(body["arena"], ArenaSpec.from_dict({**WRITTEN_BEFORE, **body["spec"]}))
        new._chain(event)
        return new

    def block_of(self, trial: int) -> OpenBlock | None:
        """Give the unfinished block that a trial belongs to."""
        number = self._block_of.get(trial)
        return None if number is None else self.blocks[number]

    def open_trial(self, trial: int) -> OpenBlock | None:
        """Give the block of a trial that waits for its result."""
        block = self.block_of(trial)
        return None if block is None or trial in block.scores else block

    @property
    def outstanding(self) -> int:
        """Trials that were opened and are not finished."""
        return self._outstanding

    def apply(self, event: Event, body: Mapping[str, Any] | None = None) -> tuple[Decision, ...]:
        """Take the next event; give the decisions that follow from it. Who has its body need not have it read again."""
        self._chain(event)
        take = getattr(self, STEPS[event.kind])
        decisions: tuple[Decision, ...] | None = take(event.content() if body is None else body)
        return decisions or ()

    def _chain(self, event: Event) -> None:
        self.seq, self.head, self.time = event.seq, event.hash, event.time

    def _on_created(self, body: Mapping[str, Any]) -> None:
        """Nothing: a state begins with it."""

    def _on_player(self, body: Mapping[str, Any]) -> None:
        player = PlayerSpec.from_dict(body["player"])
        self.players[player.name] = player
        self._note_limits()
        self.contest.added(player.name)
        self.tally.add_player(player.name)

    def _on_open(self, body: Mapping[str, Any]) -> None:
        block = OpenBlock.from_dict(body)
        self.blocks[block.number] = block
        self.last_block = block.number
        self._outstanding += len(block.trials)
        for trial in block.trials:
            self._block_of[trial] = block.number
            insort(self.queue, trial)
            self.last_trial = max(self.last_trial, trial)
        met = tuple(sorted(block.players))
        self.times_met[met] = self.times_met.get(met, 0) + 1
        self.contest.opened(block.number, block.players, block.task)

    def _on_lease(self, body: Mapping[str, Any]) -> None:
        trial, request = body["trial"], body.get("request")
        self.held[trial] = HeldTrial(body["attempt"], body["worker"], body["until"])
        self.attempts[trial] = body["attempt"]
        self._dequeue(trial)
        if request is not None:
            self.sessions.give(request, body["worker"], Given(trial, body["attempt"], body["until"]))
        if self._limited:
            self._begin(trial)
        if self.votes is not None:
            block = self.blocks[self._block_of[trial]]
            self.votes.leased(body["worker"], block.number, trial, block.players, self.time)

    def _on_vote(self, body: Mapping[str, Any]) -> tuple[Decision, ...]:
        assert self.votes is not None
        decisions: tuple[Decision, ...] = getattr(self.votes, body["do"])(self, body)
        return decisions

    def _on_replay(self, body: Mapping[str, Any]) -> None:
        """Take note of the request alone: what is played again never counts."""
        if "request" in body:
            given = Given(body["trial"], body["attempt"], body["until"])
            self.sessions.give(body["request"], body["worker"], given)

    def _begin(self, trial: int) -> None:
        """Remember when trials of players with a limit per minute were begun, as far back as the limit looks."""
        for name in set(self.blocks[self._block_of[trial]].trials[trial]) & self._limited:
            self.begun[name] = [*self.recent(name, self.time), self.time]

    def recent(self, player: str, now: float) -> list[float]:
        """Give when the trials of a limited player were begun that its limit still counts."""
        since = now - self.players[player].rate[1]
        return [moment for moment in self.begun.get(player, []) if moment > since]

    def _on_expired(self, body: Mapping[str, Any]) -> None:
        self._returned(body, "taken back", body["cause"])

    def _returned(self, body: Mapping[str, Any], what: str, reason: str) -> None:
        """Let a trial that was not finished wait again."""
        block = self.block_of(body["trial"])
        assert block is not None
        self.record.mishap(block.trials[body["trial"]], Mishap(body["trial"], what, reason, self.time))
        self.held.pop(body["trial"], None)
        insort(self.queue, body["trial"])

    def _on_failed(self, body: Mapping[str, Any]) -> None:
        if not body.get("stopped"):
            self._returned(body, "failed", body["message"])
        else:
            self.held.pop(body["trial"], None)
            insort(self.queue, body["trial"])
            self.given_back[body["trial"]] = self.given_back.get(body["trial"], 0) + 1

    def _on_late(self, body: Mapping[str, Any]) -> None:
        self.late += body["attempt"] < REPLAYED

    def _on_result(self, body: Mapping[str, Any]) -> tuple[Decision, ...]:
        trial = body["trial"]
        block = self.blocks[self._block_of[trial]]
        block.scores[trial] = tuple(body["normalised"])
        if "adjusted" in body:
            block.adjusted[trial] = tuple(body["adjusted"])
        self._outstanding -= 1
        self.held.pop(trial, None)
        self._dequeue(trial)
        self._forget_attempts(trial)
        self.counted += 1
        self.in_vain = 0
        if self.broken:
            self._mended(body)
        self.forfeits += "forfeit" in body
        self.record.result(body, self.time)
        self.control.add(body["scores"], body.get("control"))
        if self.votes is not None:
            self.votes.counted(trial, body["worker"])
        return self._close(block) if block.complete else ()

    @property
    def out(self) -> tuple[str, ...]:
        """Players who are not asked any more: their faults made too many blocks void, one after the other."""
        return tuple(name for name, times in self.broken.items() if times >= MOST_BROKEN)

    def _mended(self, body: Mapping[str, Any]) -> None:
        """Begin to count anew the faults of players who finished a game."""
        at_fault = body.get("forfeit", {}).get("seat")
        for seat, player in enumerate(body["players"]):
            if seat != at_fault:
                self.broken.pop(player, None)

    def _close(self, block: OpenBlock) -> tuple[Decision, ...]:
        """Count a complete block."""
        self._forget(block)
        self.complete += 1
        trials = [(block.trials[number], block.scores[number]) for number in sorted(block.trials)]
        self._count(block.players, trials, 1)
        return self.contest.closed(block.number, block.mean_scores())

    def _on_void(self, body: Mapping[str, Any]) -> tuple[Decision, ...]:
        self.voids += 1
        block = self.blocks.get(body["block"])
        if block is not None:
            self.in_vain += 1
            if "player" in body:
                self.broken[body["player"]] = self.broken.get(body["player"], 0) + 1
                self.record.fault(body["player"], Mishap(min(block.trials), "void", body["reason"], self.time))
            self.counted -= len(block.scores)
            self._forget(block)
            return self.contest.closed(block.number, None)
        # The block was complete: the event itself says what it had counted, so that nothing must be looked up.
        trials = [(tuple(seats), tuple(scores)) for seats, scores, _ in body["trials"]]
        decided = [(tuple(seats), tuple(scores)) for seats, _, scores in body["trials"]]
        self.recounted(body, trials, -1)
        return self.contest.voided(body["block"], tuple(body["players"]), body["task"], mean_by_player(decided))

    def recounted(self, body: Mapping[str, Any], trials: Trials, times: int) -> None:
        """Count the trials of a complete block again, or take them back."""
        self.counted += times * len(trials)
        self.complete += times
        self._count(tuple(body["players"]), trials, times)

    def _on_decision(self, _body: Mapping[str, Any]) -> None:
        """Nothing: it follows from the result before it, which ``verify`` checks."""

    def _on_state(self, body: Mapping[str, Any]) -> None:
        self.phase = body["state"]
        if self.phase == "running":
            self.broken.clear()
        self.ending, self.why = body.get("ending", ""), body.get("words", "")

    def _on_version(self, body: Mapping[str, Any]) -> None:
        if body["player"] in self.versions:
            self.changed.add(body["player"])
        self.versions[body["player"]] = body["version"]

    def _on_admission(self, body: Mapping[str, Any]) -> None:
        self.admission = self.admission.after(body)

    def _forget(self, block: OpenBlock) -> None:
        """Drop an open block and everything about its trials."""
        del self.blocks[block.number]
        if self.votes is not None:
            self.votes.forget(block.number, block.trials)
        self._outstanding -= len(block.trials) - len(block.scores)
        for trial in block.trials:
            self.held.pop(trial, None)
            self._dequeue(trial)
            self._forget_attempts(trial)
            self._block_of.pop(trial, None)

    def _forget_attempts(self, trial: int) -> None:
        self.attempts.pop(trial, None)
        self.given_back.pop(trial, None)

    def _dequeue(self, trial: int) -> None:
        if trial in self.queue:
            self.queue.remove(trial)

    def _count(self, players: tuple[str, ...], trials: Trials, times: int) -> None:
        """Count a block's games of two, or what its means say about each pair where more or fewer sit together."""
        for seats, scores in trials:
            for player, score in zip(seats, scores, strict=True):
                self.tally.add_score(player, score, times)
            self.tally.add_game(seats, scores, times)
            if len(seats) == 2:
                self.tally.add_pair(*seats, (1.0 + scores[0] - scores[1]) / 2.0, times)
        if trials and len(trials[0][0]) != 2:
            means = mean_by_player(trials)
            if len(trials[0][0]) == 1:
                self.tally.add_game([*means], [*means.values()], times)
            for at, first in enumerate(players):
                for second in players[at + 1 :]:
                    self.tally.add_pair(first, second, (1.0 + means[first] - means[second]) / 2.0, times)

    def snapshot(self) -> dict[str, Any]:
        """Give everything needed to go on from here, as strict JSON."""
        return {
            "format": SNAPSHOT_FORMAT, "arena": self.arena, "spec": self.spec.to_dict(),
            "phase": self.phase, "ending": self.ending, "why": self.why, "seq": self.seq, "head": self.head,
            "time": self.time,
            "players": [player.to_dict() for player in self.players.values()],
            "contest": self.contest.state(), "tally": self.tally.state(),
            "counts": [getattr(self, name) for name in COUNTS],
            "blocks": [block.to_dict() for block in self.blocks.values()], "queue": list(self.queue),
            "held": [[trial, h.attempt, h.worker, h.until] for trial, h in self.held.items()],
            "attempts": list(self.attempts.items()),
            "sessions": self.sessions.state(), "record": self.record.state(),
            "versions": dict(self.versions), "changed": sorted(self.changed), "control": self.control.state(),
            "met": [[list(players), times] for players, times in self.times_met.items()],
            "begun": {name: list(moments) for name, moments in self.begun.items()},
            **({"broken": dict(self.broken)} if self.broken else {}),
            **({"given_back": list(self.given_back.items())} if self.given_back else {}),
            **({} if self.admission is NOBODY else {"admission": self.admission.to_dict()}),
            **({} if self.votes is None else {"votes": self.votes.state()}),
        }  # fmt: skip

    @classmethod
    def from_snapshot(cls, saved: Mapping[str, Any]) -> Self:
        """Go on from :meth:`snapshot`."""
        new = cls(saved["arena"], ArenaSpec.from_dict({**WRITTEN_BEFORE, **saved["spec"]}))
        new.phase, new.ending, new.why = saved["phase"], saved["ending"], saved["why"]
        new.seq, new.head, new.time = saved["seq"], saved["head"], saved["time"]
        new.players = {player.name: player for player in map(PlayerSpec.from_dict, saved["players"])}
        new._note_limits()
        new.contest = contest_again(new.spec, saved["contest"])
        new.tally = Tally.from_state(saved["tally"])
        for name, value in zip(COUNTS, saved["counts"], strict=True):
            setattr(new, name, value)
        new.blocks = {block.number: block for block in map(OpenBlock.from_dict, saved["blocks"])}
        new._block_of = {trial: block.number for block in new.blocks.values() for trial in block.trials}
        new.queue = list(saved["queue"])
        new.held = {trial: HeldTrial(*rest) for trial, *rest in saved["held"]}
        new.attempts = dict(saved["attempts"])
        new.given_back = dict(saved.get("given_back", ()))
        new.sessions, new.record = Sessions.from_state(saved["sessions"]), PlayRecord.from_state(saved["record"])
        new.versions, new.changed = dict(saved["versions"]), set(saved.get("changed", ()))
        new.control = RunningControl.from_state(saved["control"])
        new.broken = dict(saved.get("broken", {}))
        new.admission = Admission.from_dict(saved["admission"]) if "admission" in saved else NOBODY
        new.votes = VoterBook.from_state(saved["votes"]) if "votes" in saved else None
        new.times_met = {tuple(players): times for players, times in saved["met"]}
        new.begun = {name: list(moments) for name, moments in saved["begun"].items()}
        new._outstanding = sum(len(block.trials) - len(block.scores) for block in new.blocks.values())
        return new


WRITTEN_BEFORE = {"policy": "ranking"}
"""What a spec in a journal means where it says nothing, whatever a new spec would mean."""
MOST_BROKEN = 10
"""Blocks in a row that a player's own faults made void, after which it is not asked any more."""
SNAPSHOT_FORMAT = 5
"""Of :meth:`ArenaState.snapshot`: one of another format is passed over, and the journal read from its beginning."""
STEPS: Mapping[str, str] = {kind: f"_on_{kind}" for kind in get_args(EventKind)}
"""Which method takes which kind of event."""

COUNTS = ("counted", "last_trial", "last_block", "complete", "voids", "forfeits", "late", "in_vain")
"""Counters of a state, in the order of a snapshot."""
