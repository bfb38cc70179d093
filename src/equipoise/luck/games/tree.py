"""Every hand of a small game, with its probability: the ground on which unbiasedness is proved.

Expectations over a game are finite sums here, so that an estimator's expectation can be compared with the
true value to rounding error instead of by simulation.

Equilibria of the two-player games come from the sequence-form linear programme. A plan of a player is a vector of
realisation weights over its sequences; the constraint matrix says that the weights below an information set add up to
the weight above it. The equilibrium plan of seat 0 solves
``max v . f  subject to  F^T v <= A^T x,  E x = e,  x >= 0``, and that of seat 1 the same game seen from the
other side.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from equipoise.core.errors import ConvergenceError, ParameterError
from equipoise.luck.games.play import Bot, check_seats, table_bot
from equipoise.luck.games.poker import CHANCE, TERMINAL, Poker, PokerSituation, PokerState

Array = NDArray[np.float64]
PlayerSequence = tuple[str, str, str]  # card, betting, move; the empty sequence is ("", "", "")
ROOT: PlayerSequence = ("", "", "")


@dataclass(frozen=True, slots=True)
class HandLine:
    """One complete hand: its last state, what chance contributes, and the decisions on the way."""

    state: PokerState
    chance: float
    decisions: tuple[tuple[PokerSituation, int], ...]
    utilities: tuple[float, ...]

    def probability(self, agents: Sequence[Bot]) -> float:
        """How likely the hand is when ``agents`` sit in seats 0, 1, ..."""
        return self.chance * math.prod(agents[at.seat].policy(at)[move] for at, move in self.decisions)


@lru_cache(maxsize=8)
def lines(game: Poker) -> tuple[HandLine, ...]:
    """All complete hands of a game."""
    return tuple(_below(game, game.start(), 1.0, ()))


def _below(
    game: Poker, state: PokerState, chance: float, decisions: tuple[tuple[PokerSituation, int], ...]
) -> Iterator[HandLine]:
    actor = game.actor(state)
    if actor == TERMINAL:
        yield HandLine(state, chance, decisions, game.utilities(state))
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


def steps(game: Poker, history: str) -> Iterator[tuple[PokerState, PokerState]]:
    """The moves of a hand, each as (before, after)."""
    return pairwise(game.path(history))


def equilibrium(game: Poker, *, name: str = "nash") -> tuple[float, Bot]:
    """The value of a two-player game for seat 0, and a bot that plays an equilibrium in both seats.

    Parameters
    ----------
    game
        A game with two seats.
    name
        The bot's name.

    Fails when
        the game has more than two seats.

    References
    ----------
    D. Koller, N. Megiddo and B. von Stengel (1996), Efficient computation of equilibria for extensive two-person games.

    Examples
    --------
    >>> from equipoise.luck.games import kuhn
    >>> round(equilibrium(kuhn())[0], 9)
    -0.055555556
    """
    if game.seats != 2:
        raise ParameterError(f"equilibrium: {game.name} has {game.seats} seats; only two-player games are solved")
    payoffs, sequences = _payoffs(game)
    value, first = _plan(payoffs, sequences[0], sequences[1])
    _, second = _plan(-payoffs.T, sequences[1], sequences[0])
    table = _behaviour(sequences[0], first) | _behaviour(sequences[1], second)
    return value, table_bot(name, table)


def _payoffs(
    game: Poker,
) -> tuple[Array, tuple[dict[PlayerSequence, PlayerSequence], dict[PlayerSequence, PlayerSequence]]]:
    """The sequence-form payoffs of seat 0, and per seat each sequence with the one before it."""
    parents: tuple[dict[PlayerSequence, PlayerSequence], dict[PlayerSequence, PlayerSequence]] = (
        {ROOT: ROOT},
        {ROOT: ROOT},
    )
    cells: dict[tuple[PlayerSequence, PlayerSequence], float] = {}
    for line in lines(game):
        last = [ROOT, ROOT]
        for at, move in line.decisions:
            _declare(parents[at.seat], at, last[at.seat])
            last[at.seat] = (at.card, at.betting, at.moves[move])
        cell = (last[0], last[1])
        cells[cell] = cells.get(cell, 0.0) + line.chance * line.utilities[0]
    rows, columns = (_index(seat) for seat in parents)
    payoffs = np.zeros((len(rows), len(columns)))
    for (first, second), value in cells.items():
        payoffs[rows[first], columns[second]] = value
    return payoffs, parents


def _declare(parents: dict[PlayerSequence, PlayerSequence], at: PokerSituation, before: PlayerSequence) -> None:
    for move in at.moves:
        parents.setdefault((at.card, at.betting, move), before)


def _index(sequences: Mapping[PlayerSequence, PlayerSequence]) -> dict[PlayerSequence, int]:
    return {sequence: index for index, sequence in enumerate(sequences)}


def _constraints(parents: Mapping[PlayerSequence, PlayerSequence]) -> tuple[Array, Array]:
    """E and e of ``E x = e``: the root has weight one, children have the weight of their parent."""
    index = _index(parents)
    sets = list(dict.fromkeys((card, betting) for card, betting, _ in parents if (card, betting) != ("", "")))
    where = {key: row + 1 for row, key in enumerate(sets)}
    matrix = np.zeros((len(sets) + 1, len(index)))
    matrix[0, 0] = 1.0
    for sequence, before in parents.items():
        if sequence == ROOT:
            continue
        row = where[sequence[0], sequence[1]]
        matrix[row, index[sequence]] = 1.0
        matrix[row, index[before]] = -1.0
    right = np.zeros(len(sets) + 1)
    right[0] = 1.0
    return matrix, right


def _plan(
    payoffs: Array, mine: Mapping[PlayerSequence, PlayerSequence], theirs: Mapping[PlayerSequence, PlayerSequence]
) -> tuple[float, Array]:
    """The row player's value and equilibrium plan."""
    import scipy

    own, own_right = _constraints(mine)
    other, other_right = _constraints(theirs)
    size, dual = own.shape[1], other.shape[0]
    # Variables: the plan x >= 0, then the free v; maximise v . f subject to F^T v - A^T x <= 0 and E x = e.
    solution = scipy.optimize.linprog(
        np.concatenate([np.zeros(size), -other_right]),
        A_ub=np.hstack([-payoffs.T, other.T]),
        b_ub=np.zeros(payoffs.shape[1]),
        A_eq=np.hstack([own, np.zeros((own.shape[0], dual))]),
        b_eq=own_right,
        bounds=[(0, None)] * size + [(None, None)] * dual,
        method="highs",
    )
    if not solution.success:
        raise ConvergenceError(f"equilibrium: the linear programme was not solved ({solution.message})")
    plan: Array = solution.x[:size]
    return -float(solution.fun), plan


def _behaviour(
    parents: Mapping[PlayerSequence, PlayerSequence], plan: Array
) -> dict[tuple[str, str], dict[str, float]]:
    """Move probabilities from realisation weights; a set that the plan never reaches is played uniformly."""
    index = _index(parents)
    table: dict[tuple[str, str], dict[str, float]] = {}
    for card, betting, move in parents:
        if (card, betting, move) != ROOT:
            table.setdefault((card, betting), {})[move] = max(0.0, float(plan[index[card, betting, move]]))
    for row in table.values():
        total = sum(row.values())
        for move in row:
            row[move] = row[move] / total if total > 1e-12 else 1.0 / len(row)
    return table
