"""The public fit: figures, signs, flags, and bad input."""

import json

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.core.diagnostics import has_code
from equipoise.items import fit as fitting
from equipoise.items.marginal.em import Problem, run_em, start_items
from equipoise.items.marginal.item_step import Bounds, ItemPrior
from equipoise.items.marginal.newton import newton_polish
from equipoise.items.marginal.quadrature import uniform_grid
from equipoise.items.models.responses import from_counts


def simulated(seed=0, agents=300, slopes=(1.5, 1.0, 0.8, 1.2, 2.0, -1.5, 1.0, 1.3), missing=0.0, trials=None):
    rng = np.random.default_rng(seed)
    a, b = np.array(slopes), np.linspace(-1.5, 1.5, len(slopes))
    theta = rng.normal(size=agents)
    p = 1 / (1 + np.exp(-a * (theta[:, None] - b)))
    values = rng.binomial(trials or 1, p).astype(float)
    values[rng.random(values.shape) < missing] = np.nan
    return eq.Scores.from_matrix(values, trials=trials), theta


LSAT = eq.load("lsat")


@pytest.mark.parametrize(
    ("model", "difficulty", "log_likelihood"),
    [
        ("unit variance", [-2.8720, -1.0630, -0.2576, -1.3881, -2.2188], -2473.054),
        ("1pl", [-3.6153, -1.3224, -0.3176, -1.7301, -2.7802], -2466.938),
    ],
)
def test_lsat_one_parameter_figures(model, difficulty, log_likelihood):
    """The R package ltm prints these for the same data (Rizopoulos 2006)."""
    how = {"model": "rasch", "unit_variance": True} if model == "unit variance" else {"model": model}
    fit = fitting.irt(LSAT, **how)
    np.testing.assert_allclose(fit.difficulty, difficulty, atol=6e-5)
    assert fit.log_likelihood == pytest.approx(log_likelihood, abs=5e-4)


def test_rasch_is_the_model_of_one_slope_on_its_own_scale():
    """Difficulties and the abilities' spread are those of 1PL times its slope; so are the likelihood and its errors."""
    rasch, one = eq.irt(LSAT, model="rasch"), eq.irt(LSAT, model="1pl")
    slope = one.discrimination[0]
    assert (rasch.discrimination == 1.0).all()
    assert rasch.ability_sd == pytest.approx(slope)
    assert rasch.log_likelihood == one.log_likelihood
    assert rasch.aic == one.aic
    np.testing.assert_allclose(rasch.difficulty, slope * one.difficulty)
    np.testing.assert_allclose(rasch.ability, slope * one.ability, atol=1e-4)
    scored = rasch.calibration().score(LSAT.take(agents=np.arange(5)))
    np.testing.assert_allclose(scored.ability, rasch.ability[:5], atol=1e-6)


def test_rasch_finds_how_far_agents_spread():
    rng = np.random.default_rng(4)
    hard = np.linspace(-2, 2, 12)
    answers = rng.random((600, 12)) < scipy.special.expit(rng.normal(scale=2.0, size=(600, 1)) - hard)
    fit = eq.irt(eq.Scores.from_matrix(answers.astype(float)), model="rasch", starts=1)
    assert fit.ability_sd == pytest.approx(2.0, abs=0.25)
    assert np.abs(fit.difficulty - hard).max() < 0.5
    with pytest.raises(eq.EquipoiseError, match="goes with"):
        fitting.irt(LSAT, unit_variance=True)


def test_the_best_start_is_the_fit():
    """On the first, coarse grid this table's starts come to another likelihood than the fit on the last one."""
    scores, _ = simulated(seed=3, agents=150, slopes=(6.0, 5.0, 8.0, 1.0, 7.0, 4.0))
    fit = eq.irt(scores, model="2pl")
    assert max(fit.starts) == fit.log_likelihood


def test_the_share_of_an_agent_counts_all_items():
    scores, _ = simulated(agents=120)
    more = eq.Scores.from_matrix(np.column_stack([scores.values, np.ones((120, 5)), np.zeros((120, 3))]))
    for options in ({}, {"method": "pooled"}):
        np.testing.assert_allclose(eq.irt(more, **options).share, more.values.mean(axis=1))


