r"""The goals of an arena: how each is written, what it needs, when it is answered, and its words.

A goal is a class here and a line in :data:`GOALS`, and nothing else knows it by its name. One that is decided by pairs
says which comparisons can make its answer wrong, what is still needed, and when it is answered; the others name the
contest that does so (:mod:`~equipoise.arena.contests.make`).

How many comparisons share alpha
--------------------------------
Every claim about a pair must reach evidence 2 c / alpha, so that a pair is ever decided wrongly with probability at
most alpha / c (Ville), however pairs are chosen from earlier results. The answer is wrong with probability at most
alpha if a wrong answer always needs a wrong decision about one of c pairs that are *fixed*: they may be unknown, but
may not depend on the results. Which pairs are played does not matter.

``order``
    All n (n - 1) / 2 pairs. In a wrong order some adjacent pair is the wrong way round, and the data choose which.
``top:K``, ``best`` = ``top:1``
    K (n - K), if there is a set T of K players each of whom is at least even with each of the others. Count the decided
    chains: a player is *out* once K others are above it, *in* once n - K others are below it. If a member of T is
    out, at most K - 1 of those above it are in T, so a chain leads from somebody outside T down to it, and at one
    link it steps from outside T into T: that decision is wrong, and it is about one of the K (n - K) pairs across the
    border of T. The same is true of an outsider who is in. T is fixed, though unknown. Other decisions are steps on
    the way and are not covered together. For ``best`` that is c = n - 1: the comparisons with the true best.
    If players left over are equal within the margin, any of them may fill the places left: swapping a member of T for
    an outsider of that group is a claim about a pair across the border too.
``place:NAME``
    :math:`\lceil \log_2(N + 1) \rceil` among N players in a known order. The opponents of a binary search depend on
    results, but the search goes wrong first at an opponent that it meets after right decisions only. These opponents,
    the path of the true place, are fixed, and they are at most so many.
``budget``
    All pairs; whatever is decided counts.

With newcomers, the pairs of generation g share alpha / 2^(g + 1): all n pairs with the n players before. For ``top:K``
the border among the first players moves up as newcomers enter the set, so that c is K (n - K) + K (K - 1) / 2 there:
the pairs across the border after the first, second, ..., Kth of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from math import ceil, log2
from typing import ClassVar, Self

import numpy as np

from equipoise.arena.contests.contest import Asked, ContestKind, Goal
from equipoise.arena.contests.pair_standing import (
    BoolArray,
    Conclusion,
    DecidedPairs,
    Ending,
    Groups,
    PairGoal,
    Standing,
    find_cycle,
    fitting_order,
    nearest_pairs,
    places_below,
    tie_groups,
    two_apart,
)
from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.options import shown
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Option

SLOWEST = 0.2
"""Lead that a block of a check is foreseen to bring, at least."""


@dataclass(frozen=True, slots=True)
class OrderGoal(PairGoal):
    """The order of all players: a chain of decided adjacent pairs.

    All pairs share alpha: which of them become adjacent is chosen by the results.
    """

    form: ClassVar[str] = "order"

    def guarantee(self, level: float) -> str:
        """Say what is promised."""
        right = f"all decisions are right with probability at least {level:g}"
        return f"{right}; what follows from them by chains assumes that the players have an order"

    def standing(self, view: DecidedPairs) -> Standing:
        """Say how far it is: every pair must be decided by chains, or be equal; those not adjacent are looked at."""
        n, what = len(view.rating), "adjacent pairs decided"
        if view.above.diagonal().any():
            return Standing.ended(view, "cyclic", cycle=find_cycle(view.better), steps=(n - 1, what))
        order = fitting_order(view.rating, view.above)
        needed = ~view.covered
        if not needed.any():
            groups = tie_groups(order, view.equal)
            ending: Ending = "decided" if len(groups) == n else "equal within the margin"
            also = tuple(pair for g, h in combinations(groups, 2) for pair in product(g, h) if view.equal[pair])
            checks = view.missing(view.above, two_apart(view.above))
            return Standing.ended(view, ending, groups, steps=(n - 1, what), also_equal=also, checks=checks)
        done = int((~needed[order[:-1], order[1:]]).sum())
        focus = nearest_pairs(needed, order)
        return Standing(None, None, (), needed, focus, np.zeros(needed.shape), done, n - 1, what)

    def expected(self, standing: Standing, order: IntArray) -> BoolArray:
        """Give the open adjacent pairs in the order of the ratings."""
        wanted = np.zeros_like(standing.needed)
        wanted[order[:-1], order[1:]] = wanted[order[1:], order[:-1]] = True
        return np.asarray(wanted & standing.needed) if (wanted & standing.needed).any() else standing.focus

    def expected_checks(self, view: DecidedPairs, standing: Standing, order: IntArray) -> FloatArray:  # noqa: ARG002
        """Blocks of the pairs that will not be adjacent."""
        below = places_below(order)
        pace = np.maximum(np.tanh((view.rating[:, None] - view.rating[None, :]) / 2.0), SLOWEST)
        return view.missing((below > 1) & (view.check > 0), below == 2, pace)

    def fixed_pairs(self, order: Sequence[int]) -> Sequence[tuple[int, int]]:
        """Adjacent pairs."""
        return list(pairwise(order))


@dataclass(frozen=True, slots=True)
class TopGoal(PairGoal):
    """The best K players, in no order."""

    form: ClassVar[str] = "top:K"
    together: ClassVar[bool] = False

    k: int
    open_: bool = False

    @classmethod
    def refuse_argument(cls, argument: str, names: Sequence[str]) -> None:
        """Refuse what is no number of players."""
        if not (argument.isdecimal() and 1 <= int(argument) < len(names)):
            text = f" top:K takes a number from 1 to {len(names) - 1}, not {shown(argument)}"
            raise ParameterError(Option("goal"), text)

    @classmethod
    def of(cls, argument: str, names: Sequence[str], open_: bool) -> Self:
        """Read the goal."""
        return cls(len(names), int(argument), open_)

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
        named = (
            f"{sure[0]} is the best player"
            if self.k == 1 and sure
            else f"the best {self.k} players are {', '.join(sure)}"
        )
        if not even:
            return named
        places = f"{self.k - len(sure)} of {', '.join(even)}, who are equal within the margin"
        return f"{named} and {places}" if sure else f"the best {self.k} players are any {places}"

    def standing(self, view: DecidedPairs) -> Standing:
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
            return Standing.ended(view, "cyclic", cycle=cycle, steps=(n, what))
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
        return Standing(None, None, (), needed, focus, np.zeros(needed.shape), int((~left).sum()), n, what)

    def _settled(self, view: DecidedPairs, order: IntArray, inside: BoolArray, left: BoolArray, what: str) -> Standing:
        """End, or first look at the pairs across the border that nobody compared."""
        n = len(view.rating)
        across = (inside | left)[:, None] & ~(inside | left)[None, :]
        sure, even = (tuple(int(i) for i in order if mask[i]) for mask in (inside, left))
        ending: Ending = "equal within the margin" if even else "decided"
        groups = (sure, even) if even else (sure,)
        return Standing.ended(view, ending, groups, steps=(n, what), checks=view.missing(across, across))

    def fixed_pairs(self, order: Sequence[int]) -> Sequence[tuple[int, int]]:
        """Those across the border."""
        return list(product(order[: self.k], order[self.k :]))


@dataclass(frozen=True, slots=True)
class BestGoal(TopGoal):
    """The best player."""

    form: ClassVar[str] = "best"

    @classmethod
    def refuse_argument(cls, argument: str, names: Sequence[str]) -> None:
        """Nothing: it has none."""

    @classmethod
    def of(cls, argument: str, names: Sequence[str], open_: bool) -> Self:  # noqa: ARG003  # every goal is read so
        """Read the goal."""
        return cls(len(names), 1, open_)


@dataclass(frozen=True, slots=True)
class PlaceGoal(PairGoal):
    """The place of a newcomer in a known order of the others, best first."""

    form: ClassVar[str] = "place:NAME"
    together: ClassVar[bool] = False
    newcomers: ClassVar[bool] = False

    player: int
    order: tuple[int, ...]

    @classmethod
    def refuse_argument(cls, argument: str, names: Sequence[str]) -> None:
        """Refuse who is no player."""
        if argument not in names:
            near = did_you_mean(argument, names)
            raise ParameterError(Option("goal"), f' places "{argument}", who is no player{near}')

    @classmethod
    def of(cls, argument: str, names: Sequence[str], open_: bool) -> Self:  # noqa: ARG003  # every goal is read so
        """Read the goal."""
        player = list(names).index(argument)
        return cls(len(names), player, tuple(i for i in range(len(names)) if i != player))

    @property
    def comparisons(self) -> int:
        """The opponents on the path of a binary search."""
        return ceil(log2(len(self.order) + 1))

    def guarantee(self, level: float) -> str:
        """Say what is promised."""
        return (
            f"the place is right with probability at least {level:g}, if the known order is true, and the same for all"
        )

    def standing(self, view: DecidedPairs) -> Standing:
        """Say how far the search is."""
        low, high, met = 0, len(self.order), 0
        steps, what = self.comparisons, "comparisons made"
        while low < high:
            at = (low + high) // 2
            other = self.order[at]
            if view.equal[self.player, other]:
                before, after = self.order[:at], self.order[at + 1 :]
                groups = (*((i,) for i in before), (self.player, other), *((i,) for i in after))
                return Standing.ended(view, "equal within the margin", groups, steps=(steps, what))
            if view.better[self.player, other]:
                high = at
            elif view.better[other, self.player]:
                low = at + 1
            else:
                pair = np.zeros_like(view.better)
                pair[self.player, other] = pair[other, self.player] = True
                return Standing(None, None, (), pair, pair, np.zeros(pair.shape), met, steps, what)
            met += 1
        groups = tuple((i,) for i in (*self.order[:low], self.player, *self.order[low:]))
        return Standing.ended(view, "decided", groups, steps=(steps, what))

    def conclusion(self, names: Sequence[str], answer: Groups) -> Conclusion:
        """Say which number it is, and whom it is equal to."""
        order = tuple(names[i] for group in answer for i in group)
        who = names[self.player]
        place = 1 + next(k for k, group in enumerate(answer) if self.player in group)
        beside = [names[i] for group in answer if len(group) > 1 for i in group if i != self.player]
        text = f"{who} is number {place} of {len(order)}{f', equal to {beside[0]}' if beside else ''}."
        return Conclusion("place", who, order, text)

    def rounds_left(self, standing: Standing) -> int:
        """Steps of the search that are left."""
        return standing.steps - standing.done

    def fixed_pairs(self, order: Sequence[int]) -> Sequence[tuple[int, int]]:  # noqa: ARG002  # whatever they are worth
        """Those with everybody."""
        return [(self.player, other) for other in self.order]

    def round_robin(self, players: int) -> int:  # noqa: ARG002  # it is about one of them
        """The newcomer's pairs."""
        return len(self.order)


