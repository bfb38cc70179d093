"""Marginal maximum likelihood by expectation-maximisation, accelerated, on a grid that is fine enough.

Three things make it fast and exact:

- *parameter expansion* (Liu, Rubin & Wu 1998): each round also estimates the mean and spread of the
  abilities and folds them into the items. Plain EM crawls in just that direction when there are many items.
- *squared extrapolation* (SQUAREM; Varadhan & Roland 2008), accepted only when the objective rises.
- the grid is doubled until doing so again moves the log-likelihood by less than a thousandth.

Small tables (ten to fifty agents are the norm for AI benchmarks) can have several local optima. Each
start is run on the first, coarse grid; the best goes on to the optimum, and how many others came as
far is reported.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.core.progress import STEPS, tell
from equipoise.core.results import FloatArray
from equipoise.items.marginal.item_step import Bounds, ItemPrior, item_step, project
from equipoise.items.marginal.quadrature import (
    NOBODY,
    Expectation,
    Grid,
    expect,
    marginal_log_likelihood,
    occupied,
    uniform_grid,
)
from equipoise.items.models.models import Items, Model
from equipoise.items.models.responses import Responses

GRID_TOLERANCE = 1e-3
MAX_POINTS = 4801
#: Slope times spacing above which the trapezoidal rule no longer resolves a logistic step.
STEEPEST = 1.5
_ROUNDING = 1e-12
#: Starts within this of the best, on the coarse grid, count as agreeing.
AGREEMENT = 0.1


class EMState(NamedTuple):
    """Where the search stands: items, objective (with prior), log-likelihood, and how it got there."""

    items: Items
    log_likelihood: float
    objective: float
    iterations: int
    residual: float
    converged: bool
    half_width: float
    points: int


class Problem(NamedTuple):
    """Everything the search holds fixed."""

    responses: Responses
    model: Model
    prior: ItemPrior
    bounds: Bounds
    free_slope: NDArray[np.bool_] | None = None


def run_em(
    problem: Problem,
    items: Items,
    *,
    half_width: float,
    points: int,
    tolerance: float,
    max_iterations: int,
    gain: float = 1e-7,
) -> EMState:
    """Accelerate EM on one grid until parameters move less than ``tolerance`` in a round.

    It also ends when the objective gains less than ``gain`` in two leaps running, which happens where the
    likelihood is flat in some direction: a slope on its way to infinity, an asymptote nobody reaches.

    Where slopes rest on their bound the scale is not free, and expanded rounds end beside the optimum or lead away from
    it: the last rounds there are plain ones.
    """
    look = _Evaluation(problem, uniform_grid(half_width, points))
    here = look(items)
    residual, used, still = np.inf, 0, 0
    expand = problem.prior.flat  # a prior on the items ties the scale down; expansion would not be monotone
    while used < max_iterations:
        first = look(_em_map(problem, here, expand=expand))
        if expand and first.value < here.value - _ROUNDING * abs(here.value):
            expand = False
            first = look(_em_map(problem, here, expand=False))
        two = _em_map(problem, first, expand=expand)
        used += 2
        tell(STEPS, used)
        residual = _distance(first.items, two)
        leap = look(_extrapolate(here.items, first.items, two, problem))
        before = here.value
        here = leap if leap.value >= first.value else look(two)
        still = still + 1 if abs(here.value - before) < gain else 0
        if residual < tolerance or still == 2:
            if not (expand and _bounded(here.items, problem.bounds)):
                break
            expand, still = False, 0
    tell(STEPS, used, used)
    done = residual < tolerance or still == 2
    return EMState(here.items, here.stats.log_likelihood, here.value, used, residual, done, half_width, points)


def _bounded(items: Items, bounds: Bounds) -> bool:
    return bool((np.abs(items.slope) >= bounds.slope).any())


class _At(NamedTuple):
    """Items, what is expected of them at these nodes, and their objective."""

    items: Items
    stats: Expectation
    nodes: FloatArray
    value: float


class _Evaluation:
    """The E step, on the part of the grid that posteriors reach; on all of it when they reach the ends of that part."""

    def __init__(self, problem: Problem, grid: Grid) -> None:
        self._problem, self._whole, self._part = problem, grid, grid

    def __call__(self, items: Items) -> _At:
        problem, part = self._problem, self._part
        stats = expect(problem.responses, items, part, guessing=problem.model == "3pl")
        inner = [end for end in (0, -1) if part.nodes[end] != self._whole.nodes[end]]
        if float(stats.trials[:, inner].max(initial=0.0)) > NOBODY * float(stats.trials.max()):
            part = self._whole
            stats = expect(problem.responses, items, part, guessing=problem.model == "3pl")
        self._part = occupied(self._whole, stats.trials) if part is self._whole else part
        extra = 0.0 if problem.prior.flat else problem.prior.log_density(items, problem.model)
        return _At(items, stats, part.nodes, stats.log_likelihood + extra)


def _em_map(problem: Problem, here: _At, *, expand: bool) -> Items:
    """Take one round: item step, then, if asked, the abilities' mean and spread folded in."""
    stats = here.stats
    new = item_step(
        stats,
        here.items,
        here.nodes,
        model=problem.model,
        prior=problem.prior,
        bounds=problem.bounds,
        free_slope=problem.free_slope,
        iterations=1,  # the next round has better counts: climbing further on these gains no round
    )
    if not expand:
        return new
    spread = 1.0 if problem.model == "rasch" else float(np.sqrt(max(stats.variance, 1e-6)))
    shifted = Items(new.slope * spread, new.intercept + new.slope * stats.mean, new.guessing)
    return project(shifted, problem.model, problem.bounds)


