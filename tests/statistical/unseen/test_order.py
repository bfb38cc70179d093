"""An order is declared where there is one, and hardly ever where somebody far below beats somebody far above."""

import numpy as np
import pytest

from equipoise.arena.contests.contest import ContestOptions
from equipoise.arena.contests.make import make_contest
from equipoise.schedule.pair_evidence import PairEvidence, decided
from tests.statistical.arenas import run
from tests.statistical.honesty import SIGMAS, check_guarantee, record
from tests.statistical.unseen.order_worlds import HONEST, UPSETS, almost, session_shifts

MOST, BLOCKS = 0.06, 6000
"""Where the lower wins 73% of the games, (27 / 73)^3 = 5.1% of the upsets are not seen; with draws it is less."""
RUNS = {"games": 120, "draws": 30, "graded": 30}


def endings(options, runs):
    """How arenas of a world end, and after how many blocks."""
    seen = []
    for seed in range(runs):
        world = almost(seed, **options)
        contest = make_contest(world.names, ContestOptions(goal="order", seed=seed))
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


def ever_decided(scores, level=0.95):
    """Whether two equal players are ever told apart: runs by blocks, looked at after every block."""
    evidence, runs = PairEvidence(len(scores), None), np.arange(len(scores))
    told = np.zeros(len(scores), dtype=bool)
    for block in scores.T:
        evidence.add(runs, block)
        told |= decided(evidence.log_evidence(runs), np.log(2.0 / (1.0 - level))) > 0
    return told


@pytest.mark.parametrize("sizes", ["two", "triangle"])
def test_sessions_that_shift_the_score_keep_the_level_where_whole_sessions_are_blocks(sizes):
    rng = np.random.default_rng(33)
    scores = np.stack([session_shifts(rng, 40, 20, sizes) for _ in range(400)])
    alone = ever_decided(scores.reshape(len(scores), -1))
    check_guarantee(ever_decided(scores.mean(axis=2)), 0.05, naive=alone, what=f"whole sessions as blocks, {sizes}")
    record(f"games as blocks, {sizes}", "at most 0.05 where nothing shifts", f"{alone.mean():.3f} wrong")
