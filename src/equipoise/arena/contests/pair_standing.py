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


def symmetric(table: BoolArray) -> BoolArray:
    """Give a table of pairs whichever of the two stands first."""
    return np.asarray(table | table.T)


def nearest_pairs(needed: BoolArray, order: IntArray) -> BoolArray:
    """Of the pairs that are needed, those that stand closest together in the order."""
    place = np.empty(order.size)
    place[order] = np.arange(order.size)
    apart = np.abs(place[:, None] - place[None, :])
    return np.asarray(needed & (apart == apart[needed].min())) if needed.any() else needed


@dataclass(frozen=True, slots=True, eq=False)
class DecidedPairs:
    """What a goal looks at: decisions, ratings, and blocks of each pair that counted.

    ``score`` is the mean score of the row against the column, 1/2 without a block; ``check`` the blocks that a pair is
    looked at which the answer takes for granted.
    """

    better: BoolArray
    equal: BoolArray
    above: BoolArray
    rating: FloatArray
    count: FloatArray
    score: FloatArray
    check: int

    @property
    def covered(self) -> BoolArray:
        """Pairs that are decided by chains of decisions, or equal within the margin."""
        return np.asarray(self.above | self.above.T | self.equal | np.eye(len(self.above), dtype=bool))

    def unchecked(self, granted: BoolArray) -> BoolArray:
        """Which pairs, the row granted to be better without a decision, were not looked at enough.

        That is ``check`` blocks, and more until they lean to the row by a standard error (of wins and losses, the
        largest there is): a cycle would be taken for an order too often by blocks that merely do not contradict it.
        """
        direct = self.better | self.better.T | self.equal
        lean = (2.0 * self.score - 1.0) * np.sqrt(self.count)
        return np.asarray(granted & ~direct & ((self.count < self.check) | (lean < 1.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """How far a goal is.

    Attributes
    ----------
    ending, answer, cycle
        How it ended and with which groups, best first; the cycle where there is one.
    needed
        Pairs about which more may have to be known (symmetric).
    focus
        Those of them that get on fastest as ratings stand now.
    checks
        Pairs that are played only to look whether what is taken for granted is true.
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
    checks: BoolArray
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
    ) -> "Standing":
        """Give the standing of a goal that is reached, or cannot be: all steps are done, no pair is needed."""
        nothing = np.zeros_like(view.better)
        return cls(ending, answer, cycle, nothing, nothing, nothing, steps[0], steps[0], steps[1], also_equal)


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

    def rounds_left(self, standing: Standing) -> int:  # noqa: ARG002  # for some goals
        """How often as many blocks as the expected pairs need will be played."""
        return 1

    def fixed_pairs(self, order: Sequence[int]) -> Sequence[tuple[int, int]]:  # noqa: ARG002  # for some goals
        """Pairs that a fixed design must decide if this is the order; none where it has nothing to decide."""
        return ()

    def round_robin(self, players: int) -> int:
        """Pairs that a fixed design plays."""
        return players * (players - 1) // 2
