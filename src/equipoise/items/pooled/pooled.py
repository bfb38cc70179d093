r"""Abilities in a hierarchical item model: for few agents, where no item's own parameters are known well.

Abilities are N(0, 1); items are draws from a population (:mod:`equipoise.items.pooled.item_population`) whose five
parameters h are estimated. With ``f(theta, h)`` the log-posterior, items integrated, h maximises Laplace's
approximation of its marginal posterior,

.. math:: f(\hat\theta(h), h) - \tfrac12 \log |H(\hat\theta(h), h)|

with H the negative Hessian in the abilities. The determinant matters: the joint peak of many abilities and h is as
inconsistent as joint maximum likelihood is.

How H moves with the population, abilities following: for one item, with s the information of an agent's answer at a
node and g the gradient there in the abilities, ``H = diag E s - Cov g``. Along a direction in which abilities move by u
and the log-posterior of a node by l (centred),

    dH = diag(E l s + u E s') - E l (g - E g)(g - E g)' + diag(u) B + B' diag(u),      B = E s (g - E g)'

where s' is the derivative of s in the logit times the slope.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from equipoise.core.progress import STEPS, tell
from equipoise.core.results import FloatArray
from equipoise.items.pooled.item_integrals import Integrated, blocks, floor_bend, integrate, node_mean
from equipoise.items.pooled.item_population import (
    CENTRE,
    SIZE,
    Answers,
    Nodes,
    density_slopes,
    item_peaks,
    nodes_around,
    prior_of_population,
)

#: Where one direction of the abilities is hardly determined, the peak splits in two and the curvature passes zero; the
#: determinant's logarithm would have a spike there that means nothing.
LEAST_CURVATURE = 0.3
#: Half the expected gain of a further step, below which a search is over.
FINISHED = 1e-4
#: Half the expected gain below which where a search ended is called its end.
ENDED = 1e-3
#: Below it a rise of the objective is less than the error of the integrals; their slopes are then to be believed.
_NEAR = 0.02
_ERROR = 0.05
#: Abilities are searched until so small a part of the population's gain is left to gain.
_ABILITIES = 1e-5
_INNER, _OUTER = 40, 60


class Lifted(NamedTuple):
    """A curvature, its eigenvalues kept away from zero, smoothly: those of one and more hardly move.

    An eigenvalue x becomes ``(x + r) / 2`` with ``r = sqrt(x^2 + 4 c^2)``.
    """

    values: FloatArray
    radius: FloatArray
    vectors: FloatArray

    @classmethod
    def of(cls, curvature: FloatArray) -> "Lifted":
        """Take a curvature apart."""
        values, vectors = np.linalg.eigh(curvature)
        radius = np.sqrt(values**2 + 4.0 * LEAST_CURVATURE**2)
        return cls(0.5 * (values + radius), radius, vectors)

    @property
    def log_det(self) -> float:
        """The logarithm of the determinant."""
        return float(np.log(self.values).sum())

    @property
    def inverse(self) -> FloatArray:
        """The inverse."""
        out: FloatArray = (self.vectors / self.values) @ self.vectors.T
        return out

    @property
    def log_det_slope(self) -> FloatArray:
        """W such that ``log_det`` moves by tr(W dH)."""
        out: FloatArray = (self.vectors / self.radius) @ self.vectors.T
        return out

    def inverse_moved(self, moves: FloatArray) -> FloatArray:
        """Return how the inverse moves with each of some moves of the curvature (Daleckii and Krein 1965)."""
        values, radius = self.values, self.radius
        raw = 2.0 * values - radius
        rise = 0.5 * (1.0 + np.add.outer(raw, raw) / np.add.outer(radius, radius))
        inner = self.vectors.T @ moves @ self.vectors
        out: FloatArray = self.vectors @ (-inner * rise / np.multiply.outer(values, values)) @ self.vectors.T
        return out


class _MovingItems(NamedTuple):
    """Some items along the directions: centred gradients, information times weights, the directions' moves of nodes.

    ``third`` is E s' of each agent.
    """

    pull: FloatArray
    information: FloatArray
    weight: FloatArray
    along: FloatArray
    third: FloatArray


def _moving_items(
    answers: Answers, nodes: Nodes, ability: FloatArray, population: FloatArray, follow: FloatArray
) -> Iterator[_MovingItems]:
    agents, every = len(ability), density_slopes(population, nodes.slope, nodes.intercept)
    for block in blocks(answers, nodes, ability, population):
        slope, weight = nodes.slope[block.items], block.weight
        pull = np.multiply(block.residual, slope, out=block.residual)
        pull -= node_mean(pull, weight)[:, :, None]
        first = every[:, block.items]
        first = first - node_mean(first, weight)[:, :, None]
        flat = pull.reshape(agents, -1)
        information = np.multiply(block.spread, slope**2 * weight, out=block.spread).reshape(agents, -1)
        steep = slope.ravel()
        if not answers.floor:
            chance = block.chance.reshape(agents, -1)
            third = information @ steep - 2.0 * (np.multiply(information, chance, out=chance) @ steep)
        else:
            third = floor_bend(answers, block).reshape(agents, -1) @ (slope**3 * weight).ravel()
        yield _MovingItems(flat, information, weight.ravel(), first.reshape(SIZE, -1) - follow.T @ flat, third)


def trace_slopes(
    answers: Answers, nodes: Nodes, at: tuple[FloatArray, FloatArray], follow: FloatArray, weigh: FloatArray
) -> FloatArray:
    """Return how tr(W H) moves with each parameter of h at (abilities, h), abilities moving by ``-follow``."""
    out, own = np.zeros(SIZE), np.diag(weigh)
    for part in _moving_items(answers, nodes, *at, follow):
        lever = weigh @ part.pull
        squares = np.einsum("in,in->n", lever, part.pull)
        out += part.along @ (own @ part.information - part.weight * squares)
        out -= follow.T @ (own * part.third + 2.0 * np.einsum("in,in->i", part.information, lever))
    return out


def curvature_slopes(
    answers: Answers, nodes: Nodes, at: tuple[FloatArray, FloatArray], follow: FloatArray
) -> FloatArray:
    """Return how H moves with each parameter of h at (abilities, h), abilities moving by ``-follow``: h first."""
    agents = len(at[0])
    out, mixed, diagonal = np.zeros((SIZE, agents, agents)), np.zeros((agents, agents)), np.zeros((SIZE, agents))
    for part in _moving_items(answers, nodes, *at, follow):
        for k, along in enumerate(part.along * part.weight):
            out[k] -= (part.pull * along) @ part.pull.T
        mixed += part.information @ part.pull.T
        diagonal += part.along @ part.information.T - follow.T * part.third
    for k in range(SIZE):
        moved = -follow[:, k, None] * mixed
        out[k] += moved + moved.T + np.diag(diagonal[k])
    return out


class Moving(NamedTuple):
    """How abilities at their peak and their covariance given h change with each parameter of h: slopes, first axis h.

    ``given`` is that covariance itself.
    """

    ability: FloatArray
    covariance: FloatArray
    given: FloatArray


class PooledState(NamedTuple):
    """Where the search ended: abilities, population, the integral there, and the covariance of (abilities, h)."""

    ability: FloatArray
    population: FloatArray
    nodes: Nodes
    covariance: FloatArray
    moving: Moving
    log_likelihood: float
    iterations: int
    residual: float
    converged: bool
    floor: "Floor | None" = None


class Floor(NamedTuple):
    """A common floor c: its error, how (abilities, h) move with it, and the likelihood ratio against none."""

    value: float
    stderr: float
    move: FloatArray
    ratio: float


class _AbilityPeak(NamedTuple):
    """Abilities at their peak for one population."""

    ability: FloatArray
    population: FloatArray
    peaks: FloatArray
    nodes: Nodes
    at: Integrated
    curvature: FloatArray
    value: float

    @property
    def lifted(self) -> Lifted:
        """The curvature, taken apart."""
        return Lifted.of(self.curvature)


def rule_points(answers: Answers) -> int:
    """Return how many points a direction needs: fewer where an item has many answers, as its posterior is normal."""
    typical = float(np.median(answers.trials.sum(axis=0)))
    return 7 if typical <= 12 else 5


class Climbed(NamedTuple):
    """Where a search of the population ended, after how many steps, and what a further one would have gained."""

    peak: _AbilityPeak
    used: int
    gain: float

    @property
    def value(self) -> float:
        """The objective."""
        return _objective(self.peak)


def pooled_fit(answers: Answers, points: int | None = None) -> PooledState:
    """Find abilities, population and their covariance, with the floor that answers have."""
    return finished(answers, climbed(answers, rule_points(answers) if points is None else points))


def climbed(answers: Answers, count: int) -> Climbed:
    """Search the population from scratch."""
    won, tried = answers.successes.sum(axis=1), answers.trials.sum(axis=1)
    share = (won + 0.5) / (tried + 1.0)
    place = np.log(share / (1.0 - share))
    place = (place - place.mean()) / max(float(place.std()), 0.3)
    peaks = np.repeat([[1.0], [0.0]], answers.successes.shape[1], axis=1)
    return _climb(answers, _abilities_at(answers, CENTRE.copy(), place, peaks, count, 100.0), count)


def climbed_from(answers: Answers, count: int, start: _AbilityPeak, move: FloatArray, enough: float) -> Climbed:
    """Search the population from where another search ended, moved a little; until a step gains less than enough."""
    ability, population = np.split(np.concatenate([start.ability, start.population]) + move, [len(start.ability)])
    peak = _abilities_at(answers, population, ability, start.peaks, count, max(enough / FINISHED, 1.0))
    return _climb(answers, peak, count, enough)


def _climb(answers: Answers, peak: _AbilityPeak, count: int, enough: float = FINISHED) -> Climbed:
    """Go uphill in the population by secant steps, abilities following."""
    slope, bend, follow = _population_slope(answers, peak)
    inverse = _positive_inverse(bend)
    used, gain = 0, np.inf
    while used < _OUTER:
        used += 1
        tell(STEPS, used)
        step = inverse @ slope
        gain = 0.5 * float(slope @ step)
        if gain < enough:
            break
        new = _better(answers, peak, step, (slope, follow), count)
        if new is None:
            break
        new_slope, _, follow = _population_slope(answers, new)
        inverse = _secant(inverse, new.population - peak.population, slope - new_slope)
        peak, slope = new, new_slope
    tell(STEPS, used, used)
    return Climbed(peak, used, gain)


def _abilities_at(
    answers: Answers, population: FloatArray, ability: FloatArray, peaks: FloatArray, points: int, gain: float
) -> _AbilityPeak:
    """Climb to the abilities' peak for one population by Newton steps, items' nodes following their peaks.

    ``gain`` is what the population's step is expected to gain: far from its end abilities need not be known well.
    """
    damp = 0.0
    value = -np.inf
    best: _AbilityPeak | None = None
    for _ in range(_INNER):
        peaks, factor = item_peaks(answers, ability, population, peaks)
        nodes = nodes_around(peaks, factor, points)
        at = integrate(answers, nodes, ability, population)
        curvature = at.curvature + np.eye(len(ability))
        slope = at.slope - ability
        here = at.value - 0.5 * float(ability @ ability)
        if best is not None and here < value - 1e-6 * (1.0 + abs(value)) and damp < 30.0:
            damp = max(2.0 * damp, 1.0)
        else:
            best, value, damp = _AbilityPeak(ability, population, peaks, nodes, at, curvature, here), here, damp / 4.0
            if damp < 0.1:
                damp = 0.0
            step_slope, step_curvature = slope, curvature
        step = _newton(step_curvature, step_slope, damp)
        if 0.5 * float(step @ step_slope) < max(FINISHED * 1e-2, _ABILITIES * gain):
            break
        ability = best.ability + step
    assert best is not None
    return best


def _newton(curvature: FloatArray, slope: FloatArray, damp: float) -> FloatArray:
    """Return Newton's step, with the curvature lifted where it is not positive."""
    values, vectors = np.linalg.eigh(curvature)
    floor = np.maximum(values, 0.2) + damp
    step: FloatArray = vectors @ ((vectors.T @ slope) / floor)
    return step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))