class ProfileGoal(Goal):
    """The response graph: who is better in every pair, without assuming an order."""

    form: ClassVar[str] = "profile"
    contest: ClassVar[ContestKind] = "profile"


class AbilityGoal(Goal):
    """The ability of players, by calibrated items."""

    form: ClassVar[str] = "ability"
    contest: ClassVar[ContestKind] = "ability"
    alone: ClassVar[bool] = True

    @classmethod
    def fewest(cls, seats: int) -> int:  # noqa: ARG003  # they sit alone
        """One."""
        return 1

    @classmethod
    def refuse_spec(cls, spec: Asked) -> None:
        """Refuse to ask without items, or without a criterion, or more players than one at once."""
        if spec.calibration is None or spec.criterion is None or spec.seats != 1:
            needed = Option("calibration"), ", ", Option("criterion"), " and ", Option("seats", 1)
            raise ParameterError(Option("goal", "ability"), " needs ", *needed)


@dataclass(frozen=True, slots=True)
class BudgetGoal(PairGoal):
    """Play, and say what is known."""

    form: ClassVar[str] = "budget"
    decides: ClassVar[bool] = False
    any_scores: ClassVar[bool] = True

    @classmethod
    def fewest(cls, seats: int) -> int:
        """One, where players sit alone."""
        return 1 if seats == 1 else max(2, seats)

    @classmethod
    def refuse_spec(cls, spec: Asked) -> None:
        """Refuse to play without an end."""
        if spec.budget is None:
            text = " needs ", Option("budget"), ": the number of games to play"
            raise ParameterError(Option("goal", "budget"), *text)

    def guarantee(self, level: float) -> str:
        """Say what is promised."""
        return f"all decisions are right with probability at least {level:g}"

    def standing(self, view: DecidedPairs) -> Standing:
        """Say how many pairs are decided; once all are, play goes on between all."""
        n = len(view.rating)
        off = ~np.eye(n, dtype=bool)
        needed = off & ~(view.better | view.better.T | view.equal)
        done = n * (n - 1) // 2 - int(needed.sum()) // 2
        needed = needed if needed.any() else off
        return Standing(None, None, (), needed, needed, np.zeros(off.shape), done, n * (n - 1) // 2, "pairs decided")


_ALL: tuple[type[Goal], ...] = (
    OrderGoal, BestGoal, TopGoal, PlaceGoal, ProfileGoal, AbilityGoal, BudgetGoal,
)  # fmt: skip
GOALS: Mapping[str, type[Goal]] = {goal.form.partition(":")[0]: goal for goal in _ALL}
"""All goals, by what stands before the colon."""


def goal_of(text: str) -> type[Goal]:
    """Give the goal that a text asks for.

    >>> goal_of("top:3").form
    'top:K'

    Fails when
        there is no such goal, or it is written otherwise.
    """
    head, colon, argument = str(text).partition(":")
    goal = GOALS.get(head)
    if goal is None or not bool(colon) == bool(argument) == (":" in goal.form):
        forms = ", ".join(one.form for one in _ALL)
        text = f" is one of {forms}, not {shown(text)}{did_you_mean(head, list(GOALS))}"
        raise ParameterError(Option("goal"), text)
    return goal


def refuse_goal(text: str, names: Sequence[str], seats: int) -> type[Goal]:
    """Give the goal that a text asks for, or refuse one that the players do not allow."""
    goal = goal_of(text)
    goal.refuse_argument(text.partition(":")[2], names)
    fewest, head = goal.fewest(seats), text.partition(":")[0]
    if len(names) < fewest:
        needed = f"{fewest} players, got {len(names)}"
        raise ParameterError(f"an arena with {seats} seats and the goal {head} needs {needed}")
    return goal


def pair_goal(text: str, names: Sequence[str], open_: bool) -> PairGoal:
    """Read a goal that is decided by pairs."""
    goal = goal_of(text)
    assert issubclass(goal, PairGoal)
    return goal.of(text.partition(":")[2], names, open_)
