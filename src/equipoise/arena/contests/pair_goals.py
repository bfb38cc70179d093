r"""Goals about pairs: which comparisons can make the answer wrong, what is still needed, and when it is answered.

How many comparisons share alpha
--------------------------------
Every claim about a pair must reach evidence 2 c / alpha, so that a pair is ever decided wrongly with probability at
most alpha / c (Ville), however pairs are chosen from earlier results. The answer is wrong with probability at most
alpha if a wrong answer always needs a wrong decision about one of c pairs that are *fixed*: they may be unknown, but
may not depend on the results. Which pairs are played does not matter.

``order``
    All n (n - 1) / 2 pairs. In a wrong order some neighbours stand the wrong way round, and the data choose which.
``top:K``, ``best`` = ``top:1``
    K (n - K), if there is a set T of K players each of whom is at least even with each of the others. Count the decided
    chains: a player is *out* once K others are above it, *in* once n - K others are below it. If a member of T is
    out, at most K - 1 of those above it are in T, so a chain leads from somebody outside T down to it, and at one
    link it steps from outside T into T: that decision is wrong, and it is about one of the K (n - K) pairs across the
    border of T. The same holds for an outsider who is in. T is fixed, though unknown. Other decisions are steps on
    the way and are not covered together. For ``best`` that is c = n - 1: the comparisons with the true best.
    If players left over are equal within the margin, any of them may fill the places left: swapping a member of T for
    an outsider of that group is a claim about a pair across the border too.
``place:NAME``
    :math:`\lceil \log_2(N + 1) \rceil` among N players in a known order. The opponents of a binary search depend on
    results, but the search goes wrong first at an opponent that it meets after right decisions only. These opponents,
    the path of the true place, are fixed, and they are at most so many.
``budget``
    All pairs; whatever is decided holds.

With newcomers, the pairs of generation g share alpha / 2^(g + 1): all n pairs with the n players before. For ``top:K``
the border among the first players moves up as newcomers enter the set, so that c is K (n - K) + K (K - 1) / 2 there:
the pairs across the border after the first, second, ..., Kth of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Literal, Protocol

import numpy as np

from equipoise.core.results import FloatArray, IntArray
from equipoise.schedule.chains import BoolArray, find_cycle, fitting_order, tie_groups

__all__ = ["BudgetGoal", "OrderGoal", "PairGoal", "PairView", "PlaceGoal", "Standing", "TopGoal"]

Ending = Literal["decided", "equal within the margin", "cyclic"]
Groups = tuple[tuple[int, ...], ...]
_SHOWN = 12


@dataclass(frozen=True, slots=True, eq=False)
class PairView:
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
        """Pairs that are told apart by chains of decisions, or equal within the margin."""
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
        Pairs that are played only to look whether what is taken for granted holds.
    done, steps, what
        Steps that are done, of how many, and what they are.
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


class PairGoal(Protocol):
    """A question about pairs."""

    @property
    def comparisons(self) -> int:
        """How many comparisons share alpha."""

    def standing(self, view: PairView) -> Standing:
        """Say how far it is."""

    def guarantee(self, level: float) -> str:
        """Say what is promised."""

    def words(self, answer: Sequence[Sequence[str]]) -> str:
        """Say the answer."""


def _ranked(answer: Sequence[Sequence[str]]) -> str:
    """Say an order, at most its first dozen of groups."""
    ranked = " > ".join(" = ".join(group) for group in answer[:_SHOWN])
    return f"{ranked} > {sum(map(len, answer[_SHOWN:]))} more" if len(answer) > _SHOWN else ranked


def _both(table: BoolArray) -> BoolArray:
    return np.asarray(table | table.T)


def _ended(
    view: PairView, ending: Ending, answer: Groups | None, cycle: tuple[int, ...], steps: tuple[int, str]
) -> Standing:
    nothing = np.zeros_like(view.better)
    return Standing(ending, answer, cycle, nothing, nothing, nothing, steps[0], steps[0], steps[1])


@dataclass(frozen=True, slots=True)
class OrderGoal:
    """The order of all players: a chain of decided neighbours."""

    players: int

    @property
    def comparisons(self) -> int:
        """All pairs: which of them become neighbours is chosen by the results."""
        return max(self.players * (self.players - 1) // 2, 1)

    def guarantee(self, level: float) -> str:
        """Say what is promised."""
        right = f"all decisions are right with probability at least {level:g}"
        return f"{right}; what follows from them by chains assumes that the players have an order"

    def words(self, answer: Sequence[Sequence[str]]) -> str:
        """Say the order."""
        return _ranked(answer)

    def standing(self, view: PairView) -> Standing:
        """Say how far it is: every pair must be told apart by chains, or be equal; pairs two apart are looked at."""
        n = len(view.rating)
        if view.above.diagonal().any():
            return _ended(view, "cyclic", None, find_cycle(view.better), (n - 1, "neighbours"))
        order = fitting_order(view.rating, view.above)
        needed = ~view.covered
        above = view.above.astype(np.float32)
        two = above @ above
        checks = np.zeros_like(needed)
        if not needed.any():
            checks = _both(view.unchecked((two > 0) & ~((two @ above) > 0)))
            if not checks.any():
                groups = tie_groups(order, view.equal)
                ending: Ending = "decided" if len(groups) == n else "equal within the margin"
                return _ended(view, ending, groups, (), (n - 1, "neighbours"))
        done = int((~needed[order[:-1], order[1:]]).sum())
        focus = _nearest(needed, order)
        return Standing(None, None, (), needed, focus, checks, done, n - 1, "neighbours")


def _nearest(needed: BoolArray, order: IntArray) -> BoolArray:
    """Of the pairs that are needed, those that stand closest together in the order."""
    place = np.empty(order.size)
    place[order] = np.arange(order.size)
    apart = np.abs(place[:, None] - place[None, :])
    return np.asarray(needed & (apart == apart[needed].min())) if needed.any() else needed


@dataclass(frozen=True, slots=True)
class TopGoal:
    """The best K players, in no order."""

    players: int
    k: int
    open_: bool = False

    @property
    def comparisons(self) -> int:
        """The pairs across the border of the true set; across every border that newcomers can make, if there may be."""
        return self.k * (self.players - self.k) + (self.k * (self.k - 1) // 2 if self.open_ else 0)

    def guarantee(self, level: float) -> str:
        """Say what is promised."""
        who = "best player named is" if self.k == 1 else f"best {self.k} players named are"
        return f"the {who} right with probability at least {level:g}, if there is such a set; other decisions are steps"

    def words(self, answer: Sequence[Sequence[str]]) -> str:
        """Say who is in the set, and who would be as good."""
        sure, even = answer[0], answer[1] if len(answer) > 1 else ()
        named = f"the best is {sure[0]}" if self.k == 1 and sure else f"the best {self.k} are {', '.join(sure)}"
        if not even:
            return named
        places = f"{self.k - len(sure)} of {', '.join(even)}, who are equal within the margin"
        return f"{named} and {places}" if sure else f"the best {self.k} are any {places}"

    def standing(self, view: PairView) -> Standing:
        """Say how far it is."""
        n, k = len(view.rating), self.k
        off = ~np.eye(n, dtype=bool)
        lower, upper = (view.above & off).sum(axis=1), (view.above & off).sum(axis=0)
        inside, outside = lower >= n - k, upper >= k
        what = "players placed in or out"
        if (inside & outside).any() or inside.sum() > k or outside.sum() > n - k:
            # A cycle far below the border does not matter; name one that nobody, or hardly anybody, stands above.
            around = np.where(view.above.diagonal(), upper, n)
            cycle = find_cycle(view.better, np.flatnonzero(around == around.min()))
            return _ended(view, "cyclic", None, cycle, (n, what))
        if inside.sum() == k or outside.sum() == n - k:
            inside = inside if inside.sum() == k else ~outside
            outside = ~inside
        left = ~(inside | outside)
        order = fitting_order(view.rating, view.above)
        needed = ~view.covered & (left[:, None] | left[None, :])
        among = left[:, None] & left[None, :] & off
        if not (among & ~view.covered).any():
            return self._settled(view, order, inside, left, what)
        top = np.isin(np.arange(n), order[:k])
        across = needed & (top[:, None] != top[None, :])
        focus = next(mask for mask in (across & among, needed & among, needed) if mask.any())
        return Standing(None, None, (), needed, focus, np.zeros_like(needed), int((~left).sum()), n, what)

    def _settled(self, view: PairView, order: IntArray, inside: BoolArray, left: BoolArray, what: str) -> Standing:
        """End, or first look at the pairs across the border that nobody compared."""
        n = len(view.rating)
        rest = ~(inside | left)
        checks = _both(view.unchecked((inside | left)[:, None] & rest[None, :]))
        if checks.any():
            nothing = np.zeros_like(checks)
            return Standing(None, None, (), nothing, nothing, checks, n, n, what)
        sure, even = (tuple(int(i) for i in order if mask[i]) for mask in (inside, left))
        ending: Ending = "equal within the margin" if even else "decided"
        return _ended(view, ending, (sure, even) if even else (sure,), (), (n, what))


@dataclass(frozen=True, slots=True)
class PlaceGoal:
    """The place of a newcomer in a known order of the others, best first."""

    player: int
    order: tuple[int, ...]

    @property
    def comparisons(self) -> int:
        """The opponents on the path of a binary search."""
        return ceil(log2(len(self.order) + 1))

    def guarantee(self, level: float) -> str:
        """Say what is promised."""
        return f"the place is right with probability at least {level:g}, if the known order is true and holds for all"

    def words(self, answer: Sequence[Sequence[str]]) -> str:
        """Say the order with the newcomer in it."""
        return _ranked(answer)

    def standing(self, view: PairView) -> Standing:
        """Say how far the search is."""
        low, high, met = 0, len(self.order), 0
        steps, what = self.comparisons, "comparisons made"
        while low < high:
            at = (low + high) // 2
            other = self.order[at]
            if view.equal[self.player, other]:
                before, after = self.order[:at], self.order[at + 1 :]
                groups = (*((i,) for i in before), (self.player, other), *((i,) for i in after))
                return _ended(view, "equal within the margin", groups, (), (steps, what))
            if view.better[self.player, other]:
                high = at
            elif view.better[other, self.player]:
                low = at + 1
            else:
                pair = np.zeros_like(view.better)
                pair[self.player, other] = pair[other, self.player] = True
                return Standing(None, None, (), pair, pair, np.zeros_like(pair), met, steps, what)
            met += 1
        groups = tuple((i,) for i in (*self.order[:low], self.player, *self.order[low:]))
        return _ended(view, "decided", groups, (), (steps, what))


@dataclass(frozen=True, slots=True)
class BudgetGoal:
    """Play, and say what is known."""

    players: int

    @property
    def comparisons(self) -> int:
        """All pairs."""
        return max(self.players * (self.players - 1) // 2, 1)

    def guarantee(self, level: float) -> str:
        """Say what is promised."""
        return f"all decisions are right with probability at least {level:g}"

    def words(self, answer: Sequence[Sequence[str]]) -> str:
        """Say nothing: there is no question."""
        return _ranked(answer)

    def standing(self, view: PairView) -> Standing:
        """Say how many pairs are decided; once all are, play goes on between all."""
        n = len(view.rating)
        off = ~np.eye(n, dtype=bool)
        needed = off & ~(view.better | view.better.T | view.equal)
        done = n * (n - 1) // 2 - int(needed.sum()) // 2
        needed = needed if needed.any() else off
        return Standing(None, None, (), needed, needed, np.zeros_like(off), done, n * (n - 1) // 2, "pairs")
