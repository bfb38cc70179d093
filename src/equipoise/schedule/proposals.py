"""What the learner of a response graph says: proposals with their reasons, and the graph as far as it is known."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from equipoise.schedule.payoff_cells import Profile


@dataclass(frozen=True, slots=True)
class EdgeStatus:
    """What is known of one comparison.

    Attributes
    ----------
    source, target
        The two profiles, by strategy names.
    player
        Whose payoff decides (0 for one population).
    gap
        Estimated gain of moving from source to target (NaN before both are played).
    overlap
        How far the two intervals are from separating; below 0 once they have.
    better
        ``target``, ``source``, or None while unresolved.
    games
        Games behind the two payoffs.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    player: int
    gap: float
    overlap: float
    better: Literal["source", "target"] | None
    games: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """A profile to play, and why.

    Attributes
    ----------
    profile
        One strategy index a player.
    names
        The same by name.
    edge
        The unresolved comparison that asks for it; None for the first look at every profile.
    """

    profile: Profile
    names: tuple[str, ...]
    edge: EdgeStatus | None

    @property
    def reason(self) -> str:
        """The edge in words."""
        edge = self.edge
        if edge is None:
            return "never played: every profile is played once first"
        pair = f"{' '.join(edge.source)} against {' '.join(edge.target)}"
        if math.isnan(edge.gap):
            return f"{pair} is open: one of them was never played"
        return f"{pair} is open: gap {edge.gap:.3g} after {edge.games} games, intervals overlap by {edge.overlap:.3g}"


@dataclass(frozen=True, slots=True)
class LearnedGraph:
    """The response graph as far as it is known; unresolved edges are listed, never guessed.

    Attributes
    ----------
    resolved, unresolved
        All comparisons.
    games
        Games observed so far.
    guarantee
        What may be claimed for the resolved edges.
    """

    resolved: tuple[EdgeStatus, ...]
    unresolved: tuple[EdgeStatus, ...]
    games: int
    guarantee: str

    @property
    def edges(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Resolved edges as (worse, better) pairs of profiles."""
        return tuple((e.source, e.target) if e.better == "target" else (e.target, e.source) for e in self.resolved)

    @property
    def words(self) -> tuple[str, ...]:
        """How far the graph is known, and what may be claimed for it."""
        done = f"{len(self.resolved)} edges are resolved, {len(self.unresolved)} are not, after {self.games} games."
        return done, f"Guarantee: {self.guarantee}."

    def to_dict(self) -> dict[str, Any]:
        """Give strict JSON."""
        rows = [asdict(edge) for edge in (*self.resolved, *self.unresolved)]
        for row in rows:
            row |= {key: None for key in ("gap", "overlap") if not math.isfinite(row[key])}
        return {"edges": rows, "games": self.games, "unresolved": len(self.unresolved), "guarantee": self.guarantee}
