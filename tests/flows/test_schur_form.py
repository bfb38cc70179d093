"""Schur discs and the doubly centred singular values."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from equipoise.flows.additivity import centred_svd
from equipoise.flows.operators import grad
from equipoise.flows.schur import from_discs, schur_discs

SEEDS = st.integers(0, 2**32 - 1)


def random_flow(seed: int, n: int) -> np.ndarray:
    square = np.random.default_rng(seed).normal(size=(n, n))
    return square - square.T


@given(SEEDS, st.integers(0, 9))
def test_discs_rebuild_the_flow(seed, n):
    flow = random_flow(seed, n)
    np.testing.assert_allclose(from_discs(*schur_discs(flow)), flow, atol=1e-10)


@given(SEEDS, st.integers(2, 9))
def test_axes_are_orthonormal_and_strengths_descend(seed, n):
    discs = schur_discs(random_flow(seed, n))
    np.testing.assert_allclose(discs.vectors.T @ discs.vectors, np.eye(2 * len(discs.values)), atol=1e-10)
    assert np.all(np.diff(discs.values) <= 0)
    assert np.all(discs.values > 0)


@given(SEEDS, st.integers(2, 9))
def test_strengths_agree_with_the_real_schur_form(seed, n):
    flow = random_flow(seed, n)
    block = scipy.linalg.schur(flow, output="real")[0]
    expected = np.sort(np.abs(np.linalg.eigvals(block).imag))[::-1][: 2 * (n // 2) : 2]
    np.testing.assert_allclose(schur_discs(flow).values, expected, rtol=1e-8)


@given(SEEDS, st.integers(2, 8))
def test_relabelling_moves_the_vectors_with_their_agents(seed, n):
    flow = random_flow(seed, n)
    order = np.random.default_rng(seed).permutation(n)
    moved = schur_discs(flow[np.ix_(order, order)])
    np.testing.assert_allclose(moved.vectors, schur_discs(flow).vectors[order], atol=1e-6)


def test_equal_strengths_do_not_depend_on_the_eigensolver():
    """Two equal discs: any unitary mixture is an eigenbasis, the answer is one of them."""
    rps = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    flow = np.zeros((6, 6))
    flow[:3, :3] = flow[3:, 3:] = rps
    discs = schur_discs(flow)
    np.testing.assert_allclose(discs.values, [np.sqrt(3), np.sqrt(3)])
    np.testing.assert_allclose(discs.vectors[3:, :2], 0, atol=1e-12)
    np.testing.assert_allclose(discs.vectors[:3, 2:], 0, atol=1e-12)


def test_the_farthest_agent_lies_on_the_first_axis():
    discs = schur_discs(random_flow(4, 7))
    for d in range(len(discs.values)):
        x, y = discs.vectors[:, 2 * d], discs.vectors[:, 2 * d + 1]
        lead = np.argmax(x**2 + y**2)
        assert x[lead] > 0
        assert abs(y[lead]) < 1e-12


@given(SEEDS, st.integers(3, 8))
def test_a_transitive_table_is_one_disc_with_its_points_on_a_line(seed, n):
    discs = schur_discs(grad(np.random.default_rng(seed).normal(size=n)), tol=1e-9)
    assert len(discs.values) == 1
    points = discs.vectors - discs.vectors.mean(axis=0)
    assert np.linalg.svd(points, compute_uv=False)[1] < 1e-10


def test_four_in_a_ring_lie_on_a_circle():
    """Appendix F, the cyclic matrix of figure 3."""
    ring = np.array([[0.0, 1, 0, -1], [-1, 0, 1, 0], [0, -1, 0, 1], [1, 0, -1, 0]])
    discs = schur_discs(ring)
    np.testing.assert_allclose(np.linalg.norm(discs.vectors, axis=1), np.sqrt(0.5), atol=1e-12)


def test_fewer_discs_are_the_best_approximation_of_their_rank():
    flow = random_flow(8, 8)
    discs = schur_discs(flow)
    error = np.linalg.norm(flow - from_discs(discs.values[:2], discs.vectors[:, :4]))
    singular = np.linalg.svd(flow, compute_uv=False)
    assert error == pytest.approx(np.sqrt(np.sum(singular[4:] ** 2)))


@given(SEEDS, st.integers(1, 6), st.integers(1, 6))
def test_proposition_2_singular_values_are_schur_discs(seed, m, n):
    scores = np.random.default_rng(seed).normal(size=(m, n))
    result = centred_svd(scores)
    block = np.block([[np.zeros((m, m)), result.rest], [-result.rest.T, np.zeros((n, n))]])
    vectors = np.zeros((m + n, 2 * len(result.values)))
    vectors[:m, 0::2], vectors[m:, 1::2] = result.abilities, result.problems
    np.testing.assert_allclose(from_discs(result.values, vectors), block, atol=1e-10)
    np.testing.assert_allclose(schur_discs(block, tol=1e-9).values, result.values, atol=1e-10)


@given(SEEDS, st.integers(1, 6), st.integers(1, 6))
def test_centred_parts_add_up(seed, m, n):
    scores = np.random.default_rng(seed).normal(size=(m, n))
    result = centred_svd(scores)
    np.testing.assert_allclose(result.rest.sum(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(result.rest.sum(axis=1), 0, atol=1e-10)
    rebuilt = (
        result.mean + result.skill[:, None] - result.difficulty + (result.abilities * result.values) @ result.problems.T
    )
    np.testing.assert_allclose(rebuilt, scores, atol=1e-10)


def test_additive_scores_have_no_latent_part():
    scores = np.arange(4.0)[:, None] + np.array([3.0, -1.0, 0.5])
    assert centred_svd(scores).values.size == 0
