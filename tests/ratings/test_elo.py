import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.ratings.online._kernels import elo_sweep

logs = st.lists(
    st.tuples(st.sampled_from("wxyz"), st.sampled_from("wxyz"), st.sampled_from([0, 0.5, 1])).filter(
        lambda g: g[0] != g[1]
    ),
    min_size=1,
    max_size=40,
)


def oracle(rows, k):
    """Elo on the familiar scale: expected score 1/(1 + 10^(-d/400))."""
    points = {}
    for a, b, s in rows:
        d = points.get(a, 0) - points.get(b, 0)
        move = k * (s - 1 / (1 + 10 ** (-d / 400)))
        points[a], points[b] = points.get(a, 0) + move, points.get(b, 0) - move
    return points


@settings(deadline=None)
@given(rows=logs, k=st.floats(1, 100))
def test_ratings_follow_the_familiar_rule(rows, k):
    result = eq.elo(eq.Matches.from_columns(*zip(*rows, strict=True)), k=k)
    expected = oracle(rows, k)
    np.testing.assert_allclose(
        result.rating / eq.methods.ELO_POINT, [expected[name] for name in result.agents], atol=1e-9
    )
    assert result.rating.sum() == pytest.approx(0, abs=1e-12)


def test_time_decides_the_order():
    forward = eq.elo(eq.Matches.from_columns("xx", "yz", [1, 0], time=[1, 2]))
    backward = eq.elo(eq.Matches.from_columns("xx", "zy", [0, 1], time=[2, 1]))
    assert dict(zip(forward.agents, forward.rating, strict=True)) == dict(
        zip(backward.agents, backward.rating, strict=True)
    )


def test_weight_two_is_the_same_match_twice_in_a_row():
    weighted = eq.elo(eq.Matches.from_columns("xy", "yz", [1, 1], weight=[2, 1]))
    repeated = eq.elo(eq.Matches.from_columns("xxy", "yyz", [1, 1, 1]))
    np.testing.assert_array_equal(weighted.rating, repeated.rating)


def test_pair_counts_have_no_order_and_are_refused():
    with pytest.raises(eq.DataError, match=r"elo takes matches .* not PairTable"):
        eq.elo(eq.PairTable.from_wins([[0, 1], [1, 0]]))


@pytest.mark.parametrize("k", [0, -1, float("nan")])
def test_a_step_that_makes_no_sense_is_refused(k):
    with pytest.raises(eq.ParameterError):
        eq.elo(eq.Matches.from_columns("x", "y", [1]), k=k)


def test_counted_rows_are_taken_in_file_order_and_said_so():
    import polars as pl

    counted = eq.read_matches(pl.DataFrame({"player": ["x"], "opponent": ["y"], "wins": [2], "games": [3]}))
    assert [note.code for note in eq.elo(counted).diagnostics] == ["order-unknown"]


@settings(deadline=None)
@pytest.mark.parametrize("long", [40, 20_000])
@given(seed=st.integers(0, 2**16))
def test_a_sweep_without_weights_is_one_with_weights_of_one(long, seed):
    rng = np.random.default_rng(seed)
    a = rng.integers(4, size=long).astype(np.int32)
    b = ((a + rng.integers(1, 4, size=long)) % 4).astype(np.int32)
    score = rng.integers(3, size=long) / 2
    apart = np.repeat(score, 2)[::2]  # every second place in memory
    ratings = [np.zeros(4) for _ in range(3)]
    elo_sweep(a, b, score, None, ratings[0], 0.1)
    elo_sweep(a, b, score, np.ones(long), ratings[1], 0.1)
    elo_sweep(a, b, apart, None, ratings[2], 0.1)
    np.testing.assert_array_equal(ratings[0], ratings[1])
    np.testing.assert_array_equal(ratings[0], ratings[2])
    assert a.flags.writeable
    assert score.flags.writeable
