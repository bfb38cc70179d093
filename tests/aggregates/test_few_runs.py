"""What intervals of two or three runs must be: Student's, as wide as so few runs deserve, and said to be."""

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq

METHODS = [eq.aggregate, eq.probability_of_improvement, eq.performance_profile]


def reaches(values):
    """How many times as far as Student's the interval of a mean reaches below and above, from scipy's skewness."""
    runs = len(values)
    if runs == 2:
        return (1 + 2 * 0.5 / np.sqrt(2),) * 2
    seen, more = scipy.stats.skew(values, bias=False), 0.5 * skew_error(runs)
    return tuple(1 + 2 * np.clip(side * seen + more, 0.0, 2.0) / np.sqrt(runs) for side in (-1.0, 1.0))


def skew_error(runs):
    """Of the skewness of so many normal runs, taking their spread as known."""
    return np.sqrt(6.0 * runs / ((runs - 1) * (runs - 2)))


@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_one_task_has_students_interval_and_room_for_skewness(runs, seed):
    values = np.random.default_rng(seed).normal(size=(1, 1, runs))
    result = eq.aggregate(eq.Scores.from_matrix(values), n=2)
    half = scipy.stats.t.ppf(0.975, runs - 1) * values.std(ddof=1) / np.sqrt(runs)
    below, above = reaches(values.ravel())
    expected = (values.mean() - below * half, values.mean() + above * half)
    assert (result.mean_low[0], result.mean_high[0]) == pytest.approx(expected)


@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_two_agents_on_one_task_are_compared_by_welchs_test_and_room_for_skewness(runs, seed):
    values = np.random.default_rng(seed).normal(size=(2, 1, runs)) * [[[1.0]], [[4.0]]]
    result = eq.probability_of_improvement(eq.Scores.from_matrix(values), statistic="mean", n=2)
    welch = scipy.stats.ttest_ind(*values[:, 0], equal_var=False).confidence_interval(0.95)
    half, middle = (welch.high - welch.low) / 2, (welch.high + welch.low) / 2
    share = (values.var(axis=2)[:, 0] / values.var(axis=2).sum()) ** 1.5
    (one_below, one_above), (other_below, other_above) = (reaches(each[0]) for each in values)
    below = 1 + share @ [one_below - 1, other_above - 1]
    above = 1 + share @ [one_above - 1, other_below - 1]
    found = (result.difference_low[0, 1], result.difference_high[0, 1])
    assert found == pytest.approx((middle - below * half, middle + above * half))
    assert (result.difference_low[1, 0], result.difference_high[1, 0]) == pytest.approx((-found[1], -found[0]))


