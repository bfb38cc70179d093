"""A settled board and agents that came late: strengths with heavy tails, voters of Pareto activity, few first games."""

import numpy as np
import polars as pl

import equipoise as eq


def board_with_newcomers(rng, games, *, settled=9, newcomers=2, votes=1200, voters=40, taste=0.6, one_voter=False):
    """Draw votes and give them with the true ratings, by name; newcomers have so many games each."""
    names = [f"m{i}" for i in range(settled)] + [f"new{i}" for i in range(newcomers)]
    strength = 0.5 * rng.standard_t(4, size=len(names))
    tastes = taste * rng.normal(size=(voters, len(names)))
    active = 1 + rng.pareto(2.5, size=voters)
    first = rng.integers(settled, size=votes)
    second = (first + 1 + rng.integers(settled - 1, size=votes)) % settled
    who = rng.choice(voters, size=votes, p=active / active.sum())
    for late in range(settled, len(names)):
        first = np.append(first, np.full(games, late))
        second = np.append(second, rng.integers(settled, size=games))
        who = np.append(who, np.full(games, late) if one_voter else rng.integers(voters, size=games))
    mine = strength + tastes[who]
    rows = np.arange(len(first))
    won = rng.random(len(first)) < 1 / (1 + np.exp(mine[rows, second] - mine[rows, first]))
    table = pl.DataFrame(
        {
            "model_a": np.array(names)[first], "model_b": np.array(names)[second],
            "winner": np.where(won, "model_a", "model_b"), "voter": [f"v{i}" for i in who],
        }
    )  # fmt: skip
    return table, dict(zip(names, average_ratings(strength, taste).tolist(), strict=True))


def average_ratings(strength, taste):
    """Give the ratings of the chances that the average voter has, which are nearer to each other than strengths are."""
    node, weight = np.polynomial.hermite_e.hermegauss(41)
    gap = strength[:, None] - strength[None, :]
    chance = (weight / weight.sum()) @ (1 / (1 + np.exp(-(gap.ravel() + np.sqrt(2) * taste * node[:, None]))))
    return eq.bradley_terry(eq.PairTable.from_matrix(chance.reshape(gap.shape), games=1)).rating
