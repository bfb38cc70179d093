"""Coverage of the 95% intervals with estimated coefficients, by seeded simulation of hands with known value."""

import numpy as np
import pytest
import scipy

from equipoise.luck import adjusted_mean
from equipoise.luck.games import BLUFFER, HONEST, MANIAC, ROCK, UNIFORM, kuhn, leduc
from equipoise.luck.luck_table import too_skewed
from tests.luck.enumeration import Joint, joint, true_value
from tests.statistical.honesty import Coverage

CASES = {
    "kuhn": (kuhn(2), (HONEST, MANIAC), BLUFFER),
    "kuhn3": (kuhn(3), (MANIAC, HONEST, UNIFORM), BLUFFER),
    "leduc": (leduc(), (HONEST, MANIAC), BLUFFER),
    "leduc, another control": (leduc(), (BLUFFER, UNIFORM), HONEST),
}
REPLICATES = 10_000


@pytest.fixture(scope="module", params=CASES, ids=list(CASES))
def law(request: pytest.FixtureRequest) -> tuple[Joint, float]:
    game, bots, control = CASES[request.param]
    return joint(game, bots, control), true_value(game, bots)


def covered(adjusted: adjusted_mean.Adjusted, value: float, what: str = "") -> Coverage:
    half = scipy.special.stdtrit(adjusted.dof, 0.975) * np.sqrt(adjusted.variance)
    return Coverage.of(adjusted.estimate - half, adjusted.estimate + half, value, adjusted.estimate, what)


@pytest.mark.parametrize("n", [30, 100, 1000])
@pytest.mark.parametrize("coefficient", ["fitted", "cross-fitted", "minus one"])
def test_intervals_cover(law: tuple[Joint, float], n: int, coefficient: str) -> None:
    hands, value = law
    rng = np.random.default_rng(n)
    replicates = min(REPLICATES, 4_000_000 // n)
    pick = rng.choice(len(hands.p), p=hands.p / hands.p.sum(), size=(replicates, n))
    y = hands.y[pick][..., None]
    data = adjusted_mean.Totals(np.ones(pick.shape), hands.x[pick], y, np.sqrt((y**2).mean(axis=-2)))
    adjusted = {
        "fitted": lambda: adjusted_mean.fitted(data),
        "cross-fitted": lambda: adjusted_mean.cross_fitted(data, 10),
        "minus one": lambda: adjusted_mean.fixed(data, np.array([-1.0])),
    }[coefficient]()
    # What is won in a hand of these games is far from normal, and a t interval of a few hands does not know that.
    slack = {30: 0.015, 100: 0.01, 1000: 0.005}[n]
    covered(adjusted, value, f"{coefficient} coefficient").check(slack=slack, over=slack)


@pytest.mark.parametrize("deals", [30, 100])
def test_clustered_intervals_cover_where_hands_share_deals(deals: int) -> None:
    # Four hands on each deal, by agents that go the same way; a plain interval would cover far less.
    rng = np.random.default_rng(deals)
    luck = rng.normal(size=(5000, deals, 1))
    y = (luck + 0.5 * rng.normal(size=(5000, deals, 4))).sum(axis=-1)[..., None]
    x = (1.0 + 2.0 * luck + rng.normal(size=(5000, deals, 1)) + rng.normal(size=(5000, deals, 4))).sum(axis=-1)
    data = adjusted_mean.Totals(np.full(x.shape, 4.0), x, y, np.sqrt((y**2).mean(axis=-2)))
    covered(adjusted_mean.fitted(data), 1.0, "fitted, clustered").check(slack=0.005)
    covered(adjusted_mean.cross_fitted(data, 10), 1.0, "cross-fitted, clustered").check(slack=0.005)


def test_clustered_intervals_cover_with_unequal_clusters() -> None:
    rng = np.random.default_rng(5)
    size = rng.integers(1, 6, size=(4000, 60)).astype(float)
    luck = rng.normal(size=size.shape)
    x = size * (1.0 + 2.0 * luck) + np.sqrt(size) * rng.normal(size=size.shape)
    y = (size * luck + np.sqrt(size) * rng.normal(size=size.shape))[..., None]
    data = adjusted_mean.Totals(size, x, y, np.sqrt((y**2).mean(axis=-2)))
    covered(adjusted_mean.fitted(data), 1.0, "fitted, unequal clusters").check(slack=0.005)


def test_where_skewness_spoils_the_coverage_most_samples_are_told_so() -> None:
    game, bots = leduc(), (ROCK, MANIAC)
    hands, value = joint(game, bots, HONEST), true_value(game, bots)
    rng = np.random.default_rng(8)
    pick = rng.choice(len(hands.p), p=hands.p / hands.p.sum(), size=(4000, 30))
    y = hands.y[pick][..., None]
    data = adjusted_mean.Totals(np.ones(pick.shape), hands.x[pick], y, np.sqrt((y**2).mean(axis=-2)))
    fit = adjusted_mean.fitted(data)
    told = np.array([too_skewed(skewness, 30) for skewness in fit.skewness])
    assert covered(fit, value).held().mean() < 0.93
    assert told.mean() > 0.5
