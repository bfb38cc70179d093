r"""What else than cycles may keep ratings from explaining games: draws, positions, lapses, the link, drift.

Decisive games only: under Davidson's model, and where draws depend on who plays, wins over wins and losses still follow
the ratings. In cells of pair, position and period

.. math:: P(i \text{ beats } j) = e + (1 - 2e)\, \sigma(h_a(r_{it} - r_{jt} + g))

with an advantage g of the first position, a lapse e, Stukel's symmetric tails h_a, and ratings that may differ by
period.
The Pearson statistic of the cells is compared with that of simulated games, each refitted by one step.

References
----------
Stukel (1988), Generalized logistic models. Iverson and Falmagne (1985), Statistical issues in measurement.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.encode.labels import Codes
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.existence import positions_alternate
from equipoise.ratings.transitivity.cycles import SURE

PERIODS = 4
"""Parts of the time in which a pair's games are counted apart."""
MOST_UNKNOWNS, MOST_CELLS = 400, 20_000
"""Sizes up to which other explanations are looked at; larger tables take minutes."""
SIMULATED = 399
LAPSES = (0.02, 0.15)
"""Where the search for the lapse begins; the likelihood may have two tops."""
MOST_LAPSE, MOST_TAIL = 0.45, 3.0
PULL = 1e-4
"""Precision that keeps undefeated agents finite."""
DRIFT_PULL = 0.25
"""Precision of an agent's change since the first period, in log-odds: it need not be found in three games."""