def test_lsat_standard_errors():
    """The R package ltm prints these for the same data."""
    rasch = fitting.irt(LSAT, model="rasch", unit_variance=True)
    np.testing.assert_allclose(rasch.difficulty_se, [0.1287, 0.0821, 0.0766, 0.0865, 0.1048], atol=6e-5)
    one = eq.irt(LSAT, model="1pl")
    np.testing.assert_allclose(one.discrimination, 0.7551, atol=6e-5)
    np.testing.assert_allclose(one.discrimination_se, 0.0694, atol=6e-5)


def test_lsat_two_parameter_standard_errors():
    """What summary(ltm(LSAT ~ z1)) prints, from a numerical Hessian a little before the optimum."""
    fit = eq.irt(LSAT)
    np.testing.assert_allclose(fit.difficulty_se, [0.8669, 0.3073, 0.0997, 0.4341, 0.8700], rtol=2e-3)
    np.testing.assert_allclose(fit.discrimination_se, [0.2581, 0.1867, 0.2326, 0.1852, 0.2100], rtol=2e-3)


def test_lsat_two_parameter_figures():
    """ltm stops a little before the optimum: our likelihood is the same to its digits, not lower."""
    fit = eq.irt(LSAT)
    np.testing.assert_allclose(fit.discrimination, [0.82565, 0.72278, 0.89078, 0.68839, 0.65690], atol=1.5e-4)
    np.testing.assert_allclose(fit.difficulty, [-3.35886, -1.37001, -0.27969, -1.86633, -3.12573], atol=3e-4)
    assert fit.log_likelihood >= -2466.65338 - 5e-6
    assert fit.fit.converged
    assert fit.fit.residual < 1e-10
    assert fit.aic == pytest.approx(20 - 2 * fit.log_likelihood)
    assert fit.bic == pytest.approx(10 * np.log(1000) - 2 * fit.log_likelihood)
    assert len(fit.starts) == 4
    assert np.ptp(fit.starts) < 0.01


def test_a_negative_discrimination_is_found_named_and_tested():
    fit = eq.irt(simulated()[0])
    assert (fit.discrimination < 0).tolist() == [False] * 5 + [True] + [False] * 2
    assert fit.flags["task 6"] == ("negative-discrimination",)
    (note,) = [note for note in fit.diagnostics if note.code == "negative-discrimination"]
    assert note.subjects == ("task 6",)
    assert "weaker agents do better on it; check it" in note.message
    assert fit.negative_p[5] < 1e-4
    assert np.isnan(np.delete(fit.negative_p, 5)).all()


def test_the_sign_of_the_scale_follows_the_raw_score():
    scores, theta = simulated(slopes=(-1.5, -1.0, -0.8, -1.2, 0.5))
    fit = eq.irt(scores)
    share = scores.values.mean(axis=1)
    assert np.corrcoef(fit.ability, share)[0, 1] > 0
    assert np.corrcoef(fit.ability, theta)[0, 1] < 0  # most items are against the ability they were drawn from
    assert (fit.discrimination > 0).tolist() == [True] * 4 + [False]


def test_trials_are_the_same_as_that_many_answers():
    scores, _ = simulated(trials=3, agents=60)
    counts = eq.irt(scores, model="2pl", starts=1)
    successes = np.rint(scores.values * 3)
    repeats = (np.arange(3) < successes[:, :, None]).astype(float)
    single = eq.irt(eq.Scores.from_matrix(repeats), model="2pl", starts=1)
    np.testing.assert_allclose(counts.difficulty, single.difficulty)
    np.testing.assert_allclose(counts.ability, single.ability)


def test_answers_missing_at_random_move_the_estimates_by_noise_only():
    full, partial = simulated(agents=2000), simulated(agents=2000, missing=0.3)
    whole, part = eq.irt(full[0]), eq.irt(partial[0])
    gap = (whole.difficulty - part.difficulty) / part.difficulty_se
    assert np.abs(gap).max() < 3
    assert (part.ability_se > whole.ability_se).mean() > 0.9


