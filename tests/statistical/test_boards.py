"""Changes between leaderboards hold what they say: for all agents together, and cautiously where games are shared."""

import numpy as np
import polars as pl

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
    units = {"agents": {"units": {"rating": "Elo points"}}}
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
        apart = eq.changes(old, board(second))
        separate.append(moved(apart))
        # What single agents' intervals would say, without those of the others and of the zero in mind.
        error = (apart.high - apart.low) / 2 / 2.8
        naive.append(bool((np.abs(apart.change) > 1.96 * error).any()))
        together = tuple(a + b for a, b in zip(first, second, strict=True))
        shared.append(moved(eq.changes(old, board(together))))
        later = eq.changes(old, board(log(better, 900, rng)))
        beside.append(moved(later, "p0"))
        noticed.append(later.verdict[later.agents.index("p0")] == "rose")
    check_guarantee(separate, 0.05, naive, "changes of separate games, all agents together")
    check_guarantee(beside, 0.05, what="changes beside one that is real")
    record("changes where games are shared", 0.05, float(np.mean(shared)))
    assert np.mean(shared) < 0.02
    assert np.mean(noticed) > 0.6


def test_changes_of_boards_that_share_games_hold_for_all_agents_together():
    by_games, naive, by_group = [], [], []
    for run in range(300):
        rng = np.random.default_rng([19, run])
        strength = rng.normal(size=10)
        first, second = log(strength, 600, rng), log(strength, 300, rng)
        together = tuple(a + b for a, b in zip(first, second, strict=True))
        voters = rng.integers(80, size=900).astype(str).tolist()
        old, new = eq.Matches.from_columns(*first), eq.Matches.from_columns(*together)
        found = eq.changes(old, new, shared="old")
        by_games.append(moved(found))
        error = (found.high - found.low) / 2 / 2.8
        naive.append(bool((np.abs(found.change) > 1.96 * error).any()))
        grouped = (eq.Matches.from_columns(*c, group=voters[: len(c[0])]) for c in (first, together))
        by_group.append(moved(eq.changes(*grouped)))
    check_guarantee(by_games, 0.05, naive, "changes of boards that share games")
    check_guarantee(by_group, 0.05, what="changes of boards that share voters")


def test_cleaning_that_does_not_matter_seldom_seems_to():
    wrong = []
    for run in range(200):
        rng = np.random.default_rng([20, run])
        a, b, won = log(rng.normal(size=10), 1200, rng)
        frame = pl.DataFrame({"a": a, "b": b, "outcome": won, "anony": rng.random(1200) < 0.7})
        found = eq.cleaning(frame, clean="anonymous")
        wrong.append(bool(((found.low[0] > 0) | (found.high[0] < 0)).any()))
    check_guarantee(wrong, 0.05, what="changes by a step of cleaning that drops votes at random")


def test_newcomers_are_covered_given_the_board_and_the_test_of_it_is_fair():
    held, p_values = [], []
    for run in range(300):
        rng = np.random.default_rng([21, run])
        strength = rng.normal(size=10)
        a, b, won = log(strength, 900, rng)
        old = [k for k in range(900) if "p9" not in (a[k], b[k])]
        board = eq.Matches.from_columns(*([part[k] for k in old] for part in (a, b, won)))
        later = eq.Matches.from_columns(*log(strength, 500, rng))
        p_values.append(eq.place(later, board, min_p=0).test.p_value)
        exact = strength[:9] - strength[:9].mean()
        rows = [{"agent": f"p{k}", "rating": exact[k], "low": exact[k], "high": exact[k]} for k in range(9)]
        true = {"command": "rank", "method": "bradley-terry", "agents": rows, "interval": {"level": 0.95}}
        found = eq.place(later, true | {"tables": {"agents": {"units": {"rating": "log-odds"}}}}, min_p=0)
        at, truth = found.agents.index("p9"), strength[9] - strength[:9].mean()
        held.append(bool(found.low[at] <= truth <= found.high[at]))
    record("newcomers on an exact board", 0.95, float(np.mean(held)))
    assert abs(np.mean(held) - 0.95) < 3 * np.sqrt(0.05 * 0.95 / 300)
    record("score test of a board", 0.05, float(np.mean(np.array(p_values) < 0.05)))
    assert np.mean(np.array(p_values) < 0.05) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
