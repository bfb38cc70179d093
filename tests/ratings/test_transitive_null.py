"""Degrees of freedom, noise and intervals of the verdict, each against a slow version of its formula."""

from dataclasses import replace

import numpy as np
import pytest
import scipy

from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import bradley_terry_newton
from equipoise.ratings.paired.ties import PairCounts
from equipoise.ratings.transitivity import null_simulation
from equipoise.ratings.transitivity.null_refits import refit
from equipoise.ratings.transitivity.null_simulation import grouped_draws, null_noise, shrunk
from equipoise.ratings.transitivity.test_statistics import (
    Noise,
    Null,
    Statistics,
    null_solver,
    pearson,
    score_variance,
    share_interval,
    statistics,
    tie_rates,
)


def fitted(seed, *, side=False, ties=0.0, n=5):
    """A null fitted to random games; with a side every ordered pair is a cell of its own."""
    rng = np.random.default_rng(seed)
    i, j = np.nonzero(~np.eye(n, dtype=bool)) if side else np.triu_indices(n, 1)
    played = rng.random(len(i)) < 0.9
    i, j = i[played], j[played]
    rating = rng.normal(size=n) * 0.6
    chance = scipy.special.expit(rating[i] - rating[j] + 0.4 * side)
    games = rng.integers(20, 60, size=len(i))
    tied = rng.binomial(games, ties * 2 * np.minimum(chance, 1 - chance))
    won = rng.binomial(games - tied, chance)
    cells = PairCounts(won.astype(float), (games - tied - won).astype(float), tied.astype(float))
    model = PairedModel(n, i.astype(np.int32), j.astype(np.int32), "half", side, np.zeros(n, dtype=np.int64))
    return Null.of(model, bradley_terry_newton(model, cells).x, cells), cells


def pairs_of_cells(null):
    """The unordered pairs, each with its cells and their signs."""
    cells = {}
    for cell, (a, b) in enumerate(zip(null.model.first.tolist(), null.model.second.tolist(), strict=True)):
        cells.setdefault((min(a, b), max(a, b)), []).append((cell, 1 if a < b else -1))
    return sorted(cells.items())


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_statistics_are_sums_over_pairs(seed, side, ties):
    null, cells = fitted(seed, side=side, ties=ties)
    observed = statistics(null, cells)
    rating = null.x[:5]
    pearson = signal = 0.0
    for (a, b), members in pairs_of_cells(null):
        excess = variance = moved = 0.0
        for cell, sign in members:
            p, games = null.chance[cell], null.games[cell]
            excess += sign * (cells.wins[cell] + cells.ties[cell] / 2 - games * p)
            room = 2 * min(p, 1 - p)
            usual = cells.ties.sum() / np.sum(null.games * 2 * np.minimum(null.chance, 1 - null.chance)) * room
            tie = (cells.ties[cell] + 20 * usual) / (games + 20)  # its own share, drawn to what is usual
            variance += games * (p * (1 - p) - tie / 4)
            moved += games * p * (1 - p) * (rating[a] - rating[b])
        pearson += excess**2 / variance
        signal += moved**2 / variance
    assert observed.pearson == pytest.approx(pearson)
    assert observed.rating_signal == pytest.approx(signal)
    assert observed.rating_df == 4


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("side", [False, True])
def test_degrees_of_freedom_are_what_the_statistic_is_on_average(seed, side):
    """E[X2] of normal noise with the model's variances, fitted by weighted least squares, all matrices dense."""
    null, cells = fitted(seed, side=side)
    count = len(null.games)
    design = np.zeros((count, 5 + side))
    design[np.arange(count), null.model.first] = 1
    design[np.arange(count), null.model.second] = -1
    design[:, 5:] = 1
    weight = np.diag(null.games * null.chance * (1 - null.chance))
    projection = weight @ design @ np.linalg.pinv(design.T @ weight @ design) @ design.T
    left = np.eye(count) - projection
    pairs = pairs_of_cells(null)
    adds = np.zeros((len(pairs), count))
    for row, (_, members) in enumerate(pairs):
        for cell, sign in members:
            adds[row, cell] = sign
    spread = adds @ left @ weight @ left.T @ adds.T
    expected = np.sum(np.diag(spread) / np.diag(adds @ weight @ adds.T))
    assert statistics(null, cells).df == pytest.approx(expected, abs=1e-8)
    if not side:
        assert statistics(null, cells).df == len(pairs) - 4


