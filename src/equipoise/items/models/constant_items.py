"""Items that everybody solved, or nobody: left out of a fit, and still part of the benchmark.

Nothing says how sharply such an item separates agents; how often it is solved is not unknown. Of an item that k agents
solved all, the chance of the next is about (k + 1/2) / (k + 1) (the Beta posterior from Jeffreys's prior); its slope is
taken to be that of the other items. Where items are draws from a fitted population, they have a posterior like others.

Such a curve predicts; it measures nobody. Predictions are flattened by what is not known: the mean of a logistic curve
over a normal intercept of variance v is nearly the curve of ``logit / sqrt(1 + 0.35 v)``.
"""

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.items.models.models import Items
from equipoise.items.models.responses import Responses

_FLATTER, _LEAST_SLOPE = 0.35, 0.05


def flattened(items: Items, variance: FloatArray | float) -> Items:
    """Return the curves averaged over intercepts with this variance."""
    by = np.sqrt(1.0 + _FLATTER * variance)
    return Items(items.slope / by, items.intercept / by, items.guessing)


def constant_curves(uniform: Responses, fitted: Items) -> Items:
    """Return curves of items with one answer from everybody, beside the items that were fitted.

    >>> three = Responses(np.ones((9, 1)), None, np.ones(9))
    >>> curve = constant_curves(three, Items(np.ones(4), np.zeros(4), np.zeros(4)))
    >>> curve.slope.tolist(), curve.intercept.round(2).tolist()  # 19 to 1 at the mean ability, and a little more
    ([1.0], [3.42])
    """
    won, tried = uniform.item_totals()
    slope = max(float(np.median(fitted.slope)), _LEAST_SLOPE)
    odds = np.log((won + 0.5) / (tried - won + 0.5))
    return Items(
        np.full(len(won), slope), odds * np.sqrt(1.0 + _FLATTER * slope**2),
        np.full(len(won), float(np.median(fitted.guessing))),
    )  # fmt: skip
