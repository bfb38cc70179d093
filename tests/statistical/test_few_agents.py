"""Item response fits of 8 to 50 agents: do abilities, items and what is built on them keep their word?

Worlds differ from what the fit assumes: slopes are lognormal with one in twenty negative, or all equal; difficulties
are normal, or skewed so that most items are easy.
"""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.items.agent_curves import agent_curves
from tests.statistical.honesty import Coverage, check_guarantee, check_unbiased

WORLDS = ("lognormal", "rasch", "easy")


def items_of(rng, world, items):
    b, a = rng.normal(size=items), np.ones(items)
    if world == "easy":
        b = rng.gamma(1.5, 0.8, size=items) - 3.0
    if world == "normal":  # as the fit assumes
        a = rng.normal(1.0, 0.5, size=items)
        b = -rng.normal(scale=1.2, size=items) / a
    elif world != "rasch":
        a = np.exp(0.4 * rng.normal(size=items)) * np.where(rng.random(items) < 0.05, -1, 1)
    return a, b


def answered(rng, theta, a, b):
    return (rng.random((len(theta), len(a))) < scipy.special.expit(a * (theta[:, None] - b))).astype(float)


def relative(theta, agents):
    """Return abilities, and the mean and deviation of the first ones, to which all are relative."""
    mean, spread = theta[:agents].mean(), theta[:agents].std()
    return (theta - mean) / spread, mean, spread


@pytest.mark.parametrize(
    ("agents", "items", "runs"),
    [(8, 10, 60), (8, 40, 40), (8, 200, 40), (20, 10, 40), (20, 40, 20), (50, 10, 20), (50, 40, 8), (30, 500, 12)],
)
def test_abilities_of_few_agents_cover(agents, items, runs):
    rng = np.random.default_rng(1000 * agents + items)
    together = Coverage(what=f"ability, {agents} agents x {items} items")
    for world in WORLDS:
        alone = Coverage(what=f"ability, {agents} agents x {items} items, {world}")
        for _ in range(runs):
            theta = rng.normal(size=agents)
            fit = eq.irt(eq.Scores.from_matrix(answered(rng, theta, *items_of(rng, world, items))))
            assert fit.params["method"] == "pooled"
            for part in (alone, together):
                part.add(fit.ability_low, fit.ability_high, relative(theta, agents)[0], fit.ability)
        if runs * agents >= 300:  # fewer could not tell intervals that are too short
            alone.check(slack=0.02, over=None)  # Laplace's approximation, and a population that is not the world's
    together.check(slack=0.01, over=0.01 if runs * agents >= 300 else None)


@pytest.mark.parametrize(("agents", "items", "trials", "missing"), [(10, 20, 5, 0.0), (20, 40, None, 0.4)])
def test_abilities_cover_with_trials_and_with_missing_cells(agents, items, trials, missing):
    rng = np.random.default_rng(77)
    covered = Coverage(what=f"ability, {agents} agents x {items} items, trials or gaps")
    for _ in range(120):
        theta, (a, b) = rng.normal(size=agents), items_of(rng, "lognormal", items)
        values = rng.binomial(trials or 1, scipy.special.expit(a * (theta[:, None] - b))).astype(float)
        values[rng.random(values.shape) < missing] = np.nan
        fit = eq.irt(eq.Scores.from_matrix(values, trials=trials))
        covered.add(fit.ability_low, fit.ability_high, relative(theta, agents)[0], fit.ability)
    covered.check(slack=0.02, over=0.01)


def test_a_curve_of_each_items_own_is_too_sure_of_few_agents():
    """What ``model="2pl"`` gives on the same kind of data, and why it is not the default there."""
    rng = np.random.default_rng(5)
    held = []
    for _ in range(6):
        theta = rng.normal(size=8)
        scores = eq.Scores.from_matrix(answered(rng, theta, *items_of(rng, "lognormal", 40)))
        fit = eq.irt(scores, model="2pl", starts=1)
        assert any(note.code == "few-agents" for note in fit.diagnostics)
        held += ((fit.ability_low <= theta) & (theta <= fit.ability_high)).tolist()
    assert np.mean(held) < 0.85


def test_pooled_items_cover_and_negative_slopes_are_as_likely_as_said():
    rng = np.random.default_rng(6)
    slope, place, gaps = Coverage(what="discrimination, pooled"), Coverage(what="difficulty, pooled"), []
    for _ in range(60):
        theta, (a, b) = rng.normal(size=20), items_of(rng, "normal", 30)
        fit = eq.irt(eq.Scores.from_matrix(answered(rng, theta, a, b)))
        _, mean, spread = relative(theta, 20)
        used = np.flatnonzero(~np.isnan(fit.difficulty))[:20]
        slope.add(fit.discrimination_low[used], fit.discrimination_high[used], (a * spread)[used])
        place.add(fit.difficulty_low[used], fit.difficulty_high[used], ((b - mean) / spread)[used])
        gaps.append(np.mean(fit.negative_probability[used] - (a[used] < 0)))
    # How far items spread is estimated and taken as known: slopes of single items cover about 90%.
    slope.check(slack=0.05, over=None)
    # A ratio by the delta method, too short or too long where the slope is near 0: difficulties cover about 88%.
    place.check(slack=0.08, over=None)
    check_unbiased(gaps, 0.0, allowed=0.1, what="probability of a negative slope")


@pytest.mark.parametrize(("agents", "items"), [(8, 40), (20, 40)])
def test_other_agents_measured_with_items_of_few_cover(agents, items):
    """New agents on the scale of those whom the items come from; many new ones to each calibration."""
    rng = np.random.default_rng(7)
    covered = Coverage(what=f"new ability, items of {agents} agents")
    for _ in range(40):
        theta, (a, b) = rng.normal(size=agents + 20), items_of(rng, "lognormal", items)
        values = answered(rng, theta, a, b)
        bank = eq.irt(eq.Scores.from_matrix(values[:agents])).calibration()
        scored = bank.score(eq.Scores.from_matrix(values[agents:]))
        covered.add(scored.ability_low, scored.ability_high, relative(theta, agents)[0][agents:], scored.ability)
    covered.check(slack=0.03, over=0.01)  # the spread of other agents is not normal relative to eight


def test_generality_knows_that_difficulties_are_estimates():
    """The truth is what very many items of known difficulty show; bins of the estimates alone miss it."""
    rng = np.random.default_rng(8)
    wrong, naive = [], []
    for run in range(12):
        theta, (a, b) = rng.normal(size=20), items_of(rng, "rasch", 60)
        scores = eq.Scores.from_matrix(answered(rng, theta, a, b))
        fit = eq.irt(scores)
        found = eq.generality(scores, fit, n=150, rng=run)
        bare = eq.generality(scores, fit.difficulty, n=150, rng=run)
        many = rng.normal(size=4000)
        share = agent_curves(scipy.special.expit(theta[:, None] - many), many, found.params["bins"]).mean
        truth = 1 / (share * (1 - share)).sum(axis=1)
        wrong += (~((found.generality_low <= truth) & (truth <= found.generality_high))).tolist()
        naive += (~((bare.generality_low <= truth) & (truth <= bare.generality_high))).tolist()
    check_guarantee(wrong, 0.05, naive=naive, what="generality with estimated difficulties")
