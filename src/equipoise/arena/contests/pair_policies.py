"""Which pair to play next: the policies, over what a goal still needs."""

from typing import NamedTuple

import numpy as np

from equipoise.arena.contests.contest import Policy
from equipoise.arena.contests.pair_standing import BoolArray, Standing
from equipoise.core.results import FloatArray
from equipoise.ratings.paired.ill_posed import WEAK_PRIOR
from equipoise.schedule.policies import Belief, pair_worth, rating_covariance

IN_TURN = "next in turn"


class PairMoment(NamedTuple):
    """Ratings; blocks of everybody against everybody: that count, that are pending, that are void; and who can play."""

    rating: FloatArray
    played: FloatArray
    pending: FloatArray
    void: FloatArray
    here: BoolArray

    @property
    def opened(self) -> FloatArray:
        """Blocks that were opened: so workers that ask at the same time get different pairs."""
        return self.played + self.pending + self.void


class ChosenPlayers(NamedTuple):
    """Players to play, by number, and why these."""

    players: tuple[int, ...]
    why: str


def choose_players(
    policy: Policy, standing: Standing, now: PairMoment, seats: int, rng: np.random.Generator
) -> ChosenPlayers | None:
    """Choose who plays next; None if there is nothing to ask now."""
    opened, here = now.opened, now.here
    both = here[:, None] & here
    needed = standing.needed & both
    if policy == "round-robin":
        everybody = ~np.eye(now.rating.size, dtype=bool) & both
        return _extended(_least(opened, everybody, None), -opened, seats, IN_TURN, here)
    if not needed.any():
        return _check(standing, now, seats, rng)
    if policy == "uniform":
        return _extended(_least(opened, needed, rng), -opened, seats, "met least often", here)
    covariance = rating_covariance(now.rating, now.played + now.pending, WEAK_PRIOR)
    worth = pair_worth(policy, Belief(now.rating, covariance))
    if policy == "uncertainty":
        worth = np.where(needed, worth, 0.0)
        upper = np.triu(worth).ravel()
        pair = divmod(int(rng.choice(upper.size, p=upper / upper.sum())), now.rating.size)
        return _extended(pair, worth, seats, f"variance of the rating difference {worth[pair]:.3g}", here)
    focus = standing.focus & both
    pair = _most(worth, focus if focus.any() else needed, rng)
    return _extended(pair, np.where(needed, worth, 0.0), seats, "most informative about what is open", here)


def _check(standing: Standing, now: PairMoment, seats: int, rng: np.random.Generator) -> ChosenPlayers | None:
    """Choose a pair that is taken for granted and misses more blocks, at least, than are being played."""
    wanted = (standing.checks > now.pending) & now.here[:, None] & now.here
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
    top = ranked.max()
    best = np.flatnonzero(ranked >= top - 1e-9 * abs(top))
    at = int(best[0 if rng is None else rng.integers(best.size)])
    i, j = divmod(at, len(worth))
    return i, j


def _extended(pair: tuple[int, int], worth: FloatArray, seats: int, why: str, here: BoolArray) -> ChosenPlayers:
    """Fill further seats with those whose pairs with the players chosen so far are worth most."""
    players = list(pair)
    while len(players) < seats:
        gain = worth[:, players].sum(axis=1)
        gain[players] = -np.inf
        gain[~here] = -np.inf
        players.append(int(gain.argmax()))
    return ChosenPlayers(tuple(sorted(players)), why)
