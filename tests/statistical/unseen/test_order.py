"""An order is declared where there is one, and hardly ever where somebody far below beats somebody far above."""

import numpy as np
import pytest

from equipoise.arena.contests.make import make_contest
from tests.statistical.arenas import run
from tests.statistical.honesty import SIGMAS, record
from tests.statistical.unseen.order_worlds import HONEST, UPSETS, almost

MOST, BLOCKS = 0.06, 6000
"""Where the lower wins 73% of the games, (27 / 73)^3 = 5.1% of the upsets are not seen; with draws it is less."""
RUNS = {"games": 120, "draws": 30, "graded": 30}


def endings(options, runs):
    """How arenas of a world end, and after how many blocks."""
    seen = []
    for seed in range(runs):
        world = almost(seed, **options)
        contest = make_contest(world.names, goal="order", seed=seed)
        number = run(contest, world, most=BLOCKS)
        progress = contest.progress()
        seen.append((progress.ending, progress.answer == tuple((name,) for name in world.names), number))
    return seen


@pytest.mark.parametrize("name", UPSETS)
def test_an_order_is_seldom_declared_where_there_is_none(name):
    runs = RUNS[UPSETS[name]["noise"]]
    seen = endings(UPSETS[name], runs)
    declared = np.mean([ending == "decided" for ending, _, _ in seen])
    record(f"an order declared although {name}", f"in at most {MOST:.0%}", round(float(declared), 3))
    assert declared <= MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / runs)
    assert np.mean([ending == "cyclic" for ending, _, _ in seen]) >= 0.8


@pytest.mark.parametrize("name", HONEST)
def test_an_order_that_is_there_is_still_found(name):
    seen = endings(HONEST[name], runs=12)
    record(f"an order found: {name}", "always", round(float(np.mean([right for _, right, _ in seen])), 3))
    assert all(right for _, right, _ in seen)
