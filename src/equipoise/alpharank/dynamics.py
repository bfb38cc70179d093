r"""How shares of two or three strategies in one population move: by the replicator equation, and by perturbed response.

.. math:: \dot x_i = x_i \big((Mx)_i - x^\top M x\big), \qquad \dot x = \mathrm{softmax}(Mx / \eta) - x

Adding a number to a column of the payoffs changes nothing. Where replicators go round an equilibrium for ever, the
perturbed (logit) response comes to rest near it: Balduzzi et al. (2018) call it the stable companion of the Nash
equilibrium. It counts strategies one by one, so a copy has a share of its own and moves it: it is not copy-proof.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from equipoise.core.errors import DataError, ParameterError, did_you_mean
from equipoise.core.lazy import pl
from equipoise.core.options import check, number
from equipoise.core.results import FloatArray, IntArray, Result, frozen, frozen_params
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
    """Paths of the replicator equation and of perturbed best response.

    Attributes
    ----------
    strategies
        The two or three that are played.
    paths
        Shares along each path of the replicator equation: arrays of steps x strategies.
    rest
        The population with all of them in which they do equally well; None if there is none.
    equilibria
        Symmetric Nash equilibria: populations in which no strategy does better than those that are played.
    logit_paths, logit_rest
        Paths of perturbed best response, and where they come to rest.
    absent
        How many further strategies the game has.
    """

    rows_name: ClassVar[str] = "paths"
    main: ClassVar[str] = "paths"

    strategies: tuple[str, ...]
    paths: tuple[FloatArray, ...]
    rest: FloatArray | None
    equilibria: tuple[FloatArray, ...]
    logit_paths: tuple[FloatArray, ...]
    logit_rest: tuple[FloatArray, ...]
    absent: int

    def frame(self) -> "pl.DataFrame":
        """Give the first and the last shares of each path."""
        ends = {"start": 0, "end": -1}
        columns = {f"{name} {end}": [path[at][k] for path in self.paths] for k, name in enumerate(self.strategies)
                   for end, at in ends.items()}  # fmt: skip
        return pl.DataFrame({"path": list(range(1, len(self.paths) + 1)), **columns})

    @property
    def answer(self) -> tuple[str, ...]:
        """Where all do equally well, if anywhere, and where perturbed best response comes to rest."""
        every = "all three" if len(self.strategies) == 3 else "both"
        said = f"No population that plays {every} is at rest."
        if self.rest is not None:
            said = f"{every.capitalize()} do equally well at {self._named(self.rest)}."
        ends = "; ".join(self._named(end) for end in self.logit_rest)
        logit = f"Perturbed best response comes to rest at {ends}; it is not copy-proof." if ends else ""
        return (said, *([logit] if logit else []))

    def _named(self, share: FloatArray) -> str:
        return ", ".join(f"{part:.0%} {name}" for part, name in zip(share, self.strategies, strict=True))


def replicator(
    game: MetaGame | PairTable | Matches, *, strategies: Sequence[str] | None = None, noise: float = 0.1
) -> Replicator:
    """Follow the shares of two or three strategies of one population, from starts all over the triangle.

    Parameters
    ----------
    game
        A single-population meta-game, or games: win rates are payoffs then.
    strategies
        The two or three to play; by default the game's own, or the three with the largest mass of alpha-Rank.
    noise
        How much payoffs matter to perturbed best response, as a share of their range: near 0 only the best is played,
        and far above 1 all are alike.

    Fails when
        the game has several populations or fewer than two strategies, some of those played never met, or there is no
        such strategy.

    Examples
    --------
    >>> game = MetaGame.symmetric([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], ["rock", "scissors", "paper"])
    >>> replicator(game).rest.round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    check(number(0.0, strictly=True), "noise", noise)
    names, payoff = _payoffs(game)
    chosen = _chosen(game, names, strategies)
    part = payoff[np.ix_(chosen, chosen)]
    part = part / (float(np.ptp(part)) or 1.0)
    if not np.isfinite(part).all():
        raise DataError(f"{', '.join(names[k] for k in chosen)}: not all of them met, so that payoffs are unknown")

    def replicated(x: FloatArray) -> FloatArray:
        fitness = part @ x
        change: FloatArray = x * (fitness - x @ fitness)
        return change

    def responded(x: FloatArray) -> FloatArray:
        change: FloatArray = scipy.special.softmax(part @ x / noise) - x
        return change

    paths, logit = ([frozen(_path(flow, start)) for start in _starts(len(chosen))] for flow in (replicated, responded))
    equal = _equal(part, np.arange(len(chosen)))
    return Replicator(
        strategies=tuple(names[k] for k in chosen), paths=tuple(paths),
        rest=None if equal is None or not (equal > 1e-9).all() else frozen(equal), equilibria=_equilibria(part),
        logit_paths=tuple(logit), logit_rest=_ends(responded, logit), absent=len(names) - len(chosen),
        params=frozen_params(strategies=strategies, noise=noise),
    )  # fmt: skip


