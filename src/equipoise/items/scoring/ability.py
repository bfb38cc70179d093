"""Abilities with the items fixed: EAP, MAP, MLE and WLE.

====  ====================================================  =========================
name  what                                                  standard error
====  ====================================================  =========================
eap   posterior mean under N(0, 1)                          posterior deviation
map   posterior mode under N(0, 1)                          (I + 1)^-1/2
mle   the maximum of the likelihood; may be infinite        I^-1/2
wle   Warm's weighted likelihood: no bias of order 1/n      I^-1/2
====  ====================================================  =========================

WLE solves ``score + J / (2 I) = 0`` with ``J = sum P' P'' / (P Q)``; it is finite for every
row of answers when nobody can guess (c = 0).

Reference: Warm (1989), Psychometrika 54.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.items.marginal.quadrature import Grid, node_likelihood, uniform_grid
from equipoise.items.models.models import Items, curve
from equipoise.items.models.responses import Responses
from equipoise.items.scoring.uncertainty import ItemUncertainty, variance_from_items

Estimator = Literal["eap", "map", "mle", "wle"]

#: Abilities beyond this are reported as having no finite estimate.
LARGEST_ABILITY = 12.0
_NEWTON_STEPS = 60
#: Scoring steps before bisection takes over: with guessing, the information is not the slope's own derivative.
_TRUSTED_STEPS = 20
_POINTS = 241


class Abilities(NamedTuple):
    """Estimates and standard errors, one per agent; infinite where the likelihood has no maximum."""

    estimate: FloatArray
    stderr: FloatArray


def estimate_abilities(
    responses: Responses,
    items: Items,
    *,
    estimator: Estimator = "eap",
    grid: Grid | None = None,
    spread: float = 1.0,
) -> Abilities:
    """Estimate every agent's ability with the items fixed, in chunks of agents; ability is N(0, spread^2)."""
    if spread != 1.0:
        steeper = items._replace(slope=items.slope * spread)
        standard = estimate_abilities(responses, steeper, estimator=estimator, grid=grid)
        return Abilities(spread * standard.estimate, spread * standard.stderr)
    agents = responses.shape[0]
    out = Abilities(np.empty(agents), np.empty(agents))
    nodes = scoring_grid(items) if grid is None else grid
    search = Grid(np.linspace(-LARGEST_ABILITY, LARGEST_ABILITY, _POINTS), np.zeros(_POINTS))
    use = nodes if estimator == "eap" else search
    likelihood = node_likelihood(responses, items, use)
    for part, successes, trials in responses.chunks(len(use.nodes)):
        if estimator == "eap":
            post, _ = likelihood.posterior(successes, trials)
            mean = post @ use.nodes
            variance = post @ use.nodes**2 - mean**2
            out.estimate[part], out.stderr[part] = mean, np.sqrt(np.maximum(variance, 0.0))
        else:
            table = likelihood(successes, trials)
            out.estimate[part], out.stderr[part] = _mode(successes, trials, items, table, use.nodes, estimator)
    return out


def with_items(responses: Responses, items: Items, fitted: Abilities, uncertainty: ItemUncertainty | None) -> Abilities:
    """Add to the errors what is not known of the items."""
    if uncertainty is None:
        return fitted
    variance = fitted.stderr**2
    more = variance_from_items(responses, items, fitted.estimate, variance, uncertainty)
    return fitted._replace(stderr=np.sqrt(variance + more))


def ability_interval_kind(estimator: Estimator, items_uncertain: bool = False) -> str:
    """Say what the intervals around these estimates are."""
    kind = "posterior" if estimator in ("eap", "map") else "Wald"
    return f"{kind} ({'with the uncertainty of the items' if items_uncertain else 'items fixed'})"


def scoring_grid(items: Items) -> Grid:
    """Return a grid fine enough for the posteriors and the steepest item."""
    sharpest = 1.0 / np.sqrt(1.0 + float(np.sum(np.minimum(items.slope**2, 25.0))) / 4.0)
    spacing = min(0.1, sharpest, 2.0 / max(float(np.max(np.abs(items.slope))), 1e-9))
    return uniform_grid(7.0, 2 * int(np.ceil(7.0 / spacing)) + 1)


class _Local(NamedTuple):
    score: FloatArray
    information: FloatArray
    skew: FloatArray


def _local(theta: FloatArray, successes: FloatArray, trials: FloatArray | None, items: Items) -> _Local:
    """Return score, information and J at each agent's own ability."""
    sigma = scipy.special.expit(theta[:, None] * items.slope + items.intercept)
    c = items.guessing
    p = np.maximum(c + (1.0 - c) * sigma, 1e-300)
    pull = items.slope * sigma / p  # P' / (P Q)
    tried = 1.0 if trials is None else trials
    score = np.sum(pull * (successes - tried * p), axis=1)
    first = items.slope * (1.0 - c) * sigma * (1.0 - sigma)
    info = np.sum(tried * pull * first, axis=1)
    skew = np.sum(tried * pull * first * items.slope * (1.0 - 2.0 * sigma), axis=1)
    return _Local(score, info, skew)


