"""Every hand of a small game, with its probability: the ground on which unbiasedness is proved.

Expectations over a game are finite sums here, so that an estimator's expectation can be compared with the
true value to rounding error instead of by simulation.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from equipoise.core.errors import ParameterError
from equipoise.luck.games.bots import Bot
from equipoise.luck.games.poker import CHANCE, TERMINAL, Poker, Situation, State

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Line:
    """One complete hand: its last state, what chance contributes, and the decisions on the way."""

    state: State
    chance: float
    decisions: tuple[tuple[Situation, int], ...]
    utilities: tuple[float, ...]

    def probability(self, agents: Sequence[Bot]) -> float:
        """How likely the hand is when ``agents`` sit in seats 0, 1, ..."""
        return self.chance * math.prod(agents[at.seat].policy(at)[move] for at, move in self.decisions)


@lru_cache(maxsize=8)
def lines(game: Poker) -> tuple[Line, ...]:
    """All complete hands of a game."""
    return tuple(_below(game, game.start(), 1.0, ()))


def _below(game: Poker, state: State, chance: float, decisions: tuple[tuple[Situation, int], ...]) -> Iterator[Line]:
    actor = game.actor(state)
    if actor == TERMINAL:
        yield Line(state, chance, decisions, game.utilities(state))
    elif actor == CHANCE:
        for card, probability in zip(game.moves(state), game.chances(state), strict=True):
            yield from _below(game, game.after(state, card), chance * probability, decisions)
    else:
        at = game.situation(state)
        for index, move in enumerate(at.moves):
            yield from _below(game, game.after(state, move), chance, (*decisions, (at, index)))


def outcomes(game: Poker, agents: Sequence[Bot]) -> tuple[Array, Array]:
    """The probability of each line of :func:`lines`, and the utilities (lines x seats)."""
    check_seats(game, agents)
    every = lines(game)
    probability = np.array([line.probability(agents) for line in every])
    return probability, np.array([line.utilities for line in every])


def expected(game: Poker, agents: Sequence[Bot]) -> Array:
    """The true expected utility of each seat.

    Examples
    --------
    >>> from equipoise.luck.games import kuhn, kuhn_nash
    >>> expected(kuhn(), [kuhn_nash(), kuhn_nash()]).round(12).tolist()
    [-0.055555555556, 0.055555555556]
    """
    probability, utilities = outcomes(game, agents)
    value: Array = probability @ utilities
    return value


def deals(game: Poker) -> dict[str, float]:
    """Every deal (the private cards in seat order, then the public ones) with its probability."""
    size = game.seats + len(game.bets) - 1
    partial = {"": 1.0}
    for _ in range(size):
        grown: dict[str, float] = {}
        for cards, probability in partial.items():
            rest = list(game.deck)
            for card in cards:
                rest.remove(card)
            for card in rest:
                grown[cards + card] = grown.get(cards + card, 0.0) + probability / len(rest)
        partial = grown
    return partial


def given_deal(game: Poker, agents: Sequence[Bot], deal: str) -> tuple[Array, Array]:
    """The outcomes of one deal: probabilities of its lines, and utilities (lines x seats)."""
    check_seats(game, agents)
    probability, utilities = [], []
    for line in lines(game):
        if line.state.cards == deal[: game.seats] and deal[game.seats :].startswith(line.state.public):
            probability.append(math.prod(agents[at.seat].policy(at)[move] for at, move in line.decisions))
            utilities.append(line.utilities)
    return np.array(probability), np.array(utilities)


def steps(game: Poker, history: str) -> Iterator[tuple[State, State]]:
    """The moves of a hand, each as (before, after)."""
    return pairwise(game.path(history))


def check_seats(game: Poker, agents: Sequence[Bot]) -> None:
    """Refuse a table with the wrong number of agents."""
    if len(agents) != game.seats:
        raise ParameterError(f"{game.name} has {game.seats} seats, but {len(agents)} agents were given")
