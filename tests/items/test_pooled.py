"""Few agents: items pooled and integrated out, and what is not known of items in every ability."""

import json

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import equipoise as eq
from equipoise.core.diagnostics import has_code
from equipoise.items.flags import probably_negative
from equipoise.items.models.models import Items, log_probabilities
from equipoise.items.models.responses import from_counts
from equipoise.items.pooled.item_integrals import integrate, item_moments
from equipoise.items.pooled.item_population import Answers, item_peaks, log_density, nodes_around
from equipoise.items.pooled.pooled import Lifted, curvature_slopes, pooled_fit, trace_slopes
from equipoise.items.pooled.solve import relative_scale, spread_of_others
from equipoise.items.scoring.ability import estimate_abilities, with_items
from equipoise.items.scoring.uncertainty import ItemUncertainty, variance_from_items

POPULATION = np.array([0.3, 0.2, -0.8, 0.1, 0.4])


def drawn(seed=0, agents=8, items=14, trials=None, missing=0.0):
    """Answers of agents to items of which some have negative slopes, and the truth relative to these agents."""
    rng = np.random.default_rng(seed)
    theta, b = rng.normal(size=agents), rng.normal(size=items)
    a = np.exp(0.4 * rng.normal(size=items)) * np.where(rng.random(items) < 0.05, -1, 1)
    values = rng.binomial(trials or 1, scipy.special.expit(a * (theta[:, None] - b))).astype(float)
    values[rng.random(values.shape) < missing] = np.nan
    return eq.Scores.from_matrix(values, trials=trials), (theta - theta.mean()) / theta.std()


def answers_of(seed=0, trials=None, missing=0.0, agents=5, items=6):
    scores, _ = drawn(seed, agents, items, trials, missing)
    known = ~scores.missing
    tried = known * float(trials or 1)
    return Answers.of(from_counts(np.where(known, np.nan_to_num(scores.values) * tried, 0.0).round(), tried))


def laid(answers, ability, points=15):
    start = np.repeat([[1.0], [0.0]], answers.successes.shape[1], axis=1)
    return nodes_around(*item_peaks(answers, ability, POPULATION, start), points)


def plainly_integrated(answers, ability, j, weigh=lambda _a, _d: 1.0):
    """Integrate one item over a fine grid of slopes and intercepts."""
    a, d = np.meshgrid(np.linspace(-3, 5, 401), np.linspace(-9, 9, 401))
    log = log_density(POPULATION, a, d) - np.log(2 * np.pi)
    for theta, won, tried in zip(ability, answers.successes[:, j], answers.trials[:, j], strict=True):
        log = log + won * (theta * a + d) - tried * np.logaddexp(0, theta * a + d)
    return np.sum(weigh(a, d) * np.exp(log)) * (8 / 400) * (18 / 400)


@pytest.mark.parametrize(("trials", "missing"), [(None, 0.0), (None, 0.3), (4, 0.2)])
def test_the_integral_over_items_against_a_fine_grid(trials, missing):
    answers = answers_of(3, trials, missing)
    ability = np.linspace(-1.2, 1.4, 5)
    whole = sum(np.log(plainly_integrated(answers, ability, j)) for j in range(6))
    assert integrate(answers, laid(answers, ability), ability, POPULATION).value == pytest.approx(whole, abs=1e-4)
    moments = item_moments(answers, laid(answers, ability), ability, POPULATION)
    for j in range(6):
        total = plainly_integrated(answers, ability, j)
        slope = plainly_integrated(answers, ability, j, lambda a, _d: a) / total
        assert moments.mean[0, j] == pytest.approx(slope, abs=1e-3)
        product = plainly_integrated(answers, ability, j, lambda a, d, m=slope: (a - m) * d) / total
        assert moments.covariance[0, 1, j] == pytest.approx(product, abs=2e-3)


