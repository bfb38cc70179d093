"""Chains of decisions, orders that fit them, and cycles: against searching all of them."""

from itertools import pairwise, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from equipoise.arena.contests.pair_standing import above_by_chains, extend_chains, find_cycle, fitting_order, tie_groups

EDGES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda e: e[0] != e[1]), max_size=9)
RATINGS = st.lists(st.floats(-3, 3), min_size=5, max_size=5).map(np.array)


def matrix(edges):
    better = np.zeros((5, 5), dtype=bool)
    for i, j in edges:
        better[i, j] = True
    return better


def reaches(edges, start):
    found, todo = set(), [start]
    while todo:
        node = todo.pop()
        more = {j for i, j in edges if i == node} - found
        found |= more
        todo += more
    return found


@given(EDGES)
def test_chains_lead_where_one_can_walk(edges):
    above = above_by_chains(matrix(edges))
    assert all(set(np.flatnonzero(above[i])) == reaches(edges, i) for i in range(5))


@given(EDGES)
def test_one_more_decision_extends_the_chains(edges):
    above = np.zeros((5, 5), dtype=bool)
    for i, j in edges:
        above = extend_chains(above, i, j)
    np.testing.assert_array_equal(above, above_by_chains(matrix(edges)))


@given(EDGES)
def test_a_cycle_that_is_found_is_a_shortest_one_and_none_is_missed(edges):
    edges = set(edges)
    cycles = [
        walk
        for length in range(2, 6)
        for walk in permutations(range(5), length)
        if all(step in edges for step in pairwise((*walk, walk[0])))
    ]
    found = find_cycle(matrix(edges))
    assert len(found) == (len(cycles[0]) if cycles else 0)
    assert not found or tuple(found) in cycles


@given(EDGES, RATINGS)
def test_an_order_fits_the_chains_and_otherwise_the_ratings(edges, rating):
    edges = [(min(e), max(e)) for e in edges]  # no cycles
    order = fitting_order(rating, above_by_chains(matrix(edges))).tolist()
    assert sorted(order) == [0, 1, 2, 3, 4]
    assert all(order.index(i) < order.index(j) for i, j in edges)
    if not edges:
        assert rating[order].tolist() == sorted(rating, reverse=True)


def test_a_tie_group_needs_all_its_pairs():
    equal = np.zeros((4, 4), dtype=bool)
    for i, j in ((0, 1), (1, 2), (2, 3)):
        equal[i, j] = equal[j, i] = True
    assert tie_groups(np.array([0, 1, 2, 3]), equal) == ((0, 1), (2, 3))
    equal[0, 2] = equal[2, 0] = True
    assert tie_groups(np.array([0, 1, 2, 3]), equal) == ((0, 1, 2), (3,))
