"""A finished fit with the items pooled: what :mod:`equipoise.items.solve` makes of classical fits."""

import numpy as np
import scipy

from equipoise.items.flags import SlopeTest
from equipoise.items.item_population import SIZE, Answers, item_moments
from equipoise.items.item_step import Bounds
from equipoise.items.models import Items
from equipoise.items.pooled import pooled_fit
from equipoise.items.relative import relative_scale
from equipoise.items.responses import Responses
from equipoise.items.solve import Solved, checks_of
from equipoise.results import Fit


def solve_pooled(responses: Responses, bounds: Bounds) -> Solved:
    """Fit abilities with the items integrated out, and put all of it on the scale of these agents."""
    answers = Answers.of(responses)
    state = pooled_fit(answers)
    moments = item_moments(answers, state.nodes, state.ability, state.population)
    found = relative_scale(state.ability, state.covariance, moments)
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
    negative = scipy.special.ndtr(-slope / np.sqrt(covariance[0, 0]))
    return Solved(
        model="2pl", bounds=bounds, items=items, covariance=covariance, uncertainty=found.uncertainty,
        errors="population", estimator="eap", ability=found.ability, ability_se=found.stderr,
        log_likelihood=state.log_likelihood, n_parameters=SIZE, points=state.nodes.slope.shape[1], starts=(),
        fit=Fit(state.converged, state.iterations, state.residual), negative=SlopeTest(negative, "posterior"),
        checks=checks_of(responses, items, "2pl", bounds, found.ability),
    )  # fmt: skip
