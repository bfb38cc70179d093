"""The infinite-alpha limit is the limit: against rational arithmetic with a tiny mistake probability."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.alpharank import limit
from equipoise.alpharank.deviations import Deviations, deviations, neighbour_table
from equipoise.alpharank.limit import chain_weights, markov_conley_chains, perturbation_limit
from tests.alpharank.test_stationary import rational_stationary

EPSILON = Fraction(1, 10**30)


def rational_limit(graph: Deviations) -> np.ndarray:
    """Masses of the perturbed chain at 1e-30, exactly: within about 1e-25 of the limit."""
    n = graph.profiles
    rates = [[Fraction(0)] * n for _ in range(n)]
    for s in range(n):
        for t, gap in zip(graph.neighbours[s].tolist(), graph.gaps[s].tolist(), strict=True):
            rates[s][t] = 1 - EPSILON if gap > 0 else Fraction(1, 2) if gap == 0 else EPSILON
    return np.array([float(x) for x in rational_stationary(rates)])


@st.composite
def games(draw: st.DrawFn) -> list[np.ndarray]:
    shape = draw(st.sampled_from([(2, 2), (2, 3), (3, 3), (2, 2, 2), (4,)]))
    full = (4, 4) if len(shape) == 1 else shape
    size = int(np.prod(full))
    cells = st.lists(st.integers(0, 3), min_size=size, max_size=size)
    return [np.array(draw(cells), dtype=float).reshape(full) for _ in shape]


@given(games())
@settings(max_examples=80, deadline=None)
def test_the_limit_equals_rational_arithmetic(payoffs: list[np.ndarray]) -> None:
    graph = deviations(payoffs)
    found = perturbation_limit(graph, markov_conley_chains(graph))
    np.testing.assert_allclose(found, rational_limit(graph), atol=1e-12)


def majority_game(n: int) -> list[np.ndarray]:
    """Three players want to agree; a lone deviator is pulled back, so leaving takes two mistakes at once."""
    index = np.indices((n, n, n))
    payoffs = []
    for k in range(3):
        others = [index[l] for l in range(3) if l != k]
        payoffs.append(10.0 * ((index[k] == others[0]) & (index[k] == others[1])) + (index[k] == others[0]) * 2.0
                       + (index[k] == others[1]) * 2.0 + 0.01 * index[k])  # fmt: skip
    return payoffs


def by_weights(graph: Deviations, chains: list[np.ndarray]) -> np.ndarray:
    """The way that large games go."""
    rates = np.where(graph.gaps == 0.0, 0.5, (graph.gaps > 0.0).astype(float))
    within = [limit.chain_mass(graph, rates, members) for members in chains]
    weights = chain_weights(graph, chains, within)
    assert weights is not None
    return limit._spread(graph.profiles, chains, within, weights)


def test_chains_that_two_mistakes_apart_are_weighed_too() -> None:
    graph = deviations(majority_game(2))
    chains = markov_conley_chains(graph)
    assert len(chains) == 2
    np.testing.assert_allclose(by_weights(graph, chains), rational_limit(graph), atol=1e-12)
    found = perturbation_limit(graph, chains)
    np.testing.assert_allclose(found, rational_limit(graph), atol=1e-12)
    assert found.sum() == pytest.approx(1.0)


def test_the_large_and_the_small_way_agree() -> None:
    compared = 0
    for seed in range(90):
        rng = np.random.default_rng(seed)
        graph = deviations([rng.integers(0, 6, (3, 3, 3)).astype(float) for _ in range(3)])
        chains = markov_conley_chains(graph)
        if len(chains) > 1:
            compared += 1
            np.testing.assert_allclose(by_weights(graph, chains), limit._limit_of_whole_chain(graph), atol=1e-12)
    assert compared >= 5


def test_one_population_always_has_one_chain() -> None:
    for seed in range(50):
        rng = np.random.default_rng(seed)
        payoffs = rng.integers(0, 3, (6, 6)).astype(float)
        assert len(markov_conley_chains(deviations([payoffs]))) == 1


@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_the_one_chain_of_one_population_is_what_a_search_finds(seed: int, n: int, values: int) -> None:
    rng = np.random.default_rng(seed)
    strength = rng.integers(0, 3, n) * rng.integers(0, 9)
    graph = deviations([rng.integers(0, values, (n, n)).astype(float) + strength[:, None]])
    searched = limit.sink_components(graph.neighbours, graph.gaps >= 0.0)
    assert [members.tolist() for members in markov_conley_chains(graph)] == [members.tolist() for members in searched]


def test_finite_alpha_goes_to_the_limit() -> None:
    game = eq.MetaGame.symmetric(np.random.default_rng(2).normal(size=(7, 7)))
    sweep = eq.methods.alpha_sweep(game, alphas=[1, 10, 100, 1000, 1e6])
    assert sweep.distance[-1] < 1e-9
    assert np.all(np.diff(sweep.distance) < 1e-9)


def test_ties_are_treated_in_two_ways() -> None:
    # A cycle a -> b -> c -> a, and d, which only ties lead to.
    game = eq.MetaGame.symmetric([[0, -1, 1, 0], [1, 0, -1, 1], [-1, 1, 0, 1], [0, -1, -1, 0]], "abcd")
    once, limited = eq.alpha_rank(game), eq.alpha_rank(game, perturbation="limit")
    assert once.kind == "one sink component"
    assert limited.kind == "perturbation limit"
    assert np.abs(once.pi - limited.pi).max() > 1e-3
    np.testing.assert_allclose(limited.pi, eq.alpha_rank(game, perturbation=1e-9).pi, atol=1e-7)


@given(st.integers(2, 12), st.integers(0, 2**32 - 1), st.floats(0.05, 0.9))
def test_sinks_are_those_of_who_reaches_whom(n: int, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    neighbours = neighbour_table((n,))
    open_edges = rng.random(neighbours.shape) < share
    reaches = np.eye(n)
    np.put_along_axis(reaches, neighbours.astype(np.intp), open_edges, axis=1)
    reaches = np.linalg.matrix_power(reaches, n) > 0
    ends = np.flatnonzero(~(reaches & ~reaches.T).any(axis=1))
    slow = sorted({tuple(np.flatnonzero(reaches[k]).tolist()) for k in ends}, key=lambda sink: (-len(sink), sink[0]))
    assert [tuple(sink.tolist()) for sink in limit.sink_components(neighbours, open_edges)] == slow
