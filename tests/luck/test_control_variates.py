"""Control variates on arrays: estimates, intervals, and what is said about bad input."""

import json

import numpy as np
import pytest
import scipy

import equipoise as eq


def sample(n: int = 400, seed: int = 0, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.normal(1.0, 2.0, n)
    return 3.0 + 1.5 * (y - 1.0) + noise * rng.normal(size=n), y


def test_the_coefficient_is_minus_covariance_over_variance() -> None:
    x, y = sample()
    result = eq.control_variates(x, y, mean=1.0)
    assert result.coefficient == pytest.approx(-np.cov(x, y)[0, 1] / np.var(y, ddof=1), rel=1e-12)
    assert result.estimate == pytest.approx(np.mean(x + result.coefficient * (y - 1.0)), abs=1e-12)


def test_the_variance_left_is_one_minus_the_squared_correlation() -> None:
    x, y = sample(5000)
    result = eq.control_variates(x, y, mean=1.0)
    rho = np.corrcoef(x, y)[0, 1]
    assert result.multiplier == pytest.approx(1 / (1 - rho**2), rel=0.02)
    assert result.reduction == pytest.approx(100 * (1 - np.sqrt(1 - rho**2)), rel=0.02)


def test_several_controls_are_combined_by_least_squares() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=(500, 3))
    x = 1.0 + y @ [2.0, -1.0, 0.5] + 0.1 * rng.normal(size=500)
    result = eq.control_variates(x, y)
    np.testing.assert_allclose(result.coefficient, [-2.0, 1.0, -0.5], atol=0.02)
    assert result.estimate == pytest.approx(1.0, abs=0.02)
    assert result.reduction > 90


def controls_with_means(n: int = 90) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    means = np.array([2.0, -3.0, 0.5])
    y = means + rng.normal(size=(n, 3)) @ [[1.0, 0.4, 0.0], [0.0, 2.0, -0.3], [0.0, 0.0, 0.5]]
    return 1.0 + (y - means) @ [1.5, -0.7, 2.0] + rng.normal(size=n), y, means


def test_each_of_several_controls_has_its_own_mean() -> None:
    """The estimate is what least squares predict for controls at their means; by fixed weights it is a plain sum."""
    x, y, means = controls_with_means()
    constant, *slopes = np.linalg.lstsq(np.column_stack([np.ones(len(x)), y]), x, rcond=None)[0]
    fitted = eq.control_variates(x, y, mean=means)
    np.testing.assert_allclose(fitted.coefficient, -np.array(slopes), rtol=1e-9)
    assert fitted.estimate == pytest.approx(constant + means @ slopes, rel=1e-9)
    weights = [-1.0, 0.5, -2.0]
    by_hand = [x[i] + sum(weights[k] * (y[i, k] - means[k]) for k in range(3)) for i in range(len(x))]
    fixed = eq.control_variates(x, y, mean=means, coefficient=weights)
    assert fixed.estimate == pytest.approx(np.mean(by_hand), rel=1e-12)
    assert fixed.stderr == pytest.approx(np.std(by_hand, ddof=1) / np.sqrt(len(x)), rel=1e-12)


@pytest.mark.parametrize("controls", [1, 3])
def test_the_error_of_fitted_coefficients_is_that_of_the_regressions_constant(controls: int) -> None:
    """With residuals of unequal variance, each divided by what its leverage leaves of it (HC2)."""
    x, y, means = controls_with_means(40)
    y, means = y[:, :controls], means[:controls]
    design = np.column_stack([np.ones(len(x)), y - means])
    inverse = np.linalg.inv(design.T @ design)
    residual = x - design @ (inverse @ design.T @ x)
    meat = np.zeros_like(inverse)
    for row, left in zip(design, residual, strict=True):
        meat += left**2 / (1 - row @ inverse @ row) * np.outer(row, row)
    found = eq.control_variates(x, y, mean=means)
    assert found.stderr == pytest.approx(np.sqrt((inverse @ meat @ inverse)[0, 0]), rel=1e-9)
    reach = scipy.stats.t.ppf(0.975, len(x) - 1 - controls) * found.stderr
    assert (found.high - found.estimate, found.estimate - found.low) == (pytest.approx(reach), pytest.approx(reach))


