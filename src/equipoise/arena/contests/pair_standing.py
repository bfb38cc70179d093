"""Who is above whom, from decided pairs, and what a goal makes of it: chains, orders that fit them, cycles, standings.

Matrices of truth values; ``better[i, j]`` says that i was decided better than j.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from equipoise.arena.contests.contest import Goal
from equipoise.core.results import FloatArray, IntArray

BoolArray = NDArray[np.bool_]
Ending = Literal["decided", "equal within the margin", "cyclic"]
Groups = tuple[tuple[int, ...], ...]
SHOWN_GROUPS = 12
LEAD = 3.0
"""Blocks by which a player must lead that is granted to be the better, before that is believed."""


def above_by_chains(better: BoolArray) -> BoolArray:
    """Give the transitive closure: i is above j if a chain of decisions leads from i down to j."""
    above: BoolArray = better.copy()
    for k in range(len(above)):
        above |= above[:, k, None] & above[None, k, :]
    return above


def extend_chains(above: BoolArray, i: int, j: int) -> BoolArray:
    """Give the closure with one more decision, i better than j."""
    upper, lower = above[:, i].copy(), above[j].copy()
    upper[i] = lower[j] = True
    return np.asarray(above | (upper[:, None] & lower[None, :]))


def find_cycle(better: BoolArray, through: IntArray | None = None) -> tuple[int, ...]:
    """Give a shortest cycle of decisions, each better than the next and the last better than the first; or nothing.

    ``through`` names players of whom the cycle must contain one.
    """
    best: tuple[int, ...] = ()
    for start in range(len(better)) if through is None else through.tolist():
        cycle = _back_to(better, int(start))
        if cycle and (not best or len(cycle) < len(best)):
            best = cycle
    return best


def _back_to(better: BoolArray, start: int) -> tuple[int, ...]:
    """Search breadth first for the shortest way from a player back to itself."""
    came_from = {start: start}
    layer = [start]
    while layer:
        deeper = []
        for node in layer:
            for lower in np.flatnonzero(better[node]).tolist():
                if lower == start:
                    path = [node]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return tuple(reversed(path))
                if lower not in came_from:
                    came_from[lower] = node
                    deeper.append(lower)
        layer = deeper
    return ()


def fitting_order(rating: FloatArray, above: BoolArray) -> IntArray:
    """Order players by rating, best first, as far as chains of decisions allow.

    Nobody stands before a player who is above: a rating counts at most as much as the lowest of those above. Players
    with the same number then stand in the order of how many are above them, which grows along every chain.
    """
    cap = np.where(above, rating[:, None], np.inf).min(axis=0)
    return np.asarray(np.lexsort((above.sum(axis=0), -np.minimum(rating, cap))), dtype=np.int64)


def tie_groups(order: IntArray, equal: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Split an order into groups: a player joins the group before it if it is equal to each of its members."""
    groups: list[list[int]] = []
    for player in order.tolist():
        if groups and all(equal[player, other] for other in groups[-1]):
            groups[-1].append(player)
        else:
            groups.append([player])
    return tuple(tuple(group) for group in groups)


def two_apart(above: BoolArray) -> BoolArray:
    """Which pairs have somebody between them in chains of decisions, and nobody between these."""
    steps = above.astype(np.float32)
    two = steps @ steps
    return np.asarray((two > 0) & ~((two @ steps) > 0))


def places_below(order: IntArray) -> FloatArray:
    """How many places the column stands below the row."""
    place = np.empty(order.size)
    place[order] = np.arange(order.size)
    return place[None, :] - place[:, None]


def nearest_pairs(needed: BoolArray, order: IntArray) -> BoolArray:
    """Of the pairs that are needed, those that stand closest together in the order."""
    apart = np.abs(places_below(order))
    return np.asarray(needed & (apart == apart[needed].min())) if needed.any() else needed