def differences(function, at, step=1e-5):
    """Differentiate by central differences, the variable first."""
    return np.array([(function(at + h) - function(at - h)) / (2 * step) for h in step * np.eye(len(at))])


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 200), st.sampled_from([(None, 0.0), (None, 0.3), (3, 0.2)]))
def test_derivatives_are_those_of_the_integral(seed, shape):
    answers = answers_of(seed, *shape)
    ability = np.random.default_rng(seed).normal(size=5)
    nodes = laid(answers, ability, 5)
    at = integrate(answers, nodes, ability, POPULATION)
    close = {"atol": 1e-6, "rtol": 1e-6}
    rise = differences(lambda t: integrate(answers, nodes, t, POPULATION).value, ability)
    np.testing.assert_allclose(at.slope, rise, **close)
    by_ability = differences(lambda t: integrate(answers, nodes, t, POPULATION).slope, ability)
    np.testing.assert_allclose(at.curvature, -by_ability, **close)
    rise = differences(lambda h: integrate(answers, nodes, ability, h).value, POPULATION)
    np.testing.assert_allclose(at.population_slope, rise, **close)
    by_population = differences(lambda h: integrate(answers, nodes, ability, h).slope, POPULATION)
    np.testing.assert_allclose(at.cross, -by_population, **close)
    twice = differences(lambda h: integrate(answers, nodes, ability, h).population_slope, POPULATION)
    np.testing.assert_allclose(at.population_curvature, -twice, **close)
    moments = item_moments(answers, nodes, ability, POPULATION)
    moved = differences(lambda t: item_moments(answers, nodes, t, POPULATION).mean, ability)
    np.testing.assert_allclose(moments.by_ability, np.moveaxis(moved, 0, 2), **close)
    moved = differences(lambda h: item_moments(answers, nodes, ability, h).mean, POPULATION)
    np.testing.assert_allclose(moments.by_population, np.moveaxis(moved, 0, 2), **close)
    moved = differences(lambda theta: item_moments(answers, nodes, theta, POPULATION).covariance[0, 0], ability)
    np.testing.assert_allclose(moments.variance_by_ability, moved.T, **close)
    moved = differences(lambda h: item_moments(answers, nodes, ability, h).covariance[0, 0], POPULATION)
    np.testing.assert_allclose(moments.variance_by_population, moved.T, **close)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 200), st.sampled_from([(None, 0.0), (None, 0.3), (3, 0.2)]))
def test_how_the_curvature_moves_with_the_population(seed, shape):
    answers = answers_of(seed, *shape)
    rng = np.random.default_rng(seed)
    ability, follow = rng.normal(size=5), rng.normal(size=(5, 5))
    nodes = laid(answers, ability, 5)

    def curvature(away):
        return integrate(answers, nodes, ability - follow @ away, POPULATION + away).curvature + np.eye(5)

    close = {"atol": 1e-6, "rtol": 1e-6}
    here, lifted = (ability, POPULATION), Lifted.of(curvature(np.zeros(5)))
    moves = curvature_slopes(answers, nodes, here, follow)
    np.testing.assert_allclose(moves, differences(curvature, np.zeros(5)), **close)
    by_trace = trace_slopes(answers, nodes, here, follow, lifted.log_det_slope)
    np.testing.assert_allclose(by_trace, differences(lambda h: Lifted.of(curvature(h)).log_det, np.zeros(5)), **close)
    inverse = differences(lambda h: Lifted.of(curvature(h)).inverse, np.zeros(5))
    np.testing.assert_allclose(lifted.inverse_moved(moves), inverse, **close)


def test_a_curve_so_steep_that_its_odds_overflow_is_integrated():
    answers = answers_of(4)
    ability = np.linspace(-1.2, 1.4, 5)
    nodes = laid(answers, ability, 5)
    steep = nodes._replace(slope=1e4 * nodes.slope)
    eta = np.multiply.outer(ability, steep.slope) + steep.intercept
    log = (answers.successes[:, :, None] * eta - np.logaddexp(0, eta)).sum(axis=0)
    log += log_density(POPULATION, steep.slope, steep.intercept) + steep.log_weight
    whole = scipy.special.logsumexp(log, axis=1).sum()
    assert integrate(answers, steep, ability, POPULATION).value == pytest.approx(whole)


