"""Recovery of known item parameters, and do the intervals cover what they promise?"""

from itertools import pairwise

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.items.marginal.em import Problem, maximise, start_items
from equipoise.items.marginal.item_step import Bounds, ItemPrior
from equipoise.items.marginal.slope_tests import negative_slopes
from equipoise.items.models.responses import from_counts
from tests.statistical.honesty import Coverage, check_guarantee, check_not_too_small, check_unbiased, check_uniform


def parameters(items, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.6, 2.0, items)
    a[:2] *= -1
    return a, rng.uniform(-1.5, 1.5, items)


def draw(rng, a, b, agents, trials=None, missing=0.0, c=0.0):
    theta = rng.normal(size=agents)
    p = c + (1 - c) * scipy.special.expit(a * (theta[:, None] - b))
    values = rng.binomial(trials or 1, p).astype(float)
    values[rng.random(values.shape) < missing] = np.nan
    return eq.Scores.from_matrix(values, trials=trials), theta


@pytest.mark.parametrize(
    ("agents", "trials", "missing", "runs"), [(500, None, 0.0, 120), (500, None, 0.3, 120), (200, 5, 0.0, 120)]
)
def test_intervals_of_items_and_agents_cover(agents, trials, missing, runs):
    a, b = parameters(15)
    rng = np.random.default_rng(1)
    slope, place, ability = (Coverage(what=name) for name in ("discrimination", "difficulty", "ability"))
    found = []
    for _ in range(runs):
        scores, theta = draw(rng, a, b, agents, trials, missing)
        fit = eq.irt(scores, starts=1)
        slope.add(fit.discrimination_low, fit.discrimination_high, a, fit.discrimination)
        place.add(fit.difficulty_low, fit.difficulty_high, b, fit.difficulty)
        ability.add(fit.ability_low, fit.ability_high, theta, fit.ability)
        found.append([fit.discrimination, fit.difficulty])
    slope.check()
    place.check()
    ability.check(slack=0.02)  # abilities take the items as known: a little too sure when items come from few agents
    check_unbiased(found, [a, b], allowed=0.1, what="items")  # maximum likelihood is right only in the limit


@pytest.mark.parametrize("model", ["rasch", "1pl"])
def test_intervals_of_models_with_one_slope_cover(model):
    b = np.linspace(-1.5, 1.5, 12)
    rng = np.random.default_rng(9)
    place = Coverage(what=f"difficulty, {model}")
    for _ in range(120):
        scores, _ = draw(rng, np.full(12, 1.0 if model == "rasch" else 1.4), b, 300)
        fit = eq.irt(scores, model=model, starts=1)
        place.add(fit.difficulty_low, fit.difficulty_high, b, fit.difficulty)
    place.check()


def test_intervals_of_items_that_can_be_guessed_cover():
    """With the weak prior, which is what one uses with 3PL; its mean for c is where the true ones are."""
    rng = np.random.default_rng(10)
    a, b = rng.uniform(1.0, 2.0, 12), rng.uniform(-1.0, 1.5, 12)
    slope, place, guess = (Coverage(what=f"{name}, 3pl") for name in ("discrimination", "difficulty", "guessing"))
    for _ in range(40):
        scores, _ = draw(rng, a, b, 2000, c=0.2)
        fit = eq.irt(scores, model="3pl", prior="weak", starts=1)
        slope.add(fit.discrimination_low, fit.discrimination_high, a, fit.discrimination)
        place.add(fit.difficulty_low, fit.difficulty_high, b, fit.difficulty)
        reach = 1.96 * fit.guessing_se
        guess.add(fit.guessing - reach, fit.guessing + reach, 0.2, fit.guessing)
    for covered in (slope, place, guess):
        covered.check(slack=0.01, over=None)  # a prior near the truth makes a posterior's interval hold more often


def test_joint_fits_are_biased_and_say_what_their_errors_leave_out():
    b = np.linspace(-1.5, 1.5, 12)
    rng = np.random.default_rng(12)
    place = Coverage()
    for _ in range(40):
        fit = eq.irt(draw(rng, np.ones(12), b, 300)[0], model="rasch", method="jml")
        assert "abilities taken as known" in fit.interval.kind
        place.add(fit.difficulty_low, fit.difficulty_high, b, fit.difficulty)
    assert place.held().mean() < 0.9


