"""Published figures that need no data files."""

import numpy as np
import pytest

import equipoise as eq


def test_han_et_al_2013_with_global_selection() -> None:
    """Han, Pereira, Santos and Lenaerts (2013), five strategies, as OpenSpiel's alpharank_test uses it."""
    r, t, p, s, delta, eps = 1.0, 2.0, 0.0, -1.0, 4.0, 0.25
    payoffs = [
        [r - eps / 2, r - eps, 0, s + delta - eps, r - eps],
        [r, r, s, s, s],
        [0, t, p, p, p],
        [t - delta, t, p, p, p],
        [r, t, p, p, p],
    ]
    found = eq.alpha_rank(eq.MetaGame.symmetric(payoffs), alpha=0.1, m=20, selection="global")
    np.testing.assert_allclose(found.pi, [0.40966787, 0.07959841, 0.20506998, 0.08505983, 0.2206039], atol=5e-9)


@pytest.mark.parametrize(
    ("options", "mean", "ninety"),
    [({}, 260, (165, 385)), ({"symmetric": True, "constant_sum": 1.0}, 11, (6, 22))],
    ids=["plain", "symmetric"],
)
def test_games_of_appendix_h_3(options: dict[str, object], mean: float, ninety: tuple[float, float]) -> None:
    """Rowland et al. (2019), H.3: single runs took 244 and 20; over seeds a mean near 260 and near 11."""
    win = np.array([[0.5, 0.85], [0.15, 0.5]])
    games = []
    for seed in range(100):
        ucb = eq.ResponseGraphUCB((2, 2), delta=0.1, sampling="uniform-exhaustive", rng=seed, **options)  # type: ignore[arg-type]
        rng = np.random.default_rng(1000 + seed)
        while not ucb.done:
            proposal = ucb.ask()
            x = float(rng.random() < win[proposal.profile])
            ucb.tell(proposal, (x, 1 - x))
        games.append(ucb.games)
    assert np.mean(games) == pytest.approx(mean, rel=0.08)
    low, high = np.quantile(games, [0.05, 0.95])
    assert low == pytest.approx(ninety[0], rel=0.15, abs=1)
    assert high == pytest.approx(ninety[1], rel=0.15, abs=2)