def _distance(one: Items, two: Items) -> float:
    """Return the largest move, relative for steep items."""
    before = np.array(one)
    return float((np.abs(np.array(two) - before) / (1.0 + np.abs(before))).max())


def _extrapolate(zero: Items, one: Items, two: Items, problem: Problem) -> Items:
    """Return SQUAREM's leap with step length |r| / |v|."""
    start, first, second = np.array(zero), np.array(one), np.array(two)
    r = first - start
    v = second - first - r
    norm = float(np.linalg.norm(v))
    if norm == 0.0:
        return two
    alpha = -max(1.0, float(np.linalg.norm(r)) / norm)
    leap = start - 2.0 * alpha * r + alpha**2 * v
    return project(Items(*leap), problem.model, problem.bounds)


def initial_grid(responses: Responses, items: Items) -> tuple[float, int]:
    """Guess a grid as fine as the posteriors it must resolve (it is checked afterwards)."""
    trials = 1.0
    if responses.trials is not None:
        trials = float(responses.trials.sum(axis=1, dtype=np.float64).max()) / responses.shape[1]
    most = trials * float(np.sum(np.minimum(items.slope**2, 9.0))) / 4.0
    spacing = min(0.2, 1.0 / np.sqrt(1.0 + 0.5 * most))
    points = 2 * int(np.ceil(6.0 / spacing)) + 1
    return 6.0, min(points, MAX_POINTS)


def starting_bounds(bounds: Bounds, grid: tuple[float, int]) -> Bounds:
    """Return bounds with slopes no steeper than this grid resolves."""
    half_width, points = grid
    if points >= MAX_POINTS:
        return bounds
    return replace(bounds, slope=min(bounds.slope, STEEPEST * (points - 1) / (2.0 * half_width)))


def grid_error(problem: Problem, state: EMState) -> tuple[float, float]:
    """Return how far the log-likelihood moves on a grid twice as fine, and on one half again as wide."""
    finer = uniform_grid(state.half_width, 2 * state.points - 1)
    spacing = 2.0 * state.half_width / (state.points - 1)
    more = int(np.ceil(0.5 * state.half_width / spacing))
    wider = uniform_grid(state.half_width + more * spacing, state.points + 2 * more)
    here = state.log_likelihood
    fine = marginal_log_likelihood(problem.responses, state.items, finer)
    wide = marginal_log_likelihood(problem.responses, state.items, wider)
    return abs(fine - here), abs(wide - here)


def fine_enough(problem: Problem, state: EMState) -> bool:
    """Tell whether a finer or wider grid would not matter, or there is none."""
    return state.points >= MAX_POINTS or max(grid_error(problem, state)) < 0.2 * GRID_TOLERANCE


def maximise(
    problem: Problem,
    items: Items,
    *,
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
    grid: tuple[float, int] | None = None,
) -> EMState:
    """Run EM, refining the grid until refining it no longer matters; ``max_iterations`` are for each grid."""
    half_width, points = initial_grid(problem.responses, items) if grid is None else grid
    wanted, used, passed = problem.bounds.slope, 0, np.nan
    loose, target = max(tolerance, 1e-3), 0.2 * GRID_TOLERANCE
    while True:
        # On a coarse grid a steep item can hide its step between two nodes and look better than it is.
        spacing = 2.0 * half_width / (points - 1)
        now = problem._replace(bounds=starting_bounds(problem.bounds, (half_width, points)))
        ceiling = now.bounds.slope
        state = run_em(
            now,
            project(items, problem.model, now.bounds),
            half_width=half_width,
            points=points,
            tolerance=loose,
            max_iterations=60 if loose > tolerance else max_iterations,
        )
        items, used = state.items, used + state.iterations
        capped = ceiling < wanted and bool(np.any(np.abs(items.slope) >= ceiling))
        if abs(state.log_likelihood - passed) < 0.05 and not capped:
            break  # the grid was fine enough a moment ago, at almost the same items
        fine, wide = grid_error(now, state)
        if points >= MAX_POINTS or (fine < target and wide < target and not capped):
            if loose <= tolerance:
                break
            loose, passed = tolerance, state.log_likelihood
            continue
        if wide >= target:
            half_width += 2.0
            points = 2 * int(np.ceil(half_width / spacing)) + 1
        enough = MAX_POINTS if fine >= target else 2 * int(np.ceil(half_width * wanted / STEEPEST)) + 1
        if fine >= target or capped:
            points = min(2 * points - 1, max(enough, points), MAX_POINTS)
    return state._replace(iterations=used)


