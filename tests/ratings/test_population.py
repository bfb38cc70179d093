"""Agents drawn from a population: against brute force, and what goes with it."""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.ties import PairCounts
from equipoise.ratings.population.population import rate_population, spread_weights


def games(seed=0, agents=5, count=120, ties=0.2):
    rng = np.random.default_rng(seed)
    a = rng.integers(agents, size=count)
    b = (a + rng.integers(1, agents, size=count)) % agents
    won = rng.random(count) < scipy.special.expit(0.4 * (b - a))
    outcome = np.where(rng.random(count) < ties, 0.5, won.astype(float))
    return eq.Matches.from_columns([f"p{i}" for i in a], [f"p{i}" for i in b], outcome)


def brute_force(wins, level):
    """Integrate the posterior of three ratings on a grid of the spread and of the two free differences."""
    spreads = np.geomspace(0.02, 8, 120)
    line = np.linspace(-7, 7, 281)
    r = np.array([line[:, None] + 0 * line, line[None, :] + 0 * line[:, None]])
    r = np.array([r[0], r[1], -r[0] - r[1]])  # ratings that sum to zero
    log = sum(
        wins[i, j] * -np.log1p(np.exp(-(r[i] - r[j]))) for i in range(3) for j in range(3) if i != j
    )  # fmt: skip
    ends = []
    for density in (2 / np.pi / (1 + spreads**2), 4 / (9 * np.pi) * spreads / (1 + (spreads / 3) ** 4)):
        # Three independent ratings less their mean: two free dimensions of spread tau.
        prior = sum(
            p * tau * np.exp(-(r**2).sum(axis=0) / (2 * tau**2)) / tau**2
            for tau, p in zip(spreads, density, strict=True)
        )  # fmt: skip
        post = np.exp(log - log.max()) * prior
        of_first = np.cumsum(post.sum(axis=1)) / post.sum()
        ends.append([np.interp(q, of_first, line) for q in ((1 - level) / 2, (1 + level) / 2)])
    return min(low for low, _ in ends), max(high for _, high in ends)


@pytest.mark.parametrize("wins", [[[0, 6, 9], [4, 0, 5], [3, 5, 0]], [[0, 20, 30], [12, 0, 21], [8, 15, 0]]])
def test_intervals_are_those_of_the_integrated_posterior(wins):
    wins = np.array(wins, dtype=float)
    found = eq.bradley_terry(eq.PairTable.from_wins(wins, ["x", "y", "z"]), pairing="adaptive", level=0.9)
    low, high = brute_force(wins, 0.9)
    # Laplace's approximation at each spread, with as few games as these.
    assert found.low[0] == pytest.approx(low, abs=0.06)
    assert found.high[0] == pytest.approx(high, abs=0.06)


@pytest.mark.parametrize("ties", ["half", "davidson", "rao-kupper"])
@pytest.mark.parametrize("side", [False, True])
def test_it_has_all_that_a_plain_fit_has(ties, side):
    m = games()
    found, plain = (eq.bradley_terry(m, ties=ties, side=side, pairing=how) for how in ("adaptive", "fixed"))
    assert found.interval.kind == "random-effects"
    assert abs(found.rating.sum()) < 1e-9
    assert ((found.low < found.rating) & (found.rating < found.high)).all()
    assert (found.rank_low <= found.rank_high).all()
    # Shrunk towards each other, in the same order.
    assert np.abs(found.rating).max() < np.abs(plain.rating).max()
    assert scipy.stats.spearmanr(found.rating, plain.rating).statistic > 0.95
    for mine, its in ((found.side, plain.side), (found.tie, plain.tie)):
        assert (mine is None) == (its is None)
        assert mine is None or (mine.low < its < mine.high and float(mine) == pytest.approx(float(its), abs=0.1))
    assert any("agents whose strengths spread like these" in sentence for sentence in found.answer)


def test_with_very_many_games_the_population_does_not_matter():
    wins = np.array([[0, 60000, 70000], [40000, 0, 61000], [30000, 39000, 0]], dtype=float)
    found, plain = (eq.bradley_terry(eq.PairTable.from_wins(wins), pairing=how) for how in ("adaptive", "fixed"))
    np.testing.assert_allclose(found.rating, plain.rating, atol=2e-4)
    # The sandwich also holds where the model does not: one part in fifty here.
    np.testing.assert_allclose(found.stderr, plain.stderr, rtol=0.05)


def test_an_unbeaten_agent_needs_no_further_prior():
    found = eq.bradley_terry(eq.Matches.from_columns("aaab", "bbcc", [1, 1, 1, 1]), pairing="adaptive")
    assert np.isfinite(found.high).all()
    assert not any(note.code == "no-finite-mle" for note in found.diagnostics)


def test_a_spread_that_data_fix_is_looked_at_closely():
    rng = np.random.default_rng(3)
    agents, truth = 150, rng.normal(size=150)
    a, b = rng.integers(agents, size=(2, 30000))
    a, b = a[a != b].astype(np.int32), b[a != b].astype(np.int32)
    won = rng.random(len(a)) < scipy.special.expit(truth[a] - truth[b])
    one_component = np.zeros(agents, dtype=np.int64)
    cells = PairCounts(won.astype(float), 1.0 - won, np.zeros(len(a)))
    found = rate_population(PairedModel(agents, a, b, "half", False, one_component), cells)
    assert len(found.spread) > 3
    assert found.weight[2] @ found.spread == pytest.approx(truth.std(), rel=0.06)