def _starts(count: int) -> list[FloatArray]:
    """Give the inner points of a grid."""
    if count == 2:
        return [np.array([k, SIDE - k]) / SIDE for k in range(1, SIDE)]
    return [np.array([i, j, SIDE - i - j]) / SIDE for i in range(1, SIDE) for j in range(1, SIDE - i)]


def _payoffs(game: MetaGame | PairTable | Matches) -> tuple[tuple[str, ...], FloatArray]:
    if isinstance(game, MetaGame):
        if not game.single:
            raise DataError("replicator dynamics need a game of one population that plays itself")
        return game.strategies[0], game.payoffs[0]
    table = (game.pairs() if isinstance(game, Matches) else game).unordered()
    payoff = np.full((len(table.agents), len(table.agents)), np.nan)
    np.fill_diagonal(payoff, 0.5)
    payoff[table.first, table.second] = table.score / table.games
    payoff[table.second, table.first] = 1.0 - table.score / table.games
    return table.agents, payoff


def _chosen(
    game: MetaGame | PairTable | Matches, names: tuple[str, ...], wanted: Sequence[str] | None
) -> list[int]:  # fmt: skip
    if len(names) < 2:
        raise DataError(f"dynamics need two strategies; the game has {len(names)}")
    if wanted is None and len(names) <= 3:
        return list(range(len(names)))
    if wanted is None:
        from equipoise.alpharank.alpha_rank import alpha_rank

        mass = np.nan_to_num(alpha_rank(game).pi.ravel())
        return sorted(np.argsort(-mass, kind="stable")[:3].tolist())
    for name in wanted:
        if name not in names:
            raise ParameterError(Option("strategies"), f': there is no "{name}"{did_you_mean(name, names)}')
    if len(set(wanted)) not in (2, 3) or len(set(wanted)) != len(wanted):
        raise ParameterError(Option("strategies"), f" are two or three of the game's, not {len(set(wanted))}")
    return [names.index(name) for name in wanted]


def _path(flow: Callable[[FloatArray], FloatArray], start: FloatArray) -> FloatArray:
    """Follow an equation by steps of Runge and Kutta of about one length, until it comes to rest."""
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


def _ends(flow: Callable[[FloatArray], FloatArray], paths: Sequence[FloatArray]) -> tuple[FloatArray, ...]:
    """Give where paths come to rest, each place once."""
    found: list[FloatArray] = []
    for path in paths:
        end = path[-1]
        if np.linalg.norm(flow(end)) < 1e-3 and not any(np.linalg.norm(end - other) < 0.02 for other in found):
            found.append(end)
    solved = (scipy.optimize.root(flow, end, tol=1e-12) for end in found)
    return tuple(frozen(one.x if one.success else end) for one, end in zip(solved, found, strict=True))


def _equal(payoff: FloatArray, played: IntArray) -> FloatArray | None:
    """Solve for equal fitness of those that are played with shares that add up to one; None where many have."""
    n = len(played)
    left = np.block([[payoff[np.ix_(played, played)], -np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    if np.linalg.matrix_rank(left) < n + 1:
        return None
    share = np.zeros(len(payoff))
    share[played] = np.linalg.solve(left, np.append(np.zeros(n), 1.0))[:n]
    return share


def _equilibria(payoff: FloatArray) -> tuple[FloatArray, ...]:
    """Go through all sets of strategies that may be played, and keep shares to which nothing is a better response."""
    n, found = len(payoff), []
    for mask in range(1, 1 << n):
        played = np.array([k for k in range(n) if mask >> k & 1])
        share = _equal(payoff, played)
        if share is not None and (share[played] > 1e-9).all():
            fitness = payoff @ share
            if fitness.max() <= fitness[played].max() + 1e-9:
                found.append(frozen(share))
    return tuple(found)