class Starts(NamedTuple):
    """The best start's items and grid, and the objective that each start came to (none for a single start)."""

    items: Items
    grid: tuple[float, int]
    objectives: tuple[float, ...]


def agreeing_starts(objectives: tuple[float, ...]) -> int:
    """Count the starts that came as far as the best."""
    return sum(value > max(objectives) - AGREEMENT for value in objectives)


def best_start(problem: Problem, starts: int, rng: np.random.Generator) -> Starts:
    """Run EM roughly from several places and keep the best."""
    first = start_items(problem.responses, problem.model)
    grid = initial_grid(problem.responses, first)
    if starts == 1:
        return Starts(first, grid, ())
    rough = problem._replace(bounds=starting_bounds(problem.bounds, grid))
    candidates = [first] + [_shaken(first, problem.model, rng) for _ in range(starts - 1)]
    if problem.model == "3pl":  # without asymptotes lies a peak that others may miss: no fit need be worse for them
        candidates[1] = first._replace(guessing=np.zeros(len(first.guessing)))
    states = [
        run_em(
            rough,
            project(items, problem.model, rough.bounds),
            half_width=grid[0],
            points=grid[1],
            tolerance=1e-3,
            max_iterations=200,
        )
        for items in candidates
    ]
    best = max(states, key=lambda state: state.objective)
    return Starts(best.items, grid, tuple(state.objective for state in states))


def _shaken(items: Items, model: Model, rng: np.random.Generator) -> Items:
    """Return starting values thrown well away from the first ones, signs included."""
    n_items = len(items.slope)
    slope = items.slope
    if model in ("2pl", "3pl"):
        slope = slope * np.exp(rng.normal(0.0, 0.5, n_items)) + rng.normal(0.0, 0.5, n_items)
    return Items(slope, items.intercept + rng.normal(0.0, 0.5, n_items), items.guessing)


def start_items(responses: Responses, model: Model) -> Items:
    """Return starting values from proportions and item-rest correlations, signs included."""
    won, tried = responses.item_totals()
    share = (won + 0.5) / (tried + 1.0)
    intercept = np.log(share / (1.0 - share))
    n_items = responses.shape[1]
    if model in ("rasch", "1pl"):
        return Items(np.ones(n_items), intercept, np.zeros(n_items))
    slope = np.clip(_item_score_slope(responses), -2.0, 3.0)
    guessing = np.full(n_items, 0.1 if model == "3pl" else 0.0)
    return Items(slope, intercept * np.sqrt(1.0 + 0.35 * slope**2), guessing)


def _item_score_slope(responses: Responses) -> FloatArray:
    """Return a rough slope for each item from its covariance with the standardised total."""
    won, tried = responses.agent_totals()
    share = won / np.maximum(tried, 1.0)
    weight = responses.weight * (tried > 0)
    centre = float(weight @ share / weight.sum())
    spread = float(np.sqrt(weight @ (share - centre) ** 2 / weight.sum()))
    if spread == 0.0:
        return np.ones(responses.shape[1])
    z = (share - centre) / spread
    cross, base = np.zeros(responses.shape[1]), np.zeros(responses.shape[1])
    successes_sum, tried_sum = responses.item_totals()
    for part, successes, trials in responses.chunks(1):
        w = weight[part] * z[part]
        cross += w @ successes
        base += w.sum() if trials is None else w @ trials
    p = successes_sum / np.maximum(tried_sum, 1.0)
    covariance = (cross - p * base) / np.maximum(tried_sum, 1.0)
    # A logistic slope a gives cov(x, theta) of about a p (1 - p) / sqrt(1 + 0.35 a^2); inverted, and bounded.
    ratio = np.clip(covariance / np.maximum(p * (1.0 - p), 1e-9), -1.4, 1.4)
    slope: FloatArray = ratio / np.sqrt(1.0 - 0.35 * ratio**2)
    return np.where(np.abs(slope) < 0.05, 0.05, slope)
