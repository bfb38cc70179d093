"""Ratings that walk: the posterior of Bradley-Terry ratings by period, joined by a random walk of each agent.

Unknowns are ordered by period. Games join agents within a period and the walk joins an agent to itself in the next one,
so that the Hessian is block tridiagonal, and one dense factor a period solves everything, errors included.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from equipoise.core.errors import ConvergenceError
from equipoise.core.results import FloatArray, IntArray
from equipoise.inference.threads import one_thread

STEPS, ACCURACY, SHORTEST = 100, 1e-11, 1e-9
PIECE = 256
"""Right-hand sides that are solved for together."""


@dataclass(frozen=True)
class Walks:
    """Games by period, and who walks from when to when.

    Attributes
    ----------
    agents
        How many there are.
    first, last
        First and last period of each, as positions; one that is held at 0 for good has no unknowns (``held``).
    gaps
        Time from each period to the next.
    period, a, b, won, games
        Cells of games: in which period who scored how much of how many.
    spread
        Standard deviation of a rating in its first period; None for a win and a loss against 0 there instead.
    side
        Whether the first-named has an advantage to be estimated, the last unknown.
    jumps
        Variance of a step beside the walk's own, by agent and the period that it leads to.
    """

    agents: int
    first: IntArray
    last: IntArray
    gaps: FloatArray
    period: IntArray
    a: IntArray
    b: IntArray
    won: FloatArray
    games: FloatArray
    spread: float | None
    side: bool
    held: int | None
    jumps: FloatArray

    @cached_property
    def active(self) -> list[IntArray]:
        """Agents with an unknown in each period."""
        free = np.arange(self.agents) != (-1 if self.held is None else self.held)
        periods = range(len(self.gaps) + 1)
        return [np.flatnonzero((self.first <= t) & (t <= self.last) & free) for t in periods]

    @cached_property
    def start(self) -> IntArray:
        """First unknown of each period; the last entry is how many there are without the side."""
        return np.concatenate([[0], np.cumsum([len(here) for here in self.active])]).astype(np.int64)

    @cached_property
    def unknown(self) -> IntArray:
        """Unknown of each agent in each period, agents x periods; -1 where there is none."""
        table = np.full((self.agents, len(self.active)), -1, dtype=np.int64)
        for t, here in enumerate(self.active):
            table[here, t] = self.start[t] + np.arange(len(here))
        return table

    @property
    def width(self) -> int:
        """How many unknowns there are."""
        return int(self.start[-1]) + self.side

    @cached_property
    def cells(self) -> tuple[IntArray, IntArray]:
        """Unknowns of both sides of each cell."""
        return self.unknown[self.a, self.period], self.unknown[self.b, self.period]

    @cached_property
    def born(self) -> IntArray:
        """Unknown of each agent in its first period."""
        rows = np.flatnonzero(np.arange(self.agents) != (-1 if self.held is None else self.held))
        return np.asarray(self.unknown[rows, self.first[rows]])

    @cached_property
    def steps(self) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
        """Steps of the walk: from and to which unknown, over how much time, and what variance comes on top."""
        before, after = self.unknown[:, :-1], self.unknown[:, 1:]
        rows, t = np.nonzero((before >= 0) & (after >= 0))
        return before[rows, t], after[rows, t], self.gaps[t], self.jumps[rows, t + 1]

    def by_period(self) -> Iterator[slice]:
        """Give the unknowns of each period."""
        for t in range(len(self.active)):
            yield slice(int(self.start[t]), int(self.start[t + 1]))


@dataclass(frozen=True)
class Posterior:
    """The posterior at some ratings, for a walk of given variance in a unit of time."""

    walks: Walks
    variance: float
    x: FloatArray

    def fresh(self) -> "Posterior":
        """Give the same without the factor, which takes much memory."""
        return Posterior(self.walks, self.variance, self.x)

    @cached_property
    def _odds(self) -> FloatArray:
        a, b = self.walks.cells
        level = np.append(self.x[: self.walks.start[-1]], 0.0)  # unknown -1: held at 0
        return np.asarray(level[a] - level[b] + (self.x[-1] if self.walks.side else 0.0))

    @cached_property
    def _precision(self) -> FloatArray:
        """Precision of each step."""
        _, _, time, extra = self.walks.steps
        return np.asarray(1.0 / (self.variance * time + extra))

    @cached_property
    def value(self) -> float:
        """Log posterior, with all constants of the normal distributions."""
        w, x = self.walks, self.x
        before, after, _, _ = w.steps
        step = x[after] - x[before]
        total = w.won @ _log_sigmoid(self._odds) + (w.games - w.won) @ _log_sigmoid(-self._odds)
        total += 0.5 * float(np.sum(np.log(self._precision / (2 * np.pi)) - self._precision * step**2))
        born = x[w.born]
        if w.spread is None:
            total += float(np.sum(_log_sigmoid(born) + _log_sigmoid(-born)))
        else:
            total += _normal(born, w.spread)
        return float(total + (_normal(x[-1:], w.spread or 2.0) if w.side else 0.0))

    def evidence(self) -> float:
        """Laplace's approximation of the log evidence of the walk's variance."""
        return self.value + 0.5 * self.walks.width * float(np.log(2 * np.pi)) - 0.5 * self.factor.log_determinant

    @cached_property
    def gradient(self) -> FloatArray:
        """Slope of the log posterior."""
        w, x = self.walks, self.x
        surprise = w.won - w.games * scipy.special.expit(self._odds)
        a, b = w.cells
        before, after, _, _ = w.steps
        pull = self._precision * (x[after] - x[before])
        slope = np.zeros(w.width + 1)  # the last entry takes what belongs to the one that is held
        for at, amount in ((a, surprise), (b, -surprise), (before, pull), (after, -pull)):
            np.add.at(slope, at, amount)
        born = x[w.born]
        slope[w.born] -= 2 * scipy.special.expit(born) - 1 if w.spread is None else born / w.spread**2
        if w.side:
            slope[w.width - 1] = surprise.sum() - x[-1] / (w.spread or 2.0) ** 2
        return np.asarray(slope[:-1])

    @cached_property
    def factor(self) -> "WalkFactor":
        """The Hessian of the negative log posterior, factored."""
        w = self.walks
        a, b = w.cells
        odds = scipy.special.expit(self._odds)
        weight = w.games * odds * (1 - odds)
        total = int(w.start[-1])
        diagonal = np.zeros(total + 1)
        before, after, _, _ = w.steps
        for at, amount in ((a, weight), (b, weight), (before, self._precision), (after, self._precision)):
            np.add.at(diagonal, at, amount)
        born = scipy.special.expit(self.x[w.born])
        diagonal[w.born] += 2 * born * (1 - born) if w.spread is None else 1.0 / w.spread**2
        blocks: list[FloatArray] = []
        both = (a >= 0) & (b >= 0)
        for t, part in enumerate(w.by_period()):
            n = part.stop - part.start
            here = both & (w.period == t)
            at = (a[here] - part.start) * n + b[here] - part.start
            block: FloatArray = np.negative(np.bincount(at, weight[here], n * n).reshape(n, n), dtype=np.float64)
            block += block.T
            block[np.arange(n), np.arange(n)] += diagonal[part]
            blocks.append(block)
        links = np.zeros(total + 1)
        links[after] = self._precision  # of the step that leads to each unknown
        source = np.full(total, -1, dtype=np.int64)
        source[after] = before
        border = None
        if w.side:
            border = np.zeros(total + 1)
            np.add.at(border, a, weight)
            np.add.at(border, b, -weight)
            border[-1] = weight.sum() + 1.0 / (w.spread or 2.0) ** 2
        return WalkFactor.of(list(w.by_period()), blocks, source, links[:-1], border)

    def mode(self) -> tuple["Posterior", int, float]:
        """Climb to the mode by Newton's method; give it with the steps taken and what is left of the slope."""
        here = self
        for step in range(STEPS):
            left = float(np.abs(here.gradient).max(initial=0.0)) / max(1.0, float(self.walks.games.max(initial=1.0)))
            if left <= ACCURACY:
                return here, step, left
            move = here.factor.solve(here.gradient[:, None])[:, 0]
            gain, length = float(here.gradient @ move), 1.0
            while True:
                there = Posterior(self.walks, self.variance, here.x + length * move)
                if there.value >= here.value + 1e-4 * length * gain - 1e-12 * abs(here.value):
                    break
                length /= 2
                if length < SHORTEST:
                    return here, step, left
            here = there
            if gain <= 1e-22 * max(1.0, abs(here.value)):
                return here, step + 1, left
        raise ConvergenceError("the ratings by period did not converge; take longer periods")

    def variances(self, level: FloatArray | None) -> FloatArray:
        """Variance of each rating, or of its difference to the mean of all with these weights."""
        own = self.factor.diagonal_of_inverse()
        if level is None:
            return own
        moved = self.factor.solve(level[:, None])[:, 0]
        return np.clip(own - 2 * moved + level @ moved, 0.0, None)

    def variance_of_differences(self, first: IntArray, second: IntArray) -> FloatArray:
        """Variances of differences of two ratings each; -1 stands for the one that is held at 0."""
        found = np.zeros(len(first))
        for piece in range(0, len(first), PIECE):
            one, two = first[piece : piece + PIECE], second[piece : piece + PIECE]
            wanted = np.zeros((self.walks.width + 1, len(one)))
            columns = np.arange(len(one))
            np.add.at(wanted, (two, columns), 1.0)
            np.add.at(wanted, (one, columns), -1.0)
            wanted = wanted[:-1]
            found[piece : piece + PIECE] = np.sum(wanted * self.factor.solve(wanted), axis=0)
        return np.clip(found, 0.0, None)


