"""Do the curves fit? S-X2 for items, mean squares for items and agents.

- **S-X2** compares, in each group of agents with the same number of right answers, how many solved the
  item with how many should have. The expected share needs the distribution of the score on the other
  items, which the Lord-Wingersky recursion gives once for the whole test; one item is then divided out.
- **Infit and outfit** are mean squared residuals with and without information weights: near 1 when the
  model holds, above 1 when answers are noisier than it allows.
- **z** of an agent is its standardised log-likelihood: far below 0, the answers do not follow difficulty.

Reference: Orlando & Thissen (2000), Applied Psychological Measurement 24; Drasgow, Levine & Williams (1985).
"""

from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.items.marginal.quadrature import uniform_grid
from equipoise.items.models.models import Items, probability
from equipoise.items.models.responses import Responses

_LEAST_EXPECTED = 1.0
#: Numbers kept for each cell, generously: fewer agents at a time then stay in the processor's cache.
_NUMBERS = 20
#: Beyond this many items S-X2 is left out (its score groups grow with the test).
MOST_ITEMS = 500


class ItemFit(NamedTuple):
    """S-X2 with degrees of freedom and p-value (NaN where it cannot be had), infit and outfit."""

    s_x2: FloatArray
    df: FloatArray
    p_value: FloatArray
    infit: FloatArray
    outfit: FloatArray


class AgentFit(NamedTuple):
    """Infit, outfit and standardised log-likelihood of each agent."""

    infit: FloatArray
    outfit: FloatArray
    z: FloatArray


def score_distribution(p: FloatArray) -> FloatArray:
    """Return P(number right = s | node), scores in rows, from P(right) of items x nodes (Lord-Wingersky)."""
    n_items, nodes = p.shape
    out = np.zeros((n_items + 1, nodes))
    out[0] = 1.0
    for k, right in enumerate(p):
        out[1 : k + 2] = out[1 : k + 2] * (1.0 - right) + out[: k + 1] * right
        out[0] *= 1.0 - right
    return out


def expected_by_score(items: Items, points: int = 49) -> FloatArray:
    """Return P(item right | number right) for number right 0..I, scores in rows.

    Each item is divided out of the whole distribution, ``whole = (1 - p + p z) rest``: upwards from score 0 where
    p < 1/2 and downwards from the top elsewhere, the direction in which rounding errors shrink.
    """
    grid = uniform_grid(6.0, points)
    p = probability(grid.nodes, items)
    weight = np.exp(grid.log_weights)
    whole = score_distribution(p)
    n_items = len(p)
    low = p < 0.5
    small, large = np.minimum(p, 0.5), np.maximum(p, 0.5)
    # Upwards in the first layer, downwards in the second, both already times p and the node's weight.
    use = np.stack([np.where(low, p * weight, 0.0) / (1.0 - small), np.where(low, 0.0, p * weight) / large])
    odds = np.stack([small / (1.0 - small), (1.0 - large) / large])
    sides = np.stack([whole[:n_items], whole[:0:-1]], axis=1)[:, :, None, :]
    rest, back = np.zeros_like(use), np.empty_like(use)
    sums = np.empty((n_items, 2, n_items))
    for s in range(n_items):
        np.multiply(odds, rest, out=back)
        np.multiply(use, sides[s], out=rest)
        rest -= back
        np.maximum(rest, 0.0, out=rest)
        np.sum(rest, axis=2, out=sums[s])
    out = np.zeros((n_items + 1, n_items))
    out[1:] = sums[:, 0] + sums[::-1, 1]
    return out / np.maximum(whole @ weight, 1e-300)[:, None]