def test_more_points_change_nothing_that_matters():
    answers = answers_of(1, agents=8, items=20)
    few, many = pooled_fit(answers), pooled_fit(answers, points=15)
    np.testing.assert_allclose(few.ability, many.ability, atol=0.01)
    assert few.log_likelihood == pytest.approx(many.log_likelihood, abs=0.01)
    assert few.converged


def test_abilities_and_items_are_relative_to_these_agents():
    """The same probabilities on another scale, and errors that follow by differences."""
    answers = answers_of(2, agents=7, items=15)
    state = pooled_fit(answers)
    moments = item_moments(answers, state.nodes, state.ability, state.population)
    found = relative_scale(state, moments)
    assert found.ability.mean() == pytest.approx(0, abs=1e-12)
    assert 0.5 < found.ability.std() < 1  # estimates are pulled together, the agents are not
    before = np.multiply.outer(moments.mean[0], state.ability) + moments.mean[1][:, None]
    after = np.multiply.outer(found.items[0], found.ability) + found.items[1][:, None]
    np.testing.assert_allclose(after, before)

    away = state.ability - state.ability.mean()
    from_errors = away @ away / np.sum(found.ability**2) - away @ away / 7  # the part of S^2 that errors make

    def standard(theta):
        centred = theta - theta.mean()
        return centred / np.sqrt(centred @ centred / 7 + from_errors)

    moved = differences(standard, state.ability).T
    variance = np.diag(moved @ state.covariance[:7, :7] @ moved.T)
    np.testing.assert_allclose(found.stderr, np.sqrt(variance), rtol=1e-5)


@pytest.mark.parametrize("n_items", [5, 30])
def test_a_compressed_covariance_is_exact_within_items_and_near_in_all(n_items):
    rng = np.random.default_rng(n_items)
    size = 3 * n_items
    factor = np.hstack([0.2 * np.diag(rng.uniform(0.5, 2, size)), rng.normal(size=(size, 3))])
    factor[2 * n_items :] = 0.0  # nobody guesses
    whole = factor @ factor.T
    found = ItemUncertainty.of(whole)
    for j in range(n_items):
        place = [j, n_items + j, 2 * n_items + j]
        np.testing.assert_allclose(found.blocks[:, :, j], whole[np.ix_(place, place)], atol=1e-12)
    gradient = rng.normal(size=(40, 3, n_items))
    flat = gradient.reshape(40, -1)
    exact = np.einsum("nk,kl,nl->n", flat, whole, flat)
    np.testing.assert_allclose(found.variance(gradient), exact, rtol=1e-9 if n_items == 5 else 0.2)
    np.testing.assert_allclose(found.take(np.arange(3)).blocks, found.blocks[:, :, :3])


def test_of_many_directions_the_largest_are_kept_and_the_rest_stays_within_items():
    """Best approximation of what items share, each parameter in units of its own deviation, by singular values."""
    rng = np.random.default_rng(8)
    own = np.zeros((3, 3, 25))
    own[0, 0], own[1, 1] = rng.uniform(0.01, 0.1, (2, 25))
    given = rng.normal(size=(13, 3, 25)) * np.geomspace(3, 0.05, 13)[rng.permutation(13), None, None]
    given[:, 2] = 0.0  # nobody guesses
    found = ItemUncertainty.with_directions(own, given)
    flat = given.reshape(13, 75)
    whole = own + np.array([[[flat[:, 25 * p + j] @ flat[:, 25 * q + j] for j in range(25)] for q in range(3)]
                            for p in range(3)])  # fmt: skip
    np.testing.assert_allclose(found.blocks, whole, atol=1e-12)
    scale = np.sqrt(np.concatenate([whole[0, 0], whole[1, 1], np.ones(25)]))
    _, sizes, across = np.linalg.svd(flat / scale, full_matrices=False)
    largest = (across[:8].T * sizes[:8] ** 2) @ across[:8]
    kept = found.shared.reshape(8, 75) / scale
    np.testing.assert_allclose(kept.T @ kept, largest, atol=1e-9)


