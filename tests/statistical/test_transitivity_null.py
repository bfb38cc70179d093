"""Long seeded simulations of the verdict: when it says cyclic, is it?"""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.flows.operators import grad
from equipoise.ratings.transitivity import null_simulation
from equipoise.ratings.transitivity.null_simulation import null_noise
from equipoise.ratings.transitivity.rating_fit import transitive_fit
from equipoise.ratings.transitivity.test_statistics import Statistics
from tests.statistical.honesty import Coverage, check_guarantee, check_not_too_small, check_uniform


def drawn(rng, odds, games, ties=0.0):
    """Pair counts of given log-odds; a share of games is tied as in the null, the expected score kept."""
    i, j = np.triu_indices(len(odds), 1)
    chance = scipy.special.expit(odds[i, j])
    tie = ties * 2 * np.minimum(chance, 1 - chance)
    count = np.broadcast_to(games, i.shape)
    tied = rng.binomial(count, tie)
    won = rng.binomial(count - tied, (chance - tie / 2) / (1 - tie))
    names = tuple(f"agent {k}" for k in range(len(odds)))
    return eq.PairTable.from_counts(names, i, j, won, count - tied - won, tied)


@pytest.mark.parametrize(
    ("agents", "games", "spread", "ties"),
    [(8, 30, 1.0, 0.0), (12, 8, 0.7, 0.0), (8, 30, 1.0, 0.4), (6, 200, 2.0, 0.0)],
)
def test_p_values_are_uniform_if_ratings_explain_everything(agents, games, spread, ties):
    rng = np.random.default_rng(agents)
    p_values = [
        eq.transitivity(drawn(rng, grad(rng.normal(size=agents) * spread), games, ties), n=199, rng=rng).p_value
        for _ in range(250)
    ]
    check_uniform(p_values, "transitivity")


def test_p_values_keep_their_level_when_the_simulation_stops_early(monkeypatch):
    """Observed and simulated statistics alike, in five parts: the p-value is uniform, the verdict that of all tables.

    Stopping at the wish of whoever looks, once p is small enough, would break the level on the same draws.
    """
    rng = np.random.default_rng(72)
    table = drawn(rng, grad(rng.normal(size=4)), 20)
    null = transitive_fit(table, False, None).null
    p_values, verdicts, naive = [], [], []
    for _ in range(4000):
        observed, *draws = rng.normal(20, 3, size=1000)
        parts = np.split(np.array(draws), [199, 399, 599, 799])
        monkeypatch.setattr(null_simulation, "null_draws", lambda *_, parts=parts: iter(parts))
        p_values.append(null_noise(null, Statistics(observed, 20, 50.0, 3), 999, rng).p_value)
        above = np.cumsum(np.array(draws) >= observed)
        verdicts.append((p_values[-1] < 0.05) == ((1 + above[-1]) / 1000 < 0.05))
        looks = np.arange(19, 1000)
        naive.append(((1 + above[looks - 1]) / (1 + looks)).min() < 0.05)
    assert all(verdicts)
    check_not_too_small(p_values, "transitivity, stopped early")
    check_guarantee(np.array(p_values) < 0.05, 0.05, naive, "transitivity, verdict of a stopped simulation")


def test_whole_verdicts_keep_their_level_in_parts(monkeypatch):
    """Tables simulated and refitted in parts of 50, rough refits away from the observed statistic."""
    monkeypatch.setattr(null_simulation, "CHUNK", 28 * 50)
    monkeypatch.setattr(null_simulation, "SMALL", 0)
    monkeypatch.setattr(null_simulation, "LOOK", 49)
    rng = np.random.default_rng(73)
    p_values = [eq.transitivity(drawn(rng, grad(rng.normal(size=8)), 12), n=199, rng=rng).p_value for _ in range(300)]
    check_uniform(p_values, "transitivity, in parts")


def davidson(d, even):
    """Chances of a win and a tie; ``even`` is how often even players tie."""
    nu = 2 * even / (1 - even)
    total = np.exp(d / 2) + nu + np.exp(-d / 2)
    return np.exp(d / 2) / total, nu / total


def rao_kupper(d, even):
    eta = 2 * np.arctanh(even)
    won, lost = scipy.special.expit(d - eta), scipy.special.expit(-d - eta)
    return won, 1 - won - lost


def tied_games(rng, world, even, odds, games, side=0.0):
    """Pair counts of players whose games are tied as a tie model says; with a side, of all ordered pairs."""
    i, j = np.nonzero(~np.eye(len(odds), dtype=bool)) if side else np.triu_indices(len(odds), 1)
    win, tie = world(odds[i, j] + side, even)
    tied = rng.binomial(games, tie)
    won = rng.binomial(games - tied, win / (1 - tie))
    names = tuple(f"agent {k}" for k in range(len(odds)))
    return eq.PairTable.from_counts(names, i, j, won, games - tied - won, tied)