def test_a_threshold_makes_successes_of_scores():
    scores, _ = simulated(agents=80)
    points = eq.Scores.from_matrix(np.where(scores.values == 1, 130.0, 99.5))
    np.testing.assert_allclose(eq.irt(points, threshold=100, starts=1).difficulty, eq.irt(scores, starts=1).difficulty)


def test_constant_items_are_dropped_and_named():
    scores, _ = simulated(agents=60)
    values = np.column_stack([scores.values, np.ones(60), np.zeros(60)])
    fit = eq.irt(eq.Scores.from_matrix(values), model="2pl")
    assert fit.flags["task 9"] == fit.flags["task 10"] == ("constant",)
    (note,) = [note for note in fit.diagnostics if note.code == "constant"]
    assert note.subjects == ("task 9", "task 10")
    assert np.isnan(fit.difficulty[8:]).all()
    np.testing.assert_allclose(fit.difficulty[:8], eq.irt(scores, model="2pl").difficulty)


def test_agents_without_answers_get_no_ability():
    scores, _ = simulated(agents=60)
    values = scores.values.copy()
    values[7] = np.nan
    fit = eq.irt(eq.Scores.from_matrix(values))
    assert np.flatnonzero(np.isnan(fit.ability)).tolist() == [7]
    (note,) = [note for note in fit.diagnostics if note.code == "no-answers"]
    assert note.subjects == ("agent 8",)


def test_an_item_that_splits_the_agents_cleanly_is_quasi_separated():
    rng = np.random.default_rng(3)
    theta = np.sort(rng.normal(size=40))
    values = (rng.random((40, 30)) < 1 / (1 + np.exp(-2 * (theta[:, None] - np.linspace(-2, 2, 30))))).astype(float)
    share = values.mean(axis=1)
    split = (share > np.median(share)).astype(float)
    fit = eq.irt(eq.Scores.from_matrix(np.column_stack([values, split])), model="2pl", starts=1)
    assert "quasi-separated" in fit.flags["task 31"]
    assert fit.discrimination[30] == 100
    assert np.isnan(fit.discrimination_se[30])


def test_a_weak_prior_pulls_a_runaway_slope_back():
    rng = np.random.default_rng(3)
    theta = np.sort(rng.normal(size=40))
    values = (rng.random((40, 10)) < 1 / (1 + np.exp(-2 * (theta[:, None] - np.linspace(-2, 2, 10))))).astype(float)
    values = np.column_stack([values, theta > 0])
    scores = eq.Scores.from_matrix(values)
    free, tied = (eq.irt(scores, model="2pl", prior=prior, starts=1) for prior in (None, "weak"))
    assert np.abs(tied.discrimination).max() < 10
    assert free.log_likelihood > tied.log_likelihood
    assert tied.fit.residual < 1e-8


def test_three_parameters_find_a_guessing_rate():
    rng = np.random.default_rng(6)
    theta = rng.normal(size=4000)
    b = np.linspace(-1, 1.5, 12)
    p = 0.25 + 0.75 / (1 + np.exp(-1.8 * (theta[:, None] - b)))
    fit = eq.irt(eq.Scores.from_matrix((rng.random(p.shape) < p).astype(float)), model="3pl", starts=1)
    assert np.abs(fit.guessing - 0.25).mean() < 0.08
    hard = b > 0
    assert (np.abs(fit.guessing - 0.25)[hard] < 3.5 * fit.guessing_se[hard]).all()
    np.testing.assert_allclose(fit.slope, fit.discrimination * (1 - fit.guessing) / 4)