@pytest.mark.parametrize("n_items", [30, 110])
def test_of_many_parameters_the_largest_directions_are_kept(n_items):
    """By singular values; with more than 200 parameters they are found by another method."""
    rng = np.random.default_rng(9)
    size = 2 * n_items
    factor = rng.normal(size=(size, 12)) * np.geomspace(2, 0.1, 12)
    whole = np.zeros((3 * n_items, 3 * n_items))
    whole[:size, :size] = factor @ factor.T + np.diag(rng.uniform(0.1, 0.3, size))
    found = ItemUncertainty.of(whole)
    scale = np.sqrt(np.diag(whole)[:size])
    along, sizes, _ = np.linalg.svd(whole[:size, :size] / np.outer(scale, scale))
    largest = (along[:, :8] * sizes[:8]) @ along[:, :8].T
    kept = found.shared.reshape(8, -1)[:, :size] / scale
    np.testing.assert_allclose(kept.T @ kept, largest, atol=1e-8)


def test_another_scale_moves_the_uncertainty_with_it():
    rng = np.random.default_rng(4)
    factor = rng.normal(size=(6, 8))
    factor[4:] = 0.0
    found = ItemUncertainty.of(factor @ factor.T).carried(2.0, 0.5).blocks
    for j in range(2):
        turn = np.array([[0.5, 0.0, 0.0], [-0.25, 1.0, 0.0], [0.0, 0.0, 1.0]])
        place = [j, 2 + j, 4 + j]
        np.testing.assert_allclose(found[:, :, j], turn @ (factor @ factor.T)[np.ix_(place, place)] @ turn.T)


@pytest.mark.parametrize(("guessing", "trials"), [(0.0, 1), (0.2, 1), (0.1, 3)])
def test_the_items_share_of_an_error_against_moved_items(guessing, trials):
    """The delta method, item parameter by item parameter, against the maximum that follows the moved items."""
    rng = np.random.default_rng(7)
    items = Items(rng.uniform(0.8, 1.6, 25), rng.normal(size=25), np.full(25, guessing))
    won = rng.binomial(trials, 0.55, size=(3, 25)).astype(float)
    responses = from_counts(won, np.full(won.shape, float(trials)))
    fitted = estimate_abilities(responses, items, estimator="mle")
    size, expected = 1e-4, np.zeros(3)
    spread = [0.1, 0.2, 0.0 if guessing == 0 else 0.02]
    for k, scale in enumerate(spread):
        for j in range(25 if scale > 0 else 0):
            ends = []
            for side in (size, -size):
                moved = [part.copy() for part in items]
                moved[k][j] += side
                ends.append(estimate_abilities(responses, Items(*moved), estimator="mle").estimate)
            expected += (scale * (ends[0] - ends[1]) / (2 * size)) ** 2
    own = np.zeros((3, 3, 25))
    for k, scale in enumerate(spread):
        own[k, k] = scale**2
    known = ItemUncertainty(own, np.zeros((0, 3, 25)))

    def value(theta):
        right, wrong = log_probabilities(theta, items)
        return np.sum(won.T * right + (trials - won.T) * wrong, axis=0)

    near = 1e-3
    middle, up, down = (value(fitted.estimate + side) for side in (0.0, near, -near))
    variance = near**2 / (2 * middle - up - down)  # one over the observed curvature, which is not the information
    found = variance_from_items(responses, items, fitted.estimate, variance, known)
    np.testing.assert_allclose(found, expected, rtol=2e-3)
    more = variance_from_items(responses, items, fitted.estimate, fitted.stderr**2, known)
    np.testing.assert_allclose(with_items(responses, items, fitted, known).stderr ** 2, fitted.stderr**2 + more)


