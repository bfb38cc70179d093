"""Exact distributions of hands and controls in the small games: expectations here are finite sums."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, permutations
from math import factorial

import numpy as np

from equipoise.luck.adjusted_mean import Totals
from equipoise.luck.games import BOTS, Bot, Poker, deals, equilibrium, expected, given_deal


@dataclass(frozen=True)
class Joint:
    """The distribution of one hand: utility ``x`` of the first bot, control ``y``, probability ``p``."""

    x: np.ndarray
    y: np.ndarray
    p: np.ndarray


def true_value(game: Poker, bots: Sequence[Bot]) -> float:
    """What the first bot wins on average, all orders of the seats being equally likely."""
    orders = list(permutations(range(game.seats)))
    values = [seat_values(game, tuple(bots[who] for who in order))[order.index(0)] for order in orders]
    return float(np.mean(values))


@cache
def seat_values(game: Poker, table: tuple[Bot, ...]) -> np.ndarray:
    """The true expected utility of each seat."""
    return expected(game, table)


def joint(game: Poker, bots: Sequence[Bot], control: Bot) -> Joint:
    """Utility and control of one hand on a random deal with random seats."""
    parts = []
    orders = list(permutations(range(game.seats)))
    for deal, chance in deals(game).items():
        again, own = played(game, (control,) * game.seats, deal)
        for order in orders:
            seat = order.index(0)
            p, won = played(game, tuple(bots[who] for who in order), deal)
            x, y = np.meshgrid(won[:, seat], own[:, seat], indexing="ij")
            parts.append(np.stack([x.ravel(), y.ravel(), chance / len(orders) * np.outer(p, again).ravel()]))
    x, y, weight = np.concatenate(parts, axis=1)
    cells, index = np.unique(np.stack([x, y]), axis=1, return_inverse=True)
    return Joint(cells[0], cells[1], np.bincount(index.ravel(), weights=weight))


@cache
def played(game: Poker, table: tuple[Bot, ...], deal: str) -> tuple[np.ndarray, np.ndarray]:
    """The possible outcomes of one deal: probabilities and utilities."""
    p, won = given_deal(game, table, deal)
    return p[p > 0.0], won[p > 0.0]


@cache
def bots_for(game: Poker) -> tuple[Bot, ...]:
    """The bots of the room, and an equilibrium where there is one."""
    return (*BOTS.values(), *([equilibrium(game)[1]] if game.seats == 2 else []))


def samples(law: Joint, n: int) -> tuple[Totals, np.ndarray]:
    """Every sample of n hands up to order, with its probability."""
    picks = np.array(list(combinations_with_replacement(range(len(law.p)), n)))
    ways = np.full(len(picks), float(factorial(n)))
    run = np.ones(len(picks))
    for column in range(1, n):
        run = np.where(picks[:, column] == picks[:, column - 1], run + 1.0, 1.0)
        ways /= run
    probability = ways * law.p[picks].prod(axis=1)
    y = law.y[picks][..., None]
    return Totals(np.ones(picks.shape), law.x[picks], y, np.sqrt((y**2).mean(axis=-2))), probability


def assert_unbiased(estimates: np.ndarray, probability: np.ndarray, value: float) -> None:
    """The expectation of an estimator is the true value to 1e-12."""
    np.testing.assert_allclose(probability.sum(), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(probability @ estimates, value, rtol=0, atol=1e-12)
