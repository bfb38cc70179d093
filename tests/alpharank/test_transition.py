"""Fixation probabilities agree with the plain formula where it works, and stay finite where it does not."""

import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.alpharank.transition import fixation, log_fixation, log_fixation_global

getcontext().prec = 60


def exact_fixation(gap: float, alpha: float, m: int) -> float:
    x = Decimal(alpha) * Decimal(gap)
    if x == 0:
        return math.log(1 / m)
    return float(((1 - (-x).exp()) / (1 - (-m * x).exp())).ln())


@given(
    st.floats(-2, 2).filter(lambda gap: gap == 0 or abs(gap) > 1e-6), st.floats(1e-3, 200), st.sampled_from([2, 5, 50])
)
def test_the_log_domain_agrees_with_sixty_digits(gap: float, alpha: float, m: int) -> None:
    assert log_fixation(np.array([gap]), alpha, m)[0] == pytest.approx(exact_fixation(gap, alpha, m), rel=1e-11)


@pytest.mark.parametrize("alpha", [1e-300, 1e-8, 1e3, 1e12, 1e300])
def test_no_alpha_overflows(alpha: float) -> None:
    values = log_fixation(np.array([-1.0, -1e-9, 0.0, 1e-9, 1.0]), alpha, 50)
    assert np.all(np.isfinite(values))
    assert np.all(np.diff(values) >= -1e-12)  # flat to rounding where selection is


@given(st.floats(0.01, 3), st.floats(0.01, 20))
def test_gains_and_losses_are_in_the_ratio_of_the_selection(gap: float, alpha: float) -> None:
    up, down = log_fixation(np.array([gap, -gap]), alpha, 50)
    assert up - down == pytest.approx(alpha * 49 * gap, rel=1e-9)


def test_global_selection_agrees_with_the_sum_of_products() -> None:
    payoffs = np.random.default_rng(1).normal(size=(4, 4))
    m, alpha = 7, 0.3
    for s in range(4):
        for r in range(4):
            total, product = 1.0, 1.0
            for p in range(1, m):
                mutant = ((p - 1) * payoffs[r, r] + (m - p) * payoffs[r, s]) / (m - 1)
                resident = ((m - p - 1) * payoffs[s, s] + p * payoffs[s, r]) / (m - 1)
                product *= math.exp(-alpha * (mutant - resident))
                total += product
            if r != s:
                assert log_fixation_global(payoffs, alpha, m)[s, r] == pytest.approx(-math.log(total), rel=1e-12)


def test_fixation_is_public() -> None:
    assert eq.methods.fixation_probability(0.0, alpha=1.0, m=20).item() == pytest.approx(0.05)


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=20), st.floats(0.0, 14.0), st.integers(2, 50))
def test_rates_in_doubles_are_those_of_their_logarithms(gaps: list[float], alpha: float, m: int) -> None:
    d = np.array([gaps, [-gap for gap in gaps]])
    np.testing.assert_allclose(fixation(d, alpha, m), np.exp(log_fixation(d, alpha, m)), rtol=1e-11)


def test_rates_of_gaps_next_to_nothing_are_ties() -> None:
    found = fixation(np.array([[0.0, 5e-324, -5e-324, 1e-310, 1e-20]]), 1.0, 50)
    np.testing.assert_allclose(found, 0.02, rtol=1e-12)
