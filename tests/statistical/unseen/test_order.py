"""An order is declared where there is one, and hardly ever where somebody far below beats somebody far above."""

import numpy as np
import pytest

from equipoise.arena.contests.make import make_contest
from tests.statistical.arenas import run
from tests.statistical.honesty import SIGMAS, record
from tests.statistical.unseen.order_worlds import HONEST, UPSETS, almost

MOST, RUNS, BLOCKS = 0.05, 60, 6000


def endings(options, runs=RUNS):
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
    seen = endings(UPSETS[name])
    declared = np.mean([ending == "decided" for ending, _, _ in seen])
    record(f"an order declared although {name}", f"in at most {MOST:.0%}", round(float(declared), 3))
    assert declared <= MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / RUNS)
    assert np.mean([ending == "cyclic" for ending, _, _ in seen]) >= 0.8
