"""Are agents that did not change seldom said to have risen or fallen where boards have few agents?"""

import json

import numpy as np
import pytest

import equipoise as eq
from tests.statistical.honesty import SIGMAS, record
from tests.statistical.unseen.board_worlds import KINDS, SIZES, two_boards

MOST, REPEATS = 0.06, 200


def moved(found, *but):
    return any(v in ("rose", "fell") for name, v in zip(found.agents, found.verdict, strict=True) if name not in but)


def published(games):
    """The board as it is published: ratings and intervals, no games."""
    fit = eq.bradley_terry(games)
    rows = json.loads(fit.frame().select("agent", "rating", "low", "high").write_json())
    units = {"agents": {"units": {"rating": "Elo points"}}}
    return {
        "command": "rank", "method": "bradley-terry", "agents": rows, "tables": units, "interval": {"level": 0.95}
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_few_agents_that_did_not_change_seldom_seem_to(kind):
    for agents in SIZES:
        games, ratings, beside = [], [], []
        for seed in range(REPEATS):
            rng = np.random.default_rng([11, agents, seed])
            old, new = two_boards(rng, agents, kind)
            games.append(moved(eq.changes(old, new)))
            ratings.append(moved(eq.changes(published(old), published(new))))
            if agents > 2:
                beside.append(moved(eq.changes(*two_boards(rng, agents, kind, 2.0)), f"p{agents - 1}"))
        for what, wrong in (("games", games), ("ratings", ratings), ("beside one that changed", beside)):
            if wrong:
                share = float(np.mean(wrong))
                record(f"changes, {kind}, {agents} agents, {what}", f"wrong in at most {MOST:.0%}", round(share, 4))
                assert share <= MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / REPEATS), (agents, what)


def test_a_change_among_three_is_found():
    found = []
    for seed in range(100):
        result = eq.changes(*two_boards(np.random.default_rng([12, seed]), 3, "camps", 1.0))
        found.append(result.verdict[result.agents.index("p2")] == "rose")
    record("a change among three found", "more than 80%", float(np.mean(found)))
    assert np.mean(found) > 0.8