@pytest.mark.parametrize(
    ("world", "even", "games", "side"),
    [
        (davidson, 0.1, 20_000, 0.0),
        (rao_kupper, 0.4, 20_000, 0.0),
        (davidson, 0.4, 30, 0.0),
        (rao_kupper, 0.1, 200, 0.0),
        (davidson, 0.4, 2_000, 0.5),
    ],
)
def test_transitive_players_who_tie_are_rarely_called_cyclic(world, even, games, side):
    """Half points of such players are not on the logistic curve; with 20,000 games a pair that once was a cycle."""
    rng = np.random.default_rng(11)
    p_values, texts = [], []
    for _ in range(150):
        table = tied_games(rng, world, even, grad(rng.normal(size=7)), games, side)
        verdict = eq.transitivity(table, side=side > 0, n=99, rng=rng)
        p_values.append(verdict.p_value)
        texts.append(verdict.text)
    check_not_too_small(p_values, f"ties, {world.__name__}", levels=(0.05, 0.1, 0.2))
    assert (
        np.mean([text.startswith(("A single rating describes", "No sign", "There may be some")) for text in texts])
        > 0.8
        or games < 1000
    )


@pytest.mark.parametrize(("world", "even"), [(davidson, 0.1), (davidson, 0.4), (rao_kupper, 0.4)])
def test_a_cycle_among_players_who_tie_is_found(world, even):
    """Two triangles of log-odds 0.5 among eight players otherwise ranked, 200 games a pair."""
    rng = np.random.default_rng(12)
    rings = np.zeros((8, 8))
    for a, b in [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]:
        rings[a, b], rings[b, a] = 0.5, -0.5
    p_values = [
        eq.transitivity(
            tied_games(rng, world, even, grad(rng.normal(size=8) * 0.5) + rings, 200), n=99, rng=rng
        ).p_value
        for _ in range(40)
    ]
    assert np.mean(np.array(p_values) <= 0.05) > 0.8


def test_p_values_are_uniform_on_the_ladder_of_the_command_line_tests():
    """Six agents in even steps, 150 games a pair; one table of this kind once had p = 0.014."""
    rng = np.random.default_rng(70)
    ladder = grad(np.linspace(1, -1, 6))
    found = [eq.transitivity(drawn(rng, ladder, 150), n=199, rng=rng) for _ in range(400)]
    check_uniform([one.p_value for one in found], "transitivity, ladder")


def hosted(rng):
    """Home teams win .75, and each agent hosts the next four times as often as the other."""
    host = rng.integers(3, size=1500).astype(np.int32)
    guest = ((host + np.where(rng.random(1500) < 0.8, 1, 2)) % 3).astype(np.int32)
    return eq.Matches.from_codes(tuple("abc"), host, guest, (rng.random(1500) < 0.75).astype(float))


def sided(rng):
    """Six agents in even steps, all ordered pairs, with more games on some sides than on others."""
    i, j = np.nonzero(~np.eye(6, dtype=bool))
    games, rating = 10 + 5 * ((3 * i + j) % 9), np.linspace(1, -1, 6)
    won = rng.binomial(games, scipy.special.expit(rating[i] - rating[j] + 0.5))
    return eq.PairTable.from_counts(tuple("abcdef"), i, j, won, games - won)


@pytest.mark.parametrize("world", [hosted, sided])
def test_p_values_are_uniform_with_a_side_advantage(world):
    """One table of the first kind once had p = 0.002; a side that is ignored there gives the least p there is."""
    rng = np.random.default_rng(71)
    check_uniform(
        [eq.transitivity(world(rng), side=True, n=199, rng=rng).p_value for _ in range(400)], "side advantage"
    )


def test_p_values_are_uniform_when_groups_have_tastes_of_their_own():
    """Agents are equal on average; each of 60 groups favours pairs in its own way, so its games lean together."""
    rng = np.random.default_rng(8)
    p_values = []
    for _ in range(200):
        taste = rng.normal(size=(60, 6, 6))
        a, b = rng.integers(6, size=(2, 2400))
        a, b = a[a != b], b[a != b]
        group = rng.integers(60, size=len(a))
        won = rng.random(len(a)) < scipy.special.expit(taste[group, a, b] - taste[group, b, a])
        games = eq.Matches.from_columns(a, b, won.astype(int), group=group)
        p_values.append(eq.transitivity(games, n=199, rng=rng).p_value)
    check_uniform(p_values, "transitivity, groups")


