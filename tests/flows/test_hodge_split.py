"""The weighted Hodge decomposition, against dense linear algebra on small graphs."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.flows import hodge as hodge_module
from equipoise.flows import triangles
from equipoise.flows.hodge import weighted_split
from equipoise.flows.triangles import curl_matrix, find_holes

SEEDS = st.integers(0, 2**32 - 1)


def random_graph(seed: int, n: int, density: float):
    rng = np.random.default_rng(seed)
    i, j = np.triu_indices(n, 1)
    kept = rng.random(len(i)) < density
    i, j = i[kept], j[kept]
    return i, j, rng.normal(size=len(i)), rng.uniform(0.1, 5.0, size=len(i))


def dense_split(i, j, flow, weight, n):
    """Slow and obvious: three weighted projections through dense least squares."""
    m = len(i)
    gradients = np.zeros((m, n))
    gradients[np.arange(m), i], gradients[np.arange(m), j] = 1.0, -1.0
    edge = {pair: e for e, pair in enumerate(zip(i.tolist(), j.tolist(), strict=True))}
    triangles = []
    for a, b, c in itertools.combinations(range(n), 3):
        if (a, b) in edge and (b, c) in edge and (a, c) in edge:
            row = np.zeros(m)
            row[edge[a, b]], row[edge[b, c]], row[edge[a, c]] = 1.0, 1.0, -1.0
            triangles.append(row / weight)
    root = np.sqrt(weight)
    gradient = gradients @ np.linalg.lstsq(gradients * root[:, None], flow * root)[0]
    around = np.array(triangles).reshape(len(triangles), m).T
    curl = around @ np.linalg.lstsq(around * root[:, None], flow * root)[0]
    return gradient, curl, flow - gradient - curl


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n=st.integers(2, 9), density=st.sampled_from([0.2, 0.4, 0.6, 1.0]))
def test_parts_agree_with_dense_projections(seed, n, density):
    i, j, flow, weight = random_graph(seed, n, density)
    split = weighted_split(i, j, flow, weight, n)
    gradient, curl, harmonic = dense_split(i, j, flow, weight, n)
    np.testing.assert_allclose(split.gradient, gradient, atol=1e-9)
    np.testing.assert_allclose(split.curl, curl, atol=1e-9)
    np.testing.assert_allclose(split.harmonic, harmonic, atol=1e-9)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n=st.integers(3, 12), density=st.sampled_from([0.2, 0.3, 0.5]))
def test_parts_sum_to_the_flow_and_are_orthogonal(seed, n, density):
    i, j, flow, weight = random_graph(seed, n, density)
    split = weighted_split(i, j, flow, weight, n)
    parts = [split.gradient, split.curl, split.harmonic]
    np.testing.assert_allclose(sum(parts), flow, atol=1e-12)
    for x, y in itertools.combinations(parts, 2):
        assert abs(np.sum(weight * x * y)) < 1e-8


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, n=st.integers(4, 12), density=st.sampled_from([0.2, 0.35, 0.5]))
def test_iterations_agree_with_the_basis_of_holes(seed, n, density):
    i, j, flow, weight = random_graph(seed, n, density)
    cyclic = flow - weighted_split(i, j, flow, weight, n).gradient
    if len(i) == 0 or curl_matrix(i, j, n).shape[0] == 0:
        return
    iterated = hodge_module._off_triangles(i, j, cyclic, weight, n)[0]
    np.testing.assert_allclose(iterated, weighted_split(i, j, flow, weight, n).harmonic, atol=1e-8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hodge_module, "_conjugate_gradients", lambda *_: None)
        slower = hodge_module._off_triangles(i, j, cyclic, weight, n)[0]
    np.testing.assert_allclose(iterated, slower, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, n=st.integers(4, 14), density=st.sampled_from([0.2, 0.35, 0.5]))
def test_holes_without_an_explicit_basis_agree_with_dense_projections(seed, n, density):
    i, j, flow, weight = random_graph(seed, n, density)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hodge_module, "BASIS_ENTRIES", 0)
        split = weighted_split(i, j, flow, weight, n)
    np.testing.assert_allclose(split.harmonic, dense_split(i, j, flow, weight, n)[2], atol=1e-8)
    assert split.holes == weighted_split(i, j, flow, weight, n).holes


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n=st.integers(0, 14), density=st.sampled_from([0.2, 0.5, 1.0]))
def test_every_triangle_is_listed_once(seed, n, density):
    i, j, _, _ = random_graph(seed, n, density)
    edge = {pair: e for e, pair in enumerate(zip(i.tolist(), j.tolist(), strict=True))}
    slow = [
        (edge[a, b], edge[b, c], edge[a, c])
        for a, b, c in itertools.combinations(range(n), 3)
        if {(a, b), (b, c), (a, c)} <= edge.keys()
    ]
    assert sorted(map(tuple, triangles.triangle_edges(i, j, n).tolist())) == sorted(slow)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n=st.integers(3, 11), density=st.sampled_from([0.2, 0.35, 0.5, 0.8]))
def test_number_of_holes_is_the_first_betti_number(seed, n, density):
    i, j, flow, weight = random_graph(seed, n, density)
    split = weighted_split(i, j, flow, weight, n)
    curl = curl_matrix(i, j, n).toarray()
    rank = np.linalg.matrix_rank(curl) if curl.size else 0
    assert split.holes == len(i) - find_holes(i, j, n).tree_edges - rank


def test_a_square_without_diagonals_is_all_harmonic():
    i, j = np.array([0, 1, 2, 0]), np.array([1, 2, 3, 3])
    split = weighted_split(i, j, np.array([1.0, 1.0, 1.0, -1.0]), np.ones(4), 4)
    np.testing.assert_allclose(split.harmonic, [1, 1, 1, -1], atol=1e-12)
    assert split.holes == 1


def test_a_strip_that_closes_on_itself_keeps_one_hole():
    """An octahedron's band: triangles all around a ring, the ring itself unfilled."""
    n = 8
    pairs = {tuple(sorted((v, (v + d) % n))) for v in range(n) for d in (1, 2)}
    i, j = map(np.array, zip(*sorted(pairs), strict=True))
    rng = np.random.default_rng(5)
    split = weighted_split(i, j, rng.normal(size=len(i)), rng.uniform(0.5, 2, len(i)), n)
    assert split.holes == 1
    assert np.abs(split.harmonic).min() > 0


