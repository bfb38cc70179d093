"""Votes and grades of raters whose weights, tables and strengths are known."""

import numpy as np
from scipy.special import expit

import equipoise as eq


def votes_of(rng, strength, weight, lean, votes, items, popularity=None):
    """Draw votes by the model; an item is one pair of agents, which many see, in either position."""
    n = len(strength)
    rater = np.repeat(np.arange(len(weight)), votes)
    pairs = np.array([rng.choice(n, 2, replace=False, p=popularity) for _ in range(items)])
    item = rng.integers(items, size=len(rater))
    a, b = np.where(rng.random(len(rater)) < 0.5, pairs[item].T, pairs[item].T[::-1])
    chance = weight[rater] * expit(strength[a] - strength[b]) + (1 - weight[rater]) * lean[rater]
    won = (rng.random(len(rater)) < chance).astype(float)
    name = np.array([f"agent {k}" for k in range(n)])
    return eq.Matches.from_columns(
        name[a], name[b], won, task=[f"item {k}" for k in item], group=[f"rater {k}" for k in rater]
    )


def code(names):
    """Read the number at the end of each name."""
    return np.array([int(name.split()[-1]) for name in names])


def grades_of(rng, share, tables, items, seen):
    """Draw a table of raters by items, each seen by a share of the raters."""
    truth = rng.choice(len(share), size=items, p=share)
    drawn = rng.random((len(tables), items, 1)) > np.cumsum(tables[:, truth], axis=2)
    answers = np.minimum(drawn.sum(axis=2), len(share) - 1).astype(float)
    return np.where(rng.random(answers.shape) < seen, answers, np.nan)


def even_tables(right, classes):
    """Give tables of raters who are right with one chance, and else take any other class."""
    wrong = (1 - right) / (classes - 1)
    return np.where(np.eye(classes, dtype=bool), right[:, None, None], wrong[:, None, None])
