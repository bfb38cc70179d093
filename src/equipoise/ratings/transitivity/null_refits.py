"""Refits many simulated pair tables at once: Newton's method, its steps by conjugate gradients.

Replicates lie close to the null they were drawn from, so one factorisation of the null's information matrix, scaled to
what each agent's games say in the replicate, preconditions them all: a handful of products an answer.
"""

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.flows.laplacian import Solver
from equipoise.ratings.paired.cell_matrices import by_unknown, incidence
from equipoise.ratings.transitivity.link import bent
from equipoise.ratings.transitivity.test_statistics import Null, score_variance, tie_rates

__all__ = ["refit"]

SMALL_STEP = 1e-8
"""A replicate counts as fitted when one more step would gain less log-likelihood than this, per pair."""
FINEST = 1e-3
"""Relative accuracy of Newton's steps near the end."""
ROUGHLY = 1000.0
"""A rough fit stops at a gain as many times larger; its statistic is off by about a thousandth of its spread."""
ROUGH_STEPS = 0.05
"""Relative accuracy of the steps of a rough fit."""
STEPS = 20
"""Newton steps after which a replicate is left to be fitted by itself."""
MOST = 2
"""Newton steps that most replicates need."""
INNER = 12
"""Most conjugate-gradient steps for one step of Newton's."""
FARTHEST = 3.0
"""Most that one step may change the log-odds of a pair: Newton's method overshoots from afar."""
NEAR = 0.9
"""Most that the log-odds of a pair may have changed in a last step."""
SAFELY = 30.0
"""As many times smaller must be the gain of a step that is not taken: the statistic would move by its root."""
UNSOLVED = 0.1
"""Share of the replicates that may be less accurate than wanted when a step is taken; they take one more."""
BLOCK = 300_000
"""Numbers (cells by replicates) worked on together: what stays near the processor."""


