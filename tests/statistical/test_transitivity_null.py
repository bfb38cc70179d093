"""Long seeded simulations of the verdict: when it says cyclic, is it?"""

import numpy as np
import pytest
import scipy

import equipoise as eq


def drawn(rng, odds, games, ties=0.0):
    """Pair counts of given log-odds; a share of games is tied as in the null, the expected score kept."""
    i, j = np.triu_indices(len(odds), 1)
    chance = scipy.special.expit(odds[i, j])
    tie = ties * 2 * np.minimum(chance, 1 - chance)
    count = np.broadcast_to(games, i.shape)
    tied = rng.binomial(count, tie)
    won = rng.binomial(count - tied, (chance - tie / 2) / (1 - tie))
    names = tuple(f"agent {k}" for k in range(len(odds)))
    return eq.PairTable.from_columns(names, i, j, won, count - tied - won, tied)


@pytest.mark.parametrize(
    ("agents", "games", "spread", "ties"),
    [(8, 30, 1.0, 0.0), (12, 8, 0.7, 0.0), (8, 30, 1.0, 0.4), (6, 200, 2.0, 0.0)],
)
def test_p_values_are_uniform_if_ratings_explain_everything(agents, games, spread, ties):
    rng = np.random.default_rng(agents)
    p_values = [
        eq.transitivity(drawn(rng, eq.grad(rng.normal(size=agents) * spread), games, ties), n=199, rng=rng).p_value
        for _ in range(250)
    ]
    # With 250 tables a Kolmogorov-Smirnov distance above 0.103 would itself have a chance of 1%.
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 0.01


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
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 0.01


def test_with_about_one_game_a_pair_false_alarms_stay_rare():
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(60):
        i, j = np.triu_indices(30, 1)
        met = rng.random(len(i)) < 0.4
        i, j = i[met], j[met]
        rating = rng.normal(size=30)
        won = rng.random(len(i)) < scipy.special.expit(rating[i] - rating[j])
        table = eq.PairTable.from_columns(tuple(map(str, range(30))), i, j, won, ~won)
        alarms += eq.transitivity(table, n=99, rng=rng).p_value <= 0.05
    assert alarms <= 7  # 3 expected at most; 8 or more of 60 would have a chance below 1.5%


def test_the_corrected_share_is_near_zero_for_ladders_and_near_one_for_rings():
    rng = np.random.default_rng(3)
    ring = 1.4 * np.sign(np.sin(2 * np.pi * (np.arange(7)[None, :] - np.arange(7)[:, None]) / 7))
    flat, round_ = [], []
    for _ in range(60):
        flat.append(eq.transitivity(drawn(rng, eq.grad(np.linspace(1.5, -1.5, 7)), 40), n=99, rng=rng).cyclic_share)
        round_.append(eq.transitivity(drawn(rng, ring, 40), n=99, rng=rng))
    assert np.mean(flat) < 0.02
    assert np.mean([found.cyclic_share for found in round_]) > 0.97
    assert all(found.p_value == 0.01 for found in round_)


@pytest.mark.parametrize("cyclic", [0.0, 0.3, 1.0])
def test_intervals_of_the_share_cover(cyclic):
    """The true share is that of the expected counts, where noise has no part."""
    base = np.array([[0, 1, -1, 0, 1], [-1, 0, 1, 1, 0], [1, -1, 0, -1, 0], [0, -1, 1, 0, 1], [-1, 0, 0, -1, 0]])
    odds = eq.grad(np.array([1.0, 0.4, 0.0, -0.5, -0.9])) + cyclic * base
    games = 60
    rng = np.random.default_rng(4)
    truth = true_share(odds, games)
    inside = 0
    for _ in range(200):
        found = eq.transitivity(drawn(rng, odds, games), n=99, level=0.9, rng=rng)
        inside += found.low - 1e-9 <= truth <= found.high + 1e-9
    assert inside >= 0.85 * 200


def true_share(odds, games):
    expected = eq.PairTable.from_matrix(scipy.special.expit(odds), games=games)
    rating = eq.bradley_terry(expected).rating
    p = scipy.special.expit(rating[expected.first] - rating[expected.second])
    weight = games * p * (1 - p)
    cyclic = np.sum((expected.wins - games * p) ** 2 / weight)
    transitive = np.sum(weight * (rating[expected.first] - rating[expected.second]) ** 2)
    return cyclic / (cyclic + transitive)


def test_intervals_on_melo_predictions_cover():
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(6, 2)) * 0.8
    odds = eq.grad(rng.normal(size=6) * 0.5) + np.outer(vectors[:, 0], vectors[:, 1])
    odds -= np.outer(vectors[:, 1], vectors[:, 0])
    truth = scipy.special.expit(odds)
    off = ~np.eye(6, dtype=bool)
    inside = []
    for _ in range(25):
        low, high = eq.melo(drawn(rng, odds, 150), k=1, starts=2, draws=80, level=0.9, rng=rng).predict_interval()
        inside.append(np.mean(((low <= truth) & (truth <= high))[off]))
    assert 0.83 < np.mean(inside) < 0.97


def test_p_values_of_score_tables_are_uniform_if_averages_explain_everything():
    rng = np.random.default_rng(6)
    p_values = []
    for _ in range(250):
        table = rng.normal(size=5)[:, None] - rng.normal(size=6) + 0
        noise = rng.normal(size=(5, 6, 3)) * np.linspace(0.5, 2, 6)[:, None]
        p_values.append(eq.averages(eq.Scores.from_matrix(table[:, :, None] + noise), n=199, rng=rng).p_value)
    assert scipy.stats.kstest(p_values, "uniform").pvalue > 0.01
