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


def expected_by_score(items: Items, points: int = 49) -> FloatArray:
    """Return P(item right | number right) for number right 0..I, scores in rows.

    Each item is divided out of the whole distribution, ``whole = (1 - p + p z) rest``: upwards from score 0 where
    p < 1/2 and downwards from the top elsewhere, the direction in which rounding errors shrink.
    """
    grid = uniform_grid(6.0, points)
    p = probability(grid.nodes, items)
    weight = np.exp(grid.log_weights)
    whole = score_distribution(p)
    low = p < 0.5
    small, large = np.minimum(p, 0.5), np.maximum(p, 0.5)
    scale_up, scale_down = 1.0 / (1.0 - small), 1.0 / large
    odds_up, odds_down = small * scale_up, (1.0 - large) * scale_down
    use_up, use_down = np.where(low, p * weight, 0.0), np.where(low, 0.0, p * weight)
    n_items = len(p)
    out = np.zeros((n_items + 1, n_items))
    up, down = np.zeros_like(p), np.zeros_like(p)
    for s in range(n_items):
        up = np.maximum(whole[s] * scale_up - odds_up * up, 0.0)
        down = np.maximum(whole[n_items - s] * scale_down - odds_down * down, 0.0)
        out[s + 1] += np.einsum("iq,iq->i", up, use_up)
        out[n_items - s] += np.einsum("iq,iq->i", down, use_down)
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
    np.add.at(right, score, table * weight[:, None])
    expected = expected_by_score(items)
    return _chi_squares(members, right, expected, free)


def _chi_squares(
    members: FloatArray, right: FloatArray, share: FloatArray, free: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return statistic, df and p over score groups, neighbours merged until each expects enough of both answers.

    All items at once, score by score; what is left over at the end joins an item's last group.
    """
    n_items = right.shape[1]
    now, last = np.zeros((3, n_items)), np.zeros((3, n_items))
    value, groups = np.zeros(n_items), np.zeros(n_items)
    for n, r, p in zip(members[1:-1], right[1:-1], share[1:-1], strict=True):
        now += np.stack([np.full(n_items, n), r, n * p])
        full = np.minimum(now[2], now[0] - now[2]) >= _LEAST_EXPECTED
        value[full] += _contribution(last[:, full])
        last[:, full] = now[:, full]
        now[:, full] = 0.0
        groups += full
    value += _contribution(last + now)
    df = groups - free
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
    for part, successes, trials in responses.chunks(columns):
        z = np.multiply.outer(ability[part], items.slope) + items.intercept
        p = np.clip(items.guessing + (1.0 - items.guessing) * scipy.special.expit(z), 1e-12, 1.0 - 1e-12)
        tried = np.ones_like(p) if trials is None else trials
        spread = p * (1.0 - p)
        residual = (successes - tried * p) ** 2
        seen = tried > 0
        standard = np.where(seen, residual / np.where(seen, tried * spread, 1.0), 0.0)
        weight = responses.weight[part]
        item += np.stack([weight @ residual, weight @ (tried * spread), weight @ standard, weight @ seen])
        agent.infit[part] = residual.sum(axis=1) / (tried * spread).sum(axis=1)
        agent.outfit[part] = standard.sum(axis=1) / seen.sum(axis=1)
        log_odds = np.log(p) - np.log1p(-p) if items.guessing.any() else np.clip(z, -27.6, 27.6)
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
