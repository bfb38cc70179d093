"""What runners need of an arena, wherever it is: in this process, or behind a server."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from equipoise.arena.contests.contest import ContestProgress
from equipoise.arena.engine.state import ArenaState, Phase
from equipoise.arena.spec.spec import ArenaSpec
from equipoise.arena.spec.trial import Fault, Lease, Receipt

if TYPE_CHECKING:
    from equipoise.arena.access.standings import ArenaStandings


@dataclass(frozen=True, slots=True)
class PlayCounts:
    """How far play is.

    Attributes
    ----------
    phase
        Whether play goes on.
    counted, budget
        Games that count, and the most there may be.
    voids, forfeits
        Void blocks and forfeited games.
    progress
        How far the goal is.
    """

    phase: Phase
    counted: int
    budget: int | None
    voids: int
    forfeits: int
    progress: ContestProgress

    @classmethod
    def of(cls, state: ArenaState) -> "PlayCounts":
        """Read them off a state."""
        return cls(state.phase, state.counted, state.spec.budget, state.voids, state.forfeits, state.contest.progress())


class Desk(Protocol):
    """Where trials are asked for and results are reported: :class:`equipoise.Arena`, or one far away."""

    @property
    def spec(self) -> ArenaSpec:
        """What is played."""

    @property
    def state(self) -> Phase:
        """Whether play goes on."""

    @property
    def shared(self) -> bool:
        """Whether other processes may play too."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to say about where it is kept."""

    def ask(
        self,
        n: int = 1,
        worker: str = "worker",
        wait: float = 0.0,
        *,
        request: str | None = None,
        labels: Collection[str] | None = None,
    ) -> list[Lease]:
        """Lease trials."""

    def renew(self, lease: Lease, progress: float) -> Lease:
        """Put the end of a lease off."""

    def tell_many(self, results: Iterable[Mapping[str, Any]]) -> list[Receipt]:
        """Report outcomes."""

    def fail(
        self,
        lease: Lease,
        fault: Fault,
        seat: int | None = None,
        message: str = "",
        *,
        transcript: str | None = None,
        costs: Mapping[str, float] | None = None,
    ) -> Receipt:
        """Say that a trial was not finished."""

    def record_versions(self, versions: Mapping[str, str], *, changed: bool = True) -> None:
        """Record which version of each player plays; one that replaces another is refused unless it may."""

    def versions(self) -> dict[str, str]:
        """Give the version of each player that played last."""

    def holders(self) -> set[str]:
        """Name the workers that hold leases."""

    def take_over(self, workers: Collection[str]) -> list[Lease]:
        """Give the leases of workers that have died."""

    def counts(self) -> PlayCounts:
        """Say how far play is."""

    def standings(self, *, verdict: bool = True) -> "ArenaStandings":
        """Give the standings."""