def s_x2(responses: Responses, items: Items, free: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return S-X2, degrees of freedom and p-values; NaN where there are too few agents to form groups.

    Agents with a missing answer or several trials in a cell have no comparable number right and are left out.
    """
    n_items = responses.shape[1]
    nothing = np.full(n_items, np.nan)
    if n_items > MOST_ITEMS or n_items < 2:
        return nothing, nothing.copy(), nothing.copy()
    table, weight = responses.successes.astype(np.float64), responses.weight
    if responses.trials is not None:
        whole = np.all(responses.trials == 1, axis=1)
        table, weight = table[whole], weight[whole]
    score = table.sum(axis=1).astype(np.int64)
    members = np.bincount(score, weights=weight, minlength=n_items + 1).astype(np.float64)
    right = np.zeros((n_items + 1, n_items))
    order = np.argsort(score, kind="stable")
    seen, first = np.unique(score[order], return_index=True)
    if len(seen):
        right[seen] = np.add.reduceat((table * weight[:, None])[order], first, axis=0)
    expected = expected_by_score(items)
    return _chi_squares(members, right, expected, free)


def _chi_squares(
    members: FloatArray, right: FloatArray, share: FloatArray, free: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return statistic, df and p over score groups, neighbours merged until each expects enough of both answers.

    All items at once, score by score; what is left over at the end joins an item's last group.
    """
    n_items = right.shape[1]
    expected = members[1:-1, None] * share[1:-1]
    unexpected = members[1:-1, None] - expected
    full = np.empty(expected.shape, dtype=bool)
    now, other = np.zeros(n_items), np.zeros(n_items)
    for e, u, ends in zip(expected, unexpected, full, strict=True):
        now += e
        other += u
        np.greater_equal(np.minimum(now, other), _LEAST_EXPECTED, out=ends)
        now[ends] = 0.0
        other[ends] = 0.0
    groups = full.sum(axis=0)
    group = np.minimum(np.cumsum(full, axis=0) - full, np.maximum(groups - 1, 0))
    place = (group + np.arange(n_items) * len(full)).ravel()
    cells = (np.broadcast_to(members[1:-1, None], full.shape), right[1:-1], expected)
    sums = [np.bincount(place, each.ravel(), minlength=full.size) for each in cells]
    value = _contribution(np.stack(sums)).reshape(n_items, -1).sum(axis=1)
    df = (groups - free).astype(np.float64)
    enough = df >= 1
    p_value = scipy.special.chdtrc(np.where(enough, df, 1.0), np.maximum(value, 0.0))
    return np.where(enough, value, np.nan), np.where(enough, df, np.nan), np.where(enough, p_value, np.nan)


def _contribution(group: FloatArray) -> FloatArray:
    """Return (observed - expected)^2 / variance of groups given as (members, right, expected right)."""
    n, r, e = group
    spread = e * (1.0 - e / np.where(n > 0, n, 1.0))
    return np.where(spread > 0, (r - e) ** 2 / np.where(spread > 0, spread, 1.0), 0.0)


def mean_squares(responses: Responses, items: Items, ability: FloatArray) -> tuple[FloatArray, FloatArray, AgentFit]:
    """Return item infit and outfit, and the agents' fit, at the given abilities."""
    rows, columns = responses.shape
    agent = AgentFit(np.empty(rows), np.empty(rows), np.empty(rows))
    item = np.zeros((4, columns))
    for part, successes, trials in responses.chunks(_NUMBERS * columns):
        z = np.multiply.outer(ability[part], items.slope)
        z += items.intercept
        p = scipy.special.expit(z)
        if items.guessing.any():
            p = items.guessing + (1.0 - items.guessing) * p
        np.clip(p, 1e-12, 1.0 - 1e-12, out=p)
        log_odds = np.log(p) - np.log1p(-p) if items.guessing.any() else np.clip(z, -27.6, 27.6, out=z)
        spread, residual = p * (1.0 - p), successes - (p if trials is None else trials * p)
        if trials is not None:
            spread *= trials
        surprise = np.einsum("ji,ji->j", residual, log_odds)
        residual *= residual
        if trials is None:
            standard, count = residual / spread, np.full(len(p), float(columns))
        else:
            seen = trials > 0
            standard, count = np.where(seen, residual / np.where(seen, spread, 1.0), 0.0), seen.sum(axis=1)
        weight = responses.weight[part]
        item[:3] += weight @ residual, weight @ spread, weight @ standard
        item[3] += weight.sum() if trials is None else weight @ seen
        agent.infit[part] = residual.sum(axis=1) / spread.sum(axis=1)
        agent.outfit[part] = standard.sum(axis=1) / count
        spread *= log_odds
        agent.z[part] = surprise / np.sqrt(np.einsum("ji,ji->j", spread, log_odds))
    return item[0] / item[1], item[2] / item[3], agent


def adjusted(p_values: FloatArray) -> FloatArray:
    """Return p-values adjusted for the number of items (Benjamini-Hochberg); NaN stays NaN."""
    out = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    if not len(known):
        return out
    order = known[np.argsort(p_values[known])]
    steps = p_values[order] * len(order) / np.arange(1, len(order) + 1)
    out[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return out
