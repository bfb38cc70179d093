"""Many small games at once against one by one."""

import numpy as np
import pytest

from equipoise.nash import interior_point
from equipoise.nash.games import TaskGame
from equipoise.nash.interior_point import skew_centre, skew_centres
from equipoise.nash.kernels import maxent_zero_sum, maxent_zero_sums


def games(seed, count, agents, tasks):
    """Random scores, rough ones with many equal entries, and one that tells nothing apart but a single cell."""
    rng = np.random.default_rng(seed)
    tables = [
        rng.normal(size=(agents, tasks)) if k % 2 else rng.integers(3, size=(agents, tasks)) / 2 for k in range(count)
    ]
    tables[0] = np.zeros((agents, tasks))
    tables[0][0, 0] = 1.0
    return tables


def as_game(table):
    return TaskGame(table, 0.0, 1.0)


@pytest.mark.parametrize(("agents", "tasks"), [(2, 3), (7, 4), (18, 18), (30, 60)])
def test_centres_of_many_games_are_those_of_each(agents, tasks):
    tables = games(agents, 12, agents, tasks)
    block = as_game(tables[0]).block
    parts = np.array([as_game(table).part(np.arange(len(block))) for table in tables])
    for part, centre in zip(parts, skew_centres(parts, block), strict=True):
        alone = skew_centre(part, block)
        assert centre.gap <= max(1e-14, 10 * alone.gap)
        assert np.array_equal(centre.played(), alone.played())
        # Near its end the path is as flat as rounding makes it.
        assert abs(centre.steps - alone.steps) <= 2
        np.testing.assert_allclose(centre.mass.sum(), 2.0, rtol=1e-9)


@pytest.mark.parametrize("merge", [True, False])
def test_solutions_of_tables_of_many_shapes_are_those_of_each(merge):
    tables = [*games(1, 40, 8, 5), *games(2, 3, 4, 4), np.ones((1, 1)), *games(3, 2, 120, 100)]
    tables[2][:, 1] = tables[2][:, 0]  # copies change the shape
    for table, solution in zip(tables, maxent_zero_sums(tables, merge_clones=merge), strict=True):
        alone = maxent_zero_sum(table, merge_clones=merge)
        for name in ("agent_p", "task_p", "skill", "difficulty", "value"):
            np.testing.assert_allclose(getattr(solution, name), getattr(alone, name), rtol=0, atol=1e-12)
        assert solution.equilibrium.converged == alone.equilibrium.converged


def test_a_singular_step_of_one_game_leaves_each_to_itself(monkeypatch):
    def fails(*_):
        raise np.linalg.LinAlgError

    tables = games(4, 5, 3, 3)
    block = as_game(tables[0]).block
    parts = np.array([as_game(table).part(np.arange(6)) for table in tables])
    monkeypatch.setattr(interior_point, "_followed", fails)
    for part, centre in zip(parts, skew_centres(parts, block), strict=True):
        np.testing.assert_array_equal(centre.mass, skew_centre(part, block).mass)
