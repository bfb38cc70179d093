r"""Least and greatest stationary mass over all response graphs that payoff bounds allow.

The mass of profile ``s`` is one over its mean return time. With :math:`h(u)` the mean time to hit ``s`` from ``u``,

.. math:: \sum_v q_{uv} (h(v) - h(u)) = -1, \qquad \pi(s) = \Big(1 + \sum_v q_{sv} h(v)\Big)^{-1},

where every rate :math:`q_{uv}` may be chosen between its bounds. Choosing at each profile on its own is enough
(Rowland et al. 2019, theorem 5.1): what is best at one end of an edge is consistent with what is best at the other.
That leaves a stochastic shortest path problem, solved by policy iteration; the choice splits into one sign test for
each edge.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.core.errors import ConvergenceError
from equipoise.core.results import FloatArray

BoolArray = NDArray[np.bool_]
_MOST_SWEEPS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class RateBounds:
    """Least and greatest rate of every deviation, as full (S, S) matrices with an empty diagonal."""

    least: FloatArray
    greatest: FloatArray


def rate_bounds(least_gap: FloatArray, greatest_gap: FloatArray, worse: float, tie: float, better: float) -> RateBounds:
    """Rates allowed by bounds on gains, given the rate towards a worse, an equal and a better profile.

    The arguments are full matrices with NaN where there is no edge.
    """
    return RateBounds(_rate(least_gap, worse, tie, better), _rate(greatest_gap, worse, tie, better))


def _rate(gap: FloatArray, worse: float, tie: float, better: float) -> FloatArray:
    rate = np.where(gap > 0.0, better, np.where(gap == 0.0, tie, worse))
    return np.where(np.isnan(gap), 0.0, rate)


def reaching(edges: BoolArray, target: BoolArray) -> BoolArray:
    """Profiles with a path to the target along the edges (the target included)."""
    reached = target.copy()
    fresh = reached
    while fresh.any():
        fresh = edges[:, fresh].any(axis=1) & ~reached
        reached = reached | fresh
    return reached


def can_leave_for_good(bounds: RateBounds, s: int) -> bool:
    """Whether some allowed response graph puts ``s`` outside every Markov-Conley chain (appendix G.1).

    That is so exactly when ``s`` has a possible path to a profile from which no certain path leads back to ``s``.
    """
    home = np.zeros(bounds.least.shape[0], dtype=bool)
    home[s] = True
    ancestors = reaching(bounds.least > 0.0, home)
    return bool(reaching(bounds.greatest > 0.0, ~ancestors)[s])


def surely_hitting(bounds: RateBounds, s: int) -> BoolArray:
    """Profiles from which some choice of edges leads to ``s`` with probability one."""
    home = np.zeros(bounds.least.shape[0], dtype=bool)
    home[s] = True
    inside = np.ones_like(home)
    while True:
        safe = inside & ~(bounds.least[:, ~inside] > 0.0).any(axis=1)
        edges = (bounds.greatest > 0.0) & safe[:, None] & safe[None, :]
        smaller = reaching(edges, home & safe)
        if np.array_equal(smaller, inside):
            return inside
        inside = smaller


def greatest_mass(bounds: RateBounds, s: int) -> tuple[float, FloatArray | None]:
    """Greatest mass of ``s`` within its chain, and rates that attain it (None where ``s`` is never in a chain)."""
    inside = surely_hitting(bounds, s)
    if not inside[s]:
        return 0.0, None
    rates = np.where(inside[None, :], bounds.greatest, bounds.least)
    distance = _distances(rates > 0.0, inside, s)
    toward = distance[None, :] < distance[:, None]
    rates = np.where(toward & inside[None, :], bounds.greatest, bounds.least)
    return _iterate(bounds, rates, s, inside, sign=1.0)


def least_mass(bounds: RateBounds, s: int) -> tuple[float, FloatArray | None]:
    """Least mass of ``s`` within its chain, and rates that attain it (None where it can be left out of all chains)."""
    if can_leave_for_good(bounds, s):
        return 0.0, None
    home = np.zeros(bounds.least.shape[0], dtype=bool)
    home[s] = True
    inside = reaching((bounds.greatest > 0.0).T, home)
    return _iterate(bounds, bounds.least.copy(), s, inside, sign=-1.0)


def _distances(edges: BoolArray, inside: BoolArray, s: int) -> FloatArray:
    distance = np.full(inside.size, np.inf)
    front = np.zeros(inside.size, dtype=bool)
    front[s] = True
    depth = 0.0
    while front.any():
        distance[front] = depth
        front = edges[:, front].any(axis=1) & inside & np.isinf(distance)
        depth += 1.0
    return distance


def _iterate(bounds: RateBounds, rates: FloatArray, s: int, inside: BoolArray, sign: float) -> tuple[float, FloatArray]:
    """Policy iteration among the profiles inside; sign +1 minimises hitting times, -1 maximises them."""
    members = np.flatnonzero(inside)
    low, high = bounds.least[np.ix_(members, members)], bounds.greatest[np.ix_(members, members)]
    q = rates[np.ix_(members, members)]
    home = int(np.searchsorted(members, s))
    for _ in range(_MOST_SWEEPS):
        time = hitting_times(q, home)
        gain = sign * (time[:, None] - time[None, :])
        # A difference at the level of rounding keeps the present choice: it decides nothing and could cycle.
        clear = np.abs(gain) > 1e-12 * np.maximum(time[:, None], time[None, :])
        better = np.where(clear, np.where(gain > 0.0, high, low), q)
        better[home] = low[home] if sign > 0.0 else high[home]
        if np.array_equal(better, q):
            full = rates.copy()
            full[np.ix_(members, members)] = q
            return float(1.0 / (1.0 + q[home] @ time)), full
        q = better
    raise ConvergenceError(f"policy iteration for profile {s} did not settle in {_MOST_SWEEPS} sweeps")


def hitting_times(rates: FloatArray, s: int) -> FloatArray:
    """Mean time to hit state ``s`` from each state (0 from ``s``), by elimination without subtraction.

    Solves sum_v q_uv (h_u - h_v) = 1 for u other than s. Rows may have a zero way out only at ``s``.
    """
    from equipoise.alpharank._elimination import times_to_first

    order = np.concatenate([[s], np.delete(np.arange(rates.shape[0]), s)])
    result = np.empty(order.size)
    result[order] = times_to_first(rates[np.ix_(order, order)])
    return result
