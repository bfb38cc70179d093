"""Two leaderboards of few agents of whom none, or one, changed in between, in families that no constant was chosen on.

Strengths are Laplace or in two camps; who meets whom is lopsided; the boards differ in size; some games are drawn.
"""

import numpy as np

import equipoise as eq


def strengths(rng, agents, kind):
    """Strengths with heavy tails, or in two camps."""
    return rng.laplace(scale=0.6, size=agents) if kind == "heavy" else np.where(np.arange(agents) % 2, 0.8, -0.8)


def log(rng, strength, games, kind):
    """Games: the first agent is in most of them where strengths have heavy tails; every fifth is drawn in two camps."""
    agents = len(strength)
    share = np.where(np.arange(agents) == 0, 3.0, 1.0) if kind == "heavy" else np.ones(agents)
    a = rng.choice(agents, size=games, p=share / share.sum())
    b = (a + rng.integers(1, agents, size=games)) % agents
    won = (rng.random(games) < 1 / (1 + np.exp(strength[b] - strength[a]))).astype(float)
    if kind == "camps":
        won[rng.random(games) < 0.2] = 0.5
    return eq.Matches.from_columns([f"p{k}" for k in a], [f"p{k}" for k in b], won.tolist())


def two_boards(rng, agents, kind, rise=0.0):
    """Games of two months, the last agent better by ``rise`` in the second."""
    strength = strengths(rng, agents, kind)
    later = strength + rise * (np.arange(agents) == agents - 1)
    return log(rng, strength, 90 * agents, kind), log(rng, later, 200 * agents, kind)


KINDS = ("heavy", "camps")
SIZES = (2, 3, 4, 6)
