"""Weights and flows over many orders of magnitude: a right answer or one clear line, never a traceback or no end."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq

POWERS = st.integers(-9, 14)
TABLE = np.array([[0.0, 1.0, -0.5, 0.2], [-1.0, 0.0, 0.25, 0.7], [0.5, -0.25, 0.0, -0.1], [-0.2, -0.7, 0.1, 0.0]])


@settings(deadline=None)
@given(st.lists(POWERS, min_size=3, max_size=3), st.lists(st.floats(0.1, 0.9), min_size=3, max_size=3))
def test_ratings_of_a_chain_do_not_depend_on_its_weights(powers, shares):
    """Where pairs form no loop, each difference is the log-odds of its own pair, however much that weighs."""
    weights = [share * 10.0**power for share, power in zip(shares, powers, strict=True)]
    rest = [(1 - share) * 10.0**power for share, power in zip(shares, powers, strict=True)]
    games = eq.Matches.from_columns("abcabc", "bcdbcd", [1, 1, 1, 0, 0, 0], [*weights, *rest])
    odds = np.log(np.array(weights) / np.array(rest))
    if max(powers) - min(powers) <= 12:
        np.testing.assert_allclose(-np.diff(eq.bradley_terry(games).rating), odds, atol=1e-6)
        return
    try:
        np.testing.assert_allclose(-np.diff(eq.bradley_terry(games).rating), odds, atol=1e-3)
    except eq.DataError as error:
        said = str(error)
        assert_one_line(said)


def assert_one_line(said):
    assert "too far apart" in said
    assert "\n" not in said


def test_weights_too_far_apart_are_one_clear_line():
    games = eq.Matches.from_columns("aabbcc", "bbccdd", [1, 0] * 3, [7e13, 3e13, 8e-10, 2e-10, 6e13, 4e13])
    with pytest.raises(eq.DataError, match="too far apart"):
        eq.bradley_terry(games)


@pytest.mark.parametrize("method", [eq.elo, eq.methods.melo_online])
def test_more_games_than_can_be_played_through_are_refused(method):
    with pytest.raises(eq.DataError, match="one after the other"):
        method(eq.Matches.from_columns("ab", "bc", [1, 0], [1e9, 1]))
    assert np.isfinite(method(eq.Matches.from_columns("ab", "bc", [1, 0], [1e5, 1e-9])).rating).all()


@given(st.integers(-290, 290))
def test_shares_do_not_depend_on_the_unit_of_a_flow(power):
    flow = TABLE * 10.0**power
    plain, scaled = eq.hodge(TABLE), eq.hodge(flow)
    assert scaled.cyclic_share == pytest.approx(plain.cyclic_share, rel=1e-9)
    np.testing.assert_allclose(scaled.rating / 10.0**power, plain.rating, rtol=1e-9, atol=1e-12)
    for part in ("all", "cyclic"):
        np.testing.assert_allclose(eq.schur(flow, part=part).share, eq.schur(TABLE, part=part).share, rtol=1e-6)


@given(
    st.lists(st.one_of(st.sampled_from([np.inf, -np.inf]), st.integers(-3, 3)), min_size=1, max_size=8), st.randoms()
)
def test_infinite_ranks_count_by_their_order(ranks, random):
    other = list(ranks)
    random.shuffle(other)
    expected = 0.0
    for i in range(len(ranks)):
        for j in range(i):
            a, b = (ranks[i] > ranks[j]) - (ranks[i] < ranks[j]), (other[i] > other[j]) - (other[i] < other[j])
            expected += 1.0 if a * b < 0 else 0.5 * ((a == 0) != (b == 0))
    assert eq.kendall_distance(ranks, other) == expected
    assert eq.kendall_distance(ranks, ranks) == 0
