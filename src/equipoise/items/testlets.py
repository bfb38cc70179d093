"""Groups of items that share something, such as a passage: do they move together, and how sure are abilities then?

An agent that is at home in a passage does well on all of its items: they are less evidence than as many others. Alarm:
residuals e of the fitted curves, standardised by item; the sum over groups of ``|sum of e over the group's items|^2``
(Yen's Q3, summed within groups) is compared with that of groups dealt out to items at random. It says that items of a
group move together, not why: items that share a slope set it off as well.

Intervals: u is an item's gradient of the log-likelihood in all parameters, C their covariance, D the number of groups::

    sandwich = D / (D - 1)  C (sum over groups of (sum u)(sum u)') C

Its variances of abilities, over those of C, are averaged over agents: the design effect, at least 1. Errors are its
root times larger, and quantiles are those of t with D - 1 degrees of freedom.

Reference: Yen (1984), Applied Psychological Measurement 8; Liang and Zeger (1986); Wainer, Bradlow and Wang (2007).
"""

import numpy as np
from numpy.typing import NDArray

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.results import FloatArray
from equipoise.items.models.models import Items, probability
from equipoise.items.models.responses import Responses

#: Fewer groups are no sample of groups: results are then about these.
LEAST_GROUPS = 5
_PERMUTATIONS = 199
_LEVEL = 0.05


def moves_together(
    responses: Responses, items: Items, ability: FloatArray, groups: NDArray[np.intp], rng: np.random.Generator
) -> float:
    """Return the p-value of items of a group moving together."""
    finite = np.isfinite(ability)
    inner = responses.rows(finite)
    tried = 1.0 if inner.trials is None else inner.trials.astype(np.float64)
    residual = inner.successes.astype(np.float64) - tried * probability(ability[finite], items).T
    residual /= np.maximum(np.sqrt((residual**2).mean(axis=0)), 1e-12)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    seen = _together(residual[:, order], starts)
    drawn = [_together(residual[:, rng.permutation(len(groups))], starts) for _ in range(_PERMUTATIONS)]
    return (1.0 + float(np.sum(np.array(drawn) >= seen))) / (_PERMUTATIONS + 1.0)


def _together(residual: FloatArray, starts: NDArray[np.intp]) -> float:
    return float((np.add.reduceat(residual, starts, axis=1) ** 2).sum())


def design_effect(scores: FloatArray, covariance: FloatArray, follow: FloatArray, groups: NDArray[np.intp]) -> float:
    """Return how many times larger variances of abilities are where groups of items are the sample.

    ``scores`` are gradients (parameters, items), abilities first; ``follow`` takes abilities to the agents' scale.
    """
    count = int(groups.max()) + 1
    summed = np.zeros((len(scores), count))
    np.add.at(summed.T, groups, scores.T)
    root = follow @ (covariance @ summed)[: len(follow)]
    clustered = count / (count - 1.0) * (root**2).sum(axis=1)
    plain = np.einsum("ij,jk,ik->i", follow, covariance[: len(follow), : len(follow)], follow, optimize=True)
    return max(1.0, float(np.mean(clustered / plain)))


def testlet_notes(p_value: float, groups: int, effect: float | None) -> tuple[Diagnostic, ...]:
    """Say whether items of a group move together, and what the intervals make of it.

    ``effect`` is the design effect on variances of abilities; None where intervals take items as independent.
    """
    notes = []
    if effect is None and groups < LEAST_GROUPS:
        text = f"The items come in {groups} groups, too few to speak of others: abilities are those on these {groups}."
        notes.append(info("few-testlets", text))
    if p_value < _LEVEL:
        wider = (
            "Intervals of abilities take items as independent, and are too short."
            if effect is None
            else f"Intervals take the {groups} groups as the sample (errors {np.sqrt(effect):.2f} times as large)."
        )
        text = f"Items of a group move together beyond what ability explains (permutation p = {p_value:.3f}). {wider}"
        notes.append(warning("testlets", text))
    return tuple(notes)