def _objective(peak: _AbilityPeak) -> float:
    """Return Laplace's approximation of the population's log-posterior."""
    return peak.value + prior_of_population(peak.population)[0] - 0.5 * peak.lifted.log_det


class Slope(NamedTuple):
    """The objective's gradient in h, its curvature but for the determinant's, and how abilities follow (negated)."""

    gradient: FloatArray
    bend: FloatArray
    follow: FloatArray


def _population_slope(answers: Answers, peak: _AbilityPeak) -> Slope:
    """Return the derivatives of the objective in the population."""
    _, prior_slope, prior_bend = prior_of_population(peak.population)
    lifted, cross = peak.lifted, peak.at.cross
    follow = lifted.inverse @ cross.T  # the abilities' peak moves by -follow
    bend = peak.at.population_curvature + np.diag(prior_bend) - cross @ follow
    at = peak.ability, peak.population
    log_det = trace_slopes(answers, peak.nodes, at, follow, lifted.log_det_slope)
    return Slope(peak.at.population_slope + prior_slope - 0.5 * log_det, bend, follow)


def _better(
    answers: Answers, peak: _AbilityPeak, step: FloatArray, slopes: tuple[FloatArray, FloatArray], points: int
) -> _AbilityPeak | None:
    """Go along the step as far as the objective rises enough; None if it does not rise at all."""
    slope, follow = slopes
    rise, length = float(slope @ step), min(1.0, 1.0 / float(np.abs(step).max()))
    least = _objective(peak) - (_ERROR if rise < 2.0 * _NEAR else 1e-7)
    for _ in range(12):
        start = peak.ability - length * follow @ step
        new = _abilities_at(answers, peak.population + length * step, start, peak.peaks, points, rise / 2.0)
        if _objective(new) > least + 1e-4 * length * rise:
            return new
        length *= 0.4
    return None