def test_the_variance_of_a_score_is_that_of_its_three_outcomes():
    for p in (0.1, 0.5, 0.8):
        for theta in (0.0, 0.3, 0.9):
            tie = theta * 2 * min(p, 1 - p)
            chances = np.array([p - tie / 2, tie, 1 - p - tie / 2])
            values = np.array([1.0, 0.5, 0.0])
            expected = chances @ values**2 - (chances @ values) ** 2
            assert score_variance(np.array([p]), np.array([tie]))[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("pearson", "noise", "rating_signal", "share"),
    [(30.0, 10.0, 64.0, 0.25), (8.0, 10.0, 64.0, 0.0), (30.0, 10.0, 3.0, 1.0), (8.0, 10.0, 3.0, np.nan)],
)
def test_the_share_is_cyclic_signal_of_all_signal_beyond_noise(pearson, noise, rating_signal, share):
    assert Statistics(pearson, 6, rating_signal, 4).share(noise) == pytest.approx(share, nan_ok=True)


def test_the_p_value_counts_simulated_statistics_that_are_as_large(monkeypatch):
    null, _ = fitted(0)
    draws = np.array([5.0, 7.0, 9.0, 9.0, 12.0])
    monkeypatch.setattr(null_simulation, "null_draws", lambda *_: [draws])
    noise = null_noise(null, Statistics(9.0, 8.0, 50.0, 4), 5, np.random.default_rng(0))
    assert noise.p_value == pytest.approx((1 + 3) / (5 + 1))
    assert noise.variance == pytest.approx(np.sum((draws - 8.4) ** 2) / 4)


@pytest.mark.parametrize(("centre", "mean"), [(8.0, 8.0), (8.39, 8.0), (8.41, 8.41), (7.0, 7.0)])
def test_the_simulated_mean_replaces_df_where_it_is_clearly_another(monkeypatch, centre, mean):
    """100 draws with standard deviation 1: four standard errors are 0.4."""
    draws = np.tile([-1.0, 1.0], 50) * np.sqrt(99 / 100) + centre
    monkeypatch.setattr(null_simulation, "null_draws", lambda *_: [draws])
    noise = null_noise(fitted(0)[0], Statistics(9.0, 8.0, 50.0, 4), 100, np.random.default_rng(0))
    assert noise.mean == pytest.approx(mean)


def test_few_simulated_tables_are_taken_as_normal(monkeypatch):
    """The p-value of one more draw from a normal distribution known by 19 others."""
    draws = np.random.default_rng(1).normal(10, 3, size=19)
    asked = []
    monkeypatch.setattr(null_simulation, "DENSE", 3)
    monkeypatch.setattr(null_simulation, "null_draws", lambda _, count, *__: asked.append(count) or [draws])
    noise = null_noise(fitted(0)[0], Statistics(16.0, 10.0, 50.0, 4), 999, np.random.default_rng(0))
    distance = (16 - draws.mean()) / (draws.std(ddof=1) * np.sqrt(1 + 1 / 19))
    assert asked == [19]
    assert noise.p_value == pytest.approx(scipy.stats.t.sf(distance, 18))


def test_the_simulation_stops_once_p_cannot_fall_below_five_percent(monkeypatch):
    """Parts of 200 tables, observed 9: the 50th that exceeds it, of 999 at most, settles the verdict."""
    observed = Statistics(9.0, 8.0, 50.0, 4)

    def noise(*exceeding, lowest=1.0):
        parts = [np.r_[np.full(count, 10.0), np.full(200 - count, lowest)] for count in exceeding]
        asked = []
        monkeypatch.setattr(null_simulation, "null_draws", lambda *_: (asked.append(1) or part for part in parts))
        found = null_noise(fitted(0)[0], observed, 999, np.random.default_rng(0))
        return len(asked), found.stopped, found.p_value

    assert noise(50, 0) == (1, True, 51 / 201)
    assert noise(49, 0, 1, 0, 0) == (3, True, 51 / 601)
    assert noise(49, 0, 0, 0, 0) == (5, False, 50 / 1001)
    # As long as nothing is as small as the observed, counts may be too regular to be games: that is asked to the end.
    assert noise(200, 200, lowest=10.0)[0] == 2


def simulated(null, count, seed):
    rng = np.random.default_rng(seed)
    games = null.games.astype(int)[:, None]
    ties = rng.binomial(games, null.tie[:, None], size=(len(games), count))
    share = np.clip((null.chance - null.tie / 2) / (1 - null.tie), 0, 1)
    return rng.binomial(games - ties, share[:, None]).astype(float), ties.astype(float)