def test_with_about_one_game_a_pair_false_alarms_stay_rare():
    rng = np.random.default_rng(2)
    p_values = []
    for _ in range(150):
        i, j = np.triu_indices(30, 1)
        met = rng.random(len(i)) < 0.4
        i, j = i[met], j[met]
        rating = rng.normal(size=30)
        won = rng.random(len(i)) < scipy.special.expit(rating[i] - rating[j])
        table = eq.PairTable.from_counts(tuple(map(str, range(30))), i, j, won, ~won)
        p_values.append(eq.transitivity(table, n=99, rng=rng).p_value)
    check_not_too_small(p_values, "transitivity, sparse", levels=(0.05, 0.1, 0.2))


def test_the_corrected_share_is_near_zero_for_ladders_and_near_one_for_rings():
    rng = np.random.default_rng(3)
    ring = 1.4 * np.sign(np.sin(2 * np.pi * (np.arange(7)[None, :] - np.arange(7)[:, None]) / 7))
    flat, round_ = [], []
    for _ in range(60):
        flat.append(eq.transitivity(drawn(rng, grad(np.linspace(1.5, -1.5, 7)), 40), n=99, rng=rng).cyclic_share)
        round_.append(eq.transitivity(drawn(rng, ring, 40), n=99, rng=rng))
    assert np.mean(flat) < 0.02
    assert np.mean([found.cyclic_share for found in round_]) > 0.97
    assert all(found.p_value == 0.01 for found in round_)


@pytest.mark.parametrize("cyclic", [0.0, 0.3, 1.0])
def test_intervals_of_the_share_cover(cyclic):
    """The true share is that of the expected counts, where noise has no part."""
    base = np.array([[0, 1, -1, 0, 1], [-1, 0, 1, 1, 0], [1, -1, 0, -1, 0], [0, -1, 1, 0, 1], [-1, 0, 0, -1, 0]])
    odds = grad(np.array([1.0, 0.4, 0.0, -0.5, -0.9])) + cyclic * base
    games = 60
    rng = np.random.default_rng(4)
    truth = true_share(odds, games)
    covered = Coverage(0.9, f"cyclic share of {truth:.2f}")
    for _ in range(200):
        found = eq.transitivity(drawn(rng, odds, games), n=99, level=0.9, rng=rng)
        covered.add(found.low, found.high, truth, found.cyclic_share)
    if cyclic:
        covered.check()
    else:  # a share of nothing is at the end of its range: any interval that reaches it holds
        check_guarantee(~covered.held().ravel(), 0.1, what="cyclic share of nothing")


def true_share(odds, games):
    expected = eq.PairTable.from_matrix(scipy.special.expit(odds), games=games)
    rating = eq.bradley_terry(expected).rating
    p = scipy.special.expit(rating[expected.first] - rating[expected.second])
    weight = games * p * (1 - p)
    cyclic = np.sum((expected.wins - games * p) ** 2 / weight)
    transitive = np.sum(weight * (rating[expected.first] - rating[expected.second]) ** 2)
    return cyclic / (cyclic + transitive)


def test_intervals_of_melo_ratings_and_predictions_cover():
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(6, 2)) * 0.8
    odds = grad(rng.normal(size=6) * 0.5) + np.outer(vectors[:, 0], vectors[:, 1])
    odds -= np.outer(vectors[:, 1], vectors[:, 0])
    truth, off = scipy.special.expit(odds), np.triu_indices(6, 1)
    ratings = eq.melo(eq.PairTable.from_matrix(truth), k=1, starts=4).rating
    predictions, rated = Coverage(0.9, "melo predictions"), Coverage(0.9, "melo ratings")
    for _ in range(40):
        found = eq.melo(drawn(rng, odds, 150), k=1, starts=2, n=80, level=0.9, rng=rng)
        low, high = found.predict_interval()
        predictions.add(low[off], high[off], truth[off], found.predict()[off])
        rated.add(found.low, found.high, ratings, found.rating)
    predictions.check(slack=0.02)  # fifteen pairs, thirteen parameters, percentiles of 80 resamples
    rated.check(slack=0.02)


def test_p_values_of_score_tables_are_uniform_if_averages_explain_everything():
    rng = np.random.default_rng(6)
    p_values = []
    for _ in range(250):
        table = rng.normal(size=5)[:, None] - rng.normal(size=6) + 0
        noise = rng.normal(size=(5, 6, 3)) * np.linspace(0.5, 2, 6)[:, None]
        p_values.append(eq.methods.additivity(eq.Scores.from_matrix(table[:, :, None] + noise), n=199, rng=rng).p_value)
    check_uniform(p_values, "averages")