@dataclass(frozen=True, slots=True, eq=False)
class DecidedPairs:
    """What a goal looks at: decisions, ratings, and blocks of each pair that counted.

    ``lead`` is how many blocks the row leads against the column, a void one counted as lost; ``check`` the blocks that
    a pair is looked at which the answer takes for granted.
    """

    better: BoolArray
    equal: BoolArray
    above: BoolArray
    rating: FloatArray
    count: FloatArray
    lead: FloatArray
    check: int

    @property
    def covered(self) -> BoolArray:
        """Pairs that are decided by chains of decisions, or equal within the margin."""
        return np.asarray(self.above | self.above.T | self.equal | np.eye(len(self.above), dtype=bool))

    def missing(self, granted: BoolArray, closely: BoolArray, pace: FloatArray | float = 1.0) -> FloatArray:
        """Blocks that pairs miss, at least, in which the row is granted to be better without a decision; symmetric.

        Everyone is played until the row leads by three blocks. Where the column wins with probability p it ever does so
        with probability ((1 - p) / p)^3: of 73%, one upset in twenty is missed. Those looked at ``closely`` play at
        least ``check`` blocks, and more until they lean to the row by a standard error (of wins and losses, the largest
        there is). A pair that contradicts is played until it is decided. ``pace`` is the lead that a block brings.
        """
        direct = self.better | self.better.T | self.equal
        wanted = np.maximum(LEAD, np.where(closely, np.sqrt(np.maximum(self.count, self.check)), 0.0))
        blocks = np.maximum(np.ceil((wanted - self.lead) / pace - 1e-9), np.where(closely, self.check - self.count, 0))
        left = np.where(granted & ~direct, np.maximum(blocks, 0.0), 0.0)
        return np.asarray(left + left.T)


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """How far a goal is.

    Attributes
    ----------
    ending, answer, cycle
        How it ended and with which groups, best first, which stand there too where checks only are missing; the cycle
        where there is one.
    needed
        Pairs about which more may have to be known (symmetric).
    focus
        Those of them that get on fastest as ratings stand now.
    checks
        Blocks, at least, that pairs miss which are played only to look whether what is taken for granted is true.
    done, steps, what
        Steps that are done, of how many, and what they are, in words: "adjacent pairs decided".
    also_equal
        Pairs of different groups of the answer that are equal: a = b and b = c, although a > c, stands as "a = b > c".
    """

    ending: Ending | None
    answer: Groups | None
    cycle: tuple[int, ...]
    needed: BoolArray
    focus: BoolArray
    checks: FloatArray
    done: int
    steps: int
    what: str
    also_equal: tuple[tuple[int, int], ...] = ()

    @classmethod
    def ended(
        cls,
        view: DecidedPairs,
        ending: Ending,
        answer: Groups | None = None,
        cycle: tuple[int, ...] = (),
        *,
        steps: tuple[int, str],
        also_equal: tuple[tuple[int, int], ...] = (),
        checks: FloatArray | None = None,
    ) -> "Standing":
        """Give the standing of a goal that is reached, or cannot be: all steps are done, no pair is needed.

        Where pairs that are taken for granted miss blocks, it is not reached yet, unless none are asked for.
        """
        nothing, left = np.zeros_like(view.better), np.zeros(view.better.shape) if checks is None else checks
        how = None if view.check and left.any() else ending
        return cls(how, answer, cycle, nothing, nothing, left, steps[0], steps[0], steps[1], also_equal)


class Conclusion(NamedTuple):
    """A decision that follows from those about pairs: its kind, whom it is about, all players in it, its words."""

    kind: str
    first: str
    players: tuple[str, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class PairGoal(Goal):
    """A question about pairs.

    Attributes
    ----------
    players
        How many there are at first.
    together
        Whether all decisions are right at once with the level's probability, and not the answer only.
    newcomers
        Whether players may be added.
    """

    together: ClassVar[bool] = True
    newcomers: ClassVar[bool] = True

    players: int

    @classmethod
    def of(cls, argument: str, names: Sequence[str], open_: bool) -> Self:  # noqa: ARG003  # for some goals
        """Read the goal of these players."""
        return cls(len(names))

    @property
    def comparisons(self) -> int:
        """How many comparisons share alpha: all pairs."""
        return max(self.players * (self.players - 1) // 2, 1)

    @abstractmethod
    def standing(self, view: DecidedPairs) -> Standing:
        """Say how far it is."""

    @abstractmethod
    def guarantee(self, level: float) -> str:
        """Say what is promised."""

    def words(self, answer: Sequence[Sequence[str]]) -> str:
        """Say the answer: an order, at most its first dozen of groups."""
        ranked = " > ".join(" = ".join(group) for group in answer[:SHOWN_GROUPS])
        return f"{ranked} > {sum(map(len, answer[SHOWN_GROUPS:]))} more" if len(answer) > SHOWN_GROUPS else ranked

    def conclusion(self, names: Sequence[str], answer: Groups) -> Conclusion | None:  # noqa: ARG002  # for some goals
        """Give the decision that the answer is, where it is more than those about pairs."""
        return None

    def expected(self, standing: Standing, order: IntArray) -> BoolArray:  # noqa: ARG002  # for some goals
        """Pairs that have to be decided if the ratings are right."""
        return standing.focus

    def expected_checks(self, view: DecidedPairs, standing: Standing, order: IntArray) -> FloatArray:  # noqa: ARG002
        """Blocks of pairs that are taken for granted, as far as they can be foreseen if the ratings are right."""
        return standing.checks

    def rounds_left(self, standing: Standing) -> int:  # noqa: ARG002  # for some goals
        """How often as many blocks as the expected pairs need will be played."""
        return 1

    def fixed_pairs(self, order: Sequence[int]) -> Sequence[tuple[int, int]]:  # noqa: ARG002  # for some goals
        """Pairs that a fixed design must decide if this is the order; none where it has nothing to decide."""
        return ()

    def round_robin(self, players: int) -> int:
        """Pairs that a fixed design plays."""
        return players * (players - 1) // 2
