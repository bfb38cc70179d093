"""Do controlled ratings, coefficients, changes and what style gave keep their word?"""

from functools import cache

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.data.encode.labels import Factor
from tests.statistical.honesty import Coverage, check_guarantee

NAMES = tuple("abcdef")
STRENGTH = np.linspace(0.9, -0.9, len(NAMES))
WORDY = np.array([-0.5, 0.8, 0.0, 0.6, -0.6, -0.3])
BETA = np.array([0.7, 0.0])
RUNS, GAMES, GROUPS = 300, 1200, 150
MANY = 600_000


def battles(rng, games, groups=None):
    """Answers whose length goes with the agent; in groups, judges of a group share how much they like it."""
    a = rng.integers(len(NAMES), size=games)
    b = (a + rng.integers(1, len(NAMES), size=games)) % len(NAMES)
    z = rng.normal(size=(games, 2))
    z[:, 0] += WORDY[a] - WORDY[b]
    beta, group = np.tile(BETA, (games, 1)), None
    if groups is not None:
        codes = rng.integers(groups, size=games).astype(np.int32)
        beta = BETA + np.array([0.8, 0.5]) * rng.normal(size=(groups, 2))[codes]
        group = Factor(tuple(map(str, range(groups))), codes)
    won = rng.random(games) < scipy.special.expit(STRENGTH[a] - STRENGTH[b] + (z * beta).sum(axis=1))
    made = eq.Matches.from_codes(NAMES, a.astype(np.int32), b.astype(np.int32), won.astype(float), group=group)
    return made.with_covariates({"length": z[:, 0], "bold": z[:, 1]})


@cache
def limit(grouped):
    """What the two fits settle on with very many matches: boards, coefficients."""
    m = battles(np.random.default_rng(1), MANY, MANY // 8 if grouped else None)
    plain = eq.bradley_terry(m, errors="information")
    controlled = eq.bradley_terry(m, covariates=["length", "bold"], errors="information")
    if grouped:
        return plain.rating, controlled.rating, controlled.coefficients.value
    return plain.rating, STRENGTH, BETA


def mean_style(m, beta):
    """What style truly gave in these matches."""
    given, n = m.covariates.values @ beta, len(NAMES)
    total = np.bincount(m.a, given, n) - np.bincount(m.b, given, n)
    return total / (np.bincount(m.a, minlength=n) + np.bincount(m.b, minlength=n))


@pytest.mark.parametrize("grouped", [False, True], ids=["matches", "groups"])
def test_controlled_ratings_coefficients_and_changes_cover(grouped):
    rng = np.random.default_rng(21 + grouped)
    plain, strength, beta = limit(grouped)
    told = {what: Coverage(what=what) for what in ("controlled rating", "coefficient", "style")}
    wrong, alone = [], []
    for _ in range(RUNS):
        m = battles(rng, GAMES, GROUPS if grouped else None)
        both = eq.style_control(m)
        worth = both.coefficients
        told["controlled rating"].add(both.controlled.low, both.controlled.high, strength, both.controlled.rating)
        told["coefficient"].add(worth.low, worth.high, beta, worth.value)
        told["style"].add(both.style_low, both.style_high, mean_style(m, beta), both.style)
        change = strength - plain
        wrong.append(bool(((both.low > change) | (both.high < change)).any()))
        alone.append(bool((np.abs(both.change - change) > 1.96 * both.stderr).any()))
    for each in told.values():
        each.check()
    check_guarantee(wrong, 0.05, alone, "change of some agent")