@dataclass(frozen=True)
class WalkFactor:
    """A symmetric, positive definite, block tridiagonal table, eliminated from its first block on.

    Attributes
    ----------
    parts
        Rows of each block.
    inverse
        Inverse of each block after those before it are eliminated.
    source, links
        For each row the row of the block before that it is joined to (-1 for none), and minus their entry.
    log_determinant
        Of the whole table.
    border, corner
        One more row and its diagonal entry after elimination; None where there is none.
    """

    parts: list[slice]
    inverse: list[FloatArray]
    source: IntArray
    links: FloatArray
    log_determinant: float
    border: FloatArray | None = None
    bordered: FloatArray | None = None
    corner: float = 1.0

    @classmethod
    def of(
        cls, parts: list[slice], blocks: list[FloatArray], source: IntArray, links: FloatArray,
        border: FloatArray | None,
    ) -> "WalkFactor":  # fmt: skip
        """Eliminate block by block; the last entry of a border is its corner."""
        inverse: list[FloatArray] = []
        total = 0.0
        with one_thread():  # the library's threads wait for each other here, many times as long on a busy machine
            for t, block in enumerate(blocks):
                if t:
                    here, there, entry = _joined(parts, source, links, t)
                    block[np.ix_(here, here)] -= entry[:, None] * inverse[-1][np.ix_(there, there)] * entry
                lower, info = scipy.linalg.lapack.dpotrf(block, lower=1)
                if info:
                    raise ConvergenceError("the ratings by period are not determined; take longer periods")
                total += 2.0 * float(np.sum(np.log(np.diag(lower))))
                full = scipy.linalg.lapack.dpotri(lower, lower=1)[0]
                inverse.append(np.tril(full) + np.tril(full, -1).T)
        plain = cls(parts, inverse, source, links, total)
        if border is None:
            return plain
        solved = plain.solve(border[:-1, None])[:, 0]
        corner = float(border[-1] - border[:-1] @ solved)
        return cls(parts, inverse, source, links, total + float(np.log(corner)), border[:-1], solved, corner)

    def solve(self, wanted: FloatArray) -> FloatArray:
        """Solve for columns."""
        if self.border is not None and self.bordered is not None:
            plain = WalkFactor(self.parts, self.inverse, self.source, self.links, 0.0)
            above = plain.solve(wanted[:-1])
            last = (wanted[-1] - self.border @ above) / self.corner
            return np.vstack([above - np.outer(self.bordered, last), last])
        x = np.array(wanted)
        for t, part in enumerate(self.parts):
            if t:
                here, there, entry = _joined(self.parts, self.source, self.links, t)
                x[here + part.start] += entry[:, None] * (self.inverse[t - 1][there] @ x[self.parts[t - 1]])
        for t in range(len(self.parts) - 1, -1, -1):
            part = self.parts[t]
            if t + 1 < len(self.parts):
                here, there, entry = _joined(self.parts, self.source, self.links, t + 1)
                x[there + part.start] += entry[:, None] * x[here + self.parts[t + 1].start]
            x[part] = self.inverse[t] @ x[part]
        return x

    def diagonal_of_inverse(self) -> FloatArray:
        """Give the diagonal of the inverse, from the last block back."""
        found: list[FloatArray] = []
        below = self.inverse[-1]
        with one_thread():
            for t in range(len(self.parts) - 1, -1, -1):
                if t + 1 < len(self.parts):
                    here, there, entry = _joined(self.parts, self.source, self.links, t + 1)
                    way = self.inverse[t][:, there] * entry
                    below = self.inverse[t] + way @ below[np.ix_(here, here)] @ way.T
                found.append(np.diag(below).copy())
        plain = np.concatenate(found[::-1])
        if self.bordered is None:
            return plain
        return np.append(plain + self.bordered**2 / self.corner, 1.0 / self.corner)


def _joined(parts: list[slice], source: IntArray, links: FloatArray, t: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Rows of block t that are joined to the block before, those there, both within their blocks, and the entries."""
    rows = np.arange(parts[t].start, parts[t].stop)
    rows = rows[source[rows] >= 0]
    return rows - parts[t].start, source[rows] - parts[t - 1].start, links[rows]


def _log_sigmoid(x: FloatArray) -> FloatArray:
    return np.asarray(scipy.special.log_expit(x))


def _normal(x: FloatArray, spread: float) -> float:
    """Log density of independent normal numbers around 0."""
    return float(-0.5 * np.sum((x / spread) ** 2) - len(x) * np.log(spread * np.sqrt(2 * np.pi)))
