"""Exact copies, found by products of matrices, against a loop over pairs and their opponents."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.ratings.transitivity.near_duplicates import _copies


def are_copies(games, wins, i, j):
    common = [k for k in range(len(games)) if k not in (i, j) and games[i, k] > 0 and games[j, k] > 0]
    undecided = [
        sum(0 < wins[me, k] < games[me, k] for k in common) >= 2
        and sum(games[me, k] for k in common) >= 10 * len(common)
        for me in (i, j)
    ]
    alike = all(wins[i, k] * games[j, k] == pytest.approx(wins[j, k] * games[i, k], 1e-12, 1e-12) for k in common)
    return i != j and len(common) >= 3 and all(undecided) and alike


@pytest.mark.parametrize("seed", range(8))
def test_copies_are_those_of_a_loop_over_pairs(seed):
    rng = np.random.default_rng(seed)
    n = 9
    games = np.triu(rng.choice([0, 8, 20, 40], size=(n, n), p=[0.2, 0.2, 0.3, 0.3]), 1).astype(float)
    games += games.T
    wins = np.triu(rng.binomial(games.astype(int), 0.5), 1).astype(float)
    wins += np.tril(games - wins.T, -1)
    for copy, of in ((1, 0), (5, 4)):
        others = np.setdiff1d(np.arange(n), [copy, of])
        times = rng.choice([1.0, 2.0])
        games[copy, others] = games[others, copy] = times * games[of, others]
        wins[copy, others], wins[others, copy] = times * wins[of, others], times * wins[others, of]
    table = eq.PairTable.from_wins(wins)
    games, wins = table.games_matrix(), table.win_matrix()
    expected = [[are_copies(games, wins, i, j) for j in range(n)] for i in range(n)]
    np.testing.assert_array_equal(_copies(table), expected)
    assert np.any(expected)
