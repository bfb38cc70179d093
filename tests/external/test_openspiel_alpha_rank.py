"""The same tables in OpenSpiel, where it is installed."""

import numpy as np
import pytest

import equipoise as eq

alpharank = pytest.importorskip(
    "open_spiel.python.egt.alpharank", reason="OpenSpiel is not installed: a peer for cross-checks, not a dependency"
)


@pytest.mark.parametrize("alpha", [0.1, 1.0, 3.0])
def test_random_games_of_three_players(alpha: float) -> None:
    payoffs = [np.random.default_rng(k).normal(size=(3, 2, 3)) for k in range(3)]
    theirs = alpharank.compute(payoffs, m=20, alpha=alpha)[2]
    ours = eq.alpha_rank(eq.MetaGame.from_payoffs(payoffs), m=20, alpha=alpha).pi.ravel()
    np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_kuhn_table_of_openspiel_s_own_example() -> None:
    """Its example makes a 4 x 4 x 4 table; at alpha 100 single precision overflows there and not here."""
    example = pytest.importorskip("open_spiel.python.egt.examples.alpharank_example", reason="no OpenSpiel example")
    payoffs = [np.asarray(table, dtype=float) for table in example.get_kuhn_poker_data()]
    pi = eq.alpha_rank(eq.MetaGame.from_payoffs(payoffs), alpha=100.0).pi
    assert (pi[2, 3, 3], pi[3, 3, 3], pi[3, 2, 3]) == pytest.approx((0.224, 0.140, 0.116), abs=6e-4)