@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("ties", [0.0, 0.4])
def test_replicates_refitted_together_solve_their_own_equations(side, ties):
    """At the fit every agent's (weighted) expected score is what it scored."""
    null, _ = fitted(4, side=side, ties=ties)
    wins, tied = simulated(null, 30, 1)
    x, unfinished = refit(null, null_solver(replace(null, shape_fitted=False)), wins, tied)
    assert not unfinished.any()
    for column in range(30):
        gap = x[null.model.first, column] - x[null.model.second, column] + (x[5, column] if side else 0.0)
        chance = scipy.special.expit(gap)
        excess = wins[:, column] + tied[:, column] / 2 - null.games * chance
        tie = tie_rates(null.games, tied[:, column], chance) if ties else np.zeros(len(gap))
        excess *= chance * (1 - chance) / score_variance(chance, tie)
        total = np.zeros(5)
        np.add.at(total, null.model.first, excess)
        np.add.at(total, null.model.second, -excess)
        assert np.abs(total).max() < 5e-3
        assert abs(excess.sum()) < 5e-3 or not side


def test_an_agent_that_wins_all_its_simulated_games_goes_as_far_as_it_needs():
    """Its pairs add nothing to X2 at the limit; those of the others are fitted without it."""
    null, _ = fitted(5)
    wins, ties = simulated(null, 6, 2)
    first, second = null.model.first, null.model.second
    wins[first == 0], wins[second == 0] = null.games[first == 0, None], 0.0
    x, _ = refit(null, null_solver(null), wins, ties)
    fast = pearson(null, wins, ties, scipy.special.expit(null.model.differences(x)))
    others = (first > 0) & (second > 0)
    model = PairedModel(4, first[others] - 1, second[others] - 1, "half", False, np.zeros(4, dtype=np.int64))
    for column in range(6):
        one = PairCounts(wins[others, column], (null.games - wins[:, column])[others], np.zeros(int(others.sum())))
        rest = Null.of(model, bradley_terry_newton(model, one).x, one)
        assert fast[column] == pytest.approx(statistics(rest, one).pearson, abs=1e-4)


def test_a_rough_refit_is_within_a_hundredth_of_the_spread():
    null, _ = fitted(6, n=30)
    wins, ties = simulated(null, 50, 3)
    found = [
        pearson(
            null, wins, ties, scipy.special.expit(null.model.differences(refit(null, solve, wins, ties, rough=r)[0]))
        )
        for solve in [null_solver(null)]
        for r in (True, False)
    ]
    assert np.abs(found[0] - found[1]).max() < 0.01 * found[1].std()


@pytest.mark.parametrize("precision", [0.0, 0.3])
def test_components_are_solved_one_by_one(precision):
    """Three components, mixed up among the agents, against the dense pseudo-inverse."""
    components = np.array([0, 1, 0, 2, 1, 0, 2, 1])
    first, second = np.array([0, 0, 2, 1, 1, 4, 3]), np.array([2, 5, 5, 4, 7, 7, 6])
    model = PairedModel(8, first.astype(np.int32), second.astype(np.int32), "half", False, components, precision)
    games, rng = np.arange(3.0, 10.0), np.random.default_rng(0)
    cells = PairCounts(games / 3, games * 2 / 3, np.zeros(7))
    null = Null.of(model, rng.normal(size=8), cells)
    weight = games * null.chance * (1 - null.chance)
    design = model.incidence().toarray()
    dense = design.T @ (weight[:, None] * design) + precision * np.eye(8)
    b = design.T @ rng.normal(size=(7, 3))
    for right in (b, b[:, 0]):
        np.testing.assert_allclose(null_solver(null)(right), np.linalg.pinv(dense) @ right, atol=1e-12)


def test_ratings_are_drawn_together_by_what_noise_has_spread_them():
    null, cells = fitted(3, side=True, ties=0.3)
    observed = statistics(null, cells)
    closer = shrunk(null, observed)
    factor = np.sqrt((observed.rating_signal - 4) / observed.rating_signal)
    np.testing.assert_allclose(closer.x, [*(null.x[:5] * factor), null.x[5]])
    gap = closer.x[null.model.first] - closer.x[null.model.second] + closer.x[5]
    chance = 1 / (1 + np.exp(-gap))
    np.testing.assert_allclose(closer.chance, chance)
    of_room = null.tie / np.minimum(null.chance, 1 - null.chance)
    np.testing.assert_allclose(closer.tie, of_room * np.minimum(chance, 1 - chance))
    flat = shrunk(null, observed._replace(rating_signal=2.0))
    np.testing.assert_array_equal(flat.x[:5], 0)


