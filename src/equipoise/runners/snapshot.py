"""What there is to see while trials are played, as values; drawing is for others."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from equipoise.arena.access.standings import ArenaStandings
from equipoise.arena.contests.contest import ContestProgress
from equipoise.arena.desk import Desk
from equipoise.arena.engine.state import Phase

EVERY = 0.25
"""Least seconds between two snapshots."""
SHARE = 0.05
"""The most of the time that making standings may take."""


@dataclass(frozen=True, slots=True)
class InPlay:
    """A trial that is being played: its number, who sits where, and for how many seconds."""

    number: int
    players: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Where play stands.

    Attributes
    ----------
    state
        Of the arena.
    counted, budget
        Trials that count, all plays of this arena together, and the most there may be.
    voids, forfeits
        Void blocks and forfeited trials of the arena.
    played, failures
        Results and workers' faults of this play.
    seconds, rate
        Since this play began, and its results a second.
    workers
        How many are there.
    in_play
        What is being played.
    progress
        How far the goal is.
    standings
        The last that were made: at most a twentieth of the time goes into them. None before the first.
    stopping
        Whether this play ends once what is played is finished.
    note
        What there is to say, such as that nothing can be played now, and why.
    """

    state: Phase
    counted: int
    budget: int | None
    voids: int
    forfeits: int
    played: int
    failures: int
    seconds: float
    rate: float
    workers: int
    in_play: tuple[InPlay, ...]
    progress: ContestProgress
    standings: ArenaStandings | None
    stopping: bool = False
    note: str = ""


Listener = Callable[[Snapshot], None]
"""Called with snapshots, a few times a second at most, by the thread that plays: it should be quick."""


class Showing:
    """Makes snapshots for a listener, not too often.

    Parameters
    ----------
    arena
        What is played.
    listener
        Who sees them; None for nobody.
    """

    def __init__(self, arena: Desk, listener: Listener | None) -> None:
        self._arena, self._listener = arena, listener
        self._begun = monotonic()
        self._shown = self._made_at = float("-inf")
        self._took = 0.0
        self._standings: ArenaStandings | None = None

    @property
    def seconds(self) -> float:
        """Since it began."""
        return monotonic() - self._begun

    def due(self) -> bool:
        """Say whether it is time for the next one."""
        return self._listener is not None and monotonic() - self._shown >= EVERY

    def show(
        self, *, played: int, failures: int, workers: int, in_play: tuple[InPlay, ...], stopping: bool, note: str,
        last: bool = False,
    ) -> None:  # fmt: skip
        """Show a snapshot."""
        if self._listener is None:
            return
        if last or monotonic() - self._made_at >= self._took / SHARE:
            begun = monotonic()
            self._standings = self._arena.standings(verdict=False)
            self._made_at = monotonic()
            self._took = self._made_at - begun
        now, seconds = self._arena.counts(), self.seconds
        snapshot = Snapshot(
            now.phase, now.counted, now.budget, now.voids, now.forfeits, played, failures, seconds,
            played / max(seconds, 1e-9), workers, in_play, now.progress, self._standings, stopping, note,
        )  # fmt: skip
        self._listener(snapshot)
        self._shown = monotonic()