def _mode(
    successes: FloatArray,
    trials: FloatArray | None,
    items: Items,
    table: FloatArray,
    nodes: FloatArray,
    estimator: Estimator,
) -> Abilities:
    """Find each agent's best ability: the best node, then guarded Newton steps around it."""
    if estimator == "map":
        table = table - 0.5 * nodes**2
    elif estimator == "wle":
        table = table + _warm_weight(nodes, trials, items, len(successes))
    best = np.argmax(table, axis=1)
    gap = nodes[1] - nodes[0]
    theta = nodes[best].copy()
    low, high = theta - 2.0 * gap, theta + 2.0 * gap
    if estimator == "wle":  # its table is integrated numerically, and flat curves amplify that error
        low, high = _bracketed(low, high, gap, lambda at: _equation(at, successes, trials, items, "wle")[0])
    for k in range(_NEWTON_STEPS):
        slope, curve = _equation(theta, successes, trials, items, estimator)
        low, high = np.where(slope > 0, theta, low), np.where(slope > 0, high, theta)
        step = theta + slope / np.maximum(curve, 1e-12)
        usable = (step > low) & (step < high) & (k < _TRUSTED_STEPS)
        step = np.where(usable, step, 0.5 * (low + high))
        moved = float(np.max(np.abs(step - theta), initial=0.0))
        theta = step
        if moved < 1e-12:
            break
    local = _local(theta, successes, trials, items)
    extra = 1.0 if estimator == "map" else 0.0
    with np.errstate(divide="ignore"):
        stderr = 1.0 / np.sqrt(local.information + extra)
    if estimator != "map":
        endless = np.sign(theta) * (np.abs(theta) >= LARGEST_ABILITY)
        if estimator == "mle":
            endless = np.where(endless == 0, _endless(successes, trials, items), endless)
        theta = np.select([endless > 0, endless < 0], [np.inf, -np.inf], theta)
        stderr = np.where(endless != 0, np.inf, stderr)
    return Abilities(theta, stderr)


def _bracketed(
    low: FloatArray, high: FloatArray, gap: float, slope: Callable[[FloatArray], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Move the ends outwards until the slope is positive at the lower and negative at the upper one."""
    for _ in range(20):
        early, late = slope(low) <= 0, slope(high) >= 0
        if not (early.any() or late.any()):
            break
        low, high = low - gap * early, high + gap * late
    return low, high


def _equation(
    theta: FloatArray, successes: FloatArray, trials: FloatArray | None, items: Items, estimator: Estimator
) -> tuple[FloatArray, FloatArray]:
    """Return the estimating function and a positive curvature for it."""
    score, info, skew = _local(theta, successes, trials, items)
    if estimator == "map":
        return score - theta, info + 1.0
    if estimator == "wle":
        return score + skew / (2.0 * np.maximum(info, 1e-300)), info
    return score, info


def _warm_weight(nodes: FloatArray, trials: FloatArray | None, items: Items, rows: int) -> FloatArray:
    """Return the log of Warm's weight at each node: the integral of J / (2 I), by the trapezoidal rule."""
    part = curve(nodes, items)
    first = items.slope[:, None] * part.pull * part.p * part.q
    info = items.slope[:, None] * part.pull * first
    skew = info * items.slope[:, None] * (1.0 - 2.0 * part.sigma)
    if trials is None:
        info, skew = info.sum(axis=0)[None, :], skew.sum(axis=0)[None, :]
    else:
        info, skew = trials @ info, trials @ skew
    rate = skew / (2.0 * np.maximum(info, 1e-300))
    steps = 0.5 * (rate[:, 1:] + rate[:, :-1]) * np.diff(nodes)
    weight = np.concatenate([np.zeros((len(rate), 1)), np.cumsum(steps, axis=1)], axis=1)
    return np.broadcast_to(weight, (rows, len(nodes)))


def _endless(successes: FloatArray, trials: FloatArray | None, items: Items) -> FloatArray:
    """Return +1 or -1 where the likelihood keeps rising that way: every answer agrees with its slope's sign."""
    tried = np.ones_like(successes) if trials is None else trials
    target_up = np.where(items.slope > 0, tried, 0.0)
    relevant = items.slope != 0
    up = np.all((successes == target_up)[:, relevant], axis=1)
    down = np.all((successes == tried - target_up)[:, relevant], axis=1)
    sign: FloatArray = up.astype(np.float64) - down.astype(np.float64)
    return sign
