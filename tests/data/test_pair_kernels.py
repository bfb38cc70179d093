"""Loops over long match tables, against what they replace there."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.data.encode import pair_sums
from equipoise.data.encode._pair_kernels import joined_both_ways
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired import existence
from equipoise.ratings.paired.ties import PairCounts


@given(st.integers(0, 10_000), st.integers(2, 5), st.sampled_from([1, 7, 2**18]))
@settings(max_examples=40, deadline=None)
def test_plain_results_are_counted_as_weighted_ones_are(seed: int, agents: int, piece: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(agents, size=120).astype(np.int32)
    second = ((first + rng.integers(1, agents, size=120)) % agents).astype(np.int32)
    score = rng.integers(3, size=120) / 2
    names = tuple(f"agent {k}" for k in range(agents))
    for last in (score[-1], 0.3):
        score[-1] = last
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(pair_sums, "PIECE", piece)
            quick = PairTable.from_outcomes(names, first, second, score, None)
        plain = PairTable.from_outcomes(names, first, second, score, np.ones(120))
        for column in ("first", "second", "wins", "losses", "ties"):
            assert getattr(quick, column).tolist() == getattr(plain, column).tolist()


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 60))
@settings(max_examples=100, deadline=None)
def test_who_is_joined_both_ways_is_what_a_search_finds(seed: int, agents: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    tail, head = rng.integers(agents, size=(2, rows))
    along, back = rng.random((2, rows)) < 0.7
    edges = np.zeros((agents, agents))
    edges[tail[along], head[along]] = 1.0
    edges[head[back], tail[back]] = 1.0
    label = scipy.sparse.csgraph.connected_components(edges, directed=True, connection="strong")[1]
    root = int(rng.integers(agents))
    found = joined_both_ways(agents, tail, head, along, back, root, 2 * agents)
    assert found.tolist() == (label == label[root]).tolist()


@given(st.integers(0, 10_000), st.integers(2, 9), st.integers(1, 60))
@settings(max_examples=60, deadline=None)
def test_connections_of_long_tables_are_those_of_short_ones(seed: int, agents: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(agents, size=rows)
    second = (first + rng.integers(1, agents, size=rows)) % agents
    cells = PairCounts(*rng.integers(0, 2, (3, rows)).astype(float))
    plain = existence.connections(agents, first, second, cells)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(existence, "LONG", 0)
        quick = existence.connections(agents, first, second, cells)
    for name in ("components", "unbeaten", "winless"):
        assert getattr(quick, name).tolist() == getattr(plain, name).tolist()
    assert (quick.strong[:, None] == quick.strong).tolist() == (plain.strong[:, None] == plain.strong).tolist()


def test_few_sweeps_only_leave_more_to_the_search() -> None:
    chain = np.arange(50)
    everywhere = np.ones(50, dtype=bool)
    found = joined_both_ways(51, chain + 1, chain, everywhere, everywhere, 0, 1)
    assert found[0]
    cells = PairCounts(np.ones(50), np.ones(50), np.zeros(50))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(existence, "LONG", 0)
        patched.setattr(existence, "SWEEPS", 0)
        met = existence.connections(51, chain + 1, chain, cells)
    assert met.connected
    assert met.finite


@given(seed=st.integers(0, 10**6), grouped=st.booleans())
def test_long_tables_are_added_up_as_short_ones(seed, grouped):
    rng = np.random.default_rng(seed)
    keys = [rng.integers(5, size=40).astype(np.int32) for _ in range(2 + grouped)]
    values = [rng.integers(9, size=40).astype(float) for _ in range(3)]
    expected = pair_sums.add_up([key.astype(np.int64) for key in keys], values, 30)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_sums, "LONG", 0)
        found = pair_sums.add_up(keys, values, 30)
    for one, other in zip(found[0] + found[1], expected[0] + expected[1], strict=True):
        np.testing.assert_array_equal(one, other)