def refit(
    null: Null, solve: Solver, wins: FloatArray, ties: FloatArray, *, rough: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Ratings (and side) of each replicate at the null's bend; say which did not settle.

    ``solve`` is that of the null with its bend held.
    """
    count = wins.shape[1]
    x = np.repeat(null.x[:, None], count, axis=1)
    unfinished = np.ones(count, dtype=bool)
    information = _Information(null, solve)
    size = max(1, BLOCK // len(null.games))
    # Those that take longer than most go on together.
    for most in (min(MOST, STEPS), STEPS - MOST):
        left = np.flatnonzero(unfinished)
        for start in range(0, len(left), size):
            some = left[start : start + size]
            begin, won = x.take(some, axis=1), wins.take(some, axis=1)
            tied = ties.take(some, axis=1) if null.tied else None
            x[:, some], unfinished[some] = _block(null, information, begin, won, tied, most, rough=rough)
    return x, unfinished


def _block(
    null: Null,
    information: "_Information",
    start: FloatArray,
    wins: FloatArray,
    ties: FloatArray | None,
    most: int,
    *,
    rough: bool,
) -> tuple[FloatArray, FloatArray]:
    model, games = null.model, null.games[:, None]
    finest, small = (ROUGH_STEPS, ROUGHLY * SMALL_STEP) if rough else (FINEST, SMALL_STEP)
    score = wins if ties is None else wins + ties / 2
    left, x, fitted, first = np.arange(score.shape[1]), start, start.copy(), None
    for _ in range(most):
        excess, weight = _at(null, model.differences(x), score, ties)
        gradient = information.gather @ excess
        gradient[: model.agents] -= model.precision * x[: model.agents]
        size = np.einsum("ij,ij->j", gradient, gradient) ** 0.5
        first = np.maximum(size, 1e-300) if first is None else first
        step, along, rest = information.step(weight, gradient, np.clip(size / first, finest, 0.1))
        gain, far = np.einsum("ij,ij->j", gradient, step), np.abs(along).max(axis=0)
        ahead = np.where(far <= NEAR, _ahead(gain, weight, along, rest), gain)
        step *= np.minimum(1.0, FARTHEST / np.maximum(far, 1e-300))
        x = x + step
        fitted[:, left] = x
        still = ~(np.minimum(gain, SAFELY * ahead) <= small * len(games))
        if not still.any():
            break
        if not still.all():
            left, first = left[still], first[still]
            x, score = x.compress(still, axis=1), score.compress(still, axis=1)
            ties = None if ties is None else ties.compress(still, axis=1)
    else:
        still = np.ones(len(left), dtype=bool)
    unfinished = np.zeros(fitted.shape[1], dtype=bool)
    unfinished[left[still]] = True
    return fitted, unfinished


def _ahead(gain: FloatArray, weight: FloatArray, along: FloatArray, rest: FloatArray) -> FloatArray:
    """At most so much log-likelihood would one more step gain, after one with this ``gain``.

    That is what the equations of this step left unsolved (the square of ``rest``, of its own gain), and what changed on
    the way: log-odds that move by d bend by up to w d^2 / 2, of which no step gains more than the sum of w d^4 / 4. Up
    to ``NEAR`` four times that bounds the terms of higher order too.
    """
    square = along * along
    return np.asarray(rest**2 * gain + np.einsum("ij,ij->j", weight * square, square))


def _at(null: Null, d: FloatArray, score: FloatArray, ties: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Excess of the scores, weighted by what the quasi-likelihood makes of it, and the information of each cell."""
    games = null.games[:, None]
    if ties is None and null.bend == 0:
        chance = scipy.special.expit(d)
        return score - games * chance, games * (chance * (1 - chance))
    curve = bent(d, null.bend)
    variance = curve.slope if ties is None else score_variance(curve.chance, tie_rates(games, ties, curve.chance))
    lift = curve.slope / variance
    return (score - games * curve.chance) * lift, games * curve.slope * lift


class _Information:
    """Products with the information matrices of replicates, and solutions preconditioned by that of the null."""

    def __init__(self, null: Null, solve: Solver) -> None:
        self.model, self.solve = null.model, solve
        self.gather = by_unknown(incidence(null.model))
        self.degrees = abs(self.gather)
        self.typical = self._degrees(_at(null, null.model.differences(null.x)[:, None], np.zeros((1, 1)), None)[1])

    def _degrees(self, weight: FloatArray) -> FloatArray:
        degrees = self.degrees @ weight
        degrees[: self.model.agents] += self.model.precision
        return np.asarray(degrees)

    def step(
        self, weight: FloatArray, gradient: FloatArray, accuracy: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Newton steps to a relative ``accuracy`` of each column, the changes of log-odds, the accuracy got."""
        scale = np.sqrt(self.typical / np.maximum(self._degrees(weight), 1e-300))
        agents, precision = self.model.agents, self.model.precision
        step, along = np.zeros_like(gradient), np.zeros_like(weight)
        residual = gradient.copy()
        z = scale * self.solve(scale * residual)
        direction, rho = z, np.einsum("ij,ij->j", residual, z)
        whole, goal = np.maximum(rho, 1e-300), accuracy**2 * rho
        for _ in range(INNER):
            moved = self.model.differences(direction)
            image = self.gather @ (weight * moved)
            image[:agents] += precision * direction[:agents]
            curvature = np.einsum("ij,ij->j", direction, image)
            length = np.where(curvature > 0, rho / np.where(curvature > 0, curvature, 1.0), 0.0)
            step += length * direction
            along += length * moved
            residual -= length * image
            z = scale * self.solve(scale * residual)
            before, rho = rho, np.einsum("ij,ij->j", residual, z)
            if np.count_nonzero(rho > goal) <= UNSOLVED * len(rho):
                break
            direction = z + np.where(before > 0, rho / np.where(before > 0, before, 1.0), 0.0) * direction
        return step, along, np.sqrt(np.maximum(rho, 0.0) / whole)
