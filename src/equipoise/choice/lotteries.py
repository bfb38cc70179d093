"""Maximal lotteries: the chances that no other lottery beats on average, as even as can be.

The lottery is the maximum-entropy Nash equilibrium of the margins (:func:`equipoise.maxent_nash`), exactly.
"""

import numpy as np

from equipoise.choice.majority import Layers
from equipoise.core.results import FloatArray
from equipoise.nash.kernels import AgentSolution, maxent_skew

PLAYED = 1e-9
"""Chances below this are rounding."""


def maximal_lottery(margins: FloatArray) -> AgentSolution:
    """Give the lottery; copies share their chance."""
    return maxent_skew(margins)


def lottery_levels(margins: FloatArray) -> Layers:
    """Take out everybody who has a chance, and again among the rest: levels of an iterative lottery.

    The maximum-entropy equilibrium has the largest support there is, so the levels do not depend on a solver.
    """
    left, levels = np.arange(len(margins)), []
    while len(left):
        p = maximal_lottery(margins[np.ix_(left, left)]).p if len(left) > 1 else np.ones(1)
        levels.append(tuple(int(i) for i in left[p > PLAYED]))
        left = left[p <= PLAYED]
    return tuple(levels)