def test_joint_likelihood_agrees_with_the_marginal_order_on_a_long_test():
    rng = np.random.default_rng(7)
    theta, b = rng.normal(size=200), rng.normal(size=60)
    values = (rng.random((200, 60)) < 1 / (1 + np.exp(-(theta[:, None] - b)))).astype(float)
    scores = eq.Scores.from_matrix(values)
    joint, marginal = eq.irt(scores, model="rasch", method="jml"), eq.irt(scores, model="rasch")
    assert joint.fit.converged
    assert np.corrcoef(joint.difficulty, marginal.difficulty)[0, 1] > 0.999
    assert has_code(joint.diagnostics, "joint-likelihood")


def test_joint_likelihood_solves_both_sets_of_equations():
    scores, _ = simulated(agents=150, slopes=(1.0,) * 12)
    fit = eq.irt(scores, model="rasch", method="jml")
    inside = np.isfinite(fit.ability)
    p = 1 / (1 + np.exp(-(fit.ability[inside, None] - fit.difficulty)))
    np.testing.assert_allclose(p.sum(axis=0), scores.values[inside].sum(axis=0), atol=0.02)
    np.testing.assert_allclose(p.sum(axis=1), scores.values[inside].sum(axis=1), atol=0.02)


@pytest.mark.parametrize("estimator", ["map", "mle", "wle"])
def test_other_estimators_of_ability_agree_on_order(estimator):
    scores, theta = simulated(agents=100, slopes=(1.5,) * 30)
    fit = eq.irt(scores, estimator=estimator, starts=1)
    finite = np.isfinite(fit.ability)
    assert np.corrcoef(fit.ability[finite], theta[finite])[0, 1] > 0.9
    if not finite.all():
        assert has_code(fit.diagnostics, "no-finite-ability")


def test_copied_agents_are_named():
    scores, _ = simulated(agents=30, slopes=(1.0,) * 25)
    values = scores.values.copy()
    values[4] = values[9]
    fit = eq.irt(eq.Scores.from_matrix(values))
    (note,) = [note for note in fit.diagnostics if note.code == "copied-agents"]
    assert {"agent 5", "agent 10"} <= set(note.subjects)


def test_the_result_is_strict_json_and_the_same_every_time():
    scores, _ = simulated(agents=50)
    values = np.column_stack([scores.values, np.ones(50)])
    one, other = (json.dumps(eq.irt(eq.Scores.from_matrix(values)).to_dict(), allow_nan=False) for _ in range(2))
    assert one == other
    document = json.loads(one)
    assert document["items"][-1]["item"] == "task 9"
    assert document["items"][-1]["difficulty"] is None
    assert [row["ability"] for row in document["agents"]] == sorted(
        (row["ability"] for row in document["agents"]), reverse=True
    )


def test_relabelling_and_reordering_change_nothing_but_labels_and_places():
    scores, _ = simulated(agents=60)
    fit = eq.irt(scores, model="2pl", starts=1)
    rows, columns = np.random.default_rng(0).permutation(60), np.random.default_rng(1).permutation(8)
    moved = eq.irt(scores.take(agents=rows, tasks=columns), model="2pl", starts=1)
    np.testing.assert_allclose(moved.difficulty, fit.difficulty[columns], atol=1e-6)
    np.testing.assert_allclose(moved.ability, fit.ability[rows], atol=1e-6)