def test_few_agents_are_pooled_by_default_and_it_is_said():
    scores, _ = drawn(agents=20, items=40)
    fit = eq.irt(scores)
    assert (fit.model, fit.params["method"]) == ("2pl", "pooled")
    (note,) = [note for note in fit.diagnostics if note.code == "pooled-items"]
    assert "20 agents (fewer than 100) are too few" in note.message
    assert not has_code(fit.diagnostics, "few-agents")
    assert "20 agents cannot give separate item parameters" in fit.answer[-1]
    assert fit.ability_interval.kind == "posterior, relative to these agents (hierarchical item model)"
    assert fit.interval.kind == "posterior (items from one population)"
    assert fit.fit.converged
    assert np.isnan(fit.negative_p).all()


@pytest.mark.parametrize(
    "options", [{"model": "2pl"}, {"model": "rasch"}, {"method": "mml"}, {"prior": "weak"}, {"estimator": "wle"}]
)
def test_what_is_asked_for_is_what_is_fitted(options):
    fit = eq.irt(drawn(agents=20, items=12)[0], starts=1, **options)
    assert fit.params["method"] == "mml"
    assert fit.model == options.get("model", "2pl")
    (note,) = [note for note in fit.diagnostics if note.code == "few-agents"]
    assert 'its intervals are too short. Use method="pooled".' in note.message


def test_many_agents_keep_maximum_likelihood():
    scores, _ = drawn(agents=100, items=8)
    assert eq.irt(scores, starts=1).params["method"] == "mml"
    assert eq.irt(scores.take(agents=range(99))).params["method"] == "pooled"
    assert not has_code(eq.irt(scores, starts=1).diagnostics, "few-agents")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "rasch"}, 'method="pooled" goes with model="2pl" only, not rasch'),
        ({"prior": "weak"}, 'method="pooled" estimates its own population of items; leave out prior'),
        ({"estimator": "mle"}, 'method="pooled" goes with estimator="eap" only, not mle'),
    ],
)
def test_pooled_items_go_with_nothing_else(options, message):
    with pytest.raises(eq.ParameterError, match=message):
        eq.irt(drawn()[0], method="pooled", **options)


def test_pooled_items_are_for_few_agents():
    scores, _ = drawn(agents=1001, items=3)
    with pytest.raises(eq.ParameterError, match="at most 1,000 agents, not 1,001"):
        eq.irt(scores, method="pooled")


