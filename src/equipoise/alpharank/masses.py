"""Stationary masses at any selection strength, by the way that is exact and quick enough there."""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.alpharank.deviations import Deviations
from equipoise.alpharank.limit import LARGEST_DENSE, chain_mass, iterated_mass, limit_mass, perturbation_limit
from equipoise.alpharank.stationary import stationary_wide
from equipoise.alpharank.transition import fixation, log_fixation, log_fixation_global, perturbed_rates
from equipoise.core.errors import ParameterError
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option

Kind = Literal["finite alpha", "one sink component", "perturbation limit", "perturbed", "undefined"]
"""What masses are."""
LARGEST_EXPONENT = 1e14
"""Largest alpha m d; sums of 12,000 such exponents fit 64 bits."""
ITERATE_FIRST = 300
"""Above this many profiles, rates beyond doubles are iterated first: eliminating wide numbers takes seconds there."""


def masses(
    moves: Deviations,
    chains: list[NDArray[np.intp]],
    alpha: float,
    m: int,
    perturbation: float | Literal["auto", "limit"] = "auto",
) -> tuple[FloatArray, Kind]:
    """Masses of all profiles under local selection, and what they are."""
    if math.isfinite(alpha):
        return _finite(moves, alpha, m), "finite alpha"
    everything = np.arange(moves.profiles)
    if not isinstance(perturbation, str):
        return chain_mass(moves, perturbed_rates(moves.gaps, perturbation), everything), "perturbed"
    if len(chains) == 1 and perturbation == "auto":
        return limit_mass(moves, m, chains), "one sink component"
    return perturbation_limit(moves, chains), "perturbation limit"


def _finite(moves: Deviations, alpha: float, m: int) -> FloatArray:
    largest = max(float(moves.gaps.max()), -float(moves.gaps.min()))
    alpha = _within_exponents(alpha, m, largest)
    if alpha * m * largest + math.log(m) <= -_least_log_rate(moves):
        return chain_mass(moves, fixation(moves.gaps, alpha, m), np.arange(moves.profiles))
    return _from_log_rates(moves, log_fixation(moves.gaps, alpha, m), alpha)


def global_masses(moves: Deviations, payoffs: FloatArray, alpha: float, m: int) -> FloatArray:
    """Masses of one population's strategies where fitness counts encounters within the mixed population."""
    rates = log_fixation_global(payoffs, _within_exponents(alpha, m, 4.0 * float(np.abs(payoffs).max())), m)
    return _from_log_rates(moves, np.take_along_axis(rates, moves.neighbours.astype(np.intp), axis=1), alpha)


def _within_exponents(alpha: float, m: int, largest_gap: float) -> float:
    """Hold alpha where the largest exponent is still a sure 64-bit number.

    There, gains down to a 10^12th of the largest decide just as they would at any larger alpha.
    """
    return alpha if largest_gap == 0.0 else min(alpha, LARGEST_EXPONENT / m / largest_gap)


def _least_log_rate(moves: Deviations) -> float:
    """Doubles suffice while products of the smallest rates along a path of deviations stay in their range."""
    return -600.0 if moves.complete else -60.0


def _from_log_rates(moves: Deviations, log_rates: FloatArray, alpha: float) -> FloatArray:
    if log_rates.min() >= _least_log_rate(moves):
        return chain_mass(moves, np.exp(log_rates), np.arange(moves.profiles))
    if moves.profiles > ITERATE_FIRST:
        # Rates that underflow are too slow to matter where far-apart starts agree.
        mass = iterated_mass(moves, np.exp(np.maximum(log_rates, -5000.0)))
        if mass is not None:
            return mass
    if moves.profiles > LARGEST_DENSE:
        raise ParameterError(
            f"{moves.profiles:,} profiles are too many at ", Option("alpha", alpha),
            advice=[Advice("use a smaller or an infinite ", Option("alpha"))],
        )  # fmt: skip
    return stationary_wide(moves.dense(log_rates / math.log(2.0), fill=-np.inf))
