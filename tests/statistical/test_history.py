"""Do intervals of strength over time cover, and is nobody said to have changed who did not? Seeded simulations."""

import numpy as np

import equipoise as eq
from tests.statistical.honesty import Coverage, check_guarantee

RUNS, AGENTS, PERIODS, GAMES = 30, 6, 8, 6
ELO = np.log(10) / 400


def played(rng: np.random.Generator, walk: float) -> tuple[np.ndarray, eq.Matches]:
    """Draw strengths that walk, and about six games an agent in each period."""
    first = rng.normal(scale=0.8, size=(AGENTS, 1))
    strength = first + np.cumsum(rng.normal(scale=walk * ELO, size=(AGENTS, PERIODS)), axis=1)
    count = GAMES * AGENTS * PERIODS // 2
    when, a = rng.integers(PERIODS, size=count), rng.integers(AGENTS, size=count)
    b = (a + rng.integers(1, AGENTS, size=count)) % AGENTS
    won = rng.random(count) < 1 / (1 + np.exp(strength[b, when] - strength[a, when]))
    return strength, eq.Matches.from_columns([f"{i}" for i in a], [f"{i}" for i in b], won.astype(float), time=when)


def test_changes_and_ratings_over_time_are_covered():
    """The walk's variance is integrated out; the prior is 30 Elo points, so that slower walks are covered too often."""
    rng = np.random.default_rng(47)
    for walk in (0.0, 20.0, 60.0):
        changes, ratings = Coverage(what=f"changes, walk {walk:g}"), Coverage(what=f"ratings, walk {walk:g}")
        wrong = []
        for _ in range(RUNS):
            strength, data = played(rng, walk)
            found = eq.whole_history(data)
            true = strength[[int(name) for name in found.agents]]
            there = ~np.isnan(found.rating)
            centred = true - np.mean([row[known].mean() for row, known in zip(true, there, strict=True)])
            rows = np.arange(AGENTS)
            changes.add(found.gain_low, found.gain_high, true[rows, found.last] - true[rows, found.first])
            shown = [np.where(there, table, 0.0) for table in (found.low, found.high, centred)]
            ratings.add(*(table[:, 2:6] for table in shown))
            wrong.append(any(verdict in ("improved", "weakened") for verdict in found.verdict))
        if walk:
            ratings.check(slack=0.03, over=None)
        else:
            check_guarantee(wrong, 0.05, what="nobody changed")
        if walk > 30:
            changes.check(slack=0.05, over=None)
        else:
            check_guarantee(~changes.held().ravel(), 0.05, what=f"changes, walk {walk:g}")
