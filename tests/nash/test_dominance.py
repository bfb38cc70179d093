"""The dominant set: the smallest set whose every member beats everybody outside, and where all equilibria live."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.nash.reduction import dominant_set


@st.composite
def small_games(draw: st.DrawFn) -> np.ndarray:
    n = draw(st.integers(1, 6))
    values = draw(st.lists(st.integers(-2, 2), min_size=n * n, max_size=n * n))
    upper = np.triu(np.array(values, dtype=float).reshape(n, n), 1)
    return upper - upper.T


def by_trying_all(payoff: np.ndarray) -> list[int]:
    agents = range(len(payoff))
    for size in agents:
        for inside in itertools.combinations(agents, size + 1):
            outside = [k for k in agents if k not in inside]
            if (payoff[np.ix_(inside, outside)] > 0).all():
                return list(inside)
    raise AssertionError("all agents together dominate")


@given(small_games())
def test_it_is_the_smallest_set_that_beats_the_rest(payoff: np.ndarray) -> None:
    assert dominant_set(payoff).tolist() == by_trying_all(payoff)


def test_only_the_dominant_agents_are_played_and_as_if_alone() -> None:
    rng = np.random.default_rng(4)
    cycle = np.array([[0, 1, -2], [-1, 0, 3], [2, -3, 0]], dtype=float)
    rest = np.triu(rng.normal(size=(9, 9)), 1)
    whole = np.block([[cycle, np.ones((3, 9))], [-np.ones((9, 3)), rest - rest.T]])
    found = eq.maxent_nash(whole)
    np.testing.assert_allclose(found.p[:3], eq.maxent_nash(cycle).p, atol=1e-15)
    assert not found.p[3:].any()
    assert found.exploitability <= 1e-15


def test_agents_that_differ_only_against_dominated_ones_are_no_clones() -> None:
    # Two agents tie with each other and with a third; against the fourth, whom all beat, they differ.
    payoff = np.array([[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 1], [-1, -2, -1, 0]], dtype=float)
    assert eq.maxent_nash(payoff).p.round(12).tolist() == [0.25, 0.5, 0.25, 0.0]
