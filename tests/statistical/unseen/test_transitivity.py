"""Games without cycles are seldom said to be unexplained, and hardly ever cyclic; games with one are."""

import numpy as np
import pytest

import equipoise as eq
from tests.statistical.honesty import SIGMAS, record
from tests.statistical.unseen.transitive_worlds import CIRCLES, EXPLAINED, games

MOST, LEAST_POWER = 0.06, 0.9
DRAWS = 60


def answers(options):
    """Whether games are explained, and whether a cycle is said, of each of many tables."""
    seen = []
    for seed in range(DRAWS):
        table = games(np.random.default_rng([7, seed]), **options)
        found = eq.transitivity(eq.read_matches(table, time="date"), n=199, rng=seed)
        seen.append((not found.explained, " > " in found.text and "not each clear" not in found.text))
    return np.mean(seen, axis=0)


@pytest.mark.parametrize("name", EXPLAINED)
def test_what_is_no_cycle_is_explained(name):
    unexplained, cyclic = answers(EXPLAINED[name])
    record(f"without a cycle: {name}", f"unexplained in at most {MOST:.0%}", round(float(unexplained), 3))
    assert unexplained <= MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / DRAWS)
    assert cyclic <= 0.01


@pytest.mark.parametrize("name", CIRCLES)
def test_circles_are_not_explained_away(name):
    unexplained, cyclic = answers(CIRCLES[name])
    record(f"with a cycle: {name}", f"unexplained in at least {LEAST_POWER:.0%}", round(float(unexplained), 3))
    assert unexplained >= LEAST_POWER
    assert cyclic >= 0.5