def test_large_graphs_use_conjugate_gradients_and_agree(monkeypatch):
    from equipoise.flows import laplacian

    i, j, flow, weight = random_graph(3, 60, 0.3)
    dense = weighted_split(i, j, flow, weight, 60)
    monkeypatch.setattr(hodge_module, "laplacian_solver", lambda *a: laplacian.laplacian_solver(*a, dense_limit=0))
    sparse = weighted_split(i, j, flow, weight, 60)
    np.testing.assert_allclose(sparse.gradient, dense.gradient, atol=1e-9)
    assert sparse.residual < 1e-10


@pytest.mark.parametrize("n", [0, 1, 5])
def test_no_edges_give_empty_parts(n):
    none = np.empty(0, dtype=np.int64)
    split = weighted_split(none, none, np.empty(0), np.empty(0), n)
    assert split.rating.tolist() == [0.0] * n
    assert split.harmonic.shape == (0,)


@pytest.mark.parametrize("seed", range(4))
def test_the_residual_is_divergence_relative_to_the_flow_through_a_vertex(monkeypatch, seed):
    """A solver that is off by a thousandth shows it: an exact one leaves nothing whose scale could be checked."""
    exact = hodge_module.laplacian_solver
    monkeypatch.setattr(hodge_module, "laplacian_solver", lambda *a: lambda b: exact(*a)(b) * 1.001)
    i, j, flow, weight = random_graph(seed, 6, 0.8)
    split = weighted_split(i, j, flow, weight, 6)
    left, through = np.zeros(6), np.zeros(6)
    for e in range(len(i)):
        unexplained = weight[e] * (flow[e] - split.rating[i[e]] + split.rating[j[e]])
        left[i[e]] += unexplained
        left[j[e]] -= unexplained
        through[i[e]] += weight[e] * abs(flow[e])
        through[j[e]] += weight[e] * abs(flow[e])
    assert split.residual == pytest.approx(np.abs(left).max() / through.max(), rel=1e-9)
    assert 1e-5 < split.residual < 1e-2
    # Neither the flow's unit nor that of the weights matters.
    assert weighted_split(i, j, 1e6 * flow, 7 * weight, 6).residual == pytest.approx(split.residual, rel=1e-9)


def test_a_fit_with_divergence_left_has_not_converged(monkeypatch):
    exact = hodge_module.laplacian_solver
    flow = np.array([[0.0, 2.0, -1.0], [-2.0, 0.0, 3.0], [1.0, -3.0, 0.0]])
    assert eq.hodge(flow).fit.converged
    for error, good in ((1e-6, False), (1e-10, True)):
        monkeypatch.setattr(hodge_module, "laplacian_solver", lambda *a, e=error: lambda b: exact(*a)(b) * (1 + e))
        fit = eq.hodge(1e9 * flow).fit
        assert fit.converged is good
        assert fit.residual == pytest.approx(0.4 * error, rel=1e-3)  # rows add up to 1, 1 and -2, their sizes to 5
