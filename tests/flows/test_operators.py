"""The identities of "Re-evaluating Evaluation", section 2.2, on random flows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from equipoise.flows.operators import curl, div, grad, rot

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 9)


def random_flow(seed: int, n: int) -> np.ndarray:
    square = np.random.default_rng(seed).normal(size=(n, n))
    return square - square.T


def random_rating(seed: int, n: int) -> np.ndarray:
    rating = np.random.default_rng(seed).normal(size=n)
    return rating - rating.mean()


@given(SEEDS, SIZES)
def test_div_undoes_grad_of_centred_ratings(seed, n):
    rating = random_rating(seed, n)
    np.testing.assert_allclose(div(grad(rating)), rating, atol=1e-12)


@given(SEEDS, SIZES)
def test_rot_has_no_divergence(seed, n):
    np.testing.assert_allclose(div(rot(random_flow(seed, n))), 0, atol=1e-12)


@given(SEEDS, SIZES)
def test_grad_has_no_rotation_and_no_curl(seed, n):
    flow = grad(random_rating(seed, n))
    np.testing.assert_allclose(rot(flow), 0, atol=1e-12)
    np.testing.assert_allclose(curl(flow), 0, atol=1e-12)


@given(SEEDS, SEEDS, SIZES)
def test_grad_and_rot_are_orthogonal_and_sum_to_the_flow(seed, other, n):
    flow = random_flow(seed, n)
    np.testing.assert_allclose(grad(div(flow)) + rot(flow), flow, atol=1e-12)
    assert abs(np.sum(grad(random_rating(other, n)) * rot(flow))) < 1e-10


@given(SEEDS, SIZES)
def test_rot_is_the_mean_curl(seed, n):
    flow = random_flow(seed, n)
    np.testing.assert_allclose(rot(flow), curl(flow).mean(axis=2), atol=1e-12)


def test_curl_is_the_sum_around_the_triangle():
    flow = random_flow(3, 4)
    expected = flow[0, 2] + flow[2, 3] + flow[3, 0]
    np.testing.assert_allclose(curl(flow)[0, 2, 3], expected)
