"""Small seeded checks of what bounds on win rates and masses promise; tests/statistical has the long ones."""

import numpy as np
import pytest

import equipoise as eq
from tests.statistical.honesty import check_guarantee

RING = np.array([[0.5, 0.62, 0.36, 0.7], [0.38, 0.5, 0.66, 0.6], [0.64, 0.34, 0.5, 0.58], [0.3, 0.4, 0.42, 0.5]])


def drawn(rng: np.random.Generator, games: int, ties: float = 0.0, win: np.ndarray = RING) -> eq.PairTable:
    i, j = np.triu_indices(4, 1)
    tied = rng.binomial(games, ties, size=6)
    wins = rng.binomial(games - tied, win[i, j])
    return eq.PairTable.from_counts(tuple("abcd"), i, j, wins, games - tied - wins, tied)


def test_bounds_from_counts_hold_the_true_masses() -> None:
    """Every pair is nearly even, so that the win rates as they are often point the wrong way."""
    rng = np.random.default_rng(6)
    near = 0.5 + 0.15 * (RING - 0.5)
    truth = eq.alpha_rank(eq.PairTable.from_matrix(near)).pi
    missed, naive = [], []
    for _ in range(60):
        result = eq.alpha_rank(drawn(rng, 60, win=near), level=0.9)
        assert result.low is not None
        assert result.high is not None
        missed.append(not (np.all(result.low <= truth + 1e-9) and np.all(truth <= result.high + 1e-9)))
        naive.append(np.abs(result.pi - truth).max() > 1e-9)
    check_guarantee(missed, 0.1, naive=naive)


@pytest.mark.parametrize(("confidence", "ties"), [("clopper-pearson", 0.0), ("hoeffding", 0.4)])
def test_bounds_on_win_rates_hold_for_all_pairs_together(confidence: str, ties: float) -> None:
    rng = np.random.default_rng(9)
    truth = ties / 2 + (1 - ties) * RING
    missed, alone = [], []
    for _ in range(300):
        table = drawn(rng, 40, ties)
        for simultaneous, wrong in ((True, missed), (False, alone)):
            low, high, _ = eq.methods.payoff_bounds(table, level=0.9, confidence=confidence, simultaneous=simultaneous)  # type: ignore[arg-type]
            wrong.append(bool(((low > truth) | (high < truth)).any()))
    # Hoeffding's interval is so wide that even six separate ones rarely miss.
    check_guarantee(missed, 0.1, naive=alone if confidence == "clopper-pearson" else None)


def test_hoeffding_bounds_are_no_wider_than_the_inequality_says() -> None:
    low, high, _ = eq.methods.payoff_bounds(
        drawn(np.random.default_rng(0), 200, 0.2), level=0.9, confidence="hoeffding"
    )
    half = np.sqrt(np.log(2 / (0.1 / 6)) / (2 * 200))
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose((high - low)[off], 2 * half, rtol=1e-9)
