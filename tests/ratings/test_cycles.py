"""The strongest cycles, against a search over all triples."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.ratings.transitivity import cycles
from equipoise.ratings.transitivity.cycles import strongest_cycles


def random_links(seed, n, density):
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    kept = rng.random(len(i)) < density
    i, j = i[kept], j[kept]
    swap = rng.random(len(i)) < 0.5
    return np.where(swap, j, i), np.where(swap, i, j), rng.uniform(0.1, 3, len(i))


def all_triangles(winner, loser, strength, n):
    beats = {(w, l): s for w, l, s in zip(winner.tolist(), loser.tolist(), strength.tolist(), strict=True)}
    weakest = [
        min(beats[a, b], beats[b, c], beats[c, a])
        for a, b, c in itertools.permutations(range(n), 3)
        if a < b and a < c and (a, b) in beats and (b, c) in beats and (c, a) in beats
    ]
    return sorted(weakest, reverse=True)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 9), st.sampled_from([0.3, 0.7, 1.0]))
def test_strongest_triangles_are_those_of_a_full_search(seed, n, density):
    links = random_links(seed, n, density)
    loops = strongest_cycles(*links, n, 5)
    expected = all_triangles(*links, n)[:5]
    if expected:
        np.testing.assert_allclose(loops.weakest, expected)
    else:
        assert all(len(cycle) > 3 for cycle in loops.agents)


def test_looking_at_strong_links_first_changes_nothing(monkeypatch):
    links = random_links(7, 60, 0.9)
    whole = all_triangles(*links, 60)[:8]
    np.testing.assert_allclose(strongest_cycles(*links, 60, 8).weakest, whole)
    monkeypatch.setattr(cycles, "PATHS", 50)
    np.testing.assert_allclose(strongest_cycles(*links, 60, 8).weakest, whole)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 12))
def test_every_cycle_goes_round_along_wins(seed, n):
    winner, loser, strength = random_links(seed, n, 0.25)
    beats = {(w, l): s for w, l, s in zip(winner.tolist(), loser.tolist(), strength.tolist(), strict=True)}
    loops = strongest_cycles(winner, loser, strength, n, 3)
    for cycle, weakest in zip(loops.agents, loops.weakest, strict=True):
        ring = cycle.tolist()
        assert min(beats[a, b] for a, b in zip(ring, ring[1:] + ring[:1], strict=True)) == pytest.approx(weakest)


def test_a_longer_cycle_is_found_where_no_triangle_closes():
    winner, loser = np.array([0, 1, 2, 3, 0]), np.array([1, 2, 3, 0, 4])
    loops = strongest_cycles(winner, loser, np.array([2.0, 1.0, 3.0, 4.0, 9.0]), 5, 3)
    assert len(loops.agents) == 1
    assert sorted(loops.agents[0].tolist()) == [0, 1, 2, 3]
    assert loops.weakest.tolist() == [1.0]


def test_the_longer_cycle_is_the_one_with_the_strongest_weakest_link():
    """Two rings of four through agent 0; the second has no weak link."""
    winner = np.array([0, 1, 2, 3, 0, 4, 5, 6])
    loser = np.array([1, 2, 3, 0, 4, 5, 6, 0])
    loops = strongest_cycles(winner, loser, np.array([9, 1, 9, 9, 2, 2.5, 3, 4.0]), 7, 1)
    assert sorted(loops.agents[0].tolist()) == [0, 4, 5, 6]


def test_an_order_without_cycles_gives_none():
    winner, loser = np.triu_indices(5, 1)
    assert strongest_cycles(winner, loser, np.ones(10), 5, 3).agents == []
