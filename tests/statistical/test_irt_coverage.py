"""Recovery of known item parameters, and do the intervals cover what they promise?"""

from itertools import pairwise

import numpy as np
import pytest

import equipoise as eq
from equipoise.irt.em import Problem, maximise
from equipoise.irt.flags import negative_slopes
from equipoise.irt.item_step import Bounds, ItemPrior
from equipoise.irt.responses import from_counts
from equipoise.irt.starts import start_items


def parameters(items, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.uniform(0.6, 2.0, items)
    a[:2] *= -1
    return a, rng.uniform(-1.5, 1.5, items)


def draw(rng, a, b, agents, trials=None, missing=0.0):
    theta = rng.normal(size=agents)
    p = 1 / (1 + np.exp(-a * (theta[:, None] - b)))
    values = rng.binomial(trials or 1, p).astype(float)
    values[rng.random(values.shape) < missing] = np.nan
    return eq.Scores.from_matrix(values, trials=trials), theta


@pytest.mark.parametrize(
    ("agents", "trials", "missing", "runs"), [(500, None, 0.0, 100), (500, None, 0.3, 80), (200, 5, 0.0, 80)]
)
def test_intervals_of_items_and_agents_cover(agents, trials, missing, runs):
    a, b = parameters(15)
    rng = np.random.default_rng(1)
    slope, place, ability, bias = [], [], [], []
    for _ in range(runs):
        scores, theta = draw(rng, a, b, agents, trials, missing)
        fit = eq.irt(scores, starts=1)
        slope.append((fit.discrimination_low <= a) & (a <= fit.discrimination_high))
        place.append((fit.difficulty_low <= b) & (b <= fit.difficulty_high))
        ability.append(np.mean((fit.ability_low <= theta) & (theta <= fit.ability_high)))
        bias.append([fit.discrimination - a, fit.difficulty - b])
    # 15 items x 80 to 100 runs, items of one run not quite independent: two points of leeway.
    assert np.mean(slope) == pytest.approx(0.95, abs=0.02)
    assert np.mean(place) == pytest.approx(0.95, abs=0.02)
    # Abilities take the items as known: a little too sure when items come from few agents.
    assert 0.925 < np.mean(ability) < 0.96
    size, spread = np.abs(np.mean(bias, axis=0)), np.std(bias, axis=0)
    assert (size < 0.5 * spread).all()


def test_the_approximate_errors_of_long_tests_cover():
    """The scale itself is a sample: errors that ignored it would cover about 92%."""
    from equipoise.irt.information import large_test_covariance
    from equipoise.irt.quadrature import uniform_grid

    a, b = parameters(150, seed=2)
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(40):
        scores, _ = draw(rng, a, b, 400)
        responses = from_counts(scores.values)
        state = maximise(Problem(responses, "2pl", ItemPrior(), Bounds()), start_items(responses, "2pl"))
        grid = uniform_grid(state.half_width, state.points)
        cov = large_test_covariance(responses, state.items, grid, model="2pl", prior=ItemPrior(), bounds=Bounds())
        found = np.stack([state.items.slope, state.items.intercept])
        error = np.abs(found - np.stack([a, -a * b])) / np.sqrt(np.stack([cov[0, 0], cov[1, 1]]))
        covered.append(error < 1.96)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.012)


def test_recovery_improves_with_the_number_of_agents():
    a, b = parameters(20)
    rng = np.random.default_rng(4)
    errors = []
    for agents in (100, 400, 1600, 6400):
        fits = [eq.irt(draw(rng, a, b, agents)[0], starts=1) for _ in range(5)]
        errors.append(np.mean([np.median(np.abs([f.discrimination - a, f.difficulty - b])) for f in fits]))
    assert all(later < 0.65 * earlier for earlier, later in pairwise(errors))  # about half, as 1 / sqrt(n) says
    assert errors[-1] < 0.05


def test_a_flat_item_is_called_negative_at_the_stated_rate():
    a, b = parameters(12)
    rng = np.random.default_rng(5)
    found = []
    for _ in range(250):
        scores, _ = draw(rng, np.append(np.abs(a), 0.0), np.append(b, 0.0), 150)
        responses = from_counts(scores.values)
        problem = Problem(responses, "2pl", ItemPrior(), Bounds())
        state = maximise(problem, start_items(responses, "2pl"))
        p_value = negative_slopes(problem, state, np.ones(13)).p_value[-1]
        found.append(p_value < 0.05)
    # Half of the flat items come out negative; 5% of each half is called clear.
    assert np.mean(found) == pytest.approx(0.025, abs=0.02)


def test_adaptive_tests_keep_their_promise_about_the_error():
    rng = np.random.default_rng(6)
    bank = eq.Calibration.from_parameters(
        [f"q{k}" for k in range(200)], difficulty=rng.normal(size=200), discrimination=rng.uniform(0.8, 2.2, 200)
    )
    inside, lengths = [], []
    for _ in range(300):
        theta = rng.normal()
        chance = dict(zip(bank.tasks, bank.probability(theta), strict=True))
        test = eq.AdaptiveTest(bank, stop=eq.StopRule(stderr=0.3))
        while not test.done:
            item = test.ask().item
            test.tell(item, int(rng.random() < chance[item]))
        inside.append(abs(test.ability - theta) < 1.96 * test.stderr)
        lengths.append(test.answered)
    assert np.mean(inside) == pytest.approx(0.95, abs=0.035)
    assert np.mean(lengths) < 30


def test_the_whole_of_the_digits_is_predicted_from_a_part_with_coverage_and_saving():
    """Each classifier is predicted from items calibrated on the others; the truth is its score on all 400."""
    scores = eq.load("digits")
    assert isinstance(scores, eq.Scores)
    rng = np.random.default_rng(7)
    covered, ratio, plain = [], [], []
    groups = np.arange(len(scores.agents)) % 4
    for group in range(4):
        fit = eq.irt(scores.take(agents=groups != group), prior="weak", starts=1)
        bank = fit.calibration()
        known = [task in set(bank.tasks) for task in scores.tasks]
        held = scores.take(agents=groups == group, tasks=known)
        truth = held.values.mean(axis=1)
        for _ in range(10):
            values = held.values.copy()
            for row in values:
                row[rng.permutation(len(row))[60:]] = np.nan
            part = eq.Scores.from_matrix(values, agents=held.agents, tasks=held.tasks)
            found = eq.predict_score(part, bank, rng=rng)
            covered.append((found.low <= truth) & (truth <= found.high))
            ratio.append((found.score - truth) ** 2)
            plain.append((found.plain - truth) ** 2)
    assert np.mean(covered) > 0.93
    # One dimension explains little of which digit a classifier misreads; the interval knows.
    assert np.mean(plain) / np.mean(ratio) > 1.1
