"""Tests of negative slopes against a flat curve, by refits in which that slope is zero.

One item of many hardly moves the others, so that a few Newton steps with the information of the fit itself give most
refits. On a complete table without guessing their value and score come from the curves of all items at all nodes,
computed once: at a node theta the log-likelihood of agent j is ``theta (R a)_j + (R d)_j + sum_i log(1 - P_i)``, and
the score of item i is ``sum_j E_j[(r_ji - P_i) (theta, 1)]``.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.items.marginal.em import EMState, Problem, run_em
from equipoise.items.marginal.item_step import derivatives, project
from equipoise.items.marginal.quadrature import Grid, expect, exponential_lines, reached_grid
from equipoise.items.models.models import Items, log_failure, probability, summed_log_failure
from equipoise.items.models.responses import Responses

#: Cells times items tested by refitting; beyond it, Wald's test from the standard error.
_REFIT_CELLS = 2_000_000
#: A gain of the objective below which such a refit by EM is over.
_GAIN = 1e-4
#: Newton's steps know what they gain the better, the more items share it: to a fifteenth with 100. They are over at a
#: gain larger by that of EM for every so many items, up to so many times.
_SHARING, _MOST_SHARED = 10, 50
#: Newton's steps after which a refit is left to EM.
_NEWTON_STEPS, _HALVINGS = 6, 8


class SlopeTest(NamedTuple):
    """p-values of the negative slopes against zero (NaN elsewhere), and which test gave them.

    With ``posterior`` they are the probabilities of a negative slope, for all items.
    """

    p_value: FloatArray
    test: str


def negative_slopes(
    problem: Problem, state: EMState, slope_se: FloatArray, covariance: FloatArray | None = None
) -> SlopeTest:
    """Test each negative slope against a flat curve by refitting everything with that slope at zero.

    ``covariance`` is the inverse information of all parameters, None where it is not known.
    """
    items = state.items
    out = np.full(len(items.slope), np.nan)
    negative = np.flatnonzero(items.slope < 0)
    rows, columns = problem.responses.shape
    if problem.model not in ("2pl", "3pl") or not len(negative):
        return SlopeTest(out, "likelihood ratio")
    if rows * columns * len(negative) > _REFIT_CELLS:
        out[negative] = scipy.special.chdtrc(1.0, (items.slope[negative] / slope_se[negative]) ** 2)
        return SlopeTest(out, "Wald")
    near = _NearFit.of(problem, state, covariance)
    for i in negative:
        free = np.ones(columns, dtype=bool)
        free[i] = False
        start, null = items._replace(slope=np.where(free, items.slope, 0.0)), None
        if near is not None:
            start, null = near.without_slope(int(i))
        if null is None:
            null = run_em(
                problem._replace(free_slope=free),
                start,
                half_width=state.half_width,
                points=state.points,
                tolerance=1e-4,
                max_iterations=200,
                gain=_GAIN,
            ).objective
        out[i] = scipy.special.chdtrc(1.0, max(0.0, 2.0 * (state.objective - null)))
    return SlopeTest(out, "likelihood ratio")


class Curves(NamedTuple):
    """P, items in rows and nodes in columns, and the sum of log(1 - P) over items."""

    p: FloatArray
    log_fail: FloatArray

    @classmethod
    def of(cls, items: Items, nodes: FloatArray) -> "Curves":
        """Compute the curves of all items."""
        return cls(probability(nodes, items), summed_log_failure(nodes, items))

    def with_flat(self, i: int, share: float, items: Items, nodes: FloatArray) -> "Curves":
        """Return the curves of ``items``, which these are, with that of item i flat."""
        p = self.p.copy()
        p[i] = share
        own = log_failure(items.slope[i] * nodes + items.intercept[i])
        return Curves(p, self.log_fail - own + np.log1p(-share))


def score(responses: Responses, items: Items, grid: Grid, curves: Curves) -> tuple[float, FloatArray]:
    """Return the marginal log-likelihood and its gradient, ordered a_1..a_I, d_1..d_I."""
    nodes = grid.nodes
    base, powers = grid.log_weights + curves.log_fail, np.stack([np.ones_like(nodes), nodes], axis=1)
    value, at = 0.0, np.zeros(len(nodes))
    won, won_ability = np.zeros((2, len(items.slope)))
    for part, successes, _ in responses.chunks(len(nodes)):
        table, top = exponential_lines(successes @ items.slope, base, nodes, grid.spacing)
        sums, weight = table @ powers, responses.weight[part]
        value += float(weight @ (top + successes @ items.intercept + np.log(sums[:, 0])))
        share = weight / sums[:, 0]
        won += weight @ successes
        won_ability += (share * sums[:, 1]) @ successes
        at += share @ table
    expected = curves.p @ (at[:, None] * powers)
    return value, np.concatenate([won_ability - expected[:, 1], won - expected[:, 0]])


@dataclass(frozen=True, slots=True, eq=False)
class _NearFit:
    """Fits with one slope held at zero, near the fit of all slopes.

    One item of many hardly moves the others: Newton's steps with the information of the fit itself get there at once.
    Without slope i the inverse information is ``C - C_i C_i' / C_ii``, and C where slope i rests on its bound.
    ``curves`` are those of the fit, for complete tables of the two-parameter model: the first step needs no others.
    """

    problem: Problem
    items: Items
    grid: Grid
    covariance: FloatArray
    curves: Curves | None

    @classmethod
    def of(cls, problem: Problem, state: EMState, covariance: FloatArray | None) -> "_NearFit | None":
        """Make ready; None where the test is left to EM."""
        if covariance is None or not problem.prior.flat:
            return None
        asymptotes = problem.model == "3pl"
        grid = reached_grid(problem.responses, state.items, state.half_width, state.points)
        curves = None if asymptotes or problem.responses.trials is not None else Curves.of(state.items, grid.nodes)
        size = (3 if asymptotes else 2) * len(state.items.slope)
        return cls(problem, state.items, grid, np.ascontiguousarray(covariance[:size, :size]), curves)

    def without_slope(self, i: int) -> tuple[Items, float | None]:
        """Return items with the slope of item i at zero and their highest objective; None where they are only near."""
        row = self.covariance[i]
        won, tried = (total[i] for total in self.problem.responses.item_totals())
        slope, intercept, guessing = (part.copy() for part in self.items)
        slope[i], intercept[i], guessing[i] = 0.0, np.log(won / (tried - won)), 0.0
        items = Items(slope, intercept, guessing)
        flat = self.curves and self.curves.with_flat(i, won / tried, self.items, self.grid.nodes)
        value, gradient = self._score(items, flat)
        enough = _GAIN * min(max(1.0, len(slope) / _SHARING), _MOST_SHARED)
        for _ in range(_NEWTON_STEPS):
            move = self.covariance @ gradient
            if row[i] > 0.0:
                move -= row * float(row @ gradient) / row[i]
            gain = 0.5 * float(gradient @ move)
            if gain < enough:
                return items, value + max(gain, 0.0)
            better = self._step(items, move.reshape(-1, len(slope)), value)
            if better is None:
                break
            items, value, gradient = better
        return items, None

    def _step(self, items: Items, move: FloatArray, value: float) -> tuple[Items, float, FloatArray] | None:
        """Halve the step until the objective rises."""
        for halving in range(_HALVINGS):
            moved = [part + 0.5**halving * change for part, change in zip(items, move, strict=False)]
            trial = project(Items(*moved, *items[len(moved) :]), self.problem.model, self.problem.bounds)
            there, gradient = self._score(trial, self.curves and Curves.of(trial, self.grid.nodes))
            if there > value:
                return trial, there, gradient
        return None

    def _score(self, items: Items, curves: Curves | None) -> tuple[float, FloatArray]:
        """Return the log-likelihood and its gradient, which is what is expected of that with abilities known."""
        responses, grid = self.problem.responses, self.grid
        if curves is not None:
            return score(responses, items, grid, curves)
        stats = expect(responses, items, grid, guessing=self.problem.model == "3pl")
        gradient = derivatives(stats, items, grid.nodes).gradient
        return stats.log_likelihood, gradient.reshape(-1)[: len(self.covariance)]
