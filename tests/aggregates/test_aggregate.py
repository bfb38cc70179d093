"""Aggregates, profiles and comparisons as methods: what they give and what they refuse."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import equipoise as eq
from equipoise.aggregates.compare import letters
from equipoise.aggregates.runs import resampled, runs_of


def table(agents=3, tasks=8, runs=5, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(np.arange(agents)[:, None, None] * 0.4, 1.0, size=(agents, tasks, runs))
    return eq.Scores.from_matrix(values, agents=[f"agent {chr(97 + i)}" for i in range(agents)])


METHODS = [eq.aggregate, eq.performance_profile, eq.probability_of_improvement]


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(method):
    one, again, other = (json.dumps(method(table(), n=50, rng=seed).to_dict()) for seed in (1, 1, 2))
    assert one == again
    assert one != other


@pytest.mark.parametrize("method", METHODS)
def test_json_is_strict(method):
    document = method(table(), n=20).to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@pytest.mark.parametrize("method", METHODS)
def test_missing_cells_are_refused_by_name(method):
    values = np.array(table().repeats)
    values[1, 2] = np.nan
    with pytest.raises(eq.DataError, match="1 cell has no score: agent 2 on task 3"):
        method(eq.Scores.from_matrix(values))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", [{"level": 1.0}, {"n": 1}, {"units": "furlongs"}, {"over": "matches"}])
def test_senseless_options_are_refused(method, bad):
    with pytest.raises(eq.ParameterError):
        method(table(), **bad)


def test_intervals_hold_the_estimate_and_say_what_they_are():
    found = eq.aggregate(table(), n=400)
    for name in ("iqm", "median", "mean", "optimality_gap"):
        value, low, high = (getattr(found, f"{name}{end}") for end in ("", "_low", "_high"))
        assert ((low <= value) & (value <= high)).all()
    assert str(found.interval) == "95% Student t over runs interval"


def test_single_runs_are_resampled_by_task_and_told():
    found = eq.aggregate(eq.Scores.from_matrix(table().values), n=50)
    assert [note.code for note in found.diagnostics] == ["single-run", "few-tasks"]
    assert "over tasks" in found.interval.kind
    assert (found.iqm_low < found.iqm_high).all()


def test_runs_cannot_be_drawn_where_there_is_one():
    with pytest.raises(eq.DataError, match='over="runs" needs repeated runs'):
        eq.aggregate(eq.Scores.from_matrix(table().values), over="runs")


def test_success_counts_are_runs_of_zeros_and_ones():
    counts = eq.Scores.from_matrix([[3, 0], [5, 4]], trials=5)
    singles = np.zeros((2, 2, 5))
    singles[0, 0, :3] = singles[1, 0, :] = singles[1, 1, :4] = 1
    one = eq.aggregate(counts, n=200, rng=3)
    other = eq.aggregate(eq.Scores.from_matrix(singles), n=200, rng=3)
    np.testing.assert_array_equal(one.iqm, other.iqm)
    np.testing.assert_array_equal(one.mean_low, other.mean_low)


def test_anchors_set_zero_and_one():
    scores = eq.Scores.from_matrix([[[10.0, 12.0], [200.0, 240.0]]])
    found = eq.aggregate(scores, anchors=([10, 200], [20, 400]), n=20)
    assert found.mean[0] == pytest.approx((0.1 + 0.1) / 2)


def test_anchors_that_are_equal_are_refused():
    with pytest.raises(eq.DataError, match="no units for task 2"):
        eq.aggregate(table(tasks=2), anchors=([0, 1], [1, 1]))


def test_min_max_units_use_the_means_of_the_agents():
    found = eq.aggregate(table(), units="min-max", n=20)
    means = table().values
    scaled = (means - means.min(axis=0)) / np.ptp(means, axis=0)
    np.testing.assert_allclose(found.mean, scaled.mean(axis=1), atol=1e-12)


def test_resamples_draw_runs_within_their_own_cell():
    values = np.arange(24.0).reshape(2, 3, 4)
    values[0, 1, 1:3] = np.nan
    runs = runs_of(eq.Scores.from_matrix(values), "none", None, None)
    chunk = np.concatenate(list(resampled(runs, 500, np.random.default_rng(0))))
    for i, j in np.ndindex(2, 3):
        drawn = chunk[:, i, j][~np.isnan(chunk[:, i, j])]
        assert set(drawn) == set(values[i, j][~np.isnan(values[i, j])])
        assert (~np.isnan(chunk[:, i, j])).sum(axis=1).tolist() == [(~np.isnan(values[i, j])).sum()] * 500


def test_resampled_tasks_are_the_same_for_all_agents():
    runs = runs_of(eq.Scores.from_matrix(np.arange(12.0).reshape(2, 6)), "none", None, "task")
    chunk = next(resampled(runs, 10, np.random.default_rng(0)))
    np.testing.assert_array_equal(chunk[:, 1] - chunk[:, 0], 6.0)


def test_profiles_fall_from_left_to_right():
    found = eq.performance_profile(table(), n=50)
    assert (np.diff(found.share, axis=1) <= 0).all()
    assert found.frame().height == 3 * 51


@pytest.mark.parametrize("thresholds", [[], [np.nan], [[1.0, 2.0]]])
def test_senseless_thresholds_are_refused(thresholds):
    with pytest.raises(eq.ParameterError, match="finite numbers"):
        eq.performance_profile(table(), thresholds=thresholds)


def test_equal_agents_are_tied_and_a_better_one_is_not():
    rng = np.random.default_rng(5)
    values = rng.normal(0, 1, size=(4, 30, 6))
    values[3] += 3.0
    found = eq.probability_of_improvement(eq.Scores.from_matrix(values, agents=["x", "y", "z", "best"]))
    assert found.frame()["agent"][0] == "best"
    assert found.group == ("b", "b", "b", "a")
    assert (found.rank_low[3], found.rank_high[3]) == (1, 1)
    assert found.rank_low[:3].tolist() == [2, 2, 2]
    assert found.improvement[3, 0] > 0.95
    np.testing.assert_allclose(found.improvement + found.improvement.T, 1.0)


def test_a_smaller_optimality_gap_is_better():
    values = np.concatenate([np.full((1, 9, 4), 0.2), np.full((1, 9, 4), 0.9)])
    found = eq.probability_of_improvement(
        eq.Scores.from_matrix(values, agents=["low", "high"]), statistic="optimality_gap", n=50
    )
    assert found.difference[1, 0] == pytest.approx(0.7)
    assert found.frame()["agent"].to_list() == ["high", "low"]
    assert found.group == ("b", "a")


def test_one_agent_has_nobody_to_be_compared_with():
    with pytest.raises(eq.DataError, match="one agent only"):
        eq.probability_of_improvement(table(agents=1))


def test_pairs_are_listed_with_the_better_agent_first():
    frame = eq.probability_of_improvement(table(), n=50).pair_frame()
    assert frame.height == 3
    assert (frame["difference"] >= 0).all()


@given(st.integers(1, 8), st.integers(0, 2**32 - 1), st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_two_agents_share_a_letter_exactly_if_they_do_not_differ(count, seed, share):
    rng = np.random.default_rng(seed)
    differ = np.triu(rng.random((count, count)) < share, 1)
    differ |= differ.T
    found = letters(rng.normal(size=count), differ)
    for i in range(count):
        for j in range(count):
            assert bool(set(found[i]) & set(found[j])) == (i == j or not differ[i, j])


def test_the_first_letter_belongs_to_the_best():
    estimate = np.array([1.0, 5.0, 3.0])
    differ = ~np.eye(3, dtype=bool)
    assert letters(estimate, differ) == ("c", "a", "b")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "bad",
    [
        {"n": 2.5},
        {"n": "a"},
        {"level": float("nan")},
        {"rng": -1},
        {"rng": "a"},
        {"anchors": 5},
        {"anchors": ("a", "b")},
        {"anchors": ([0, 0], [1, 1])},
        {"anchors": (0, 1), "units": "z"},
    ],
)
def test_options_of_the_wrong_kind_are_refused(method, bad):
    with pytest.raises(eq.ParameterError):
        method(table(), **bad)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", [[[1.0, 2.0]], eq.MetaGame.symmetric([[0.0, 1.0], [1.0, 0.0]]), None])
def test_the_wrong_kind_of_data_is_refused(method, data):
    with pytest.raises(eq.DataError, match="takes scores"):
        method(data)


@pytest.mark.parametrize("units", ["z", "z-cdf"])
def test_z_units_are_set_by_the_means_of_the_agents(units):
    found = eq.aggregate(table(), units=units, n=20)
    scale = (np.array(table().repeats) - table().values.mean(axis=0)[:, None]) / table().values.std(axis=0, ddof=1)[
        :, None
    ]
    expected = scale if units == "z" else stats.norm.cdf(scale)
    np.testing.assert_allclose(found.mean, expected.mean(axis=(1, 2)), atol=1e-12)


def test_rank_units_only_know_the_order_of_runs():
    one = eq.aggregate(table(), units="rank", n=20)
    other = eq.aggregate(eq.Scores.from_matrix(np.exp(np.array(table().repeats))), units="rank", n=20)
    np.testing.assert_allclose(one.mean, other.mean, atol=1e-12)
    assert one.mean.mean() == pytest.approx(0.5)


@pytest.mark.parametrize("units", ["min-max", "z", "z-cdf"])
def test_a_task_on_which_agents_agree_has_no_units(units):
    values = np.array(table().repeats)
    values[:, 2] = 1.0
    with pytest.raises(eq.DataError, match="no units for task 3"):
        eq.aggregate(eq.Scores.from_matrix(values), units=units)


def test_aggregates_say_who_is_ahead():
    values = np.full((2, 3, 2), 0.25)
    values[1] = 0.75
    assert eq.aggregate(eq.Scores.from_matrix(values, agents=["old", "new"]), n=20).answer == (
        "new has the highest interquartile mean, 0.750 (95% interval 0.750 to 0.750).",
    )
    assert "2 agents share the highest" in eq.aggregate(eq.Scores.from_matrix(np.ones((2, 3, 2))), n=20).answer[0]
    assert eq.aggregate(table(agents=1), n=20).answer[0].startswith("The interquartile mean of agent a is")


def test_comparisons_say_who_may_be_first():
    values = np.random.default_rng(5).normal(0, 1, size=(3, 30, 6))
    values[2] += 3.0
    found = eq.probability_of_improvement(eq.Scores.from_matrix(values, agents=["x", "y", "best"]))
    assert found.answer == (
        "best is significantly better than every other agent.",
        "1 of 3 pairs does not differ significantly.",
    )
    alike = eq.probability_of_improvement(eq.Scores.from_matrix(values[:2], agents=["x", "y"]))
    assert alike.answer == (f"2 agents cannot be ruled out as best: {', '.join(alike.frame()['agent'])}.",)