@given(st.integers(6, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_the_interquartile_mean_of_one_task_has_yuens_interval_and_room_for_skewness(runs, seed):
    values = np.random.default_rng(seed).normal(size=(1, 1, runs))
    result = eq.aggregate(eq.Scores.from_matrix(values), n=2)
    cut = runs // 4
    winsorised = np.asarray(scipy.stats.mstats.winsorize(values.ravel(), limits=(cut / runs, cut / runs)))
    kept = runs - 2 * cut
    # Yuen has n - 1 of the winsorised squares where we, a little wider, take n.
    error = np.sqrt(winsorised.var(ddof=1) * runs / (kept * (kept - 1)))
    half = scipy.stats.t.ppf(0.975, kept - 1) * error
    assert result.iqm_high[0] - result.iqm[0] == pytest.approx(reaches(winsorised)[1] * half)


@given(st.integers(1, 4), st.integers(2, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_what_falls_short_is_the_mirror_image_of_what_is_won(tasks, runs, seed):
    values = np.random.default_rng(seed).exponential(size=(2, tasks, runs))
    up = eq.aggregate(eq.Scores.from_matrix(values), n=2)
    down = eq.aggregate(eq.Scores.from_matrix(-values), n=2)
    np.testing.assert_allclose(down.optimality_gap_low - 1.0, np.maximum(up.mean_low, -1.0))
    np.testing.assert_allclose(down.optimality_gap_high - 1.0, up.mean_high)
    np.testing.assert_allclose(down.mean_low, -up.mean_high)
    compared = eq.probability_of_improvement(eq.Scores.from_matrix(values), statistic="mean", n=2)
    mirrored = eq.probability_of_improvement(eq.Scores.from_matrix(-values), statistic="optimality_gap", n=2)
    np.testing.assert_allclose(mirrored.difference_low, -compared.difference_high)


def test_few_runs_are_said_with_how_many_would_do():
    values = np.random.default_rng(0).normal(size=(3, 2, 2))
    for method in (eq.aggregate, eq.probability_of_improvement):
        (note,) = method(eq.Scores.from_matrix(values), runs="independent", n=50).diagnostics
        assert note.code == "few-runs"
        assert "2 runs of an agent on a task" in note.message
        assert "times as far" in note.message
    many = np.random.default_rng(0).normal(size=(3, 10, 10))
    assert eq.aggregate(eq.Scores.from_matrix(many), n=50).diagnostics == ()


def test_one_task_without_runs_has_no_interval():
    scores = eq.Scores.from_matrix([[0.2], [0.7]], agents=["x", "y"])
    result = eq.aggregate(scores)
    assert "one-task" in [note.code for note in result.diagnostics]
    assert np.isnan(result.mean_low).all()
    assert result.answer == ("y has the highest interquartile mean, 0.700.",)
    compared = eq.probability_of_improvement(scores)
    assert compared.rank_low.tolist() == [1, 1]
    assert compared.tied(0, 1)
    assert np.isnan(eq.performance_profile(scores, thresholds=[0.5]).low).all()


def test_two_successes_out_of_two_are_no_certainty():
    scores = eq.Scores.from_matrix([[2, 2], [0, 1]], trials=2)
    result = eq.aggregate(scores, n=200)
    assert (result.mean_low < result.mean)[0]
    assert result.mean_high[0] == 1.0
    assert eq.probability_of_improvement(scores, statistic="mean").group == ("a", "a")


def test_two_runs_that_both_reach_the_goal_leave_a_gap_open():
    result = eq.aggregate(eq.Scores.from_matrix([[[1.05, 1.35]], [[50.0, 51.0]]]), n=20)
    assert result.optimality_gap.tolist() == [0.0, 0.0]
    assert result.optimality_gap_high[0] > 0.1
    assert result.optimality_gap_high[1] == pytest.approx(0.0)


def test_runs_that_are_all_alike_are_said():
    result = eq.aggregate(eq.Scores.from_matrix(np.full((2, 3, 2), 0.25)), n=20)
    assert [note.code for note in result.diagnostics] == ["runs-alike"]


@st.composite
def any_runs(draw):
    agents, tasks, runs = draw(st.integers(2, 4)), draw(st.integers(1, 5)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = draw(st.sampled_from([
        rng.normal(size=(agents, tasks, runs)),
        np.round(rng.normal(size=(agents, tasks, runs))),
        rng.integers(0, 2, size=(agents, tasks, runs)).astype(float),
        1e6 * rng.standard_cauchy(size=(agents, tasks, runs)),
        np.full((agents, tasks, runs), 0.1),
    ]))  # fmt: skip
    gone = rng.random(values.shape) < 0.2
    gone[:, :, 0] = False
    return eq.Scores.from_matrix(np.where(gone, np.nan, values))


@given(any_runs(), st.sampled_from(["runs", "tasks", None]))
@settings(max_examples=150, deadline=None)
def test_an_estimate_never_stands_outside_its_interval(scores, unit):
    few = unit == "runs" and scores.trials.min() < 2 if scores.trials is not None else unit == "runs"
    if few:
        return
    result = eq.aggregate(scores, over=unit, n=20)
    for name in ("iqm", "median", "mean", "optimality_gap"):
        held(*(getattr(result, f"{name}{end}") for end in ("_low", "", "_high")))
    shares = eq.performance_profile(scores, over=unit, n=20)
    held(shares.low, shares.share, shares.high)
    for statistic in ("iqm", "median", "optimality_gap"):
        compared = eq.probability_of_improvement(scores, over=unit, statistic=statistic, n=20)
        held(compared.difference_low, compared.difference, compared.difference_high)
        held(compared.improvement_low, compared.improvement, compared.improvement_high)


def held(low, value, high):
    known = ~np.isnan(low)
    assert (known == ~np.isnan(high)).all()
    tiny = 1e-12 * (1 + np.abs(value))
    assert ((low <= value + tiny) & (value <= high + tiny))[known].all()


def test_two_tasks_far_apart_leave_the_interquartile_mean_uncertain():
    """Its middle half is the better run of one task and the worse of the other: pulled in, all runs are alike."""
    result = eq.aggregate(eq.Scores.from_matrix([[[0.0, 1.0], [100.0, 101.0]]]), n=20)
    assert result.iqm_high[0] - result.iqm_low[0] > 1.0
    assert "runs-alike" not in [note.code for note in result.diagnostics]