@dataclass(frozen=True, slots=True, eq=False)
class DecisiveGames:
    """Decisive games in cells of pair, position and period: wins of the first, games, and the middle of the period.

    ``group`` says in which cluster the games of each row are; rows of one cell are then several.
    """

    agents: int
    first: IntArray
    second: IntArray
    wins: FloatArray
    games: FloatArray
    time: FloatArray
    cell: IntArray
    group: IntArray | None

    @property
    def timed(self) -> bool:
        """Whether there are periods."""
        return bool(self.time.any())

    @classmethod
    def of(cls, data: Matches | PairTable, *, position: bool) -> "DecisiveGames":
        """Count decisive games; an outcome between counts as so much of a win, and 1/2 as none."""
        n, period, time = len(data.agents), np.zeros(1, dtype=np.int64), None
        if isinstance(data, PairTable):
            first, second, won, lost = data.first, data.second, data.wins, data.losses
        else:
            first, second, time = data.a, data.b, data.time
            decided = np.where(data.outcome == 0.5, 0.0, data.weights)
            won, lost = decided * data.outcome, decided * (1 - data.outcome)
        if time is not None:
            rank = scipy.stats.rankdata(np.unique(time, return_inverse=True)[1]) / (len(time) + 1)
            period = np.minimum((rank * PERIODS).astype(np.int64), PERIODS - 1)
        swap = (first > second) & (not position)
        a, b = np.where(swap, second, first).astype(np.int64), np.where(swap, first, second)
        codes = 0 if data.group is None else data.group.codes.astype(np.int64)
        played = won + lost > 0
        table = np.stack(np.broadcast_arrays((a * n + b) * PERIODS + period, codes))[:, played]
        keys, at = np.unique(table, axis=1, return_inverse=True)
        cell = np.unique(keys[0], return_inverse=True)[1].ravel()
        wins, games = (_sums(at.ravel(), part[played]) for part in (np.where(swap, lost, won), won + lost))
        middle = (keys[0] % PERIODS + 0.5) / PERIODS - 0.5 if time is not None else np.zeros(len(wins))
        pair = keys[0] // PERIODS
        return cls(n, pair // n, pair % n, wins, games, middle, cell, None if data.group is None else keys[1])

    def pooled(self) -> "DecisiveGames":
        """Give the same with one row a cell."""
        _, at = np.unique(self.cell, return_index=True)
        wins, games = _sums(self.cell, self.wins), _sums(self.cell, self.games)
        cells = np.arange(len(at))
        return DecisiveGames(self.agents, self.first[at], self.second[at], wins, games, self.time[at], cells, None)


def _sums(at: IntArray, values: FloatArray) -> FloatArray:
    return np.bincount(at, values).astype(float, copy=False)


@dataclass(frozen=True, slots=True)
class Allowance:
    """How well games are explained once something besides ratings is allowed for.

    Attributes
    ----------
    p_value
        Chance of a Pearson statistic as large.
    pearson, df
        That statistic, and its degrees of freedom.
    allowed
        What was allowed for, in words.
    lapse
        Share of games decided at random, twice e; NaN where it was not fitted.
    position
        Advantage of the first position, in log-odds; 0 where it was not fitted.
    """

    p_value: float
    pearson: float
    df: float
    allowed: tuple[str, ...]
    lapse: float = float("nan")
    position: float = 0.0

    @property
    def explains(self) -> bool:
        """Whether what was allowed for, and ratings, explain the games."""
        return self.p_value >= SURE


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """Which terms are fitted, and the design of those that are linear."""

    design: FloatArray
    precision: FloatArray
    bent: bool
    games: DecisiveGames

    @classmethod
    def of(cls, games: DecisiveGames, *, position: bool, bent: bool) -> "_Model":
        rows, n = np.arange(len(games.first)), games.agents
        rating = np.zeros((len(rows), n))
        rating[rows, games.first] += 1.0
        rating[rows, games.second] -= 1.0
        parts, precision = [rating], [np.full(n, PULL)]
        if position:
            parts.append(np.ones((len(rows), 1)))
            precision.append(np.full(1, PULL))
        if bent and games.timed:
            for period in np.unique(games.time)[1:]:
                parts.append(rating * (games.time == period)[:, None])
                precision.append(np.full(n, DRIFT_PULL))
        return cls(np.hstack(parts), np.concatenate(precision), bent, games)

    def chance(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Chances of the first, their derivatives by the unknowns, and the bent differences."""
        k = self.design.shape[1]
        d = self.design @ x[:k]
        if not self.bent:
            p = scipy.special.expit(d)
            return p, self.design * (p * (1 - p))[:, None], d
        tail, lapse = x[k], x[k + 1]
        h, by_d, by_tail = _stukel(d, float(tail))
        p = scipy.special.expit(h)
        slope = (1 - 2 * lapse) * p * (1 - p)
        jacobian = np.hstack([self.design * (slope * by_d)[:, None], (slope * by_tail)[:, None], (1 - 2 * p)[:, None]])
        return lapse + (1 - 2 * lapse) * p, jacobian, h

    def fitted(self) -> FloatArray:
        """Maximise the penalised likelihood by scoring steps, from one start or two."""
        k = self.design.shape[1]
        if not self.bent:
            return self._climb(np.zeros(k))
        plain = _Model(self.design, self.precision, False, self.games)._climb(np.zeros(k))
        starts = [np.concatenate([plain, [0.0, lapse]]) for lapse in LAPSES]
        return max((self._climb(start) for start in starts), key=self._value)

    def _value(self, x: FloatArray) -> float:
        p = np.clip(self.chance(x)[0], 1e-12, 1 - 1e-12)
        wins, games = self.games.wins, self.games.games
        likely = float(wins @ np.log(p) + (games - wins) @ np.log1p(-p))
        return likely - float(self._penalties() @ x**2) / 2

    def _penalties(self) -> FloatArray:
        return np.concatenate([self.precision, [1.0, 0.0]]) if self.bent else self.precision

    def _climb(self, x: FloatArray) -> FloatArray:
        """Take halved scoring steps: with bounds and without concavity, the driver of other fits does not suit."""
        value = self._value(x)
        for _ in range(100):
            p, jacobian, _ = self.chance(x)
            weight = self.games.games / np.maximum(p * (1 - p), 1e-12)
            excess = self.games.wins - self.games.games * p
            pull = self._penalties()
            gradient = jacobian.T @ (excess / np.maximum(p * (1 - p), 1e-12)) - pull * x
            information = jacobian.T @ (jacobian * weight[:, None]) + np.diag(pull + 1e-10)
            step = np.linalg.lstsq(information, gradient, rcond=None)[0]
            for _ in range(30):
                trial = self._inside(x + step)
                if (new := self._value(trial)) >= value - 1e-12:
                    break
                step = step / 2
            else:
                return x
            moved, x, value = new - value, trial, new
            if moved < 1e-9:
                return x
        return x

    def _inside(self, x: FloatArray) -> FloatArray:
        if self.bent:
            x[-2], x[-1] = np.clip(x[-2], -MOST_TAIL, MOST_TAIL), np.clip(x[-1], 0.0, MOST_LAPSE)
        return x


def _stukel(d: FloatArray, tail: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Stukel's symmetric tails of differences, and the derivatives by difference and by tail."""
    size, sign = np.abs(d), np.sign(d)
    if abs(tail) < 1e-4:
        return d + sign * tail * size**2 / 2, 1 + tail * size, sign * size**2 / 2
    if tail > 0:
        grown = np.minimum(tail * size, 50.0)
        h = np.expm1(grown) / tail
        return sign * h, np.exp(grown), sign * (size * np.exp(grown) - h) / tail
    inner = 1 - tail * size
    h = -np.log(inner) / tail
    return sign * h, 1 / inner, sign * (size / inner - h) / tail


def explanation(games: DecisiveGames, *, position: bool, bent: bool, rng: np.random.Generator) -> Allowance | None:
    """Fit games with these allowances and test what is left; None where the table is too large."""
    cells = games.pooled()
    unknowns = games.agents * (PERIODS if bent and games.timed else 1) + position + 2 * bent
    if unknowns > MOST_UNKNOWNS or len(cells.games) > MOST_CELLS:
        return None
    model = _Model.of(cells, position=position, bent=bent)
    x = model.fitted()
    p, jacobian, _ = model.chance(x)
    p = np.clip(p, 1e-9, 1 - 1e-9)
    spread = np.sqrt(cells.games * p * (1 - p))
    left = (cells.wins - cells.games * p) / spread
    tangent = jacobian * (cells.games / spread)[:, None]
    basis, size, _ = np.linalg.svd(tangent, full_matrices=False)
    basis = basis[:, size > 1e-8 * size.max(initial=1e-300)]
    df = max(len(left) - basis.shape[1], 1)
    drawn = _drawn(games, cells, p, spread, rng)
    drawn -= basis @ (basis.T @ drawn)
    simulated = np.sum(drawn**2, axis=0)
    observed = float(left @ left)
    p_value = (1 + int(np.sum(simulated >= observed * (1 - 1e-12)))) / (len(simulated) + 1)
    lapse = 2 * float(x[-1]) if bent else float("nan")
    allowed = ["draws", *(["position"] if position else []), *(["link"] if bent else [])]
    allowed += ["drift"] if bent and games.timed else []
    at_first = float(x[games.agents]) if position else 0.0
    return Allowance(p_value, observed, df, tuple(allowed), lapse, at_first)


def _drawn(
    games: DecisiveGames, cells: DecisiveGames, p: FloatArray, spread: FloatArray, rng: np.random.Generator
) -> FloatArray:
    """Standardised deviations of simulated games; of clusters as they are, with random signs."""
    if games.group is None:
        whole = np.maximum(1, np.rint(cells.games)).astype(np.int64)
        wins = rng.binomial(whole[:, None], p[:, None], size=(len(p), SIMULATED))
        return np.asarray((wins - (whole * p)[:, None]) / np.sqrt(whole * p * (1 - p))[:, None])
    excess = games.wins - games.games * p[games.cell]
    groups = int(games.group.max()) + 1
    by_group = scipy.sparse.coo_array((excess, (games.cell, games.group)), shape=(len(p), groups)).tocsr()
    signs = 2.0 * rng.integers(2, size=(groups, SIMULATED)) - 1.0
    return np.asarray((by_group @ signs) / spread[:, None])


def explanations(data: Matches | PairTable, rng: np.random.Generator) -> tuple[Allowance, ...]:
    """Try what else may be the reason, one step after the other, until one explains the games; none of large tables.

    The first position may have an advantage wherever agents, or pairs, played in both.
    """
    position = positions_alternate(*_sides(data))
    games, tried = DecisiveGames.of(data, position=position), []
    for bent in (False, True):
        found = explanation(games, position=position, bent=bent, rng=rng)
        if found is None:
            break
        tried.append(found)
        if found.explains:
            break
    return tuple(tried)


def _sides(data: Matches | PairTable) -> tuple[Codes, Codes, FloatArray]:
    return (
        (data.first, data.second, data.games) if isinstance(data, PairTable) else (data.a, data.b, data.weights)
    )  # fmt: skip


def links_are_clear(cycle: Sequence[int], data: Matches | PairTable, position: float, level: float = SURE) -> bool:
    """Tell whether every link of a cycle is clear at the level divided by the number of triples.

    An intersection-union test of weak stochastic transitivity: each win beyond even, with the advantage of the first
    position taken out, is compared with its standard error, by cluster where games have some.
    """
    games = DecisiveGames.of(data, position=True)
    critical = float(scipy.special.ndtri(1 - level / max(math.comb(games.agents, 3), 1)))
    for one, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        forward = (games.first == one) & (games.second == other)
        backward = (games.first == other) & (games.second == one)
        rows = forward | backward
        expected = scipy.special.expit(np.where(forward, position, -position))
        won = np.where(forward, games.wins, games.games - games.wins)
        excess = (won - games.games * expected)[rows]
        variance = float((games.games * expected * (1 - expected))[rows].sum())
        if games.group is not None:
            variance = max(variance, float((np.bincount(games.group[rows], excess) ** 2).sum()))
        if not excess.sum() > critical * math.sqrt(variance):
            return False
    return True
