"""Slow, obvious versions of what `equipoise.nash` computes fast."""

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def equilibrium_polytope(payoff: Floats) -> tuple[Floats, Floats]:
    """The reachable maximum of each mass over all optimal strategies of the rows, and their average.

    One pair of linear programmes for the value, then one per strategy: ``payoff.T @ x >= value``.
    """
    rows, columns = payoff.shape
    value = row_value(payoff)
    points = [_linear(-unit, A_ub=-payoff.T, b_ub=np.full(columns, 1e-11 - value), size=rows) for unit in np.eye(rows)]
    return np.array([point[i] for i, point in enumerate(points)]), np.mean(points, axis=0)


def row_value(payoff: Floats) -> float:
    """The value of the game for the maximising rows."""
    rows, columns = payoff.shape
    cost = np.append(np.zeros(rows), -1.0)
    found = scipy.optimize.linprog(
        cost,
        A_ub=np.hstack([-payoff.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return float(found.x[-1])


def _linear(cost: Floats, *, A_ub: Floats, b_ub: Floats, size: int) -> Floats:
    found = scipy.optimize.linprog(cost, A_ub=A_ub, b_ub=b_ub, A_eq=np.ones((1, size)), b_eq=[1.0])
    assert found.status == 0, found.message
    return np.asarray(found.x)


def most_even_rows(payoff: Floats) -> Floats:
    """The optimal strategy of greatest entropy, by its dual on the reachable support.

    Maximum entropy under ``gain.T @ x >= 0`` is an exponential family ``x ~ exp(gain @ price)`` with
    ``price >= 0`` minimising its log-normaliser: a smooth convex problem with bounds only.
    """
    reachable, _ = equilibrium_polytope(payoff)
    inside = np.flatnonzero(reachable > 1e-7)
    gain = payoff[inside] - row_value(payoff)

    def normaliser(price: Floats) -> tuple[float, Floats]:
        return float(scipy.special.logsumexp(gain @ price)), gain.T @ scipy.special.softmax(gain @ price)

    found = scipy.optimize.minimize(
        normaliser,
        np.zeros(gain.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * gain.shape[1],
        options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 20000, "maxfun": 100000},
    )
    answer = np.zeros(len(payoff))
    answer[inside] = scipy.special.softmax(gain @ found.x)
    return answer


def entropy(p: Floats) -> float:
    """Natural-log entropy, with 0 log 0 = 0."""
    positive = p[p > 0.0]
    return float(-(positive @ np.log(positive)))
