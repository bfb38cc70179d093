"""Whoever asks and reports: one loop for threads, processes and clusters.

Trials are leased, a few more than are being played where they are short, so that workers need not wait; results are
reported many at once. Who makes no progress is killed, and who dies is replaced; which trials are tried again is for
the arena to decide. Workers never see the arena.
"""

import math
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from time import monotonic

from equipoise.arena.desk import Desk
from equipoise.arena.engine.state import ENDED
from equipoise.arena.spec.spec import PlayerSpec
from equipoise.arena.spec.trial import Lease
from equipoise.core.errors import LeaseError, StoreError, WorkerError
from equipoise.runners.ending import Interrupts
from equipoise.runners.held_leases import HeldLease, HeldLeases
from equipoise.runners.messages import Done, Job, Lost, Ready, Refused, Report, SignOfLife, Team, Up
from equipoise.runners.opening import Loading, note_versions, refuse_scores, taken_over
from equipoise.runners.reporting import ResultReporter
from equipoise.runners.snapshot import InPlay, Showing

AHEAD, MOST_AHEAD = 0.1, 64
"""Seconds of play that a worker has in stock, and the most trials."""
LOOK_AGAIN = 0.1
"""Seconds until the arena is asked again when it had nothing to play."""
LONGEST_PAUSE, FIRST_PAUSE, PROBING = 10.0, 0.05, 3
"""Pauses after workers' faults in a row, and from how many on a single trial is tried at a time."""
MOST_FAULTS = 10
"""Workers' faults in a row after which play is given up: it is not luck."""
LONGEST_NAP = 0.2


@dataclass(frozen=True, slots=True)
class Terms:
    """How play is run.

    Attributes
    ----------
    worker
        Name of this play in the journal.
    labels
        What the workers have; None for everything.
    at_once
        Trials that a worker plays at the same time.
    new_versions
        Whether players may have changed since their last trial.
    start_seconds
        How long to wait for the first worker.
    """

    worker: str
    labels: frozenset[str] | None
    at_once: int
    new_versions: bool
    start_seconds: float


