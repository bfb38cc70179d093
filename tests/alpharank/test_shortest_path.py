"""The bounds equal brute force over every choice of edge directions on small games."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.alpharank.deviations import Deviations, gap_bounds
from equipoise.alpharank.limit import chain_mass, sink_components
from equipoise.alpharank.shortest_path import can_leave_for_good, greatest_mass, hitting_times, least_mass, rate_bounds
from equipoise.alpharank.stationary import stationary_gth
from equipoise.core.results import FloatArray

M = 7


def edge_bounds(low: list[FloatArray], high: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    least, greatest, neighbours = gap_bounds(low, high)
    graph = Deviations(neighbours, least)
    return graph.dense(least, fill=np.nan), graph.dense(greatest, fill=np.nan)


def every_response_graph(least: FloatArray, greatest: FloatArray) -> list[FloatArray]:
    """Matrices of signs of gains, one for each combination of directions (and exact ties) that the bounds allow."""
    edges = [(u, v) for u, v in zip(*np.nonzero(~np.isnan(least)), strict=True) if u < v]
    options = []
    for u, v in edges:
        allowed = {float(np.sign(least[u, v])), float(np.sign(greatest[u, v]))}
        if least[u, v] < 0.0 < greatest[u, v]:
            allowed = {-1.0, 0.0, 1.0}
        options.append(sorted(allowed))
    graphs = []
    for signs in itertools.product(*options):
        gaps = np.full(least.shape, np.nan)
        for (u, v), sign in zip(edges, signs, strict=True):
            gaps[u, v], gaps[v, u] = sign, -sign
        graphs.append(gaps)
    return graphs


def perturbed_masses(gaps: FloatArray, epsilon: float) -> FloatArray:
    """Masses of the chain with mistakes."""
    edges = ~np.isnan(gaps)
    rates = np.where(gaps > 0, 1 - epsilon, np.where(gaps == 0, 0.5, epsilon))
    return stationary_gth(np.where(edges, rates, 0.0))


def own_chain_masses(gaps: FloatArray) -> FloatArray:
    """Mass of each profile within its own Markov-Conley chain, 0 outside all of them."""
    n = gaps.shape[0]
    neighbours = np.array([np.flatnonzero(~np.isnan(row)) for row in gaps], dtype=np.int32)
    graph = Deviations(neighbours, np.take_along_axis(gaps, neighbours.astype(np.intp), axis=1))
    rates = np.where(graph.gaps > 0, 1.0, np.where(graph.gaps == 0, 1.0 / M, 0.0))
    mass = np.zeros(n)
    for members in sink_components(neighbours, rates > 0):
        mass[members] = chain_mass(graph, rates, members)
    return mass


def check_against_brute_force(low: list[FloatArray], high: list[FloatArray]) -> None:
    least, greatest = edge_bounds(low, high)
    bounds = rate_bounds(least, greatest, 0.0, 1.0 / M, 1.0)
    masses = np.array([own_chain_masses(gaps) for gaps in every_response_graph(least, greatest)])
    for s in range(least.shape[0]):
        assert greatest_mass(bounds, s)[0] == pytest.approx(masses[:, s].max(), rel=1e-9)
        assert least_mass(bounds, s)[0] == pytest.approx(masses[:, s].min(), rel=1e-9)
        assert can_leave_for_good(bounds, s) == bool(masses[:, s].min() == 0.0)


@st.composite
def one_population(draw: st.DrawFn) -> tuple[list[FloatArray], list[FloatArray]]:
    n = draw(st.integers(2, 4))
    cells = st.lists(st.integers(0, 4), min_size=n * n, max_size=n * n)
    middle = np.array(draw(cells), dtype=float).reshape(n, n)
    width = np.array(draw(st.lists(st.integers(0, 2), min_size=n * n, max_size=n * n)), dtype=float).reshape(n, n)
    return [middle - width / 2], [middle + width / 2]


@st.composite
def two_populations(draw: st.DrawFn) -> tuple[list[FloatArray], list[FloatArray]]:
    shape = draw(st.sampled_from([(2, 2), (2, 3)]))
    size = int(np.prod(shape))
    middle = [np.array(draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))).reshape(shape) for _ in shape]
    width = [np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))).reshape(shape) for _ in shape]
    return (
        [a - b / 2 for a, b in zip(middle, width, strict=True)],
        [a + b / 2 for a, b in zip(middle, width, strict=True)],
    )


@given(one_population())
@settings(max_examples=60, deadline=None)
def test_one_population_bounds_equal_brute_force(case: tuple[list[FloatArray], list[FloatArray]]) -> None:
    check_against_brute_force(*case)


@given(two_populations())
@settings(max_examples=40, deadline=None)
def test_two_population_bounds_equal_brute_force(case: tuple[list[FloatArray], list[FloatArray]]) -> None:
    check_against_brute_force(*case)


@given(two_populations(), st.sampled_from([0.2, 1e-3, 1e-7]))
@settings(max_examples=25, deadline=None)
def test_bounds_with_mistakes_equal_brute_force(
    case: tuple[list[FloatArray], list[FloatArray]], epsilon: float
) -> None:
    least, greatest = edge_bounds(*case)
    bounds = rate_bounds(least, greatest, epsilon, 0.5, 1.0 - epsilon)
    masses = np.array([perturbed_masses(gaps, epsilon) for gaps in every_response_graph(least, greatest)])
    for s in range(least.shape[0]):
        assert greatest_mass(bounds, s)[0] == pytest.approx(masses[:, s].max(), rel=1e-9)
        assert least_mass(bounds, s)[0] == pytest.approx(masses[:, s].min(), rel=1e-9)


def test_hitting_times_solve_their_equations() -> None:
    rates = np.random.default_rng(3).random((9, 9)) ** 6
    np.fill_diagonal(rates, 0.0)
    time = hitting_times(rates, 4)
    balance = (rates * (time[None, :] - time[:, None])).sum(axis=1)
    np.testing.assert_allclose(np.delete(balance, 4), -1.0, rtol=1e-10)
    assert time[4] == 0.0
