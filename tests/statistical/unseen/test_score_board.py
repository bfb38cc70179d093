"""Does the leaderboard of one score a cell hold for other tasks like these, in worlds that its rules have not seen?"""

import numpy as np
import pytest

import equipoise as eq
from tests.statistical.honesty import SIGMAS, record
from tests.statistical.unseen.score_worlds import FAMILIES, table, truth

AGENTS, REPEATS = 5, 150


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("tasks", [15, 50])
def test_means_over_tasks_are_covered_and_equal_agents_seldom_ranked_apart(family, tasks):
    held, apart = [], []
    for k in range(REPEATS):
        rng = np.random.default_rng([FAMILIES.index(family), tasks, k])
        effects = np.array([0.3, 0.0, 0.0, -0.2, 0.5])
        board = eq.tasks(eq.Scores.from_matrix(table(rng, family, AGENTS, tasks, effects)), units="none", n=2).board
        held.append((board.low <= truth(effects)) & (truth(effects) <= board.high))
        equal = eq.Scores.from_matrix(table(rng, family, AGENTS, tasks, np.zeros(AGENTS)))
        ranks = eq.tasks(equal, units="none", n=2).board.pairs
        apart.append((ranks.rank_low > 1).any() or (ranks.rank_high < AGENTS).any())
    covered, wrong = float(np.mean(held)), float(np.mean(apart))
    record(f"means over {tasks} tasks, {family}", "95%, at least 93%", round(covered, 3))
    record(f"equal agents ranked apart, {tasks} tasks, {family}", "at most 6%", round(wrong, 3))
    # The agents of one table share its tasks: a table counts once.
    assert covered >= 0.93 - SIGMAS * np.sqrt(0.93 * 0.07 / REPEATS)
    assert wrong <= 0.06 + SIGMAS * np.sqrt(0.06 * 0.94 / REPEATS)
