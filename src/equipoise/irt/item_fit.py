"""Do the curves fit? S-X2 for items, mean squares for items and agents.

- **S-X2** compares, in each group of agents with the same number of right answers, how many solved the
  item with how many should have. The expected share needs the distribution of the score on the other
  items, which the Lord-Wingersky recursion gives once for the whole test; one item is then divided out.
- **Infit and outfit** are mean squared residuals with and without information weights: near 1 when the
  model holds, above 1 when answers are noisier than it allows.
- **z** of an agent is its standardised log-likelihood: far below 0, the answers do not follow difficulty.

Reference: Orlando & Thissen (2000), Applied Psychological Measurement 24; Drasgow, Levine & Williams (1985).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from equipoise.irt.models import Items, probability
from equipoise.irt.quadrature import uniform_grid
from equipoise.results import FloatArray

if TYPE_CHECKING:
    from equipoise.irt.responses import Responses

_LEAST_EXPECTED = 1.0
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


def rest_distribution(whole: FloatArray, p: FloatArray) -> FloatArray:
    """Divide each item out of the score distribution: (score, item, node) for the other items.

    ``whole = (1 - p + p z) rest`` is solved upwards where p < 1/2 and downwards elsewhere, the direction
    in which rounding errors shrink.
    """
    n_items = p.shape[0]
    up = np.empty((n_items, *p.shape))
    down = np.empty_like(up)
    odds_up = np.where(p < 0.5, p / (1.0 - np.minimum(p, 0.5)), 0.0)
    odds_down = np.where(p >= 0.5, (1.0 - p) / np.maximum(p, 0.5), 0.0)
    scale_up, scale_down = 1.0 / (1.0 - np.minimum(p, 0.5)), 1.0 / np.maximum(p, 0.5)
    up[0] = whole[0] * scale_up
    down[n_items - 1] = whole[n_items] * scale_down
    for s in range(1, n_items):
        up[s] = whole[s] * scale_up - odds_up * up[s - 1]
        down[n_items - 1 - s] = whole[n_items - s] * scale_down - odds_down * down[n_items - s]
    return np.maximum(np.where(p < 0.5, up, down), 0.0)


def expected_by_score(items: Items, points: int = 49) -> FloatArray:
    """Return P(item right | number right) for number right 0..I, scores in rows."""
    grid = uniform_grid(6.0, points)
    p = probability(grid.nodes, items)
    weight = np.exp(grid.log_weights)
    whole = score_distribution(p)
    n_items = len(items.slope)
    numerator = np.zeros((n_items + 1, n_items))
    numerator[1:] = np.einsum("siq,iq->si", rest_distribution(whole, p), p * weight)
    total = whole @ weight
    return numerator / np.maximum(total, 1e-300)[:, None]


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
    np.add.at(right, score, table * weight[:, None])
    expected = expected_by_score(items)
    out = np.array([_chi_square(members, right[:, i], expected[:, i], free) for i in range(n_items)])
    return out[:, 0], out[:, 1], out[:, 2]


def _chi_square(members: FloatArray, right: FloatArray, share: FloatArray, free: int) -> tuple[float, float, float]:
    """Return the statistic over score groups, neighbours merged until each expects enough of both answers."""
    groups: list[list[float]] = []
    now = [0.0, 0.0, 0.0]
    for n, r, p in zip(members[1:-1], right[1:-1], share[1:-1], strict=True):
        now = [now[0] + n, now[1] + r, now[2] + n * p]
        if min(now[2], now[0] - now[2]) >= _LEAST_EXPECTED:
            groups.append(now)
            now = [0.0, 0.0, 0.0]
    if now[0] > 0 and groups:
        groups[-1] = [a + b for a, b in zip(groups[-1], now, strict=True)]
    df = len(groups) - free
    if df < 1:
        return np.nan, np.nan, np.nan
    value = sum((r - e) ** 2 / (e * (1.0 - e / n)) for n, r, e in groups)
    return float(value), float(df), float(scipy.special.chdtrc(df, value))


def mean_squares(responses: Responses, items: Items, ability: FloatArray) -> tuple[FloatArray, FloatArray, AgentFit]:
    """Return item infit and outfit, and the agents' fit, at the given abilities."""
    rows, columns = responses.shape
    agent = AgentFit(np.empty(rows), np.empty(rows), np.empty(rows))
    item = np.zeros((4, columns))
    for part, successes, trials in responses.chunks(columns):
        p = np.clip(probability(ability[part], items).T, 1e-12, 1.0 - 1e-12)
        tried = np.ones_like(p) if trials is None else trials
        spread = p * (1.0 - p)
        residual = (successes - tried * p) ** 2
        seen = tried > 0
        standard = np.where(seen, residual / np.where(seen, tried * spread, 1.0), 0.0)
        weight = responses.weight[part]
        item += np.stack([weight @ residual, weight @ (tried * spread), weight @ standard, weight @ seen])
        agent.infit[part] = residual.sum(axis=1) / (tried * spread).sum(axis=1)
        agent.outfit[part] = standard.sum(axis=1) / seen.sum(axis=1)
        log_odds = np.log(p) - np.log1p(-p)
        surprise = ((successes - tried * p) * log_odds).sum(axis=1)
        agent.z[part] = surprise / np.sqrt((tried * spread * log_odds**2).sum(axis=1))
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
