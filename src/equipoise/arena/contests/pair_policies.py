"""Which pair to play next: the policies, over what a goal still needs."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from equipoise.arena.contests.contest import Policy
from equipoise.arena.contests.pair_standing import BoolArray, Standing
from equipoise.core.results import FloatArray, IntArray
from equipoise.ratings.paired.ill_posed import WEAK_PRIOR
from equipoise.schedule.policies import Belief, pair_worth, rating_covariance
from equipoise.schedule.running_worth import RunningWorth

IN_TURN = "next in turn"


class PairMoment(NamedTuple):
    """Tables of the blocks of everybody against everybody, who can play, what a block is worth, which pairs get on.

    ``allowed`` are the pairs that may be asked, where not all may.

    Tables: blocks that count, that are pending, that are void. They and the rest are made when they are asked for,
    because with many players they take most of the time.
    """

    played: Callable[[], FloatArray]
    pending: Callable[[], FloatArray]
    void: Callable[[], FloatArray]
    here: BoolArray
    rating: FloatArray
    worth: Callable[[], RunningWorth]
    focus: Callable[[Standing], tuple[IntArray, IntArray]]
    allowed: BoolArray | None = None

    @property
    def opened(self) -> FloatArray:
        """Blocks that were opened: so workers that ask at the same time get different pairs."""
        return self.played() + self.pending() + self.void()


class ChosenPlayers(NamedTuple):
    """Players to play, by number, and why these."""

    players: tuple[int, ...]
    why: str


def choose_players(
    policy: Policy, standing: Standing, now: PairMoment, seats: int, rng: np.random.Generator
) -> ChosenPlayers | None:
    """Choose who plays next; None if there is nothing to ask now."""
    here = now.here
    if policy == "ranking":
        low, high = now.focus(standing)
        there = here[low] & here[high] & (True if now.allowed is None else now.allowed[low, high])
        if there.any():
            return _most_informative(low[there], high[there], standing, now, seats, rng)
    both = _both(now)
    if policy == "round-robin":
        everybody = ~np.eye(here.size, dtype=bool) & both
        opened = now.opened
        if not everybody.any():
            return None
        return _extended(_least(opened, everybody, None), -opened, seats, IN_TURN, here)
    needed = standing.needed & both
    if not needed.any():
        return _check(standing, now, seats, rng)
    if policy == "uniform":
        opened = now.opened
        return _extended(_least(opened, needed, rng), -opened, seats, "met least often", here)
    if policy == "uncertainty":
        covariance = rating_covariance(now.rating, now.played() + now.pending(), WEAK_PRIOR)
        worth = np.where(needed, pair_worth(policy, Belief(now.rating, covariance)), 0.0)
        upper = np.triu(worth).ravel()
        pair = divmod(int(rng.choice(upper.size, p=upper / upper.sum())), here.size)
        return _extended(pair, worth, seats, f"variance of the rating difference {worth[pair]:.3g}", here)
    low, high = pairs_of(needed)
    return _most_informative(low, high, standing, now, seats, rng)


def _both(now: PairMoment) -> BoolArray:
    """Give the pairs that may be asked."""
    both: BoolArray = now.here[:, None] & now.here
    return both if now.allowed is None else both & now.allowed


def _most_informative(
    low: IntArray, high: IntArray, standing: Standing, now: PairMoment, seats: int, rng: np.random.Generator
) -> ChosenPlayers:
    """Choose the pair of some that is worth most."""
    worth, here = now.worth(), now.here
    at = _top(worth.of(low, high), rng)
    pair, why = (int(low[at]), int(high[at])), "most informative about what is open"
    if seats == 2:
        return ChosenPlayers(pair, why)
    return _extended(pair, np.where(standing.needed, worth.table(), 0.0), seats, why, here)


def pairs_of(table: BoolArray) -> tuple[IntArray, IntArray]:
    """Give the pairs of a symmetric table, the lower number first, in the order of its rows."""
    low, high = np.divmod(np.flatnonzero(np.triu(table, 1)), len(table))
    return low, high


def _check(standing: Standing, now: PairMoment, seats: int, rng: np.random.Generator) -> ChosenPlayers | None:
    """Choose a pair that is taken for granted and misses more blocks, at least, than are being played."""
    wanted = (standing.checks > now.pending()) & _both(now)
    if not wanted.any():
        return None
    return _extended(
        _least(now.opened, wanted, rng), -now.opened, seats, "follows from other decisions, and is checked", now.here
    )


def _least(opened: FloatArray, allowed: BoolArray, rng: np.random.Generator | None) -> tuple[int, int]:
    """Choose the pair opened least often; the first of several, or any of them."""
    return _most(-opened, allowed, rng)


def _most(worth: FloatArray, allowed: BoolArray, rng: np.random.Generator | None) -> tuple[int, int]:
    ranked = np.where(np.triu(allowed, 1), worth, -np.inf).ravel()
    i, j = divmod(_top(ranked, rng), len(worth))
    return i, j


def _top(worth: FloatArray, rng: np.random.Generator | None) -> int:
    """Give the place of the largest; the first of several, or any of them."""
    top = worth.max()
    best = np.flatnonzero(worth >= top - 1e-9 * abs(top))
    return int(best[0 if rng is None else rng.integers(best.size)])


def _extended(pair: tuple[int, int], worth: FloatArray, seats: int, why: str, here: BoolArray) -> ChosenPlayers:
    """Fill further seats with those whose pairs with the players chosen so far are worth most."""
    players = list(pair)
    while len(players) < seats:
        gain = worth[:, players].sum(axis=1)
        gain[players] = -np.inf
        gain[~here] = -np.inf
        players.append(int(gain.argmax()))
    return ChosenPlayers(tuple(sorted(players)), why)
