"""Regularity, generality and the agents' curves."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import equipoise as eq
from equipoise.data.types.normalisation import in_units
from equipoise.items.generality.agent_curves import (
    Bins,
    _redrawn,
    agent_curves,
    bin_count,
    curves_of_tasks,
    dominance_of,
    generality_of,
    inverse_variance,
    regularity_of,
    regularity_of_tasks,
    slope_at_half,
)
from tests.items.oracles import bin_shares, difficulty_bins


def categorical(*parts):
    """A hundred scores with values in the given proportions."""
    return np.concatenate([np.full(round(100 * share), value) for value, share in parts])


@pytest.mark.parametrize(
    ("scores", "mean", "regularity"),
    [
        (np.zeros(100), 0.00, np.inf),
        (np.ones(100), 1.00, np.inf),
        (np.full(100, 0.25), 0.25, np.inf),
        (np.full(100, 0.5), 0.50, np.inf),
        (np.full(100, 0.75), 0.75, np.inf),
        (categorical((0.3, 0.5), (0.4, 0.5)), 0.35, 400.00),
        (categorical((0.7, 0.5), (0.8, 0.5)), 0.75, 400.00),
        (categorical((0.6, 0.5), (0.9, 0.5)), 0.75, 44.44),
        (categorical((0.0, 0.3), (1.0, 0.7)), 0.70, 4.76),
        (categorical((0.25, 0.3), (1.0, 0.7)), 0.775, 8.47),
        (categorical((0.5, 0.3), (1.0, 0.7)), 0.85, 19.05),
        (categorical((0.75, 0.3), (1.0, 0.7)), 0.925, 76.19),
    ],
)
def test_the_papers_synthetic_models_have_the_regularity_of_table_one(scores, mean, regularity):
    """Martinez-Plumed and Hernandez-Orallo (2018), Table I, the models without randomness."""
    result = eq.generality(eq.Scores.from_matrix([scores, scores[::-1]]), np.arange(100), units="none", n=0)
    assert result.mean[0] == pytest.approx(mean)
    assert result.regularity[0] == pytest.approx(regularity, rel=2e-3)


@pytest.mark.parametrize(
    ("draw", "mean", "variance"),
    [
        (lambda rng: rng.uniform(0.3, 1, 100), 0.65, 0.7**2 / 12),
        (lambda rng: rng.uniform(0, 1, 100), 0.5, 1 / 12),
        (lambda rng: np.where(rng.random(100) < 0.5, 0.75, rng.uniform(0.3, 1, 100)), 0.70, None),
    ],
)
def test_the_papers_random_models_are_as_regular_as_their_distribution_says(draw, mean, variance):
    rng = np.random.default_rng(0)
    rows = np.array([draw(rng) for _ in range(400)])
    assert rows.mean() == pytest.approx(mean, abs=0.01)
    expected = rows.var() if variance is None else variance
    assert np.mean(1 / regularity_of(rows)) == pytest.approx(expected, rel=0.05)


def test_one_bin_makes_generality_regularity():
    results = np.random.default_rng(1).random((5, 30))
    one = agent_curves(results, np.arange(30.0), 1)
    np.testing.assert_allclose(generality_of(one.variance), regularity_of(results))


@given(st.integers(0, 1000), st.sampled_from([0, 1]))
def test_variances_within_bins_are_divided_by_the_count_less_ddof(seed, ddof):
    rng = np.random.default_rng(seed)
    results, difficulty = rng.random((3, 17)), rng.normal(size=17)
    results[rng.random(results.shape) < 0.2] = np.nan
    place, curves = difficulty_bins(difficulty, 3), agent_curves(results, difficulty, 3, ddof)
    for j, h in np.ndindex(3, 3):
        known = [value for value, bin_ in zip(results[j], place, strict=True) if bin_ == h and not np.isnan(value)]
        if len(known) > ddof:
            mean = sum(known) / len(known)
            spread = sum((value - mean) ** 2 for value in known) / (len(known) - ddof)
            assert curves.mean[j, h] == pytest.approx(mean)
            assert curves.variance[j, h] == pytest.approx(spread)
    whole = [1 / np.nanvar(row, ddof=ddof) for row in results]
    np.testing.assert_allclose(regularity_of(results, ddof), whole)


@given(st.integers(0, 1000), st.integers(1, 5))
def test_curves_agree_with_a_loop_over_agents_bins_and_items(seed, bins):
    rng = np.random.default_rng(seed)
    results, difficulty = rng.random((3, 5)), rng.integers(3, size=5).astype(float)
    results[rng.random(results.shape) < 0.3] = np.nan
    share, curves = bin_shares(difficulty, bins), agent_curves(results, difficulty, bins)
    for j, h in np.ndindex(3, bins):
        inside = [(results[j, i], share[i, h]) for i in range(5) if share[i, h] > 0 and not np.isnan(results[j, i])]
        count = sum(part for _, part in inside)
        if not inside:
            assert np.isnan(curves.mean[j, h])
            assert np.isnan(curves.variance[j, h])
            continue
        mean = sum(value * part for value, part in inside) / count
        spread = sum((value - mean) ** 2 * part for value, part in inside) / max(count, 1.0)
        assert curves.mean[j, h] == pytest.approx(mean)
        assert curves.variance[j, h] == pytest.approx(spread, abs=1e-12)


def test_without_resamples_there_is_no_interval():
    scores = eq.Scores.from_matrix(np.random.default_rng(0).random((3, 12)))
    result = eq.generality(scores, np.arange(12), n=0)
    assert result.interval is None
    names = ("regularity", "generality", "slope")
    assert all(getattr(result, f"{name}_{end}") is None for name in names for end in ("low", "high"))
    assert result.frame()["generality_low"].null_count() == 3
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["interval"] is None


def test_it_says_who_is_the_most_general():
    hard = np.arange(40)
    steps = [hard < 30, hard < 20, hard % 2 == 0]
    result = eq.generality(eq.Scores.from_matrix(steps, agents=["ada", "bea", "cyd"]), hard, units="none", n=0)
    assert result.answer == ("ada, bea are the most general: no spread at all among tasks of like difficulty.",)
    spread = [0.5 + 0.1 * np.sin(hard), 0.5 + 0.4 * np.sin(hard)]
    result = eq.generality(eq.Scores.from_matrix(spread, agents=["ada", "bea"]), hard, units="none", n=0)
    assert result.answer == ("ada is the most general: its results vary least among tasks of like difficulty.",)


@pytest.mark.parametrize("units", ["min-max", "rank"])
def test_units_between_0_and_1_reach_both_ends_on_every_task(units):
    values = np.random.default_rng(1).normal(size=(5, 12))
    scaled = in_units(values, units)
    assert scaled.min(axis=0).tolist() == [0.0] * 12
    assert scaled.max(axis=0).tolist() == [1.0] * 12
    by_hand = eq.generality(eq.Scores.from_matrix(scaled), np.arange(12), units="none", n=0)
    result = eq.generality(eq.Scores.from_matrix(values), np.arange(12), units=units, n=0)
    np.testing.assert_allclose(result.generality, by_hand.generality)


def test_an_agent_perfect_up_to_a_difficulty_has_infinite_generality_and_dominates_a_weaker_one():
    hard = np.arange(40)
    scores = eq.Scores.from_matrix([hard < 30, hard < 20, hard % 2 == 0], agents=["strong", "weak", "pockets"])
    result = eq.generality(scores, hard, units="none", n=20)
    assert result.generality[:2].tolist() == [np.inf, np.inf]
    assert np.isfinite(result.generality[2])
    assert result.generality_high[0] == np.inf
    assert result.dominance.tolist() == [[False, True, False], [False, False, False], [False, False, False]]
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["agents"][0]["generality"] is None


def test_the_formula_against_a_loop():
    rng = np.random.default_rng(2)
    results, difficulty = rng.random((3, 43)), rng.normal(size=43)
    result = eq.generality(eq.Scores.from_matrix(results), difficulty, units="none", n=0)
    order = np.argsort(difficulty)
    for j in range(3):
        total = sum(np.var(results[j, part]) for part in np.array_split(order, 4))
        assert result.generality[j] == pytest.approx(1 / total)


@given(st.integers(8, 400))
def test_bins_are_at_least_four_and_hold_about_ten(items):
    bins = bin_count(items)
    assert bins >= 4
    sizes = np.bincount(Bins.of(np.random.default_rng(0).normal(size=items), bins).bin_of)
    assert np.ptp(sizes) <= 1
    assert sizes.min() >= 10 or bins == 4


def test_bins_follow_difficulty():
    difficulty = np.random.default_rng(3).normal(size=50)
    bins = Bins.of(difficulty, 5)
    ranked = [difficulty[bins.item[bins.bin_of == k]] for k in range(5)]
    assert all(easy.max() < hard.min() for easy, hard in pairwise(ranked))


@given(st.integers(0, 200), st.sampled_from([0, 20]))
def test_bins_between_given_edges_hold_what_is_above_one_and_up_to_the_next(seed, n):
    rng = np.random.default_rng(seed)
    results, difficulty = rng.random((3, 40)), rng.integers(-4, 5, size=40) / 2
    edges = (-2.0, -0.5, 0.5, 1.5)
    inside = [[k for k in range(40) if low < difficulty[k] <= high] for low, high in pairwise(edges)]
    assume(min(len(part) for part in inside) >= 2)
    result = eq.generality(eq.Scores.from_matrix(results), difficulty, units="none", bins=edges, n=n)
    np.testing.assert_allclose(result.curves.difficulty, [difficulty[part].mean() for part in inside])
    for j in range(3):
        np.testing.assert_allclose(result.curves.mean[j], [results[j, part].mean() for part in inside])
        assert result.generality[j] == pytest.approx(1 / sum(np.var(results[j, part]) for part in inside))
    beyond = [note for note in result.diagnostics if note.code == "beyond-bins"]
    assert bool(beyond) == bool(((difficulty <= -2) | (difficulty > 1.5)).any())


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ([0.0], "rise"),
        ([0.0, 0.0], "rise"),
        ([2.0, 1.0], "rise"),
        (["a", "b"], "edges"),
        ([0.0, 0.5, 9.0], "found 1, 8"),
    ],
)
def test_edges_of_bins_rise_and_leave_two_items_in_each(bins, message):
    scores = eq.Scores.from_matrix(np.tile([0.0, 1.0], (2, 5)))
    with pytest.raises(eq.EquipoiseError, match=message):
        eq.generality(scores, [-1.0, 0.25, *range(1, 9)], bins=bins, n=0)


def test_common_units_are_standard_scores_through_the_normal_curve():
    from scipy import stats

    values = np.random.default_rng(4).normal(size=(6, 3)) * [1, 10, 100]
    np.testing.assert_allclose(in_units(values, "z-cdf"), stats.norm.cdf(stats.zscore(values, ddof=1)))


def test_the_slope_is_read_where_the_curve_crosses_one_half():
    means = np.array([[1.0, 0.8, 0.2, 0.0], [0.4, 0.3, 0.2, 0.1], [0.9, 0.1, 0.6, 0.4]])
    slopes = slope_at_half(np.array([-1.0, 0.0, 0.5, 2.0]), means)
    np.testing.assert_allclose(slopes, [1.2, np.nan, 0.8])


def test_missing_cells_are_left_out():
    results = np.array([[1.0, 0.0, np.nan, 1.0], [np.nan, 1.0, 1.0, 1.0]])
    assert regularity_of(results)[0] == pytest.approx(1 / np.var([1, 0, 1]))
    assert regularity_of(results)[1] == np.inf
    assert dominance_of(results).tolist() == [[False, False], [True, False]]


def test_negative_items_are_left_out_and_named():
    bank = eq.results.Calibration.from_parameters(
        [f"t{k}" for k in range(10)], difficulty=np.arange(10), discrimination=[1] * 9 + [-1]
    )
    values = np.random.default_rng(5).random((4, 10))
    result = eq.generality(eq.Scores.from_matrix(values, tasks=bank.items), bank, units="none", n=0)
    (note,) = [note for note in result.diagnostics if note.code == "negative-discrimination"]
    assert note.subjects == ("t9",)
    direct = eq.generality(eq.Scores.from_matrix(values[:, :9]), np.arange(9), units="none", n=0)
    np.testing.assert_allclose(result.generality, direct.generality)


def test_the_theoretical_value_comes_from_the_fitted_curves():
    rng = np.random.default_rng(6)
    theta, b = rng.normal(size=60), rng.normal(size=40)
    values = (rng.random((60, 40)) < 1 / (1 + np.exp(-2 * (theta[:, None] - b)))).astype(float)
    scores = eq.Scores.from_matrix(values)
    fit = eq.irt(scores, starts=1)
    result = eq.generality(scores, fit, units="none", n=50)
    assert np.isfinite(result.theoretical).all()
    finite = np.isfinite(result.generality)
    assert np.median(result.generality[finite] / result.theoretical[finite]) == pytest.approx(1, abs=0.35)
    inside = (result.generality_low <= result.theoretical) & (result.theoretical <= result.generality_high)
    assert inside.mean() > 0.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"units": "minmax"}, 'units is none, min-max, z-cdf or rank, not "minmax"'),
        ({"bins": 0}, "bins is a whole number of at least 1"),
        ({"bins": 2.5}, "bins is a whole number of at least 1"),
        ({"threshold": np.inf}, "threshold is a number"),
        ({"n": 1}, "n is 0"),
        ({"n": 2.5}, "n is a whole number of at least 0"),
        ({"level": 2}, "level is between"),
        ({"bins": 9}, "at least two items in each of 9"),
    ],
)
def test_bad_options_are_refused(options, message):
    scores = eq.Scores.from_matrix(np.random.default_rng(0).random((3, 12)))
    with pytest.raises(eq.EquipoiseError, match=message):
        eq.generality(scores, np.arange(12), **options)


def test_difficulties_must_fit_the_tasks():
    scores = eq.Scores.from_matrix(np.random.default_rng(0).random((3, 12)))
    with pytest.raises(eq.DataError, match="11 difficulties for 12 tasks"):
        eq.generality(scores, np.arange(11))
    with pytest.raises(eq.ParameterError, match="difficulty is a number, an array, a list, an IRT or a Calibration"):
        eq.generality(scores, "hard")
    bank = eq.results.Calibration.from_parameters(["other"], difficulty=[0])
    with pytest.raises(eq.DataError, match="matched by name"):
        eq.generality(scores, bank)


def test_tasks_that_are_constant_have_no_z_units_and_are_named():
    values = np.random.default_rng(0).random((4, 12))
    values[:, 3] = 0.5
    result = eq.generality(eq.Scores.from_matrix(values), np.arange(12), n=0)
    (note,) = [note for note in result.diagnostics if note.code == "constant-task"]
    assert note.subjects == ("task 4",)


@pytest.mark.parametrize(
    ("scores", "options", "units"),
    [
        (eq.Scores.from_matrix(np.random.default_rng(0).integers(0, 2, (4, 12)).astype(float)), {}, "none"),
        (eq.Scores.from_matrix(np.random.default_rng(0).integers(0, 6, (4, 12)).astype(float), trials=5), {}, "none"),
        (eq.Scores.from_matrix(np.random.default_rng(0).integers(0, 2, (4, 12, 3)).astype(float)), {}, "none"),
        (eq.Scores.from_matrix(np.random.default_rng(0).random((4, 12, 3))), {}, "z-cdf"),
        (eq.Scores.from_matrix(np.random.default_rng(0).random((4, 12))), {}, "z-cdf"),
        (eq.Scores.from_matrix(np.random.default_rng(0).random((4, 12))), {"threshold": 0.5}, "none"),
        (eq.Scores.from_matrix(np.random.default_rng(0).random((4, 12))), {"units": "rank"}, "rank"),
    ],
)
def test_answers_are_taken_as_they_are_and_other_results_in_common_units(scores, options, units):
    result = eq.generality(scores, np.arange(12), n=0, **options)
    assert result.params["units"] == units
    asked = eq.generality(scores, np.arange(12), n=0, **{"units": units, **options})
    np.testing.assert_array_equal(result.generality, asked.generality)


def test_the_four_indicators_and_the_analysis_follow_the_same_rule():
    rng = np.random.default_rng(3)
    values = (rng.random((12, 40)) < 1 / (1 + np.exp(rng.normal(size=40) - rng.normal(size=(12, 1))))).astype(float)
    scores = eq.Scores.from_matrix(values)
    fitted = eq.irt(scores, options=eq.methods.IRTOptions(indicators=10))
    direct = eq.generality(scores, fitted, n=0)
    assert fitted.generality.params["units"] == fitted.indicators.params["units"] == direct.params["units"] == "none"
    np.testing.assert_array_equal(fitted.generality.generality, direct.generality)


def test_nobody_is_the_most_general_where_intervals_overlap():
    rng = np.random.default_rng(0)
    alike = eq.generality(eq.Scores.from_matrix(rng.random((3, 40)), agents=["ada", "bea", "cyd"]), np.arange(40), n=50)
    (sentence,) = alike.answer
    assert "has the highest generality, but " in sentence
    assert sentence.endswith(" cannot be ruled out.")
    assert "is the most general" not in sentence
    spread = [0.5 + size * rng.normal(size=40) for size in (0.01, 0.3)]
    apart = eq.generality(eq.Scores.from_matrix(spread, agents=["ada", "bea"]), np.arange(40), units="none", n=50)
    assert apart.answer == ("ada is the most general: its results vary least among tasks of like difficulty.",)


def test_estimated_difficulties_make_wider_intervals_that_say_so():
    rng = np.random.default_rng(6)
    values = (rng.random((12, 60)) < 1 / (1 + np.exp(rng.normal(size=60) - rng.normal(size=(12, 1))))).astype(float)
    scores = eq.Scores.from_matrix(values)
    fit = eq.irt(scores)
    known = eq.generality(scores, fit.difficulty, n=100)
    found = eq.generality(scores, fit, n=100)
    assert known.interval.kind == "percentile bootstrap over tasks"
    assert found.interval.kind == "percentile bootstrap over tasks and their difficulties"
    assert (found.generality_low < known.generality_low).mean() > 0.7
    assert ((found.generality_low <= found.generality) & (found.generality <= found.generality_high)).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([0, 1]))
def test_right_and_wrong_answers_have_the_curves_of_any_results(seed, bins, ddof):
    rng = np.random.default_rng(seed)
    by_task = rng.integers(2, size=(rng.integers(1, 30), 4)).astype(float)
    picked = rng.integers(len(by_task), size=rng.integers(1, 40))
    places = rng.integers(6, size=len(picked)) / 5.0
    quick = curves_of_tasks(by_task, picked, places, bins, ddof, binary=True)
    plain = curves_of_tasks(by_task, picked, places, bins, ddof)
    for one, other in zip(quick, plain, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    np.testing.assert_array_equal(
        inverse_variance(quick.variance) == np.inf, inverse_variance(plain.variance) == np.inf
    )
    times = np.bincount(picked, minlength=len(by_task)).astype(float)
    np.testing.assert_allclose(
        regularity_of_tasks(by_task, times, ddof, binary=True), regularity_of_tasks(by_task, times, ddof), rtol=1e-9
    )


@pytest.mark.parametrize("shape", [(7, 40), (3, 101), (12, 83)])
@pytest.mark.parametrize("spread", [0.0, 0.4])
def test_draws_of_answers_right_or_wrong_say_what_those_of_any_results_say(shape, spread):
    rng = np.random.default_rng(shape[1])
    answers = np.asfortranarray((rng.random(shape[::-1]) < 0.6).astype(float))
    bins, tasks = bin_count(shape[1]), shape[1]
    difficulty = np.round(rng.normal(size=tasks), 1)
    for _ in range(6):
        picked = rng.integers(tasks, size=tasks)
        draw = (rng.integers(tasks, size=tasks), picked, difficulty[picked] + spread * rng.normal(size=tasks))
        plain = _redrawn(answers, False, bins, *draw)
        np.testing.assert_allclose(_redrawn(answers, True, bins, *draw), plain, rtol=1e-12)
