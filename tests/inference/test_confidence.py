"""Intervals cover what they should, exactly where that can be counted."""

import numpy as np
import pytest
import scipy

from equipoise.inference.confidence import clopper_pearson_interval, hoeffding_interval


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("delta", [0.05, 0.3])
def test_both_cover_every_win_probability(n: int, p: float, delta: float) -> None:
    wins = np.arange(n + 1)
    chance = scipy.special.comb(n, wins) * p**wins * (1 - p) ** (n - wins)
    for low, high in (clopper_pearson_interval(wins, n, delta), hoeffding_interval(wins / n, n, delta)):
        assert chance[(low <= p) & (p <= high)].sum() >= 1 - delta - 1e-12


def test_clopper_pearson_ends_solve_the_tail_equations() -> None:
    low, high = clopper_pearson_interval(7, 20, 0.1)
    tail = scipy.special.bdtrc(6, 20, float(low)), scipy.special.bdtr(7, 20, float(high))
    assert tail == pytest.approx((0.05, 0.05))


def test_nothing_played_leaves_everything_open() -> None:
    low, high = hoeffding_interval([np.nan, 2.0], [0, 5], 0.1, low=-1.0, high=3.0)
    assert (low[0], high[0]) == (-1.0, 3.0)
    assert -1.0 <= low[1] < 2.0 < high[1] <= 3.0
