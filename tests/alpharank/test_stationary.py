"""Elimination equals exact rational arithmetic, however stiff the chain."""

from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.alpharank.stationary import ReducibleChainError, stationary_gth, stationary_iterated, stationary_wide


def rational_stationary(rates: list[list[Fraction]]) -> list[Fraction]:
    """Solve pi Q = 0, sum pi = 1 by Gaussian elimination over the rationals."""
    n = len(rates)
    rows = [[rates[i][j] for i in range(n)] + [Fraction(0)] for j in range(n)]
    for j in range(n):
        rows[j][j] = -sum((rates[j][k] for k in range(n) if k != j), Fraction(0))
    rows[-1] = [Fraction(1)] * n + [Fraction(1)]
    for column in range(n):
        pivot = next(r for r in range(column, n) if rows[r][column] != 0)
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [x / rows[column][column] for x in rows[column]]
        for r in range(n):
            if r != column and rows[r][column] != 0:
                rows[r] = [x - rows[r][column] * y for x, y in zip(rows[r], rows[column], strict=True)]
    return [row[-1] for row in rows]


@st.composite
def stiff_rates(draw: st.DrawFn) -> np.ndarray:
    n = draw(st.integers(2, 6))
    powers = draw(st.lists(st.integers(-40, 0), min_size=n * n, max_size=n * n))
    return 10.0 ** np.array(powers, dtype=float).reshape(n, n)


@given(stiff_rates())
@settings(max_examples=60, deadline=None)
def test_both_eliminations_equal_rational_arithmetic_in_every_digit(rates: np.ndarray) -> None:
    exact = rational_stationary([[Fraction(x) for x in row] for row in rates.tolist()])
    expected = np.array([float(x) for x in exact])
    np.testing.assert_allclose(stationary_gth(rates), expected, rtol=1e-12)
    np.testing.assert_allclose(stationary_wide(np.log2(rates)), expected, rtol=1e-11, atol=1e-300)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 66, 150, 257])
def test_blocks_meet_at_their_seams(n: int) -> None:
    rates = np.random.default_rng(n).random((n, n)) ** 20
    np.testing.assert_allclose(stationary_gth(rates), stationary_wide(np.log2(rates)), rtol=1e-12)


def test_rates_beyond_a_double_still_have_a_distribution() -> None:
    log2_rates = np.array([[0.0, -3000.0, -9000.0], [-100.0, 0.0, -8000.0], [-50.0, -60.0, 0.0]])
    mass = stationary_wide(log2_rates)
    assert mass[0] == pytest.approx(1.0)
    assert np.all(np.isfinite(mass))


def test_a_chain_with_two_closed_parts_is_refused() -> None:
    rates = np.zeros((4, 4))
    rates[0, 1] = rates[1, 0] = rates[2, 3] = rates[3, 2] = 1.0
    with pytest.raises(ReducibleChainError):
        stationary_gth(rates)
    with np.errstate(divide="ignore"), pytest.raises(ReducibleChainError):
        stationary_wide(np.log2(rates))


def test_iteration_agrees_where_it_answers() -> None:
    rates = np.random.default_rng(0).random((80, 80)) * (np.random.default_rng(1).random((80, 80)) < 0.3)
    np.fill_diagonal(rates, 0.0)
    found = stationary_iterated(scipy.sparse.csr_array(rates))
    assert found is not None
    np.testing.assert_allclose(found, stationary_gth(rates), rtol=1e-11)


def test_iteration_does_not_answer_across_a_bottleneck() -> None:
    rates = np.kron(np.eye(2), np.ones((10, 10)))
    rates[0, 10] = rates[10, 0] = 1e-9
    np.fill_diagonal(rates, 0.0)
    assert stationary_iterated(scipy.sparse.csr_array(rates)) is None
    assert stationary_iterated(rates) is None


@given(st.integers(0, 10_000), st.sampled_from([0.05, 0.3, 1.0]))
@settings(max_examples=30, deadline=None)
def test_iteration_on_a_dense_chain_is_elimination(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    rates = rng.random((40, 40)) * (rng.random((40, 40)) < share) + 1e-3 * rng.random((40, 40))
    np.fill_diagonal(rates, 0.0)
    found = stationary_iterated(rates)
    assert found is not None
    np.testing.assert_allclose(found, stationary_gth(rates), rtol=1e-11)


def test_iteration_on_a_periodic_chain_is_elimination() -> None:
    rates = np.zeros((6, 6))
    rates[:3, 3:] = rates[3:, :3] = np.random.default_rng(0).random((3, 3)) + 0.1
    found = stationary_iterated(rates)
    assert found is not None
    np.testing.assert_allclose(found, stationary_gth(rates), rtol=1e-11)
