r"""Stationary distributions by elimination without subtraction (Grassmann, Taksar and Heyman 1985).

Removing state ``j`` adds :math:`q_{ij} q_{jk} / \sum_{k<j} q_{jk}` to every other rate. Nothing is subtracted, so each
mass has nearly full relative precision, however slowly the chain mixes. Rates inside the range of a double go
through a blocked version that spends its time in matrix products; wider ranges go through numbers with their own
exponent.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.errors import ConvergenceError
from equipoise.core.results import FloatArray
from equipoise.inference.threads import one_thread

_BLOCK = 64
# Entries that iterations may touch: beyond that, elimination is the quicker way.
_WORK = 2e9
# First steps of an iteration, in which nothing stays where it is.
_QUICK = 20


class ReducibleChainError(ConvergenceError):
    """Some state cannot reach the others: the stationary distribution is not unique."""


def stationary_gth(rates: FloatArray) -> FloatArray:
    """Stationary distribution of an irreducible chain with the given off-diagonal rates (the diagonal is ignored)."""
    from equipoise.alpharank._elimination import masses_of

    q = np.array(rates, dtype=float, order="C")
    exits = np.ones(q.shape[0])
    with one_thread(q.shape[0]):
        _eliminate(q, exits, 0, q.shape[0])
    mass = masses_of(q, exits)
    return np.asarray(mass / mass.sum())


def _eliminate(q: FloatArray, exits: FloatArray, start: int, end: int) -> None:
    """Remove the states of a range, but for state 0, from their own rows; halves are joined by matrix products."""
    from equipoise.alpharank._elimination import eliminate_block

    if end - start > _BLOCK:
        middle = (start + end) // 2
        _eliminate(q, exits, middle, end)
        _push_through(q, slice(start, middle), middle, end)
        _eliminate(q, exits, start, middle)
        return
    stuck = int(eliminate_block(q, exits, start, end))
    if stuck >= 0:
        raise ReducibleChainError(f"state {stuck} of the chain has no way to the states before it")


def _push_through(q: FloatArray, rows: slice, start: int, end: int) -> None:
    """Apply the removal of states start, ..., end-1 to other rows.

    With L the (strictly lower) jump probabilities among the removed states, the rates into them become X in
    X (I - L) = Q; I - L has no positive entry off its diagonal, so the substitution only adds.
    """
    jumps = np.eye(end - start) - np.tril(q[start:end, start:end], -1)
    rates = scipy.linalg.solve_triangular(
        jumps, q[rows, start:end].T, trans="T", lower=True, unit_diagonal=True, check_finite=False
    ).T
    q[rows, start:end] = rates
    q[rows, :start] += rates @ q[start:end, :start]


def stationary_iterated(rates: "scipy.sparse.csr_array | FloatArray", steps: int = 1500) -> FloatArray | None:
    """Stationary distribution by iteration from several far-apart starts, or None unless all of them agree.

    A chain with a bottleneck leaves mass where it started for a long time: starts that disagree reveal it, where a
    small residual would not.
    """
    n = rates.shape[0]
    entries = rates.size if isinstance(rates, np.ndarray) else rates.nnz
    steps = min(steps, max(60, int(_WORK / max(entries, 1))))
    exits = rates.sum(axis=1)
    if not np.all(exits > 0.0):
        return None
    mass = np.full((4, n), 1.0 / n)
    mass[1:] = 0.0
    mass[[1, 2, 3], [int(exits.argmin()), int(exits.argmax()), n // 2]] = 1.0
    for count in range(1, steps + 1):
        moved = (mass / exits) @ rates
        quick = count <= _QUICK  # chains that forget their start at once need no more; the others may be periodic
        mass = moved if quick else 0.25 * mass + 0.75 * moved  # the lazy part rules that out
        if count % (4 if quick else 20) == 0:
            average = mass.mean(axis=0)
            if np.all(np.abs(mass - average) <= 1e-13 * average + 1e-17):
                return np.asarray((average / exits) / np.sum(average / exits))
    return None


def stationary_wide(log2_rates: FloatArray, orders: NDArray[np.int64] | None = None) -> FloatArray:
    """Stationary distribution from base-2 logarithms of the rates, of any size.

    Parameters
    ----------
    log2_rates : (S, S) float array
        ``-inf`` where there is no transition; the diagonal is ignored.
    orders : (S, S) int array, optional
        Power of a vanishing perturbation in each rate: the limit at perturbation zero is returned, with
        the weight that each recurrent class keeps.
    """
    from equipoise.alpharank._elimination import wide_back, wide_gth

    present = np.isfinite(log2_rates)
    finite = np.where(present, log2_rates, 0.0)
    whole = np.floor(finite)
    mantissa = np.where(present, np.exp2(finite - whole) * 0.5, 0.0)
    exponent = whole.astype(np.int64) + 1
    if orders is not None:
        exponent -= orders.astype(np.int64) << 40  # epsilon = 2**-(2**40): its powers never meet
    stuck = int(wide_gth(mantissa, exponent))
    if stuck >= 0:
        raise ReducibleChainError(f"state {stuck} of the chain has no way to the states before it")
    mass, power = wide_back(mantissa, exponent)
    top = power[mass > 0.0].max()
    values = np.ldexp(mass, np.maximum(power - top, -4000).astype(np.int32))
    return np.asarray(values / values.sum())
