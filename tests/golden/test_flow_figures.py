"""Figures of Balduzzi et al. (2018), Re-evaluating Evaluation, sections 2 to 4 and appendix F, at the true optimum."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.flows.operators import div, grad


@pytest.fixture(scope="module")
def alphago():
    """Extended Data Table 9 of Silver et al. (2016), as the paper uses it."""
    return eq.load("alphago")


@pytest.fixture(scope="module")
def elo(alphago):
    return eq.melo(alphago, k=0)


@pytest.fixture(scope="module")
def melo_2(alphago):
    return eq.melo(alphago, k=1)


def three(fit):
    return [round(fit.probability(*pair), 2) for pair in (("v", "p"), ("v", "Zen"), ("p", "Zen"))]


def test_elo_on_alphago(elo):
    assert round(elo.log_loss, 4) == 16.9881
    assert round(elo.frobenius, 3) == 0.855
    assert three(elo) == [0.41, 0.58, 0.67]


def test_melo_2_on_alphago(melo_2):
    # The paper stopped early at a Frobenius error of 0.35; the optimum of the likelihood has 0.260.
    assert round(melo_2.log_loss, 4) == 14.7297
    assert round(melo_2.frobenius, 3) == 0.260
    assert three(melo_2) == [0.72, 0.47, 0.98]
    assert melo_2.fit.converged


def test_melo_2_with_vectors_orthogonal_to_the_rating(alphago):
    assert round(eq.melo(alphago, orthogonal="rating").log_loss, 4) == 14.7535


def test_the_papers_log_losses_are_sums_over_all_cells_divided_by_sixteen(elo, melo_2):
    diagonal = 8 * np.log(2)
    assert round((elo.log_loss + diagonal) / 16, 3) == 1.408
    assert round((melo_2.log_loss + diagonal) / 16, 3) == 1.267


def test_batch_elo_is_bradley_terry(alphago, elo):
    np.testing.assert_allclose(eq.bradley_terry(alphago).rating, elo.rating, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_does_not_depend_on_the_seed(alphago, melo_2, seed):
    other = eq.melo(alphago, k=1, rng=seed + 1)
    np.testing.assert_allclose(other.rating, melo_2.rating, atol=1e-5)
    np.testing.assert_allclose(other.vectors, melo_2.vectors, atol=1e-4)


def test_the_cycle_of_policy_value_and_zen_is_found(alphago):
    assert str(eq.transitivity(alphago).cycles[0]) == "p > Zen > v > p"


def test_uniform_average_with_a_cloned_agent():
    cloned = 4.6 * np.array([[0, 1, -1, -1], [-1, 0, 1, 1], [1, -1, 0, 0], [1, -1, 0, 0]])
    np.testing.assert_allclose(div(cloned[:3, :3]), 0, atol=1e-12)
    np.testing.assert_allclose(div(cloned), [-1.15, 1.15, 0, 0], atol=1e-12)
    np.testing.assert_allclose(eq.hodge(cloned).rating, [-1.15, 1.15, 0, 0], atol=1e-12)


def test_appendix_f_a_transitive_and_a_cyclic_table_of_four():
    transitive = eq.hodge(grad(np.array([1.5, 0.5, -0.5, -1.5])))
    cyclic = eq.hodge(np.array([[0.0, 1, 0, -1], [-1, 0, 1, 0], [0, -1, 0, 1], [1, 0, -1, 0]]))
    assert transitive.cyclic_share == pytest.approx(0, abs=1e-12)
    assert cyclic.cyclic_share == 1.0
