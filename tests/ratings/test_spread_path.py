"""Fits along a path of spreads, against fits from nothing; quantiles of mixtures, against a root finder."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from equipoise.core.errors import ConvergenceError
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import bradley_terry_newton, dense_hessian
from equipoise.ratings.paired.ties import PairCounts, curvature
from equipoise.ratings.population.population import SPREADS, fits_along, folded, mixture_quantiles


def drawn(seed, agents, ties="half", side=False):
    """Games of everybody against everybody, some pairs in both orders, some never met."""
    rng = np.random.default_rng(seed)
    first, second = np.nonzero(~np.eye(agents, dtype=bool) & (rng.random((agents, agents)) < 0.8))
    if not first.size:
        first, second = np.array([0]), np.array([1])
    counts = rng.integers(0, 12, size=(3, first.size)).astype(float) + (ties != "half")
    components = np.zeros(agents, dtype=np.int64)
    return PairedModel(agents, first.astype(np.int32), second.astype(np.int32), ties, side, components), PairCounts(
        *counts
    )


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(2, 9),
    st.sampled_from(["half", "davidson", "rao-kupper"]),
    st.booleans(),
)
def test_fits_along_the_path_are_those_from_nothing(seed, agents, ties, side):
    model, cells = drawn(seed, agents, ties, side)
    for spread, fit in zip(SPREADS, fits_along(model, cells, SPREADS), strict=True):
        at = replace(model, precision=spread**-2)
        slow = bradley_terry_newton(at, cells)
        np.testing.assert_allclose(fit.solution.x, slow.x, atol=1e-8)
        assert fit.solution.objective == pytest.approx(slow.objective, rel=1e-12)
        bend = dense_hessian(at, curvature(at.differences(slow.x), at.tie(slow.x), cells, ties))
        np.testing.assert_allclose(fit.factor @ fit.factor.T, bend, rtol=1e-6, atol=1e-8)
        expected = slow.objective - agents * np.log(spread) - np.linalg.slogdet(bend)[1] / 2
        assert fit.evidence == pytest.approx(expected, abs=1e-6)


def test_players_who_never_lost_are_fitted_all_the_way():
    """Under a wide prior they run away: the line to the next spread is no good start there, and a fit from afar is."""
    model, _ = drawn(0, 4)
    model = replace(model, first=np.array([0, 1, 2], np.int32), second=np.array([1, 2, 3], np.int32))
    cells = PairCounts(np.full(3, 400.0), np.zeros(3), np.zeros(3))
    for spread, fit in zip(SPREADS, fits_along(model, cells, SPREADS), strict=True):
        slow = bradley_terry_newton(replace(model, precision=spread**-2), cells)
        np.testing.assert_allclose(fit.solution.x, slow.x, atol=1e-7)


@given(st.integers(0, 10_000), st.integers(2, 7), st.sampled_from(["half", "davidson"]))
def test_both_orders_of_a_pair_are_as_good_as_one(seed, agents, ties):
    model, cells = drawn(seed, agents, ties)
    single, sums = folded(model, cells)
    assert (single.first < single.second).all()
    assert len({*zip(single.first.tolist(), single.second.tolist(), strict=True)}) == len(single.first)
    two, one = (bradley_terry_newton(replace(m, precision=1.0), c) for m, c in ((model, cells), (single, sums)))
    np.testing.assert_allclose(one.x, two.x, atol=1e-9)
    assert one.objective == pytest.approx(two.objective)


def test_cells_stay_apart_where_a_side_may_have_an_advantage():
    model, cells = drawn(3, 4, side=True)
    assert folded(model, cells) == (model, cells)


def below(x, weight, mode, sd):
    """Give the distribution function of a mixture, one part after the other."""
    return sum(w * scipy.special.ndtr((x - m) / s) for w, m, s in zip(weight, mode, sd, strict=True))


def quantile(weight, mode, sd, chance):
    """Give a quantile of a mixture by a root finder, from ends far outside."""
    ends = (mode - 40 * sd).min(), (mode + 40 * sd).max()
    return scipy.optimize.brentq(lambda x: below(x, weight, mode, sd) - chance, *ends, xtol=1e-13, rtol=1e-14)


@given(st.integers(0, 10_000), st.floats(0.001, 0.999))
@example(3703, 0.67272)  # Newton's method within a bracket goes to and fro here for more than a hundred steps
def test_quantiles_of_mixtures_are_where_their_distribution_says(seed, chance):
    rng = np.random.default_rng(seed)
    parts, unknowns = rng.integers(1, 6), 3
    mode, sd = 5 * rng.normal(size=(parts, unknowns)), np.exp(2 * rng.normal(size=(parts, unknowns)))
    weight = rng.dirichlet(np.ones(parts), size=2)
    found = mixture_quantiles(weight, mode, sd, chance)
    for row, k in np.ndindex(found.shape):
        mixture = weight[row], mode[:, k], sd[:, k]
        # Between parts that stand far apart the distribution is flat, and any point there is the quantile.
        assert below(found[row, k], *mixture) == pytest.approx(below(quantile(*mixture, chance), *mixture), abs=1e-9)


@pytest.mark.parametrize("decades", [0, 1, 3, 5])
def test_quantiles_of_thousands_of_mixtures_are_right_whatever_their_weights_and_scales(decades):
    """A step to either side of a quantile, the distribution is on either side of the chance."""
    rng = np.random.default_rng(decades)
    for _ in range(1500):
        parts = rng.integers(1, 16)
        mode = 5 * rng.normal(size=(parts, 3)) * 10 ** rng.uniform(-decades, decades)
        sd = np.exp(2 * rng.normal(size=(parts, 3))) * 10 ** rng.uniform(-decades, decades, size=(parts, 3))
        weight = rng.dirichlet(np.full(parts, 10 ** rng.uniform(-2, 1)), size=2)
        tail = 10 ** rng.uniform(-12, -1)
        chance = rng.choice([rng.uniform(0.001, 0.999), tail, 1 - tail])
        found = mixture_quantiles(weight, mode, sd, chance)
        step = np.maximum(1e-9 * sd.min(axis=0), 1e-14 * np.abs(mode + sd * scipy.special.ndtri(chance)).max(axis=0))
        for x, side in ((found - step, -1), (found + step, 1)):
            share = np.array([below(x[row], weight[row], mode, sd) for row in range(2)])
            assert (side * (share - chance) >= -1e-13).all()


def test_a_part_without_width_is_the_quantile_where_the_distribution_jumps():
    mode, sd = np.array([[-1.0, 0.0], [2.0, 0.0]]), np.array([[1e-300, 1e-300], [1.0, 2.0]])
    found = mixture_quantiles(np.array([[0.5, 0.5], [0.01, 0.99]]), mode, sd, 0.3)
    assert found[0] == pytest.approx([-1.0, 0.0], abs=1e-12)
    assert [below(found[1, k], [0.01, 0.99], mode[:, k], sd[:, k]) for k in range(2)] == pytest.approx([0.3, 0.3])


def test_quantiles_of_what_is_no_number_are_an_error():
    with pytest.raises(ConvergenceError, match="not a number"):
        mixture_quantiles(np.ones((2, 1)), np.array([[0.0, np.nan]]), np.ones((1, 2)), 0.3)
