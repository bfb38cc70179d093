"""Connected and strong components against SciPy's, with and without a step from the first agent to all."""

import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from equipoise.data.types.graph import connected_components, strongly_connected_components
from equipoise.ratings.transitivity.cycles import _has_cycle


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
def test_components_are_those_of_scipy(agents, games):
    games = [(a % agents, b % agents) for a, b in games if a % agents != b % agents]
    winner, loser = (np.array([game[k] for game in games], dtype=np.int64) for k in (0, 1))
    graph = scipy.sparse.coo_array((np.ones(len(games)), (winner, loser)), shape=(agents, agents))
    _, components = scipy.sparse.csgraph.connected_components(graph, directed=False)
    count, strong = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    np.testing.assert_array_equal(connected_components(agents, winner, loser), components)
    np.testing.assert_array_equal(strongly_connected_components(agents, winner, loser), strong)
    assert _has_cycle(winner, loser, agents) == (count < agents)


def test_long_chains_and_many_components_take_few_rounds():
    rng = np.random.default_rng(0)
    order = rng.permutation(20_000)
    chained = np.delete(np.arange(19_999), np.arange(999, 19_999, 1000))
    components = connected_components(20_000, order[chained], order[chained + 1])
    assert np.array_equal(np.bincount(components), np.full(20, 1000))
    of_chain = np.repeat(components[order[::1000]][:, None], 1000, axis=1)
    assert np.array_equal(components[order].reshape(20, 1000), of_chain)
