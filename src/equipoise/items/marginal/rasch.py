"""The Rasch model: every item has slope 1, and the agents' spread is estimated.

It is the model with one common slope a, on another scale: there abilities are N(0, 1), here they are N(0, a^2) and
slopes are 1. Intercepts, their errors and the likelihood are the same.

Reference: Rasch (1960); Thissen (1982), marginal maximum likelihood for the one-parameter logistic model.
"""

from dataclasses import replace

import numpy as np

from equipoise.items.marginal.item_step import Bounds, ItemPrior
from equipoise.items.marginal.solve import Solved, solve_marginal
from equipoise.items.models.models import Items
from equipoise.items.models.responses import Responses
from equipoise.items.scoring.ability import Estimator, estimate_abilities, with_items
from equipoise.items.scoring.uncertainty import ItemUncertainty

#: Agents that do not differ at all still have a scale.
LEAST_SPREAD = 1e-3


def solve_rasch(
    responses: Responses, prior: ItemPrior, bounds: Bounds, estimator: Estimator, starts: int, rng: np.random.Generator
) -> Solved:
    """Fit by marginal maximum likelihood, slopes 1 and the abilities' spread free."""
    solved = solve_marginal(responses, "1pl", prior, bounds, estimator, starts, rng)
    items = Items(np.ones(len(solved.items.slope)), solved.items.intercept, solved.items.guessing)
    spread = max(abs(float(solved.items.slope[0])), LEAST_SPREAD)
    covariance = solved.covariance.copy()
    covariance[0], covariance[:, 0] = 0.0, 0.0
    known = None if solved.uncertainty is None else _slopes_known(solved.uncertainty)
    ability = estimate_abilities(responses, items, estimator=estimator, spread=spread)
    ability = with_items(responses, items, ability, known)
    return replace(
        solved, model="rasch", items=items, covariance=covariance, uncertainty=known, spread=spread,
        ability=ability.estimate, ability_se=ability.stderr,
    )  # fmt: skip


def _slopes_known(uncertainty: ItemUncertainty) -> ItemUncertainty:
    own, shared = uncertainty.own.copy(), uncertainty.shared.copy()
    own[0], own[:, 0], shared[:, 0] = 0.0, 0.0, 0.0
    return ItemUncertainty(own, shared)
