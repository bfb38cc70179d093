"""A small, quick representative of each promise of this room; tests/statistical holds the long simulations.

Bounds are those of the long ones: three binomial standard errors, and intervals 0.7 as wide must leave them.
"""

from itertools import pairwise

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.items.marginal.em import Problem, maximise, start_items
from equipoise.items.marginal.item_step import Bounds, ItemPrior
from equipoise.items.marginal.slope_tests import negative_slopes
from equipoise.items.models.responses import from_counts
from tests.statistical.honesty import Coverage, check_guarantee, check_not_too_small, check_unbiased


def drawn(rng, a, b, agents, c=0.0):
    theta = rng.normal(size=agents)
    chance = c + (1 - c) * scipy.special.expit(a * (theta[:, None] - b))
    return eq.Scores.from_matrix((rng.random(chance.shape) < chance).astype(float)), theta


def items(seed, count):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.8, 1.8, count), rng.uniform(-1.5, 1.5, count)


def test_intervals_of_items_and_abilities_cover_without_bias():
    a, b = items(0, 10)
    a[0] *= -1
    rng = np.random.default_rng(1)
    intervals = {name: Coverage(what=name) for name in ("discrimination", "difficulty", "ability")}
    estimates = []
    for _ in range(70):
        scores, theta = drawn(rng, a, b, 300)
        fit = eq.irt(scores, starts=1)
        for (name, part), truth in zip(intervals.items(), (a, b, theta), strict=True):
            part.add(*(getattr(fit, f"{name}{end}") for end in ("_low", "_high")), truth, getattr(fit, name))
        estimates.append([fit.discrimination[0], fit.difficulty[5]])
    intervals["discrimination"].check()
    intervals["difficulty"].check()
    intervals["ability"].check(slack=0.02)  # abilities take the items as known
    check_unbiased(estimates, [a[0], b[5]], allowed=0.1, what="items")  # right only in the limit


@pytest.mark.parametrize("model", ["rasch", "1pl"])
def test_intervals_of_models_with_one_slope_cover(model):
    b, rng = np.linspace(-1.5, 1.5, 10), np.random.default_rng(2)
    place = Coverage(what=model)
    for _ in range(30):
        scores, _ = drawn(rng, np.full(10, 1.0 if model == "rasch" else 1.4), b, 200)
        fit = eq.irt(scores, model=model, starts=1)
        place.add(fit.difficulty_low, fit.difficulty_high, b, fit.difficulty)
    place.check()


def test_intervals_of_items_that_can_be_guessed_cover():
    a, b = items(3, 10)
    rng = np.random.default_rng(3)
    slope, place = Coverage(what="discrimination, 3pl"), Coverage(what="difficulty, 3pl")
    for _ in range(25):
        fit = eq.irt(drawn(rng, a, b, 1000, c=0.2)[0], model="3pl", prior="weak", starts=1)
        slope.add(fit.discrimination_low, fit.discrimination_high, a, fit.discrimination)
        place.add(fit.difficulty_low, fit.difficulty_high, b, fit.difficulty)
    for covered in (slope, place):
        covered.check(slack=0.01, over=None)  # a prior near the truth makes a posterior's interval hold more often


def test_joint_fits_are_biased_and_say_what_their_errors_leave_out():
    b, rng, place = np.linspace(-1.5, 1.5, 10), np.random.default_rng(4), Coverage()
    for _ in range(12):
        fit = eq.irt(drawn(rng, np.ones(10), b, 300)[0], model="rasch", method="jml")
        assert "abilities taken as known" in fit.interval.kind
        place.add(fit.difficulty_low, fit.difficulty_high, b, fit.difficulty)
    assert place.held().mean() < 0.9


def test_recovery_improves_with_the_number_of_agents():
    a, b = items(5, 15)
    rng, errors = np.random.default_rng(5), []
    for agents in (100, 400, 1600):
        fits = [eq.irt(drawn(rng, a, b, agents)[0], starts=1) for _ in range(4)]
        errors.append(np.mean([np.median(np.abs([fit.discrimination - a, fit.difficulty - b])) for fit in fits]))
    assert all(later < 0.7 * earlier for earlier, later in pairwise(errors))


@pytest.mark.parametrize("estimator", ["eap", "map", "mle", "wle"])
def test_abilities_measured_with_known_items_cover_without_bias(estimator):
    rng = np.random.default_rng(6)
    a, b = items(6, 60)
    bank = eq.results.Calibration.from_parameters(map(str, range(60)), difficulty=b, discrimination=a)
    covered, errors = Coverage(what=estimator), []
    for _ in range(20):
        theta = rng.normal(size=40) if estimator in ("eap", "map") else np.linspace(-1.5, 1.5, 40)
        answers = (rng.random((40, 60)) < bank.probability(theta)).astype(float)
        scored = bank.score(eq.Scores.from_matrix(answers, tasks=bank.items), estimator=estimator)
        covered.add(scored.ability_low, scored.ability_high, theta, scored.ability)
        errors += (scored.ability - theta).tolist()
    covered.check(slack=0.01)
    check_unbiased(errors, 0.0, allowed=0.05, what=estimator)