def test_the_approximate_errors_of_long_tests_cover():
    """The scale itself is a sample: errors that ignored it would cover about 92%."""
    from equipoise.items.marginal.covariance import large_test_uncertainty
    from equipoise.items.marginal.quadrature import uniform_grid

    a, b = parameters(150, seed=2)
    rng = np.random.default_rng(3)
    covered = Coverage(what="items of long tests")
    for _ in range(40):
        scores, _ = draw(rng, a, b, 400)
        responses = from_counts(scores.values)
        state = maximise(Problem(responses, "2pl", ItemPrior(), Bounds()), start_items(responses, "2pl"))
        grid = uniform_grid(state.half_width, state.points)
        options = {"model": "2pl", "prior": ItemPrior(), "bounds": Bounds()}
        cov = large_test_uncertainty(responses, state.items, grid, **options).blocks
        found = np.stack([state.items.slope, state.items.intercept])
        reach = 1.96 * np.sqrt(np.stack([cov[0, 0], cov[1, 1]]))
        covered.add(found - reach, found + reach, np.stack([a, -a * b]), found)
    covered.check()


def test_recovery_improves_with_the_number_of_agents():
    a, b = parameters(20)
    rng = np.random.default_rng(4)
    errors = []
    for agents in (100, 400, 1600):
        fits = [eq.irt(draw(rng, a, b, agents)[0], starts=1) for _ in range(8)]
        errors.append(np.mean([np.median(np.abs([f.discrimination - a, f.difficulty - b])) for f in fits]))
    assert all(later < 0.65 * earlier for earlier, later in pairwise(errors))  # about half, as 1 / sqrt(n) says
    assert errors[-1] < 0.1


def bank_of(rng, items):
    return eq.results.Calibration.from_parameters(
        [f"q{k}" for k in range(items)], difficulty=rng.normal(size=items), discrimination=rng.uniform(0.8, 2.2, items)
    )


@pytest.mark.parametrize("estimator", ["eap", "map", "mle", "wle"])
def test_abilities_measured_with_known_items_cover(estimator):
    """Posterior intervals over agents drawn from the prior; the others agent by agent, wherever it stands."""
    rng = np.random.default_rng(8)
    bank = bank_of(rng, 60)
    covered, found = Coverage(what=f"ability, {estimator}"), []
    for _ in range(60):
        theta = rng.normal(size=40) if estimator in ("eap", "map") else np.linspace(-1.5, 1.5, 40)
        answers = (rng.random((40, 60)) < bank.probability(theta)).astype(float)
        scored = bank.score(eq.Scores.from_matrix(answers, tasks=bank.items), estimator=estimator)
        covered.add(scored.ability_low, scored.ability_high, theta, scored.ability)
        found += (scored.ability - theta).tolist()
    covered.check(slack=0.01)
    # A maximum likelihood estimate of 60 answers is a little too far out, the others are not.
    check_unbiased(found, 0.0, allowed=0.05, what=f"ability, {estimator}")


def test_a_flat_item_gets_uniform_p_values():
    a, b = parameters(12)
    rng = np.random.default_rng(5)
    found = []
    for _ in range(300):
        scores, _ = draw(rng, np.append(np.abs(a), 0.0), np.append(b, 0.0), 150)
        responses = from_counts(scores.values)
        problem = Problem(responses, "2pl", ItemPrior(), Bounds())
        state = maximise(problem, start_items(responses, "2pl"))
        p_value = negative_slopes(problem, state, np.ones(13)).p_value[-1]
        found += [] if np.isnan(p_value) else [p_value]
    assert 0.4 < len(found) / 300 < 0.6  # half of the flat items come out negative, and only those are tested
    check_uniform(found, "negative discrimination")