def test_errors_hold_what_spreads_say_apart():
    """The law of total variance, from the second moments given each spread."""
    wins = np.array([[0, 4, 5, 6], [1, 0, 4, 5], [0, 1, 0, 4], [0, 0, 1, 0]], dtype=float)
    first, second = np.nonzero(wins + wins.T)
    upper = first < second
    first, second = first[upper].astype(np.int32), second[upper].astype(np.int32)
    cells = PairCounts(wins[first, second], wins[second, first], np.zeros(len(first)))
    found = rate_population(PairedModel(4, first, second, "half", False, np.zeros(4, dtype=np.int64)), cells)
    chance = found.weight[2]
    mean = sum(p * x for p, x in zip(chance, found.mode, strict=True))
    square = sum(p * (v + np.outer(x, x)) for p, v, x in zip(chance, found.covariance, found.mode, strict=True))
    whole = square - np.outer(mean, mean)
    within = sum(p * v for p, v in zip(chance, found.covariance, strict=True))
    assert whole[0, 0] > 1.1 * within[0, 0]
    np.testing.assert_allclose(found.posterior_covariance(), whole, atol=1e-12)
    printed = eq.bradley_terry(eq.PairTable.from_wins(wins), pairing="adaptive").covariance
    np.testing.assert_allclose(correlations(printed), correlations(whole), atol=1e-9)


def test_errors_are_those_behind_the_intervals():
    found = eq.bradley_terry(games(), pairing="adaptive", level=0.9)
    np.testing.assert_allclose(found.stderr, (found.high - found.low) / (2 * scipy.stats.norm.ppf(0.95)), rtol=1e-9)


def test_both_priors_are_the_distributions_of_the_spread_that_they_are_said_to_be():
    """Half of them is below a spread of 1 and of 3."""
    line = np.geomspace(1e-4, 1e5, 200_001)
    below = np.cumsum(spread_weights(line, np.zeros(len(line))), axis=1)
    half_cauchy, away_from_zero = 2 / np.pi * np.arctan(line), 2 / np.pi * np.arctan((line / 3) ** 2)
    np.testing.assert_allclose(below, [half_cauchy, away_from_zero, (half_cauchy + away_from_zero) / 2], atol=3e-4)


def chance_of_being_better(wins, losses):
    """Integrate the posterior of the difference of two agents over it and over the spread, the priors averaged."""
    d, spreads = np.linspace(-12, 12, 2001), np.geomspace(0.02, 30, 120)
    density = (2 / np.pi / (1 + spreads**2) + 4 / (9 * np.pi) * spreads / (1 + (spreads / 3) ** 4)) / 2
    prior = sum(p * tau * np.exp(-(d**2) / (4 * tau**2)) / tau for tau, p in zip(spreads, density, strict=True))
    posterior = prior * scipy.special.expit(d) ** wins * scipy.special.expit(-d) ** losses
    return posterior[d > 0].sum() / posterior.sum()


def test_one_of_two_agents_is_surely_better_from_the_level_of_its_probability_on():
    sure, chance = [], []
    for wins in range(28, 36):
        table = eq.PairTable.from_wins([[0, wins], [50 - wins, 0]], ["x", "y"])
        found = eq.bradley_terry(table, pairing="adaptive", level=0.95)
        assert found.rank_low.tolist() == [1, 2 if found.rank_high[0] == 1 else 1]
        sure.append(found.rank_high[0] == 1)
        chance.append(chance_of_being_better(wins, 50 - wins))
    assert any(sure)
    for is_sure, probability in zip(sure, chance, strict=True):
        assert is_sure == (probability > 0.95), probability


def correlations(covariance):
    sd = np.sqrt(np.diag(covariance))
    return covariance / np.outer(sd, sd)


def test_what_does_not_go_with_it_is_refused_in_one_line():
    m = games()
    grouped = eq.Matches.from_columns("abab", "baba", [1, 0, 1, 0], group="wxyz")
    for data, options in ((m, {"prior": 1.0}), (grouped, {}), (eq.PairTable.from_matrix([[0.5, 0.6], [0.4, 0.5]]), {})):
        with pytest.raises(eq.EquipoiseError) as error:
            eq.bradley_terry(data, pairing="adaptive", **options)
        assert "\n" not in str(error.value)
    with pytest.raises(eq.EquipoiseError, match="as if pairs did not depend"):
        eq.bootstrap(lambda data: eq.bradley_terry(data, pairing="adaptive"), m.pairs(), n=5)
    names = [f"p{i}" for i in range(1002)]
    many = eq.Matches.from_columns(names[:-1], names[1:], [0.5] * 1001)
    with pytest.raises(eq.ParameterError, match="1,000"):
        eq.bradley_terry(many, pairing="adaptive")


def test_half_win_ties_are_said_to_be_cautious():
    assert "wide-for-ties" in [note.code for note in eq.bradley_terry(games(), pairing="adaptive").diagnostics]
    assert not eq.bradley_terry(games(), pairing="adaptive", ties="davidson").diagnostics


def test_components_are_rated_apart():
    m = eq.Matches.from_columns("aabbxxyy", "bbaayyxx", [1, 0, 1, 0.5, 1, 0, 0, 0.5])
    with pytest.raises(eq.DisconnectedError):
        eq.bradley_terry(m, pairing="adaptive")
    found = eq.bradley_terry(m, pairing="adaptive", components="each")
    for component in range(2):
        assert abs(found.rating[found.component == component].sum()) < 1e-9


def test_the_verdict_does_not_take_the_shrunk_fit():
    m = games()
    given = eq.transitivity(m, fit=eq.bradley_terry(m, pairing="adaptive"), n=20)
    assert given.pearson == eq.transitivity(m, n=20).pearson
