"""Intervals against text-book t intervals of the same numbers: estimate, standard error and degrees of freedom."""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.luck import adjusted_mean
from equipoise.luck.curvature import ALLOWED_FOR, curvature_p
from tests.statistical.honesty import Coverage, check_unbiased


def student(values: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """The t interval of a mean, from SciPy."""
    ends = scipy.stats.ttest_1samp(values, 0.0).confidence_interval(level)
    return float(ends.low), float(ends.high)


def sample(n: int, k: int = 1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(n, k))
    return 1.0 + y.sum(axis=1) + rng.normal(size=n), y


@pytest.mark.parametrize("n", [3, 4, 7, 30])
def test_a_fixed_coefficient_gives_the_t_interval_of_the_adjusted_samples(n: int) -> None:
    x, y = sample(n)
    result = eq.control_variates(x, y[:, 0], coefficient=-0.7, level=0.9)
    assert (result.low, result.high) == pytest.approx(student(x - 0.7 * y[:, 0], 0.9), rel=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("coefficient", ["fitted", "cross-fitted"])
def test_an_estimated_coefficient_costs_a_degree_of_freedom_for_each_control(k: int, coefficient: str) -> None:
    x, y = sample(9, k, seed=2)
    assert curvature_p(adjusted_mean.totals(x, y, None)) > ALLOWED_FOR  # a curve would widen the interval
    result = eq.control_variates(x, y, coefficient=coefficient)
    reach = scipy.stats.t.ppf(0.975, 9 - 1 - k) * result.stderr
    assert (result.low, result.high) == pytest.approx((result.estimate - reach, result.estimate + reach), rel=1e-9)


def test_clusters_and_not_hands_are_counted() -> None:
    x, y = sample(24, 2)
    result = eq.control_variates(x, y, cluster=np.arange(24) // 3)
    reach = scipy.stats.t.ppf(0.975, 8 - 1 - 2) * result.stderr
    assert result.high - result.estimate == pytest.approx(reach, rel=1e-9)
    fixed = eq.control_variates(x, y, coefficient=[-1.0, -1.0], cluster=np.arange(24) // 3)
    means = (x - y.sum(axis=1)).reshape(8, 3).mean(axis=1)
    assert (fixed.low, fixed.high) == pytest.approx(student(means), rel=1e-9)


def test_antithetic_groups_give_the_t_interval_of_their_means() -> None:
    x, y = sample(6, 2)
    result = eq.methods.antithetic(x, y)
    assert (result.low, result.high) == pytest.approx(student(np.column_stack([x, y]).mean(axis=1)), rel=1e-9)


def dealt(deals: int, seed: int = 3) -> eq.Episodes:
    """Two agents on each deal in both seats, with a control that knows the deal in part."""
    rng = np.random.default_rng(seed)
    luck = np.repeat(rng.normal(size=deals), 2)
    won = luck + np.tile([0.3, -0.3], deals) + rng.normal(size=2 * deals)
    own = luck + 0.3 * rng.normal(size=2 * deals)
    return eq.Episodes.from_columns(
        ["a", "b", "b", "a"] * deals,
        np.repeat(np.arange(deals), 4),
        np.stack([won, -won], axis=1).ravel(),
        seat=[0, 1] * 2 * deals,
        hand=np.repeat(np.arange(2 * deals), 2),
        controls={"bot": np.stack([own, -own], axis=1).ravel()},
    )


def test_duplicate_gives_the_t_interval_of_the_means_of_deals() -> None:
    hands = dealt(5)
    result = eq.duplicate(hands)
    mine = hands.utility[hands.agent.codes == hands.agents.index("a")].reshape(5, 2).mean(axis=1)
    row = result.agents.index("a")
    assert (result.low[row], result.high[row]) == pytest.approx(student(mine), rel=1e-9)


def test_baseline_counts_deals_less_one_and_its_controls() -> None:
    result = eq.baseline(dealt(7), control="bot")
    reach = scipy.stats.t.ppf(0.975, 7 - 1 - 1) * result.stderr
    np.testing.assert_allclose(result.high - result.estimate, reach, rtol=1e-9)


@pytest.mark.parametrize("k", [1, 2])
def test_a_plan_counts_the_degrees_of_freedom_of_its_pilot_and_of_the_hands_to_come(k: int) -> None:
    x, y = sample(12, k)
    design = np.column_stack([np.ones(12), y])
    residual = x - design @ np.linalg.lstsq(design, x, rcond=None)[0]
    left = float(residual @ residual) / (12 - 1 - k)
    plan = eq.methods.plan_hands(x, y, hands=10, n=50)
    loss = (10 - 2) / (10 - k - 2)
    assert plan.half_width == pytest.approx(scipy.stats.t.ppf(0.975, 10 - 1 - k) * np.sqrt(left * loss / 10), rel=1e-9)
    assert plan.multiplier == pytest.approx(x.var(ddof=1) / left, rel=1e-9)


def totals(x: np.ndarray, y: np.ndarray) -> adjusted_mean.Totals:
    return adjusted_mean.Totals(np.ones(x.shape), x, y, np.sqrt((y**2).mean(axis=-2)))


def covered(adjusted: adjusted_mean.Adjusted, truth: float, what: str) -> Coverage:
    reach = scipy.stats.t.ppf(0.975, adjusted.dof) * np.sqrt(adjusted.variance)
    return Coverage.of(adjusted.estimate - reach, adjusted.estimate + reach, truth, adjusted.estimate, what)


def test_intervals_of_a_few_normal_samples_cover_exactly() -> None:
    """Five samples and a fixed coefficient: Student's case. One degree of freedom more would cover 1.2% too little."""
    rng = np.random.default_rng(1)
    y = rng.normal(size=(20_000, 5, 1))
    x = 1.0 + 2.0 * y[..., 0] + rng.normal(size=(20_000, 5))
    covered(adjusted_mean.fixed(totals(x, y), np.array([-2.0])), 1.0, "fixed coefficient, five samples").check()


@pytest.mark.parametrize("coefficient", ["fitted", "cross-fitted"])
def test_intervals_with_estimated_coefficients_cover_without_bias(coefficient: str) -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=(6000, 40, 1))
    x = 1.0 + 2.0 * y[..., 0] + rng.normal(size=(6000, 40))
    data = totals(x, y)
    adjusted = adjusted_mean.fitted(data) if coefficient == "fitted" else adjusted_mean.cross_fitted(data, 5)
    covered(adjusted, 1.0, f"{coefficient}, forty samples").check(slack=0.003, over=0.003)
    check_unbiased(adjusted.estimate, 1.0, what=f"{coefficient}, forty samples")
    plain = adjusted_mean.fixed(data, np.zeros(1))
    assert np.mean(adjusted.variance) < 0.25 * np.mean(plain.variance)


def test_clustered_intervals_cover_where_plain_ones_do_not() -> None:
    """Four hands a deal that go the same way."""
    rng = np.random.default_rng(3)
    luck = rng.normal(size=(4000, 40, 1))
    y = luck + 0.5 * rng.normal(size=(4000, 40, 4))
    x = 1.0 + 2.0 * luck + rng.normal(size=(4000, 40, 1)) + rng.normal(size=(4000, 40, 4))
    deals = adjusted_mean.Totals(
        np.full((4000, 40), 4.0), x.sum(axis=-1), y.sum(axis=-1)[..., None], np.ones((4000, 1))
    )
    covered(adjusted_mean.fitted(deals), 1.0, "fitted, clustered").check(slack=0.005, over=0.005)
    hands = totals(x.reshape(4000, 160), y.reshape(4000, 160, 1))
    assert covered(adjusted_mean.fitted(hands), 1.0, "fitted, not clustered").held().mean() < 0.85


def test_a_pilot_predicts_the_reduction_that_comes() -> None:
    rng = np.random.default_rng(4)
    truth = 100.0 * (1.0 - np.sqrt(0.2))
    intervals = Coverage(what="predicted reduction")
    for run in range(400):
        luck = rng.normal(size=80)
        plan = eq.methods.plan_hands(1.0 + 2.0 * luck + rng.normal(size=80), luck, half_width=0.2, n=100, rng=run)
        intervals.add(plan.reduction_low, plan.reduction_high, truth, plan.reduction)
    intervals.check(slack=0.02)