def test_each_of_several_controls_has_its_own_mean_in_every_fold() -> None:
    x, y, means = controls_with_means()
    adjusted = np.empty(len(x))
    for fold in range(5):
        out = np.arange(len(x)) % 5 == fold
        design = np.column_stack([np.ones(np.sum(~out)), y[~out]])
        slopes = np.linalg.lstsq(design, x[~out], rcond=None)[0][1:]
        adjusted[out] = x[out] - (y[out] - means) @ slopes
    found = eq.control_variates(x, y, mean=means, coefficient="cross-fitted", folds=5)
    assert found.estimate == pytest.approx(adjusted.mean(), rel=1e-9)
    assert found.stderr == pytest.approx(adjusted.std(ddof=1) / np.sqrt(len(x)), rel=1e-9)


def test_errors_of_several_estimated_means_are_added_each_with_its_weight() -> None:
    x, y, means = controls_with_means()
    weights, errors = np.array([-1.0, 0.5, -2.0]), np.array([0.1, 0.3, 0.02])
    known = eq.control_variates(x, y, mean=means, coefficient=weights)
    guessed = eq.control_variates(x, y, mean=means, mean_stderr=errors, coefficient=weights)
    assert guessed.stderr**2 == pytest.approx(known.stderr**2 + 0.1**2 + 0.15**2 + 0.04**2, rel=1e-9)


def test_minus_one_subtracts_the_control() -> None:
    x, y = sample()
    result = eq.control_variates(x, y, mean=1.0, coefficient=-1.0)
    assert result.estimate == pytest.approx(np.mean(x - y + 1.0), abs=1e-12)
    assert result.stderr == pytest.approx(np.std(x - y, ddof=1) / 20, rel=1e-12)


def test_cross_fitting_is_close_to_fitting() -> None:
    x, y = sample()
    fitted = eq.control_variates(x, y, mean=1.0)
    crossed = eq.control_variates(x, y, mean=1.0, coefficient="cross-fitted")
    assert crossed.estimate == pytest.approx(fitted.estimate, abs=fitted.stderr / 3)
    assert crossed.stderr == pytest.approx(fitted.stderr, rel=0.05)


def test_an_estimated_mean_adds_its_variance() -> None:
    x, y = sample()
    known = eq.control_variates(x, y, mean=1.0)
    guessed = eq.control_variates(x, y, mean=1.0, mean_stderr=0.2)
    assert guessed.stderr**2 == pytest.approx(known.stderr**2 + (known.coefficient * 0.2) ** 2, rel=1e-9)


def test_clusters_widen_the_interval_of_copied_samples() -> None:
    x, y = sample()
    once = eq.control_variates(x, y, mean=1.0)
    copied = eq.control_variates(np.tile(x, 3), np.tile(y, 3), mean=1.0, cluster=np.tile(np.arange(len(x)), 3))
    assert copied.estimate == pytest.approx(once.estimate, abs=1e-12)
    assert copied.stderr == pytest.approx(once.stderr, rel=1e-9)
    assert copied.clusters == len(x)
    # Three copies of a hand are worth a third of three hands.
    assert copied.multiplier == pytest.approx(once.multiplier / 3, rel=0.01)


def test_the_result_is_strict_json_and_read_only() -> None:
    x, y = sample(50)
    result = eq.control_variates(x, np.column_stack([y, y**2]), mean=[1.0, 5.0])
    body = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert body["estimates"][0]["estimate"] == pytest.approx(result.estimate)
    with pytest.raises(ValueError, match="read-only"):
        result.coefficient[0] = 1.0


