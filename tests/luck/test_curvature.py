"""Controls along a curve: the test against plain least squares, the jackknife, and what is said."""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.luck.adjusted_mean import fitted, influences, totals
from equipoise.luck.curvature import curvature_p
from equipoise.luck.luck_table import too_skewed


def slow_p(x, y):
    """F test of nested least-squares fits, by normal equations."""

    def left(columns):
        return float(((x - columns @ np.linalg.solve(columns.T @ columns, columns.T @ x)) ** 2).sum())

    line = np.column_stack([np.ones(len(x)), y])
    less, more = left(line), left(np.column_stack([line, y**2]))
    used, rest = y.shape[1], len(x) - 1 - 2 * y.shape[1]
    return scipy.stats.f.sf((less - more) / used / (more / rest), used, rest)


@pytest.mark.parametrize("controls", [1, 2])
def test_the_test_of_a_curve_is_that_of_nested_fits(controls):
    rng = np.random.default_rng(controls)
    for bend in (0.0, 0.3):
        y = rng.normal(size=(25, controls))
        x = y.sum(axis=1) + bend * (y**2).sum(axis=1) + rng.normal(size=25)
        assert curvature_p(totals(x, y)) == pytest.approx(slow_p(x, y))


def test_leaving_out_a_sample_moves_the_mean_by_its_influence():
    rng = np.random.default_rng(3)
    y = rng.normal(size=(12, 2))
    x = y[:, 0] + rng.normal(size=12)
    whole = fitted(totals(x, y)).estimate
    without = [fitted(totals(np.delete(x, i), np.delete(y, i, axis=0))).estimate for i in range(12)]
    assert influences(totals(x, y), power=1.0) == pytest.approx(whole - np.array(without))


def test_a_curve_is_said_and_allowed_for_and_a_line_is_left_alone():
    rng = np.random.default_rng(4)
    y = rng.normal(size=30)
    straight, bent = (eq.control_variates(x + 0.5 * rng.normal(size=30), y) for x in (2 * y, y + y**2))
    assert not straight.diagnostics
    half = scipy.stats.t.ppf(0.975, 28) * straight.stderr
    assert (straight.low, straight.high) == pytest.approx((straight.estimate - half, straight.estimate + half))
    assert [note.code for note in bent.diagnostics if note.code == "curved-control"]
    half = scipy.stats.t.ppf(0.975, 28) * bent.stderr
    assert bent.high - bent.estimate > 1.3 * half  # residuals of this curve lean upwards
    assert bent.estimate - bent.low < 1.2 * half


def test_the_skewness_that_is_said_is_beyond_chance():
    rng = np.random.default_rng(5)
    for n, most in ((6, 0.0), (10, 0.02), (30, 0.02), (200, 0.02)):
        skew = scipy.stats.skew(rng.normal(size=(2000, n)), axis=1)
        assert np.mean([too_skewed(one, n) for one in skew]) <= most
    values = rng.lognormal(size=(200, 40))
    skew = scipy.stats.skew(values, axis=1)
    assert np.mean([too_skewed(one, 40) for one in skew]) > 0.9
    z = scipy.stats.skewtest(values[0])
    assert too_skewed(skew[0], 40) == (z.pvalue < 0.01)