def test_a_doubled_agent_equals_weight_two():
    from equipoise.items.marginal.em import Problem, maximise, start_items
    from equipoise.items.marginal.item_step import Bounds, ItemPrior
    from equipoise.items.models.responses import from_counts

    values = simulated(agents=40)[0].values
    weight = np.ones(40)
    weight[3] = 2.0
    twice = from_counts(np.vstack([values, values[3]]))
    weighted = from_counts(values, None, weight)
    states = [
        maximise(Problem(data, "2pl", ItemPrior(), Bounds()), start_items(data, "2pl"), tolerance=1e-9)
        for data in (twice, weighted)
    ]
    np.testing.assert_allclose(states[0].items.slope, states[1].items.slope, rtol=1e-5)
    assert states[0].log_likelihood == pytest.approx(states[1].log_likelihood, abs=1e-8)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([[0.3, 1, 0], [1, 0, 1]], {}, r"answers must be 0 or 1, found 0.3 \(agent 1 on task 1\)"),
        ([[1], [0]], {"model": "rasch"}, "at least 2 items"),
        ([[1, 0, 1, 1]], {}, "at least 2 agents"),
        ([[1, 1, 0], [1, 1, 0]], {}, "found 0 .* left out as constant"),
        ([[1, 0], [0, 1], [1, 1]], {}, 'at least 3 items .* model="rasch"'),
        ([[1, 0, 1], [0, 1, 1]], {"model": "4pl"}, 'model is rasch, 1pl, 2pl or 3pl, not "4pl"'),
        ([[1, 0, 1], [0, 1, 1]], {"method": "em"}, 'method is mml, jml or pooled, not "em"'),
        ([[1, 0, 1], [0, 1, 1]], {"estimator": "mean"}, "estimator is eap, map, mle or wle"),
        ([[1, 0, 1], [0, 1, 1]], {"prior": "strong"}, "prior is an ItemPrior, or weak"),
        ([[1, 0, 1], [0, 1, 1]], {"level": 95}, "level is between 0 and 1"),
        ([[1, 0, 1], [0, 1, 1]], {"starts": 0}, "starts is a whole number of at least 1, not 0"),
        ([[1, 0, 1], [0, 1, 1]], {"starts": 2.5}, "starts is a whole number of at least 1, not 2.5"),
        ([[1, 0, 1], [0, 1, 1]], {"threshold": float("nan")}, "threshold is a number, not nan"),
        ([[1, 0, 1], [0, 1, 1]], {"threshold": float("inf")}, "threshold is a number, not inf"),
    ],
)
def test_bad_input_gets_one_clear_line(values, options, message):
    with pytest.raises(eq.EquipoiseError, match=message) as caught:
        eq.irt(eq.Scores.from_matrix(values), **options)
    assert "\n" not in str(caught.value)


def test_a_bound_on_discrimination_is_above_zero():
    with pytest.raises(eq.EquipoiseError, match="max_discrimination is a number above 0") as caught:
        fitting.irt(eq.Scores.from_matrix([[1, 0, 1], [0, 1, 1]]), max_discrimination=-1)
    assert "\n" not in str(caught.value)


def test_items_without_errors_have_no_interval():
    """Four agents and five items leave the likelihood of 3PL flat in places: there is nothing to invert."""
    scores = eq.Scores.from_matrix([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1], [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]])
    fit = eq.irt(scores, model="3pl", starts=1)
    (note,) = [note for note in fit.diagnostics if note.code == "no-item-errors"]
    assert note.message.endswith('Use a simpler model or prior="weak".')
    assert fit.interval is None
    assert fit.difficulty_low is fit.difficulty_high is fit.discrimination_low is fit.discrimination_high is None
    assert fit.item_frame()["difficulty_low"].null_count() == 5
    assert fit.ability_interval.kind == "posterior (items fixed)"
    assert json.dumps(fit.to_dict(), allow_nan=False)


def test_a_fit_says_how_many_items_tell_agents_apart_and_which_need_a_look():
    cannot = "These 5 items cannot rank individual agents (reliability 0.30)."
    assert eq.irt(LSAT).answer == (cannot, "All 5 items discriminate significantly; none is flagged.")
    scores, _ = simulated()
    fit = eq.irt(eq.Scores.from_matrix(np.column_stack([scores.values, np.ones(300)])))
    assert fit.answer[-1] == "7 of 8 items discriminate significantly; check 1 item: task 6."


def test_other_kinds_of_data_are_refused():
    with pytest.raises(eq.DataError, match="irt takes scores"):
        eq.irt(eq.load("alphago"))
    with pytest.raises(eq.DataError, match="score takes scores"):
        eq.irt(LSAT, starts=1).score(eq.load("alphago"))


@pytest.mark.parametrize(
    "options", [{"slope_sd": 0}, {"intercept_sd": -1}, {"guessing_alpha": 0}, {"slope_mean": np.nan}]
)
def test_a_prior_without_sense_is_refused(options):
    with pytest.raises(eq.ParameterError, match=f"{next(iter(options))} is a number"):
        eq.methods.ItemPrior(**options)


