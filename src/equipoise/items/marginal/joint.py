"""Joint maximum likelihood (Birnbaum's method): items given abilities, abilities given items, in turn.

The paper's recipe. It is simple and it is biased: abilities are parameters too, so estimates do not
settle on the truth as agents are added, and slopes come out too steep on short tests. Marginal
maximum likelihood is the default for that reason.

Reference: Birnbaum in Lord & Novick (1968), chapter 17.
"""

from typing import NamedTuple

import numpy as np

from equipoise.core.errors import DataError
from equipoise.core.progress import STEPS, tell
from equipoise.core.results import Fit, FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.items.marginal.covariance import inverse_of_free
from equipoise.items.marginal.em import start_items
from equipoise.items.marginal.item_step import Bounds, ItemPrior, derivatives, item_step, project, values
from equipoise.items.marginal.quadrature import Expectation
from equipoise.items.marginal.slope_tests import SlopeTest
from equipoise.items.marginal.solve import Solved, checks_of, slope_errors
from equipoise.items.models.models import Items, Model, n_free
from equipoise.items.models.responses import Responses
from equipoise.items.scoring.ability import estimate_abilities

#: An agent on the edge of what the items can tell would otherwise drag the scale away with it.
ABILITY_BOUND = 6.0


class JointState(NamedTuple):
    """Items, abilities (infinite for agents without a finite one), and how the search ended."""

    items: Items
    ability: FloatArray
    log_likelihood: float
    iterations: int
    residual: float
    converged: bool


def joint_fit(
    responses: Responses,
    items: Items,
    *,
    model: Model,
    prior: ItemPrior,
    bounds: Bounds,
    tolerance: float = 1e-6,
    max_iterations: int = 500,
) -> JointState:
    """Alternate item and ability steps until the joint log-likelihood gains less than ``tolerance``."""
    won, tried = responses.agent_totals()
    finite = (won > 0) & (won < tried)
    if finite.sum() < 2:
        raise DataError(
            "joint maximum likelihood needs at least 2 agents with both right and wrong answers,"
            f" found {int(finite.sum())}",
            advice=[Advice("use ", Option("method", "mml"))],
        )
    inner = responses.rows(finite)
    share = (won[finite] + 0.5) / (tried[finite] + 1.0)
    theta = _standardise(np.log(share / (1.0 - share)), items, model, inner.weight)[0]
    value, gain, used = -np.inf, np.inf, 0
    while used < max_iterations and gain > tolerance:
        stats = joint_counts(inner, theta, guessing=model == "3pl")
        items = item_step(stats, items, theta, model=model, prior=prior, bounds=bounds, iterations=8)
        fitted = estimate_abilities(inner, items, estimator="mle").estimate
        theta, items = _standardise(np.clip(fitted, -ABILITY_BOUND, ABILITY_BOUND), items, model, inner.weight)
        items = project(items, model, bounds)
        stats = joint_counts(inner, theta, guessing=model == "3pl")
        new = float(values(stats, items, theta).sum())
        gain, value, used = abs(new - value), new, used + 1
        tell(STEPS, used)
    tell(STEPS, used, used)
    ability = np.where(won >= tried, np.inf, -np.inf)
    ability[finite] = theta
    return JointState(items, ability, value, used, gain, gain <= tolerance)


def joint_counts(responses: Responses, theta: FloatArray, *, guessing: bool) -> Expectation:
    """Return the item step's input when abilities are known: every agent is a node of its own."""
    trials = np.ones((1, len(theta))) * responses.weight
    if responses.trials is not None:
        trials = responses.trials.T.astype(np.float64) * responses.weight
    weighted = responses.successes.T.astype(np.float64) * responses.weight
    return Expectation(0.0, trials, weighted if guessing else None, weighted.sum(axis=1), weighted @ theta, 0.0, 1.0)


def _standardise(theta: FloatArray, items: Items, model: Model, weight: FloatArray) -> tuple[FloatArray, Items]:
    """Give abilities mean 0 (and deviation 1 where slopes are free) without changing any probability."""
    centre = float(weight @ theta / weight.sum())
    spread = 1.0
    if model != "rasch":
        spread = float(np.sqrt(weight @ (theta - centre) ** 2 / weight.sum())) or 1.0
    moved = Items(items.slope * spread, items.intercept + items.slope * centre, items.guessing)
    return (theta - centre) / spread, moved


def solve_joint(responses: Responses, model: Model, prior: ItemPrior, bounds: Bounds) -> Solved:
    """Fit by Birnbaum's joint method."""
    state = joint_fit(responses, start_items(responses, model), model=model, prior=prior, bounds=bounds)
    state = _reflected(responses, state)
    finite = np.isfinite(state.ability)
    inner = responses.rows(finite)
    counts = joint_counts(inner, state.ability[finite], guessing=model == "3pl")
    info_blocks = derivatives(counts, state.items, state.ability[finite]).information
    covariance = inverse_of_free(info_blocks, state.items, model, bounds, np.linalg.pinv)
    errors = estimate_abilities(responses, state.items, estimator="mle").stderr
    nothing = SlopeTest(np.full(len(state.items.slope), np.nan), "likelihood ratio")
    bounded = np.where(finite, state.ability, np.sign(state.ability) * ABILITY_BOUND)
    return Solved(
        model=model, bounds=bounds, items=state.items, covariance=covariance, uncertainty=None,
        errors="abilities known",
        estimator="mle", ability=state.ability, ability_se=errors, log_likelihood=state.log_likelihood,
        n_parameters=n_free(model, responses.shape[1]) + int(finite.sum()), points=0, starts=(),
        fit=Fit(state.converged, state.iterations, state.residual), negative=nothing,
        checks=checks_of(responses, state.items, model, bounds, bounded, slope_errors(covariance)),
    )  # fmt: skip


def _reflected(responses: Responses, state: JointState) -> JointState:
    won, tried = responses.agent_totals()
    finite = np.isfinite(state.ability)
    if float(np.cov(state.ability[finite], (won / np.maximum(tried, 1.0))[finite])[0, 1]) >= 0:
        return state
    flipped = Items(-state.items.slope, state.items.intercept, state.items.guessing)
    return state._replace(items=flipped, ability=np.where(finite, -state.ability, state.ability))