def test_copies_of_a_control_are_reported() -> None:
    x, y = sample(60)
    result = eq.control_variates(x, np.column_stack([y, 2 * y]), mean=[1.0, 2.0])
    assert [d.code for d in result.diagnostics] == ["controls-redundant"]


def test_a_sample_in_which_a_few_decide_is_said_to_be_skewed() -> None:
    rng = np.random.default_rng(6)
    y = rng.normal(size=60)
    few = np.where(np.arange(60) % 20 == 0, 30.0, 0.0) + rng.normal(size=60)
    assert [d.code for d in eq.control_variates(few, y).diagnostics] == ["skewed"]
    assert not eq.control_variates(*sample(60), mean=1.0).diagnostics
    assert not eq.control_variates(rng.exponential(size=5000), rng.normal(size=5000)).diagnostics


def test_a_perfect_control_leaves_no_error() -> None:
    y = np.arange(10.0)
    result = eq.control_variates(2 * y + 1, y, mean=4.0)
    assert result.estimate == pytest.approx(9.0)
    assert result.stderr == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([1.0, np.nan, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]), {}, "x is missing or infinite in rows 2"),
        (([1.0, 2.0, 3.0, 4.0], [1.0, np.inf, 3.0, 4.0]), {}, "y is missing or infinite in rows 2"),
        (([1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 1.0]), {}, "no variance"),
        (([1.0, 2.0, 3.0], [1.0, 2.0]), {}, "3 samples but 2 control values"),
        (([1.0, 2.0], [1.0, 2.0]), {}, "needs at least 3"),
        (([], []), {}, "control_variates takes arrays of numbers"),
        ((["a", "b"], [1.0, 2.0]), {}, "control_variates takes arrays of numbers"),
        (([[1.0, 2.0]], [1.0, 2.0]), {}, "one column of numbers"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), {"level": 1.5}, "level"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), {"coefficient": "best"}, "cross-fitted"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), {"coefficient": "cross-fitted", "folds": 1}, "folds"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), {"mean": [0.0, 1.0]}, "one for each of the 1 controls"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), {"mean": np.nan}, "mean is a number, a list or an array, not nan"),
        (([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), {"cluster": [1, 2]}, "cluster has shape"),
    ],
)
def test_bad_input_is_answered_in_one_line(arguments: tuple, options: dict, words: str) -> None:
    with pytest.raises(eq.EquipoiseError, match=words) as caught:
        eq.control_variates(*arguments, **options)
    assert "\n" not in str(caught.value)


def test_antithetic_samples_that_pull_apart_are_worth_more() -> None:
    u = np.random.default_rng(0).random(500)
    result = eq.methods.antithetic(np.exp(u), np.exp(1 - u))
    assert result.low < np.e - 1 < result.high
    assert result.correlation < -0.9
    assert result.multiplier > 10
    assert result.stderr == pytest.approx(np.std((np.exp(u) + np.exp(1 - u)) / 2, ddof=1) / np.sqrt(500), rel=1e-12)


def test_several_antitheses_are_averaged() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    x -= x.mean(axis=1, keepdims=True) * 0.9
    result = eq.methods.antithetic(x[:, 0], x[:, 1:])
    assert result.samples == 900
    assert result.estimate == pytest.approx(x.mean(), abs=1e-12)
    assert result.reduction > 0


def test_antitheses_that_go_the_same_way_or_have_another_mean_are_reported() -> None:
    x = np.random.default_rng(2).normal(size=200)
    codes = {d.code for d in eq.methods.antithetic(x, x + 0.5 + 0.01 * np.sin(np.arange(200))).diagnostics}
    assert codes == {"antithetic-correlation", "antithetic-mean"}


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([1.0, 2.0], [1.0], "2 samples but 1 antitheses"),
        ([1.0], [1.0], "two groups"),
        ([1.0, 2.0], [np.nan, 1.0], "rows 1"),
    ],
)
def test_antithetic_answers_bad_input(x: list, y: list, words: str) -> None:
    with pytest.raises(eq.DataError, match=words):
        eq.methods.antithetic(x, y)