def test_more_successes_than_trials_are_refused():
    with pytest.raises(eq.DataError, match="more successes than trials"):
        eq.Scores.from_matrix([[3, 1], [6, 2]], trials=5)


def test_joint_likelihood_needs_agents_with_both_kinds_of_answers():
    values = [[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1]]
    with pytest.raises(eq.DataError, match='both right and wrong answers, found 1; use method="mml"'):
        eq.irt(eq.Scores.from_matrix(values), model="rasch", method="jml")


@pytest.mark.parametrize("model", ["rasch", "1pl", "2pl", "3pl"])
@pytest.mark.parametrize("seed", range(4))
def test_tiny_tables_with_gaps_give_an_answer_or_one_clear_line(seed, model):
    rng = np.random.default_rng(seed)
    values = (rng.random((rng.integers(2, 9), rng.integers(2, 9))) < 0.6).astype(float)
    values[rng.random(values.shape) < 0.25] = np.nan
    scores = eq.Scores.from_matrix(values)
    won, tried = np.nansum(values, axis=0), np.sum(~np.isnan(values), axis=0)
    if np.sum((won > 0) & (won < tried)) < {"rasch": 2, "1pl": 2, "2pl": 3, "3pl": 4}[model]:
        with pytest.raises(eq.DataError, match="at least"):
            eq.irt(scores, model=model)
        return
    fit = eq.irt(scores, model=model, prior="weak", starts=2)
    assert json.dumps(fit.to_dict(), allow_nan=False)
    known = ~np.isnan(fit.difficulty)
    codes = ("constant", "task-nobody-tried", "flat-curve")
    assert set(np.array(fit.items)[~known]) == {
        name for note in fit.diagnostics if note.code in codes for name in note.subjects
    }


def test_counts_are_not_thresholded():
    scores, _ = simulated(trials=3, agents=20)
    with pytest.raises(eq.ParameterError, match="leave out threshold"):
        eq.irt(scores, threshold=0.5)


def test_a_negative_slope_is_tested_against_the_highest_fit_with_a_flat_curve():
    rng = np.random.default_rng(5)
    theta, slope = rng.normal(size=(40, 1)), np.append(np.full(11, 1.2), -0.3)
    values = (rng.random((40, 12)) < scipy.special.expit(slope * theta)).astype(float)
    fit = eq.irt(eq.Scores.from_matrix(values), method="mml")
    negative = np.flatnonzero(fit.discrimination < 0)
    assert len(negative)
    responses = from_counts(values)
    for i in negative:
        problem = Problem(responses, "2pl", ItemPrior(), Bounds(), np.arange(12) != i)
        start = start_items(responses, "2pl")
        start = start._replace(slope=np.where(problem.free_slope, start.slope, 0.0))
        rough = run_em(problem, start, half_width=8.0, points=401, tolerance=1e-4, max_iterations=500)
        top = newton_polish(problem, rough.items, uniform_grid(8.0, 401)).information.value
        expected = scipy.special.chdtrc(1.0, 2 * (fit.log_likelihood - top))
        assert fit.negative_p[i] == pytest.approx(expected, abs=2e-3)


def test_the_bound_of_discriminations_is_a_rare_option_and_a_former_keyword():
    scores = eq.load("lsat")
    rare = eq.methods.IRTOptions(max_discrimination=0.5)
    fit = eq.irt(scores, model="2pl", starts=1, options=rare)
    assert fit.discrimination.max() == pytest.approx(0.5)
    assert eq.irt(scores, model="2pl", starts=1).discrimination.max() > 0.6
    assert fit.without(["item 5"]).discrimination.max() <= 0.5 + 1e-9, "fits again as it was fitted"
    with pytest.warns(
        DeprecationWarning, match=r"irt\(max_discrimination=\.\.\.\) is now options=IRTOptions"
    ) as caught:
        former = eq.irt(scores, model="2pl", starts=1, max_discrimination=0.5)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(former.difficulty, fit.difficulty)