@pytest.mark.parametrize("side", [False, True])
def test_groups_with_random_signs_are_refitted_by_one_newton_step(side):
    null, _ = fitted(2, side=side)
    rng = np.random.default_rng(5)
    groups = scipy.sparse.csc_array(rng.normal(size=(len(null.games), 7)))
    (fast,) = grouped_draws(null, groups, 6, np.random.default_rng(9))
    signs = np.random.default_rng(9).choice([-1.0, 1.0], size=(7, 6))
    design = np.zeros((len(null.games), 5 + side))
    design[np.arange(len(design)), null.model.first] = 1
    design[np.arange(len(design)), null.model.second] = -1
    design[:, 5:] = 1
    weight = null.games * null.chance * (1 - null.chance)
    for draw in range(6):
        excess = groups.toarray() @ signs[:, draw]
        step = np.linalg.pinv(design.T @ (weight[:, None] * design)) @ design.T @ excess
        rest = excess - weight * (design @ step)
        total = 0.0
        for _, members in pairs_of_cells(null):
            variance = sum(null.games[cell] * null.chance[cell] * (1 - null.chance[cell]) for cell, _ in members)
            total += sum(sign * rest[cell] for cell, sign in members) ** 2 / variance
        assert fast[draw] == pytest.approx(total)


def noncentrality_by_search(value, df, u):
    """The noncentrality at which ``value`` is exceeded with probability u, 0 if even a central one exceeds it."""
    if scipy.stats.chi2.sf(value, df) >= u:
        return 0.0
    return scipy.optimize.brentq(lambda nc: scipy.stats.ncx2.sf(value, df, nc) - u, 1e-12, 10 * value + 200)


@pytest.mark.parametrize("noise", [Noise(6.0, 12.0, 0.01), Noise(7.5, 30.0, 0.01), Noise(6.0, 0.0, 0.01)])
def test_the_interval_of_the_share_goes_through_all_pairs_of_noncentralities(noise):
    observed = Statistics(25.0, 6.0, 60.0, 4)
    # X2 / c is chi-squared with mean / c degrees where its variance is 2 c times its mean.
    scale = noise.variance / (2 * noise.mean) or 1.0
    df = noise.mean / scale if noise.variance else observed.df
    u = (np.arange(15) + 0.5) / 15
    cyclic = [scale * noncentrality_by_search(25.0 / scale, df, each) for each in u]
    transitive = [noncentrality_by_search(60.0, 4, each) for each in u]
    shares = [c / (c + t) for c in cyclic for t in transitive if c + t > 0]
    expected = np.quantile(shares, [0.05, 0.95])
    np.testing.assert_allclose(share_interval(observed, noise, 0.9, points=15), expected, atol=1e-6)


def test_no_signal_has_no_interval():
    assert share_interval(Statistics(0.0, 6.0, 0.0, 4), Noise(6.0, 12.0, 1.0), 0.95) is None


def test_statistics_without_a_finite_fit_do_not_widen_the_others():
    usual = np.random.default_rng(0).normal(20.0, 3.0, size=99)
    mean, variance = null_simulation._moments(np.append(usual, 1e8))
    assert mean == pytest.approx(20.0, abs=1.0)
    assert variance == pytest.approx(9.0, rel=0.5)
    assert null_simulation._moments(usual) == (usual.mean(), usual.var(ddof=1))


def test_tables_that_do_not_settle_together_are_few_and_fitted_alone(monkeypatch):
    """Without a clock: a look at four of them decides, and the statistics are those of fits one by one."""
    null, cells = fitted(0)
    null = replace(null, tie=np.full_like(null.tie, 0.1))
    monkeypatch.setattr(null_simulation, "MOST_UNKNOWNS", 0)
    assert not null_simulation._unsettled(null)
    together = next(iter(null_simulation.null_draws(null, 8, np.random.default_rng(3), 1e9)))
    apart = next(iter(null_simulation.null_draws(null, 8, np.random.default_rng(3), 1e9, None, True)))
    assert apart == pytest.approx(together, rel=1e-3)
    monkeypatch.setattr(null_simulation, "_unsettled", lambda _: True)
    alone, fit = [], null_simulation._alone
    monkeypatch.setattr(null_simulation, "_alone", lambda *given: alone.append(1) or fit(*given))
    assert null_noise(null, statistics(null, cells), 999, np.random.default_rng(0)).drawn == 19 == len(alone)