def _secant(inverse: FloatArray, moved: FloatArray, change: FloatArray) -> FloatArray:
    """Return the inverse curvature after a step (Broyden, Fletcher, Goldfarb, Shanno)."""
    along = float(moved @ change)
    if along <= 1e-12:
        return inverse
    left = np.eye(SIZE) - np.outer(moved, change) / along
    return left @ inverse @ left.T + np.outer(moved, moved) / along


def _positive_inverse(matrix: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    out: FloatArray = (vectors / np.maximum(values, 0.05)) @ vectors.T
    return out


def finished(answers: Answers, climbed: Climbed) -> PooledState:
    """Add the covariance of abilities and population together."""
    peak, used, gain = climbed
    agents = len(peak.ability)
    lifted, cross = peak.lifted, peak.at.cross
    inner = lifted.inverse
    follow = inner @ cross.T
    own = peak.at.population_curvature + np.diag(prior_of_population(peak.population)[2])
    outer = _positive_inverse(own - cross @ follow)
    covariance = np.empty((agents + SIZE, agents + SIZE))
    covariance[:agents, :agents] = inner + follow @ outer @ follow.T
    covariance[:agents, agents:] = -follow @ outer
    covariance[agents:, :agents] = covariance[:agents, agents:].T
    covariance[agents:, agents:] = outer
    moves = curvature_slopes(answers, peak.nodes, (peak.ability, peak.population), follow)
    moving = Moving(-follow.T, lifted.inverse_moved(moves), inner)
    return PooledState(
        peak.ability, peak.population, peak.nodes, covariance, moving,
        peak.value - 0.5 * lifted.log_det,
        used, gain, gain < ENDED,
    )  # fmt: skip
