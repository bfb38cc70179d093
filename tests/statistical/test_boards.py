"""Changes between leaderboards hold what they say: for all agents together, and cautiously where games are shared."""

import numpy as np

import equipoise as eq
from tests.statistical.honesty import check_guarantee, record

NAMES = [f"p{k}" for k in range(10)]


def log(strength, games, rng):
    a = rng.integers(10, size=games)
    b = (a + rng.integers(1, 10, size=games)) % 10
    won = rng.random(games) < 1 / (1 + np.exp(strength[b] - strength[a]))
    return [NAMES[i] for i in a], [NAMES[i] for i in b], won.astype(float).tolist()


def board(columns):
    """Give a board as JSON has it, without what is not looked at."""
    rows = (
        eq.bradley_terry(eq.Matches.from_columns(*columns)).frame().select("agent", "rating", "low", "high").to_dicts()
    )
    units = {"agents": {"units": {"rating": "log-odds"}}}
    return {
        "command": "rank", "method": "bradley-terry", "agents": rows, "tables": units, "interval": {"level": 0.95}
    }  # fmt: skip


def moved(found, *but):
    return any(
        verdict != "within noise"
        for agent, verdict in zip(found.agents, found.verdict, strict=True)
        if agent not in but
    )


def test_unchanged_agents_seldom_seem_to_move_and_changed_ones_do():
    separate, shared, naive, beside, noticed = [], [], [], [], []
    for run in range(300):
        rng = np.random.default_rng([18, run])
        strength = rng.normal(size=10)
        first, second = log(strength, 600, rng), log(strength, 900, rng)
        better = strength + np.eye(10)[0]
        old = board(first)
        apart = eq.compare_boards(old, board(second))
        separate.append(moved(apart))
        # What single agents' intervals would say, without those of the others and of the zero in mind.
        error = (apart.high - apart.low) / 2 / 2.8
        naive.append(bool((np.abs(apart.change) > 1.96 * error).any()))
        together = tuple(a + b for a, b in zip(first, second, strict=True))
        shared.append(moved(eq.compare_boards(old, board(together))))
        later = eq.compare_boards(old, board(log(better, 900, rng)))
        beside.append(moved(later, "p0"))
        noticed.append(later.verdict[later.agents.index("p0")] == "rose")
    check_guarantee(separate, 0.05, naive, "changes of separate games, all agents together")
    check_guarantee(beside, 0.05, what="changes beside one that is real")
    record("changes where games are shared", 0.05, float(np.mean(shared)))
    assert np.mean(shared) < 0.02
    assert np.mean(noticed) > 0.6