class Driver:
    """Plays an arena until it is answered, its budget is used up or it is stopped, or somebody asks to stop.

    Parameters
    ----------
    arena
        What is played.
    team
        Who plays.
    terms
        How.
    showing
        Who looks on.
    interrupts
        Requests to stop.
    """

    def __init__(self, arena: Desk, team: Team, terms: Terms, showing: Showing, interrupts: Interrupts) -> None:
        self._arena, self._team, self._terms = arena, team, terms
        self._showing, self._interrupts = showing, interrupts
        self.reporter = ResultReporter(arena, interrupts.now)
        self._held = HeldLeases(terms.at_once)
        self._up: set[int] = set()
        self._none_up_since = monotonic()
        self._stillborn = 0
        self._players: dict[str, PlayerSpec] = {}
        self._spec = arena.spec
        self._ask_at, self._ended, self._note = 0.0, False, ""
        self._mean = math.inf
        self._requests, self._token = 0, secrets.token_hex(4)

    def run(self) -> None:
        """Play."""
        self._interrupts.wakes(self._team.wake)
        try:
            self._team.start()
            self._load()
            self._held.returned += [HeldLease(lease) for lease in taken_over(self._arena, self.reporter)]
            while not self._over():
                self._lease_more()
                self._take(self._team.reports(self._nap()))
                self._watch()
                self._show()
        finally:
            # Nobody plays on when their leases are given back.
            self._team.close(now=bool(self._held))
            self.reporter.give_back([held.lease for held in self._held])
        self._show(last=True)

    def _over(self) -> bool:
        return self._interrupts.now.is_set() or (not self._held and (self._ended or self._interrupts.asked))

    def _load(self) -> None:
        """Have one worker load everything."""
        loading = Loading(self._arena.spec, self._terms.labels)
        while not self._interrupts.asked:
            if loading.place is None and self._up:
                loading.begin(min(self._up))
                self._team.give(min(self._up), [loading.work])
            loading.refuse_long()
            self._wait_for_workers()
            for place, report in self._team.reports(0.2):
                if isinstance(report, Ready):
                    refuse_scores(self._spec, report)
                    self._note_versions(report.versions)
                    return
                if isinstance(report, Lost) and place == loading.place:
                    raise WorkerError(f"{report.message} while it loaded the game and its players")
                if isinstance(report, SignOfLife):
                    loading.go_on()
                self._heard(place, report)

    def _note_versions(self, seen: Mapping[str, str]) -> None:
        note_versions(self._arena, self.reporter, seen, allowed=self._terms.new_versions)

    # Leasing

    def _lease_more(self) -> None:
        """Fill the stock of every worker that is there."""
        free = {place: self._depth() - self._held.load(place) for place in self._up}
        while self._held.returned and free and max(free.values()) > 0:
            place = max(free, key=free.__getitem__)
            self._give({place: [self._held.returned.pop(0)]})
            free[place] -= 1
        want = sum(room for room in free.values() if room > 0)
        if want <= 0 or self._ended or self._interrupts.asked or monotonic() < self._ask_at:
            return
        leases = self._ask(1 if self.reporter.in_a_row > PROBING else want)
        given: dict[int, list[HeldLease]] = {}
        for lease in leases:
            place = max(free, key=free.__getitem__)
            free[place] -= 1
            given.setdefault(place, []).append(HeldLease(lease))
        self._give(given)

    def _ask(self, want: int) -> list[Lease]:
        self._requests += 1
        request = f"{self._token}-{self._requests}"
        leases = self.reporter.patiently(
            lambda: self._arena.ask(want, self._terms.worker, request=request, labels=self._terms.labels)
        )
        self._note = ""
        if len(leases) < want:
            self._ask_at = max(self._ask_at, monotonic() + LOOK_AGAIN)
            state = self._arena.state
            self._ended = state in ENDED
            if not leases and not self._held:
                self._note = f"the arena is {state}" if state != "running" else "nothing can be played now"
        return leases

    def _give(self, given: dict[int, list[HeldLease]]) -> None:
        for place, some in given.items():
            for held in some:
                self._held.give(place, held)
            self._team.give(place, [self._job(held.lease) for held in some])

    def _job(self, lease: Lease) -> Job:
        trial = lease.trial
        if any(name not in self._players for name in trial.players):  # some joined
            self._players = {player.name: player for player in self._arena.spec.players}
        players = tuple(self._players[name] for name in trial.players)
        return Job(trial.number, lease.attempt, trial.block, players, trial.task, trial.seed)

    def _depth(self) -> int:
        """How many trials a worker has: those it plays, and some more where they are short."""
        at_once = self._terms.at_once
        if self._mean >= AHEAD or self.reporter.in_a_row:
            return at_once
        return at_once + min(MOST_AHEAD, int(AHEAD * at_once / max(self._mean, 1e-6)))

    # What comes back

    def _take(self, reports: Collection[tuple[int, Report]]) -> None:
        done: list[tuple[Lease, Done]] = []
        for place, report in reports:
            if isinstance(report, Done):
                held = self._held.take(place, report.number)
                if held is not None:
                    done.append((held.lease, report))
            else:
                self._heard(place, report)
        if not done:
            return
        for _, one in done:
            self._mean = one.seconds if math.isinf(self._mean) else 0.9 * self._mean + 0.1 * one.seconds
            if one.versions:
                self._note_versions(one.versions)
        self.reporter.report(done)
        self._pause_after_faults()

    def _pause_after_faults(self) -> None:
        row = self.reporter.in_a_row
        if row:
            self._ask_at = monotonic() + min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**row)
            most = max(MOST_FAULTS, 3 * self._terms.at_once * len(self._up))
            if row >= most:
                raise WorkerError(f"{row} games in a row failed, so play stops; the last: {self.reporter.last_failure}")
        else:
            self._ask_at = 0.0

    def _heard(self, place: int, report: Report) -> None:
        if isinstance(report, Up):
            self._up.add(place)
            self._stillborn = 0
        elif isinstance(report, SignOfLife):
            self._held.sign(place, report.number)
        elif isinstance(report, Refused):
            raise report.error
        elif isinstance(report, Lost):
            self._lost(place, report.message)

    def _lost(self, place: int, message: str) -> None:
        """Replace a worker that died; what it played is tried again, as the arena allows."""
        if place not in self._up:
            self._stillborn += 1
            if self._stillborn > 2 + self._team.places:
                raise WorkerError(f"workers do not start: {message}")
        for held in self._held.lose(place):
            self.reporter.fail(held.lease, message)
        self._renew_place(place)
        self._pause_after_faults()

    def _renew_place(self, place: int) -> None:
        self._up.discard(place)
        if not self._up:
            self._none_up_since = monotonic()
        self._team.replace(place)

    # Keeping watch

    def _watch(self) -> None:
        """Kill who makes no progress, and renew the leases of the others."""
        now, stall_after = monotonic(), self._spec.stall_after
        for place in self._held.busy():
            stalled = [held for held in self._held.in_play(place) if now - held.sign > stall_after]
            if stalled:
                self._kill(place, stalled)
        period = min(self._spec.lease, stall_after)
        for held in self._held:
            if not held.lost and now - held.renewed > period / 3.0:
                self._renew(held, now)
        if not self._ended:
            self._wait_for_workers()

    def _kill(self, place: int, stalled: list[HeldLease]) -> None:
        innocent = [held for held in self._held.lose(place) if held not in stalled]
        self._held.returned += innocent  # we end it, so nothing of theirs can still come: the same lease is good
        self._renew_place(place)
        for held in stalled:
            self.reporter.fail(held.lease, f"no progress in {self._spec.stall_after:g} s: its worker was killed")
        self._pause_after_faults()

    def _renew(self, held: HeldLease, now: float) -> None:
        try:
            held.lease = self._arena.renew(held.lease, progress=held.life)
        except LeaseError:
            held.lost = True
        except StoreError:
            return  # there will be another time
        held.renewed = now

    def _wait_for_workers(self) -> None:
        if self._up:
            return
        trouble = self._team.trouble()
        if monotonic() - self._none_up_since > self._terms.start_seconds:
            raise WorkerError(trouble or f"no worker was there in {self._terms.start_seconds:g} s")

    def _nap(self) -> float:
        period = min(self._spec.lease, self._spec.stall_after)
        until = self._ask_at - monotonic()
        return min(LONGEST_NAP, period / 6.0, until if until > 0.0 else LONGEST_NAP)

    def _show(self, *, last: bool = False) -> None:
        if not (last or self._showing.due()):
            return
        now = monotonic()
        in_play = tuple(
            InPlay(held.lease.trial.number, held.lease.trial.players, now - held.given)
            for place in self._held.busy() for held in self._held.in_play(place)
        )  # fmt: skip
        self._showing.show(
            played=self.reporter.counted, failures=self.reporter.failures, workers=len(self._up),
            in_play=() if last else in_play, stopping=self._interrupts.asked, note=self._note, last=last,
        )  # fmt: skip
