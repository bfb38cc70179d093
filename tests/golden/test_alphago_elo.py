"""Elo on the AlphaGo cross-table: Balduzzi et al. (2018), Re-evaluating Evaluation, section 3."""

import numpy as np
import pytest

import equipoise as eq


def predicted(result):
    return 1 / (1 + np.exp(result.rating[None, :] - result.rating[:, None]))


def test_elo_misses_the_table_by_the_published_error():
    table = eq.load("alphago")
    chance = predicted(eq.bradley_terry(table))
    assert np.linalg.norm(chance - table.probabilities()) == pytest.approx(0.855, abs=5e-4)


@pytest.mark.parametrize(("first", "second", "chance"), [("v", "p", 0.41), ("v", "Zen", 0.58), ("p", "Zen", 0.67)])
def test_elo_gets_the_cycle_wrong_as_published(first, second, chance):
    table = eq.load("alphago")
    i, j = table.agents.index(first), table.agents.index(second)
    assert predicted(eq.bradley_terry(table))[i, j] == pytest.approx(chance, abs=5e-3)


def test_elo_log_loss_over_the_off_diagonal_cells():
    table = eq.load("alphago")
    p, q = table.probabilities(), predicted(eq.bradley_terry(table))
    off = ~np.eye(8, dtype=bool)
    cross_entropy = -(p * np.log(q) + (1 - p) * np.log(1 - q))
    assert cross_entropy[off].sum() == pytest.approx(16.9881, abs=5e-5)
