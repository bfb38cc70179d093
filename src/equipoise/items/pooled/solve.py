"""A finished fit with the items pooled: what :mod:`equipoise.items.marginal.solve` makes of classical fits."""

from typing import Literal

import numpy as np
import scipy

from equipoise.core.errors import ParameterError
from equipoise.core.results import Fit
from equipoise.core.wording import Option
from equipoise.items.marginal.item_step import Bounds
from equipoise.items.marginal.slope_tests import SlopeTest
from equipoise.items.marginal.solve import FEW_AGENTS, Solved, checks_of
from equipoise.items.models.models import Items, Model
from equipoise.items.models.responses import Responses
from equipoise.items.pooled.item_integrals import item_moments
from equipoise.items.pooled.item_population import SIZE, Answers
from equipoise.items.pooled.pooled import pooled_fit
from equipoise.items.pooled.relative import relative_scale
from equipoise.items.scoring.ability import Estimator

#: The most agents whose abilities are found together, with a covariance of all of them.
MOST_POOLED = 1000


def fitting_method(agents: int, model: Model | None, prior: object, estimator: Estimator) -> Literal["mml", "pooled"]:
    """Choose the method where none is asked for: few agents cannot give every item a curve of its own."""
    free = model is None and prior is None and estimator == "eap"
    return "pooled" if free and agents < FEW_AGENTS else "mml"


def check_pooled(agents: int, model: Model | None, prior: object, estimator: Estimator) -> None:
    """Refuse what does not go together with pooled items."""
    pooled = Option("method", "pooled")
    if model not in (None, "2pl"):
        raise ParameterError(pooled, " goes with ", Option("model", "2pl"), f" only, not {model}")
    if prior is not None:
        raise ParameterError(pooled, " estimates its own population of items; leave out ", Option("prior"))
    if estimator != "eap":
        raise ParameterError(pooled, " goes with ", Option("estimator", "eap"), f" only, not {estimator}")
    if agents > MOST_POOLED:
        other = Option("method", "mml")
        raise ParameterError(pooled, f" is for at most {MOST_POOLED:,} agents, not {agents:,}; use ", other)


def solve_pooled(responses: Responses, uniform: Responses, bounds: Bounds) -> Solved:
    """Fit abilities with the items integrated out, and put all of it on the scale of these agents.

    Constant items (``uniform``) are draws from the population like the others: without them it would seem narrower
    than it is, and the other items easier or harder than they are.
    """
    answers = Answers.of(responses, uniform)
    state = pooled_fit(answers)
    every = item_moments(answers, state.nodes, state.ability, state.population)
    found = relative_scale(state, every.take(responses.shape[1]))
    won, tried = responses.agent_totals()
    if float(np.cov(found.ability, won / np.maximum(tried, 1.0))[0, 1]) < 0:
        found = found._replace(
            ability=-found.ability,
            items=found.items * [[-1.0], [1.0]],
            uncertainty=found.uncertainty.carried(-1.0, 0.0),
        )
    slope, intercept = found.items
    items = Items(slope, intercept, np.zeros(len(slope)))
    covariance = found.uncertainty.blocks
    slope_se = np.sqrt(covariance[0, 0])
    negative = scipy.special.ndtr(-slope / slope_se)
    return Solved(
        model="2pl", bounds=bounds, items=items, covariance=covariance, uncertainty=found.uncertainty,
        errors="population", estimator="eap", ability=found.ability, ability_se=found.stderr,
        ability_reach=found.reach, slope_reach=found.slope_reach,
        log_likelihood=state.log_likelihood, n_parameters=SIZE, points=state.nodes.slope.shape[1], starts=(),
        fit=Fit(state.converged, state.iterations, state.residual), negative=SlopeTest(negative, "posterior"),
        checks=checks_of(responses, items, "2pl", bounds, found.ability, slope_se),
    )  # fmt: skip
