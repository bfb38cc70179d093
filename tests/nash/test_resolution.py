"""Equilibria of games whose payoffs differ by many orders of magnitude, against exact fractions."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.nash.reduction import balanced


def kernel(matrix):
    """The vectors that a matrix of fractions sends to zero, if they are the multiples of one; else None."""
    rows, size, pivots = [list(row) for row in matrix], len(matrix), []
    for column in range(size):
        at = next((r for r in range(len(pivots), size) if rows[r][column] != 0), None)
        if at is None:
            continue
        rows[len(pivots)], rows[at] = rows[at], rows[len(pivots)]
        top = [value / rows[len(pivots)][column] for value in rows[len(pivots)]]
        rows = [
            top if r == len(pivots) else [x - rows[r][column] * y for x, y in zip(rows[r], top, strict=True)]
            for r in range(size)
        ]
        pivots.append(column)
    free = [column for column in range(size) if column not in pivots]
    if len(free) != 1:
        return None
    vector = [Fraction(0)] * size
    vector[free[0]] = Fraction(1)
    for r, column in enumerate(pivots):
        vector[column] = -rows[r][free[0]]
    return vector


def equilibria(payoff):
    """All equilibria with regular supports of an antisymmetric game, in fractions."""
    exact = [[Fraction(float(value)) for value in row] for row in payoff]
    size, found = len(exact), []
    for count in range(1, size + 1, 2):
        for support in combinations(range(size), count):
            inner = kernel([[exact[i][j] for j in support] for i in support])
            if inner is None or not (all(x > 0 for x in inner) or all(x < 0 for x in inner)):
                continue
            total, mass = sum(inner), [Fraction(0)] * size
            for i, x in zip(support, inner, strict=True):
                mass[i] = x / total
            if all(sum(a * m for a, m in zip(row, mass, strict=True)) <= 0 for row in exact):
                found.append(mass)
    return found


def antisymmetric(values, size):
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size, 1)] = values
    return matrix - matrix.T


@pytest.mark.parametrize("unit", [1.0, 1e200, 1e-200])
def test_a_cycle_over_fourteen_orders_of_magnitude(unit):
    found = eq.maxent_nash(antisymmetric(np.array([1.0, -1e-14, 1e-7]) * unit, 3))
    np.testing.assert_allclose(found.p, np.array([1e-7, 1e-14, 1]) / (1 + 1e-7 + 1e-14), rtol=1e-6)
    assert found.fit.converged


SIZES = st.tuples(st.sampled_from([-1.0, 1.0]), st.floats(1, 9.99), st.integers(-12, 0))
PAYOFFS = SIZES.map(lambda parts: parts[0] * parts[1] * 10.0 ** parts[2])


def games(size):
    pairs = size * (size - 1) // 2
    return st.tuples(st.just(size), st.lists(PAYOFFS, min_size=pairs, max_size=pairs))


@settings(deadline=None, max_examples=60)
@given(st.integers(3, 5).flatmap(games))
def test_what_is_certified_is_the_exact_equilibrium(game):
    size, values = game
    payoff = antisymmetric(values, size)
    exact = equilibria(payoff)
    found = eq.maxent_nash(payoff)
    if len(exact) != 1:
        return
    truth = np.array([float(x) for x in exact[0]])
    if found.fit.converged:
        # Masses that matter at the resolution of the largest payoff's rounding; smaller ones by their size.
        np.testing.assert_allclose(found.p, truth, rtol=1e-3, atol=1e-12)
    else:
        assert "not-certified" in [note.code for note in found.diagnostics]


def test_balance_is_judged_by_every_agents_own_payoffs():
    cycle = antisymmetric([1.0, -1e-14, 1e-7], 3)
    assert not balanced(cycle, np.array([0.5, 0.0, 0.5]))
    assert balanced(cycle, np.array([1e-7, 1e-14, 1.0]))
    assert balanced(antisymmetric([1.0, 1.0, 1e-17], 3), np.array([1.0, 0.0, 0.0]))
