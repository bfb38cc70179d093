"""Two leaderboards of few agents of whom none, or one, changed in between, in families that no constant was chosen on.

Strengths are Laplace or in two camps; who meets whom is lopsided; the boards differ in size; some games are drawn.
"""

import numpy as np

import equipoise as eq


def strengths(rng, agents, kind):
    """Strengths with heavy tails, in two camps, or lopsided."""
    if kind == "popular":
        return rng.gamma(1.5, 0.5, size=agents)
    return rng.laplace(scale=0.6, size=agents) if kind == "heavy" else np.where(np.arange(agents) % 2, 0.8, -0.8)


def log(rng, strength, games, kind):
    """Games: the first agent is in most of them where strengths have heavy tails; every fifth is drawn in two camps.

    In the third family agents meet by Zipf's law, and two fifths of the games of near opponents are drawn.
    """
    agents = len(strength)
    share = np.where(np.arange(agents) == 0, 3.0, 1.0) if kind == "heavy" else np.ones(agents)
    share = 1 / np.arange(1.0, agents + 1) if kind == "popular" else share
    a = rng.choice(agents, size=games, p=share / share.sum())
    b = (a + rng.integers(1, agents, size=games)) % agents
    won = (rng.random(games) < 1 / (1 + np.exp(strength[b] - strength[a]))).astype(float)
    if kind == "camps":
        won[rng.random(games) < 0.2] = 0.5
    if kind == "popular":
        won[rng.random(games) < 0.4 * np.exp(-np.abs(strength[a] - strength[b]))] = 0.5
    return eq.Matches.from_columns([f"p{k}" for k in a], [f"p{k}" for k in b], won.tolist())


def two_boards(rng, agents, kind, rise=0.0):
    """Games of two months, the last agent better by ``rise`` in the second."""
    strength = strengths(rng, agents, kind)
    later = strength + rise * (np.arange(agents) == agents - 1)
    sizes = (250, 60) if kind == "popular" else (90, 200)
    return tuple(log(rng, one, each * agents, kind) for one, each in zip((strength, later), sizes, strict=True))


KINDS = ("heavy", "camps", "popular")
"""The third was written, and looked at once, after the remedy was there."""
SIZES = (2, 3, 4, 6)