def test_p_values_of_item_fit_are_uniform_and_flags_rare_if_the_model_holds():
    values, flagged, low = [], [], []
    for seed in range(40):
        rng = np.random.default_rng(4500 + seed)
        a, b = rng.uniform(0.8, 1.8, size=12), rng.normal(scale=0.8, size=12)
        fit = eq.irt(draw(rng, a, b, 500)[0], starts=1)
        values.append(fit.item_fit.p_value)
        flagged.append(any("poor-fit" in flags for flags in fit.flags.values()))
        low.append(scipy.special.ndtr(fit.agent_fit.z))
    # S-X2 is a chi-squared only roughly: its p-values are checked from above, where a verdict would be wrong.
    check_not_too_small(values, "item fit")
    check_guarantee(flagged, 0.01, what="poor-fit flags, all items of a test together")
    # An agent's z is taken at its own estimated ability, which makes it a little too quiet.
    check_not_too_small(low, "agent fit z", levels=(0.01, 0.05, 0.1))


@pytest.mark.parametrize("select", ["information", "random"])
def test_adaptive_tests_keep_their_promise_about_the_error(select):
    rng = np.random.default_rng(6)
    bank = bank_of(rng, 200)
    covered, lengths, errors = Coverage(what="adaptive test"), [], []
    for run in range(400):
        theta = rng.normal()
        test = answered(bank, theta, eq.methods.TestLimits(stderr=0.3), rng, select=select, seed=run)
        covered.add(test.ability - 1.96 * test.stderr, test.ability + 1.96 * test.stderr, theta)
        lengths.append(test.answered)
        errors.append(test.ability - theta)
    covered.check()
    check_unbiased(errors, 0.0, what="adaptive test")
    assert np.mean(lengths) < (30 if select == "information" else 60)


def answered(bank, theta, stop, rng, *, select="information", seed=0):
    chance = dict(zip(bank.items, bank.probability(theta), strict=True))
    test = eq.AdaptiveTest(bank, stop=stop, select=select, rng=seed)
    while not test.done:
        item = test.ask().item
        test.tell(item, int(rng.random() < chance[item]))
    return test


def test_adaptive_decisions_are_right_as_often_as_they_say():
    """A posterior may be looked at after every answer; a 95% interval that ignored the prior could not."""
    rng = np.random.default_rng(16)
    bank = bank_of(rng, 120)
    wrong, naive = [], []
    for _ in range(400):
        theta = rng.normal()
        for level, found in ((0.9, wrong), (0.7, naive)):
            test = answered(bank, theta, eq.methods.TestLimits(better_than=0.3, level=level), rng)
            if "items left" not in test.reason:
                found.append((test.decision > 0.5) != (theta > 0.3))
    check_guarantee(wrong, 0.1, naive=naive, what="adaptive decisions")


def test_the_whole_of_the_digits_is_predicted_from_a_part_with_coverage_and_saving():
    """Each classifier is predicted from items calibrated on the others; the truth is its score on all 400."""
    scores = eq.load("digits")
    assert isinstance(scores, eq.Scores)
    rng = np.random.default_rng(7)
    covered = [Coverage(what="predicted score") for _ in range(4)]
    ratio, plain, stated = [], [], []
    groups = np.arange(len(scores.agents)) % 4
    for group in range(4):
        fit = eq.irt(scores.take(agents=groups != group), prior="weak", starts=1)
        bank = fit.calibration()
        known = [task in set(bank.items) for task in scores.tasks]
        held = scores.take(agents=groups == group, tasks=known)
        truth = held.values.mean(axis=1)
        for _ in range(6):
            values = held.values.copy()
            for row in values:
                row[rng.permutation(len(row))[60:]] = np.nan
            part = eq.Scores.from_matrix(values, agents=held.agents, tasks=held.tasks)
            found = eq.predict(part, bank, rng=rng)
            covered[group].add(found.low, found.high, truth, found.score)
            ratio.append((found.score - truth) ** 2)
            plain.append((found.plain - truth) ** 2)
            stated.append(found.plain_stderr**2)
    together = Coverage(what="predicted score")
    fewest = min(len(run[0]) for part in covered for run in part.runs)
    together.runs = [run[:, :fewest] for part in covered for run in part.runs]
    together.check(over=None)  # where all answers are as predicted, the error is what the model admits: too large
    # 480 squared errors of plain shares: their mean is known to about 7%.
    assert np.mean(np.concatenate(plain)) == pytest.approx(np.mean(np.concatenate(stated)), rel=0.25)
    # One dimension explains little of which digit a classifier misreads; the interval knows.
    assert np.mean(np.concatenate(plain)) / np.mean(np.concatenate(ratio)) > 1.1