def test_p_values_of_negative_slopes_are_not_too_small_for_flat_items():
    a, b = items(7, 8)
    rng, p_values = np.random.default_rng(7), []
    for _ in range(80):
        scores, _ = drawn(rng, np.append(a, np.zeros(4)), np.append(b, np.zeros(4)), 150)
        responses = from_counts(scores.values)
        problem = Problem(responses, "2pl", ItemPrior(), Bounds())
        state = maximise(problem, start_items(responses, "2pl"), tolerance=1e-3)
        p_values += negative_slopes(problem, state, np.ones(12)).p_value[8:].tolist()
    tested = np.array(p_values)[~np.isnan(p_values)]
    assert 0.35 < len(tested) / len(p_values) < 0.65  # half of the flat items come out negative
    check_not_too_small(tested, "negative discrimination")


def answered(bank, theta, stop, rng, select="information", seed=0):
    chance = dict(zip(bank.items, bank.probability(theta), strict=True))
    test = eq.AdaptiveTest(bank, stop=stop, select=select, rng=seed)
    while not test.done:
        item = test.ask().item
        test.tell(item, int(rng.random() < chance[item]))
    return test


@pytest.fixture(scope="module")
def bank():
    a, b = np.random.default_rng(8).uniform(0.8, 2.2, 100), np.random.default_rng(9).normal(size=100)
    return eq.results.Calibration.from_parameters(map(str, range(100)), difficulty=b, discrimination=a)


@pytest.mark.parametrize("select", ["information", "random"])
def test_adaptive_tests_keep_their_promise_about_the_error(bank, select):
    rng, covered, errors = np.random.default_rng(10), Coverage(what=select), []
    for run in range(250):
        theta = rng.normal()
        test = answered(bank, theta, eq.methods.TestLimits(stderr=0.45), rng, select, run)
        covered.add(test.ability - 1.96 * test.stderr, test.ability + 1.96 * test.stderr, theta)
        errors.append(test.ability - theta)
    covered.check()
    check_unbiased(errors, 0.0, what=select)


def test_adaptive_decisions_are_right_as_often_as_they_say(bank):
    rng = np.random.default_rng(11)
    wrong, hasty = [], []
    for _ in range(250):
        theta = rng.normal()
        for level, decisions in ((0.9, wrong), (0.7, hasty)):
            test = answered(bank, theta, eq.methods.TestLimits(better_than=0.3, level=level), rng)
            if "items left" not in test.reason:
                decisions.append((test.decision > 0.5) != (theta > 0.3))
    check_guarantee(wrong, 0.1, naive=hasty, what="adaptive decisions")


def test_intervals_of_regularity_generality_and_slope_cover():
    hard = np.linspace(-2, 2, 80)
    chance = np.stack([np.full(80, 0.8), scipy.special.expit(1.2 - 1.5 * hard), scipy.special.expit(2 - hard)])
    rng = np.random.default_rng(12)

    def measured(n):
        results = (rng.random(chance.shape) < chance).astype(float)
        return eq.generality(eq.Scores.from_matrix(results), hard, units="none", n=n)

    many = [measured(0) for _ in range(400)]
    usual = {name: np.nanmedian([getattr(one, name) for one in many], axis=0) for name in ("generality", "slope")}
    usual["regularity"] = 1 / (chance.mean(axis=1) * (1 - chance.mean(axis=1)))
    covered = {name: Coverage(what=name) for name in usual}
    for _ in range(100):
        result = measured(60)
        for name, part in covered.items():
            part.add(*(getattr(result, f"{name}_{end}") for end in ("low", "high")), usual[name], getattr(result, name))
    covered["regularity"].check(slack=0.02)  # a bootstrap of 60 is a little too narrow
    covered["generality"].check(slack=0.02, over=None)
    check_guarantee(~covered["slope"].held()[:, 1], 0.05, what="slope")  # a band; only this curve always falls to 1/2


def test_the_four_indicators_cover():
    a, b = items(13, 20)
    rng = np.random.default_rng(13)
    covered = {name: Coverage(what=name) for name in ("ability", "difficulty", "discrimination")}
    for run in range(6):
        scores, theta = drawn(rng, a, b, 150)
        result = eq.methods.duality(scores, eq.irt(scores, starts=1), n=60, rng=run)
        for (name, part), truth in zip(covered.items(), (theta, b, a), strict=True):
            part.add(*(getattr(result, f"{name}_{end}") for end in ("low", "high")), truth, getattr(result, name))
    for part in covered.values():
        part.check(slack=0.02, over=None)  # too few runs to notice intervals that are too wide: test_duality does


def test_two_editions_are_equated_without_bias():
    """The new edition met agents that are better by half and spread more; items are known up to noise."""
    a, b = items(14, 14)
    names, rng, lines = [f"item {k}" for k in range(14)], np.random.default_rng(14), []

    def edition(part, mean, spread):
        places = (b[part] - mean) / spread + rng.normal(scale=0.15, size=10)
        slopes = a[part] * spread * np.exp(rng.normal(scale=0.15, size=10))
        return eq.results.Calibration.from_parameters(names[part], difficulty=places, discrimination=slopes)

    for _ in range(60):
        line = eq.equate(edition(slice(0, 10), 0.0, 1.0), edition(slice(4, 14), 0.5, 1.2))
        lines.append([line.scale, line.shift])
    check_unbiased(lines, [1.2, 0.5], allowed=0.05, what="equating")
