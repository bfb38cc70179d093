"""The arithmetic of control variates against slow and obvious versions of itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from equipoise.luck import adjusted_mean

VALUES = st.floats(-100, 100, allow_nan=False).map(lambda value: round(value, 3))


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows: utility, one or two controls, cluster."""
    n = draw(st.integers(8, 40))
    k = draw(st.integers(1, 2))
    x = draw(hnp.arrays(float, n, elements=VALUES))
    y = draw(hnp.arrays(float, (n, k), elements=VALUES))
    cluster = draw(hnp.arrays(np.int64, n, elements=st.integers(0, 9)))
    return x, y, np.unique(cluster, return_inverse=True)[1]


def slow_totals(x: np.ndarray, y: np.ndarray, cluster: np.ndarray) -> tuple[list, list, list]:
    by_cluster: dict[int, list] = {}
    for value, controls, code in zip(x, y, cluster, strict=True):
        entry = by_cluster.setdefault(int(code), [0, 0.0, np.zeros(y.shape[1])])
        entry[0] += 1
        entry[1] += value
        entry[2] = entry[2] + controls
    rows = [by_cluster[code] for code in sorted(by_cluster)]
    return [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows]


@given(tables())
def test_totals_add_up_by_cluster(table: tuple) -> None:
    x, y, cluster = table
    data = adjusted_mean.totals(x, y, cluster)
    m, sums, controls = slow_totals(x, y, cluster)
    np.testing.assert_array_equal(data.m, m)
    np.testing.assert_allclose(data.x, sums, atol=1e-9)
    np.testing.assert_allclose(data.y, controls, atol=1e-9)


@given(tables(), st.lists(VALUES, min_size=2, max_size=2))
def test_a_fixed_coefficient_is_the_mean_of_adjusted_rows(table: tuple, c: list[float]) -> None:
    x, y, cluster = table
    weights = np.array(c[: y.shape[1]])
    result = adjusted_mean.fixed(adjusted_mean.totals(x, y, cluster), weights)
    z = x + y @ weights
    assert float(result.estimate) == pytest.approx(z.mean(), abs=1e-7)
    groups = np.unique(cluster)
    if len(groups) > 1:
        errors = [(z[cluster == g] - z.mean()).sum() / len(z) for g in groups]
        expected = len(groups) / (len(groups) - 1) * sum(e**2 for e in errors)
        assert float(result.variance) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(tables())
def test_a_fitted_coefficient_is_the_constant_of_a_regression(table: tuple) -> None:
    x, y, _ = table
    design = np.column_stack([np.ones(len(x)), y])
    if np.linalg.cond(design) > 1e5:
        return
    result = adjusted_mean.fitted(adjusted_mean.totals(x, y))
    beta = np.linalg.lstsq(design, x, rcond=None)[0]
    assert float(result.estimate) == pytest.approx(beta[0], rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(result.coefficient, -beta[1:], rtol=1e-5, atol=1e-6)
    # The variance is the constant's sandwich with residuals stretched by their leverage (HC2).
    inverse = np.linalg.inv(design.T @ design)
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    if leverage.max() > 0.999:
        return
    residual = x - design @ beta
    meat = (design * (residual**2 / (1 - leverage))[:, None]).T @ design
    assert float(result.variance) == pytest.approx((inverse @ meat @ inverse)[0, 0], rel=1e-4, abs=1e-8)


@given(tables(), st.integers(2, 5))
def test_cross_fitting_uses_only_the_other_folds(table: tuple, folds: int) -> None:
    x, y, cluster = table
    data = adjusted_mean.totals(x, y, cluster)
    clusters = len(data.x)
    if clusters < folds:
        return
    total = 0.0
    for g in range(clusters):
        others = np.arange(clusters) % folds != g % folds
        c = adjusted_mean.coefficients(data.part(others))
        total += data.x[g] + data.y[g] @ c
    assert float(adjusted_mean.cross_fitted(data, folds).estimate) == pytest.approx(total / len(x), rel=1e-9, abs=1e-9)


@given(tables())
def test_equal_clusters_give_the_regression_of_their_means(table: tuple) -> None:
    x, y, _ = table
    n = len(x) // 2
    if n < y.shape[1] + 3:
        return
    x, y = x[: 2 * n], y[: 2 * n]
    pairs = adjusted_mean.fitted(adjusted_mean.totals(x, y, np.repeat(np.arange(n), 2)))
    means = adjusted_mean.fitted(adjusted_mean.totals(x.reshape(n, 2).mean(axis=1), y.reshape(n, 2, -1).mean(axis=1)))
    assert float(pairs.estimate) == pytest.approx(float(means.estimate), rel=1e-6, abs=1e-6)
    assert float(pairs.variance) == pytest.approx(float(means.variance), rel=1e-4, abs=1e-8)


def test_batches_give_what_single_samples_give() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(5, 12)), rng.normal(size=(5, 12, 2))
    batch = adjusted_mean.Totals(np.ones_like(x), x, y, np.sqrt((y**2).mean(axis=-2)))
    for method in (
        adjusted_mean.fitted,
        lambda data: adjusted_mean.cross_fitted(data, 3),
        lambda data: adjusted_mean.fixed(data, np.ones(2)),
    ):
        together = method(batch)
        for index in range(5):
            alone = method(adjusted_mean.totals(x[index], y[index]))
            assert together.estimate[index] == pytest.approx(float(alone.estimate), abs=1e-12)
            assert together.variance[index] == pytest.approx(float(alone.variance), abs=1e-12)


def test_two_copies_of_a_control_share_its_weight() -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=50)
    x = 2 * y + rng.normal(size=50)
    one = adjusted_mean.totals(x, y[:, None])
    two = adjusted_mean.totals(x, np.column_stack([y, y]))
    assert adjusted_mean.rank(two) == 1
    assert float(adjusted_mean.fitted(two).estimate) == pytest.approx(
        float(adjusted_mean.fitted(one).estimate), abs=1e-9
    )
    np.testing.assert_allclose(adjusted_mean.coefficients(two), adjusted_mean.coefficients(one)[0] / 2, atol=1e-9)


def test_the_scale_of_a_control_does_not_matter() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=(60, 2))
    x = y @ [1.0, 3.0] + rng.normal(size=60)
    plain = adjusted_mean.fitted(adjusted_mean.totals(x, y))
    scaled = adjusted_mean.fitted(adjusted_mean.totals(x, y * [1e-9, 1e7]))
    assert float(scaled.estimate) == pytest.approx(float(plain.estimate), rel=1e-9)
    assert float(scaled.variance) == pytest.approx(float(plain.variance), rel=1e-6)