@pytest.mark.parametrize(("agents", "items"), [(8, 12), (20, 40), (50, 10)])
def test_intervals_of_few_agents_cover(agents, items):
    """A fast representative of tests/statistical: plain 2PL intervals cover about half of this."""
    held = []
    for seed in range(max(8, 160 // agents)):
        scores, truth = drawn(seed, agents, items)
        fit = eq.irt(scores)
        held += ((fit.ability_low <= truth) & (truth <= fit.ability_high)).tolist()
    assert 0.9 < np.mean(held) <= 0.995


def test_trials_are_the_same_as_that_many_answers():
    scores, _ = drawn(trials=3)
    repeats = (np.arange(3) < np.rint(scores.values * 3)[:, :, None]).astype(float)
    counts, single = eq.irt(scores), eq.irt(eq.Scores.from_matrix(repeats))
    np.testing.assert_allclose(counts.ability, single.ability)
    np.testing.assert_allclose(counts.difficulty_se, single.difficulty_se)


def test_more_trials_make_shorter_intervals_and_missing_cells_longer_ones():
    one, ten = (eq.irt(drawn(trials=trials, items=30)[0]).ability_se.mean() for trials in (1, 10))
    some = eq.irt(drawn(missing=0.5, items=30)[0]).ability_se.mean()
    assert ten < 0.6 * one
    assert some > 1.1 * one


def test_relabelling_and_reordering_change_nothing_but_labels_and_places():
    scores, _ = drawn(agents=9, items=15, missing=0.1)
    fit = eq.irt(scores)
    rows, columns = np.random.default_rng(0).permutation(9), np.random.default_rng(1).permutation(15)
    moved = eq.irt(scores.take(agents=rows, tasks=columns))
    np.testing.assert_allclose(moved.ability, fit.ability[rows], atol=1e-6)
    np.testing.assert_allclose(moved.ability_se, fit.ability_se[rows], atol=1e-6)
    np.testing.assert_allclose(moved.difficulty, fit.difficulty[columns], atol=1e-6)


def test_items_on_which_weaker_agents_do_better_are_flagged_with_a_probability():
    rng = np.random.default_rng(1)
    theta, b = np.linspace(-2, 2, 25), np.linspace(-1.5, 1.5, 30)
    slopes = np.where(np.arange(30) == 4, -2.5, 1.5)
    values = rng.random((25, 30)) < scipy.special.expit(slopes * (theta[:, None] - b))
    fit = eq.irt(eq.Scores.from_matrix(values.astype(float)))
    assert "negative-discrimination" in fit.flags["task 5"]
    assert fit.discrimination[4] < 0
    assert fit.negative_probability[4] > 0.9
    assert np.delete(fit.negative_probability, 4).max() < 0.5
    (note,) = [note for note in fit.diagnostics if note.code == "negative-discrimination"]
    assert note.message.startswith("Weaker agents may do better on task 5 (0.9")


def test_how_likely_a_negative_discrimination_is_decides_how_it_is_said():
    names, probability = ["low", "likely", "clear"], np.array([0.59, 0.8, 0.97])
    (note,) = probably_negative(names, probability)
    said = (
        "Weaker agents do better on clear (0.97); weaker agents may do better on likely (0.80); it is unclear whether"
        " weaker agents do better on low (0.59)."
    )
    assert note.message.startswith(said)
    assert note.subjects == ("clear", "likely", "low")


def test_constant_items_belong_to_the_population_but_get_no_estimate():
    scores, _ = drawn(agents=12, items=20)
    easy = eq.Scores.from_matrix(np.column_stack([scores.values, np.ones((12, 15))]))
    plain, wider = eq.irt(scores), eq.irt(easy)
    used = ~np.isnan(plain.difficulty)
    assert np.isnan(wider.difficulty[20:]).all()
    assert wider.flags["task 21"] == ("constant",)
    # Easy items among them: the others are easier than they look, too.
    chances = [fit.calibration().take([f"task {k + 1}" for k in np.flatnonzero(used)]) for fit in (wider, plain)]
    assert chances[0].probability(0.0).mean() > chances[1].probability(0.0).mean() + 0.01


def test_two_and_three_agents_are_only_centred():
    for agents in (2, 3):
        fit = eq.irt(drawn(5, agents, 40)[0])
        assert fit.ability.mean() == pytest.approx(0, abs=1e-12)
        assert (fit.ability_se > 0.1).all()


def test_a_calibration_keeps_what_is_not_known_of_the_items(tmp_path):
    scores, _ = drawn(agents=20, items=30)
    fit = eq.irt(scores)
    bank = fit.calibration()
    assert bank.ability_sd == pytest.approx(spread_of_others(20))
    bank.save(tmp_path / "bank.json")
    again = eq.methods.load_calibration(tmp_path / "bank.json")
    new = scores.take(agents=range(5), tasks=[task in bank.items for task in scores.tasks])
    one, other = bank.score(new), again.score(new)
    np.testing.assert_allclose(one.ability_se, other.ability_se)
    assert one.interval.kind == "posterior (with the uncertainty of the items)"
    known = eq.results.Calibration.from_parameters(
        bank.items, difficulty=bank.difficulty, discrimination=bank.discrimination
    )
    fixed = known.score(new)
    assert fixed.interval.kind == "posterior (items fixed)"
    assert (one.ability_se > fixed.ability_se).all()


def test_a_calibration_from_before_has_items_fixed(tmp_path):
    bank = eq.irt(drawn(agents=20, items=12)[0]).calibration().to_dict()
    body = {key: value for key, value in bank.items() if key != "ability_sd"}
    body["items"] = [
        {key: value for key, value in row.items() if key not in ("own_covariance", "shared_directions")}
        for row in bank["items"]
    ]
    (tmp_path / "old.json").write_text(json.dumps(body))
    old = eq.methods.load_calibration(tmp_path / "old.json")
    assert (old.uncertainty, old.ability_sd) == (None, 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda body: body.update(ability_sd=-1), "ability_sd is a number above 0"),
        (lambda body: body.update(ability_sd="wide"), "value that is no number"),
        (lambda body: body["items"][0].update(own_covariance=[1, 2]), "covariance of an item is not made of numbers"),
        (lambda body: body["items"][0].update(shared_directions="all"), "covariance of an item is not made of numbers"),
    ],
)
def test_a_broken_calibration_is_refused(tmp_path, change, message):
    body = eq.irt(drawn(agents=20, items=12)[0]).calibration().to_dict()
    change(body)
    (tmp_path / "broken.json").write_text(json.dumps(body))
    with pytest.raises(eq.ReadError, match=message):
        eq.methods.load_calibration(tmp_path / "broken.json")


