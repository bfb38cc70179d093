"""Do intervals of ratings from places cover what they promise? Seeded simulations from known strengths."""

import numpy as np

import equipoise as eq
from tests.statistical.honesty import Coverage, check_guarantee, check_unbiased

RUNS, RACES, SEATS = 400, 150, 4
STRENGTH = np.linspace(1.0, -1.0, 6)
NAMES = np.array(list("abcdef"))


def races(rng: np.random.Generator, strength: np.ndarray, count: int = RACES) -> eq.Rankings:
    """Draw places by the model, of four of the agents in each race."""
    who = rng.permuted(np.tile(np.arange(6), (count, 1)), axis=1)[:, :SEATS]
    utility = strength[who] + rng.gumbel(size=who.shape)
    place = np.argsort(np.argsort(-utility, axis=1), axis=1)
    return eq.Rankings.from_columns(np.repeat(np.arange(count), SEATS), NAMES[who].ravel(), place.ravel())


def test_ratings_of_races_are_covered_and_right_on_average():
    """Both errors, clustered by race and the model's: places are drawn by the model."""
    rng = np.random.default_rng(41)
    clustered, by_model, found = Coverage(what="clustered"), Coverage(what="of the model"), []
    for _ in range(RUNS):
        result = eq.plackett_luce(races(rng, STRENGTH))
        at = [result.agents.index(name) for name in NAMES]
        rating, reach = result.rating[at], 1.96 * result.model_stderr[at]
        clustered.add(result.low[at], result.high[at], STRENGTH, rating)
        by_model.add(rating - reach, rating + reach, STRENGTH, rating)
        found.append(rating)
    clustered.check()
    by_model.check()
    # Maximum likelihood stretches ratings a little: by about one part in the races of an agent.
    check_unbiased(found, STRENGTH, allowed=0.02, what="rating")


def test_ranks_of_races_hold_for_all_agents_at_once():
    """Equals share their ranks, none of which may be ruled out; tests of one pair at a time rule some out."""
    rng = np.random.default_rng(43)
    strength = np.array([1.0, 0.2, 0.2, 0.2, -0.8, -0.8])
    best, worst = np.array([1, 2, 2, 2, 5, 5]), np.array([1, 4, 4, 4, 6, 6])
    wrong, naive = [], []
    for _ in range(RUNS):
        result = eq.plackett_luce(races(rng, strength))
        at = [result.agents.index(name) for name in NAMES]
        wrong.append(np.any((result.rank_low[at] > best) | (result.rank_high[at] < worst)))
        rating, table = result.rating[at], result.covariance[np.ix_(at, at)]
        variance = np.diag(table)[:, None] + np.diag(table)[None, :] - 2 * table
        above = rating[:, None] - rating[None, :] > 1.96 * np.sqrt(np.clip(variance, 1e-300, None))
        naive.append(np.any((1 + above.sum(axis=0) > best) | (len(NAMES) - above.sum(axis=1) < worst)))
    check_guarantee(wrong, 0.05, naive, what="ranks")
