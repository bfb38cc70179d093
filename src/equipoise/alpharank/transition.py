r"""Transition rates of the alpha-Rank chain, in the log domain.

A population at profile ``s`` tries each deviation with probability :math:`\eta`; a mutant that gains ``d`` takes the
population over with the fixation probability

.. math:: \rho(d) = \frac{1 - e^{-\alpha d}}{1 - e^{-\alpha m d}}, \qquad \rho(0) = 1/m.

The common factor :math:`\eta` does not move the stationary distribution, so rates here leave it out.
"""

import numpy as np

from equipoise.core.options import check_options, number, whole
from equipoise.core.results import FloatArray


def log_fixation(gaps: FloatArray, alpha: float, m: int) -> FloatArray:
    r"""Natural log of the fixation probability, finite for every finite ``alpha`` and gap.

    For a loss ``d < 0``, :math:`\rho(d) = e^{\alpha (m - 1) d} \rho(-d)`; only non-positive numbers are exponentiated.
    """
    x = alpha * np.asarray(gaps, dtype=float)
    size = np.abs(x)
    flat = m * size < 1e-300
    safe = np.where(flat, 1.0, size)
    value = _log1mexp(safe) - _log1mexp(m * safe) + (m - 1) * np.minimum(x, 0.0)
    return np.asarray(np.where(flat, -np.log(m), value))


def fixation(gaps: FloatArray, alpha: float, m: int) -> FloatArray:
    """Fixation probability itself, where ``alpha m`` times the largest gap is at most 700: beyond, numbers overflow."""
    rates = np.empty(gaps.shape)
    with np.errstate(invalid="ignore"):
        for gap, rate in zip(gaps, rates, strict=True):  # row by row, so that what is computed stays in the cache
            x = -alpha * gap
            np.divide(np.expm1(x), np.expm1(m * x), out=rate)
            rate[x == 0.0] = 1.0 / m
    return rates


def _log1mexp(x: FloatArray) -> FloatArray:
    """log(1 - exp(-x)) for x > 0, accurate at both ends."""
    return np.where(x < np.log(2.0), np.log(-np.expm1(-np.minimum(x, 1.0))), np.log1p(-np.exp(-np.maximum(x, 0.5))))


def log_fixation_global(payoffs: FloatArray, alpha: float, m: int) -> FloatArray:
    r"""Log fixation probability of each column strategy in a population of the row strategy, under global selection.

    Fitness counts encounters within the mixed population instead of the two strategies' meeting alone: with p mutants r
    among m, :math:`f_r = ((p - 1) M_{rr} + (m - p) M_{rs}) / (m - 1)` and likewise for the residents s, and

    .. math:: \rho = \Big(1 + \sum_{l=1}^{m-1} \prod_{p=1}^{l} e^{-\alpha (f_r(p) - f_s(m - p))}\Big)^{-1}.
    """
    own = np.diag(payoffs)
    resident, mutant = own[:, None], own[None, :]
    length = np.arange(1.0, m)[:, None, None]
    # The exponent is linear in p, so its sum over p = 1..l has a closed form.
    constant = m * payoffs.T - mutant - (m - 1) * resident
    slope = mutant - payoffs.T + resident - payoffs
    total = -alpha / (m - 1) * (length * constant + length * (length + 1) / 2 * slope)
    return np.asarray(-np.logaddexp(0.0, np.logaddexp.reduce(total, axis=0)))


def fixation_probability(gap: float | FloatArray, *, alpha: float, m: int = 50) -> FloatArray:
    """Probability that one mutant whose payoff is higher by ``gap`` takes over a population of ``m``.

    Examples
    --------
    >>> fixation_probability(0.0, alpha=1.0, m=50).item()
    0.02
    >>> round(fixation_probability(0.5, alpha=1.0, m=50).item(), 4)
    0.3935
    """
    check_options({"alpha": number(0.0), "m": whole(1)}, {"alpha": alpha, "m": m})
    gaps = np.asarray(gap, dtype=float)
    return limit_rates(gaps, m) if np.isinf(alpha) else np.exp(log_fixation(gaps, alpha, m))


def limit_rates(gaps: FloatArray, m: int) -> FloatArray:
    """Rates at infinite alpha: 1 to the better, 1/m on a tie, 0 to the worse."""
    return np.where(gaps > 0.0, 1.0, np.where(gaps == 0.0, 1.0 / m, 0.0))


def perturbed_rates(gaps: FloatArray, epsilon: float) -> FloatArray:
    """Rates at infinite alpha with mistakes: 1 - e to the better, 1/2 on a tie, e to the worse."""
    return np.where(gaps > 0.0, 1.0 - epsilon, np.where(gaps == 0.0, 0.5, epsilon))