def test_errors_of_classical_fits_contain_the_items_too():
    scores, _ = drawn(agents=120, items=12)
    fit = eq.irt(scores, model="2pl", starts=1)
    assert fit.ability_interval.kind == "posterior (with the uncertainty of the items)"
    items = Items(fit.discrimination, -fit.discrimination * fit.difficulty, np.zeros(12))
    fixed = estimate_abilities(from_counts(scores.values), items)
    np.testing.assert_allclose(fit.ability, fixed.estimate, atol=1e-9)
    ratio = fit.ability_se / fixed.stderr
    assert ratio.min() > 1.0
    assert ratio.max() < 1.3


def test_the_four_indicators_of_few_agents_are_the_fits_own():
    scores, _ = drawn(agents=15, items=30)
    fit = eq.irt(scores)
    both = eq.methods.duality(scores, fit, n=10)
    np.testing.assert_allclose(both.ability_low, fit.ability_low)
    np.testing.assert_allclose(both.difficulty_high, fit.difficulty_high)
    assert both.interval.kind.startswith("posterior (items and abilities)")


def test_an_adaptive_test_knows_what_is_not_known_of_its_items():
    scores, _ = drawn(agents=15, items=30)
    bank = eq.irt(scores).calibration()
    test = eq.AdaptiveTest(bank, stop=eq.methods.TestLimits(length=10, better_than=0.0))
    answers = np.full(len(bank.items), np.nan)
    while not test.done:
        item = test.ask().item
        answers[bank.items.index(item)] = test.answered % 2
        test.tell(item, test.answered % 2)
    scored = bank.score(eq.Scores.from_matrix([answers], tasks=bank.items))
    assert test.ability == pytest.approx(scored.ability[0], abs=1e-6)
    assert test.stderr == pytest.approx(scored.ability_se[0], abs=1e-6)
    assert 0 < test.decision < 1


def test_agent_curves_have_the_ends_of_the_abilitys_interval():
    frame = eq.methods.agent_curve_frame(eq.irt(drawn()[0]), points=5)
    assert (frame["low"] < frame["probability"]).all()
    assert (frame["probability"] < frame["high"]).all()


def test_a_curve_that_may_be_flat_has_no_difficulty_to_stand_first():
    rng = np.random.default_rng(0)
    theta = np.sort(rng.normal(size=60))
    slope, place = rng.normal(1.0, 0.6, size=30), rng.normal(size=30)
    clear = rng.random((60, 30)) < scipy.special.expit(slope * (theta[:, None] - place))
    rare = np.arange(60)[:, None] % 12 == 5  # five successes, weak agents' and strong ones'
    fit = eq.irt(eq.Scores.from_matrix(np.hstack([clear, rare])))
    assert "unclear-difficulty" in fit.flags["task 31"]
    assert abs(fit.difficulty[30]) > fit.ability.max()
    apart = ["unclear-difficulty" in flags for flags in fit.item_frame()["flags"]]
    assert apart == sorted(apart)
    assert has_code(fit.diagnostics, "unclear-difficulty")
    assert any("task 31" in said for said in fit.answer)
