"""The checks themselves: they pass what is right, and fail what is a little wrong."""

import numpy as np
import pytest
import scipy

from tests.statistical.honesty import Coverage, check_guarantee, check_not_too_small, check_unbiased, check_uniform

RNG = np.random.default_rng(0)
Z = RNG.normal(size=(400, 3))


def intervals(width, together=False):
    found = Coverage(0.95)
    for row in Z[:, :1].repeat(3, axis=1) if together else Z:
        found.add(row - 1.96 * width, row + 1.96 * width, 0.0)
    return found


def test_right_intervals_pass_alone_or_together():
    intervals(1.0).check()
    intervals(1.0, together=True).check()


@pytest.mark.parametrize("width", [0.7, 0.85, 1.5, 2.0])
def test_wrong_widths_fail(width):
    with pytest.raises(AssertionError, match="should be within"):
        intervals(width).check()


def test_intervals_that_hold_together_count_once():
    assert intervals(1.0, together=True).error() == pytest.approx(np.sqrt(3) * intervals(1.0).error(), rel=0.1)


def test_too_few_runs_to_notice_are_refused():
    few = Coverage(0.95)
    for z in Z[:25, 0]:
        few.add(z - 1.96, z + 1.96, 0.0)
    with pytest.raises(AssertionError, match="but so would"):
        few.check()


def test_p_values_of_a_test_that_underrates_its_variance_fail():
    right, wrong = (2 * scipy.special.ndtr(-np.abs(scale * Z[:, 0])) for scale in (1.0, 1.41))
    check_uniform(right)
    check_not_too_small(right)
    for check in (check_uniform, check_not_too_small):
        with pytest.raises(AssertionError):
            check(wrong)


def test_cautious_p_values_are_not_uniform():
    cautious = 2 * scipy.special.ndtr(-np.abs(0.5 * Z[:, 0]))
    with pytest.raises(AssertionError):
        check_uniform(cautious)


def test_a_bias_of_half_a_standard_error_fails():
    check_unbiased(Z, 0.0)
    with pytest.raises(AssertionError, match="off by"):
        check_unbiased(Z + np.array([0.0, 0.5, 0.0]), 0.0)


def test_a_broken_promise_fails_and_so_do_data_that_prove_nothing():
    wrong = np.arange(200) < 10
    check_guarantee(wrong, 0.05, naive=np.arange(200) < 40)
    with pytest.raises(AssertionError, match="wrong in"):
        check_guarantee(np.arange(200) < 25, 0.05)
    with pytest.raises(AssertionError, match="even a rule"):
        check_guarantee(wrong, 0.05, naive=wrong)
