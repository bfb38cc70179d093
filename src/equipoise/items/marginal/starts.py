"""Where the search begins, and whether beginning elsewhere ends in the same place.

Small tables (ten to fifty agents are the norm for AI benchmarks) can have several local optima. Each
start is run on the first, coarse grid; the best goes on to the optimum, and how many others came as
far is reported.
"""

from typing import NamedTuple

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.items.marginal.em import Problem, initial_grid, run_em, starting_bounds
from equipoise.items.marginal.item_step import project
from equipoise.items.models.models import Items, Model
from equipoise.items.models.responses import Responses

#: Starts within this of the best, on the coarse grid, count as agreeing.
AGREEMENT = 0.1


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
