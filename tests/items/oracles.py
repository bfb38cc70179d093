"""Slow, obvious versions of what the kernels compute."""

import numpy as np
from scipy import integrate, stats

from equipoise.items.generality.agent_curves import TIE
from equipoise.items.models.models import Items
from equipoise.items.models.responses import from_counts


def chance(theta, items):
    return items.guessing + (1 - items.guessing) / (1 + np.exp(-(items.slope * theta + items.intercept)))


def row_likelihood(theta, won, tried, items):
    p = chance(theta, items)
    return float(np.prod(p**won * (1 - p) ** (tried - won)))


def marginal(successes, trials, weight, items):
    """Integrate every agent's likelihood over ability with adaptive quadrature."""
    total = 0.0
    for won, tried, w in zip(successes, trials, weight, strict=True):
        value, _ = integrate.quad(
            lambda t, won=won, tried=tried: row_likelihood(t, won, tried, items) * stats.norm.pdf(t),
            -8,
            8,
            points=[-2, 0, 2],
            limit=200,
            epsabs=0,
            epsrel=1e-11,
        )
        total += w * np.log(value)
    return total


def draw_items(rng, n_items, guessing=False):
    slope = rng.uniform(0.4, 2.0, n_items) * np.where(rng.random(n_items) < 0.25, -1, 1)
    c = rng.uniform(0.02, 0.3, n_items) if guessing else np.zeros(n_items)
    return Items(slope, rng.normal(0, 1, n_items), c)


def draw_answers(rng, items, n_agents, trials=1, missing=0.0):
    """Draw answers; return (Responses, successes, trials, abilities)."""
    theta = rng.normal(size=n_agents)
    p = items.guessing + (1 - items.guessing) / (1 + np.exp(-(np.outer(theta, items.slope) + items.intercept)))
    tried = np.full(p.shape, float(trials))
    tried[rng.random(p.shape) < missing] = 0.0
    won = rng.binomial(tried.astype(int), p).astype(float)
    return from_counts(won, tried), won, tried, theta


def difficulty_bins(difficulty, bins):
    """Return each item's bin, easiest first, bins of equal count as nearly as possible."""
    order = np.argsort(difficulty, kind="stable")
    out = np.empty(len(difficulty), dtype=np.intp)
    for k, part in enumerate(np.array_split(order, bins)):
        out[part] = k
    return out


def bin_shares(difficulty, bins):
    """Return the share of each item (rows) in each bin (columns): items of one difficulty share their bins equally."""
    order = np.argsort(difficulty, kind="stable")
    new = np.diff(difficulty[order], prepend=-np.inf) > TIE * (1.0 + np.abs(difficulty[order]))
    tie = np.empty(len(order), dtype=np.intp)
    tie[order] = np.cumsum(new) - 1
    place = np.zeros((tie.max() + 1, bins))
    np.add.at(place, (tie, difficulty_bins(difficulty, bins)), 1.0)
    return np.asarray((place / place.sum(axis=1, keepdims=True))[tie])
