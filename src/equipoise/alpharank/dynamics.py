r"""Replicator dynamics: how shares of three strategies in one population move.

.. math:: \dot x_i = x_i \big((Mx)_i - x^\top M x\big)

Adding a number to a column of the payoffs changes nothing, and a factor changes only the speed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.lazy import pl
from equipoise.core.results import FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.metagame import MetaGame
from equipoise.data.types.pairs import PairTable

SIDE = 6
"""Paths begin at the inner points of a grid with so many steps to a side."""
STEPS, LENGTH = 900, 0.01
"""Of each path, whose pieces are about equally long."""
SLOWEST = 1e-7
"""What is slower is at rest, with payoffs that differ by 1 at most."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Replicator(Result):
    """Paths of the replicator equation.

    Attributes
    ----------
    strategies
        The three that are played.
    paths
        Shares of the three along each path: arrays of steps x 3.
    rest
        The population with all three in which they do equally well; None if there is none.
    absent
        How many further strategies the game has.
    """

    rows_name: ClassVar[str] = "paths"
    main: ClassVar[str] = "paths"

    strategies: tuple[str, ...]
    paths: tuple[FloatArray, ...]
    rest: FloatArray | None
    absent: int

    def frame(self) -> "pl.DataFrame":
        """Give the first and the last shares of each path."""
        ends = {"start": 0, "end": -1}
        columns = {f"{name} {end}": [path[at][k] for path in self.paths] for k, name in enumerate(self.strategies)
                   for end, at in ends.items()}  # fmt: skip
        return pl.DataFrame({"path": list(range(1, len(self.paths) + 1)), **columns})

    @property
    def answer(self) -> tuple[str, ...]:
        """Where all three do equally well, if anywhere."""
        if self.rest is None:
            return ("No population that plays all three is at rest.",)
        named = ", ".join(f"{share:.0%} {name}" for share, name in zip(self.rest, self.strategies, strict=True))
        return (f"All three do equally well at {named}.",)


def replicator(game: MetaGame | PairTable | Matches, *, strategies: Sequence[str] | None = None) -> Replicator:
    """Follow the shares of three strategies of one population, from starts all over the triangle.

    Parameters
    ----------
    game
        A single-population meta-game, or games: win rates are payoffs then.
    strategies
        The three to play; by default the game's own three, or the three with the largest mass of alpha-Rank.

    Fails when
        the game has several populations or fewer than three strategies, some of the three never met, or there is no
        such strategy.

    Examples
    --------
    >>> game = MetaGame.symmetric([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], ["rock", "scissors", "paper"])
    >>> replicator(game).rest.round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    names, payoff = _payoffs(game)
    chosen = _three(game, names, strategies)
    part = payoff[np.ix_(chosen, chosen)]
    part = part / (float(np.ptp(part)) or 1.0)
    if not np.isfinite(part).all():
        raise DataError(f"{', '.join(names[k] for k in chosen)}: not all of them met, so that payoffs are unknown")
    grid = [(i, j, SIDE - i - j) for i in range(1, SIDE) for j in range(1, SIDE - i)]
    paths = tuple(frozen(_path(part, np.array(start) / SIDE)) for start in grid)
    return Replicator(
        strategies=tuple(names[k] for k in chosen), paths=paths, rest=_rest(part), absent=len(names) - 3,
        params=frozen_params(strategies=strategies),
    )  # fmt: skip


def _payoffs(game: MetaGame | PairTable | Matches) -> tuple[tuple[str, ...], FloatArray]:
    if isinstance(game, MetaGame):
        if not game.single:
            raise DataError("replicator dynamics on a triangle need a game of one population that plays itself")
        return game.strategies[0], game.payoffs[0]
    table = (game.pairs() if isinstance(game, Matches) else game).unordered()
    payoff = np.full((len(table.agents), len(table.agents)), np.nan)
    np.fill_diagonal(payoff, 0.5)
    payoff[table.first, table.second] = table.score / table.games
    payoff[table.second, table.first] = 1.0 - table.score / table.games
    return table.agents, payoff


def _three(
    game: MetaGame | PairTable | Matches, names: tuple[str, ...], wanted: Sequence[str] | None
) -> list[int]:  # fmt: skip
    if len(names) < 3:
        raise DataError(f"a triangle needs three strategies; the game has {len(names)}")
    if wanted is None and len(names) == 3:
        return [0, 1, 2]
    if wanted is None:
        from equipoise.alpharank.alpha_rank import alpha_rank

        mass = np.nan_to_num(alpha_rank(game).pi.ravel())
        return sorted(np.argsort(-mass, kind="stable")[:3].tolist())
    for name in wanted:
        if name not in names:
            raise ParameterError(Option("strategies"), f': there is no "{name}"{did_you_mean(name, names)}')
    if len(set(wanted)) != 3:
        raise ParameterError(Option("strategies"), f" are three of the game's, not {len(set(wanted))}")
    return [names.index(name) for name in wanted]


def _path(payoff: FloatArray, start: FloatArray) -> FloatArray:
    """Follow the equation by steps of Runge and Kutta of about one length, until it comes to rest."""

    def flow(x: FloatArray) -> FloatArray:
        fitness = payoff @ x
        change: FloatArray = x * (fitness - x @ fitness)
        return change

    path = [start]
    for _ in range(STEPS):
        x = path[-1]
        speed = float(np.linalg.norm(flow(x)))
        if speed < SLOWEST:
            break
        h = min(1.0, LENGTH / speed)  # longer steps of slow parts would not follow the equation
        one = flow(x)
        two = flow(x + h / 2 * one)
        three = flow(x + h / 2 * two)
        four = flow(x + h * three)
        y = np.clip(x + h / 6 * (one + 2 * two + 2 * three + four), 0.0, None)
        path.append(y / y.sum())
    return np.array(path)


def _rest(payoff: FloatArray) -> FloatArray | None:
    """Solve for equal fitness of all three with shares that add up to one."""
    left = np.block([[payoff, -np.ones((3, 1))], [np.ones((1, 3)), np.zeros((1, 1))]])
    if np.linalg.matrix_rank(left) < 4:
        return None
    share: FloatArray = np.linalg.solve(left, np.array([0.0, 0.0, 0.0, 1.0]))[:3]
    return frozen(share) if (share > 1e-9).all() else None
