"""Item response fits of 8 to 50 agents: do abilities, items and what is built on them keep their word?

Worlds differ from what the fit assumes: slopes are lognormal with one in twenty negative, or one in seven, or all
equal; difficulties are normal, or skewed so that most items are easy; abilities are normal, or skewed.
"""

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.items.generality.agent_curves import agent_curves
from equipoise.items.models.curves import agent_curve_frame
from tests.statistical.honesty import Coverage, check_guarantee, check_unbiased

WORLDS = ("lognormal", "rasch", "easy", "signed", "skewed")


def abilities_of(rng, world, agents):
    return (rng.gamma(2.0, size=agents) - 2.0) / np.sqrt(2.0) if world == "skewed" else rng.normal(size=agents)


def items_of(rng, world, items):
    b, a = rng.normal(size=items), np.ones(items)
    if world in ("easy", "skewed"):
        b = rng.gamma(1.5, 0.8, size=items) - (3.0 if world == "easy" else 1.2)
    if world == "normal":  # as the fit assumes
        a = rng.normal(1.0, 0.5, size=items)
        b = -rng.normal(scale=1.2, size=items) / a
    elif world != "rasch":
        negative = {"signed": 0.15, "skewed": 0.0}.get(world, 0.05)
        a = np.exp(0.4 * rng.normal(size=items)) * np.where(rng.random(items) < negative, -1, 1)
    return a, b


def answered(rng, theta, a, b):
    return (rng.random((len(theta), len(a))) < scipy.special.expit(a * (theta[:, None] - b))).astype(float)


def relative(theta, agents):
    """Return abilities, and the mean and deviation of the first ones, to which all are relative."""
    mean, spread = theta[:agents].mean(), theta[:agents].std()
    return (theta - mean) / spread, mean, spread


@pytest.mark.parametrize(
    ("agents", "items", "runs"),
    [(8, 10, 80), (8, 40, 40), (8, 200, 12), (20, 10, 30), (20, 40, 16), (50, 10, 24), (50, 40, 6), (50, 500, 3)],
)
def test_abilities_of_few_agents_cover(agents, items, runs):
    rng = np.random.default_rng(1000 * agents + items)
    together = Coverage(what=f"ability, {agents} agents x {items} items")
    for world in WORLDS:
        alone = Coverage(what=f"ability, {agents} agents x {items} items, {world}")
        for _ in range(runs):
            theta = abilities_of(rng, world, agents)
            fit = eq.irt(eq.Scores.from_matrix(answered(rng, theta, *items_of(rng, world, items))))
            assert fit.params["method"] == "pooled"
            for part in (alone, together):
                part.add(fit.ability_low, fit.ability_high, relative(theta, agents)[0], fit.ability)
        if runs * agents >= 300:  # fewer could not tell intervals that are too short
            # 93%: Laplace's approximation, and a population that is not the world's; some worlds hold more often.
            check_guarantee(~alone.held(), 0.07, naive=~alone.held(0.6), what=alone.what)
    together.check(slack=0.01, over=0.01 if runs * agents >= 300 else None)


@pytest.mark.parametrize("agents", [2, 3, 4])
def test_abilities_of_fewer_than_five_cover(agents):
    """They are only centred: differences in the unit of the population that they are assumed to come from."""
    rng = np.random.default_rng(agents)
    covered = Coverage(what=f"ability, {agents} agents x 12 items")
    for world in WORLDS:
        for _ in range(40):
            theta = abilities_of(rng, world, agents)
            scores = eq.Scores.from_matrix(answered(rng, theta, *items_of(rng, world, 12)))
            if np.sum(np.ptp(scores.values, axis=0) > 0) < 3:  # nothing to fit
                continue
            fit = eq.irt(scores)
            covered.add(fit.ability_low, fit.ability_high, theta - theta.mean(), fit.ability)
    check_guarantee(~covered.held(), 0.05, naive=~covered.held(0.5), what=covered.what)  # they hold more often


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


def pooled_items(rng, world, agents, items):
    """Fit one draw; return the fit, the true slopes and difficulties on its scale, and which items were used."""
    theta, (a, b) = abilities_of(rng, world, agents), items_of(rng, world, items)
    fit = eq.irt(eq.Scores.from_matrix(answered(rng, theta, a, b)))
    _, mean, spread = relative(theta, agents)
    return fit, a * spread, (b - mean) / spread, np.flatnonzero(~np.isnan(fit.difficulty))


def test_pooled_items_cover_and_negative_slopes_are_as_likely_as_said():
    """In the world that the fit assumes, where many slopes are near 0 and their difficulties far out."""
    rng = np.random.default_rng(6)
    slope, place, gaps = Coverage(what="discrimination, pooled"), Coverage(what="difficulty, pooled"), []
    for _ in range(60):
        fit, a, b, used = pooled_items(rng, "normal", 20, 30)
        used = used[:20]
        slope.add(fit.discrimination_low[used], fit.discrimination_high[used], a[used])
        place.add(fit.difficulty_low[used], fit.difficulty_high[used], b[used], fit.difficulty[used])
        gaps.append(np.mean(fit.negative_probability[used] - (a[used] < 0)))
    assert slope.held().mean() > 0.95  # made for the worst population, not for this one
    place.check(slack=0.02, over=None)
    check_unbiased(gaps, 0.0, allowed=0.1, what="probability of a negative slope")


def test_slopes_of_a_skewed_population_cover():
    """Steep items are pulled towards the others; normal quantiles of the posterior cover 83% here."""
    rng = np.random.default_rng(9)
    wrong, naive = [], []
    for _ in range(16):
        fit, a, _, used = pooled_items(rng, "skewed", 50, 40)
        wrong += ((a < fit.discrimination_low) | (a > fit.discrimination_high))[used].tolist()
        naive += (np.abs(a - fit.discrimination) > 1.96 * fit.discrimination_se)[used].tolist()
    check_guarantee(wrong, 0.05, naive=naive, what="discrimination, pooled, 50 x 40, skewed")


@pytest.mark.parametrize("world", WORLDS)
def test_items_of_eight_agents_cover(world):
    rng = np.random.default_rng(10)
    slope, place = [], []
    for _ in range(16):
        fit, a, b, used = pooled_items(rng, world, 8, 20)
        slope += ((fit.discrimination_low <= a) & (a <= fit.discrimination_high))[used].tolist()
        place += ((fit.difficulty_low <= b) & (b <= fit.difficulty_high))[used].tolist()
    assert np.mean(place) > 0.93
    # With one slope in seven negative, eight agents cannot tell how far slopes spread.
    assert np.mean(slope) > (0.85 if world == "signed" else 0.93)


@pytest.mark.parametrize("items", [12, 40])
def test_agent_curves_cover(items):
    rng = np.random.default_rng(items)
    covered, bare = Coverage(what=f"agent curves, 8 agents x {items} items"), []
    for _ in range(60):
        theta, (a, b) = rng.normal(size=8), items_of(rng, "lognormal", items)
        fit = eq.irt(eq.Scores.from_matrix(answered(rng, theta, a, b)))
        place, _, spread = relative(theta, 8)
        found = agent_curve_frame(fit, reach=2.0, points=5)
        at = np.linspace(-2, 2, 5)
        truth = np.median(a[a > 0]) * spread * (place[:, None] - at)
        low, high = (scipy.special.logit(found[name].to_numpy()) for name in ("low", "high"))
        covered.add(low, high, truth)
        typical = np.median(fit.discrimination[fit.discrimination > 0])
        ends = (typical * (end[:, None] - at) for end in (fit.ability_low, fit.ability_high))
        bare.append([np.mean((next(ends) <= truth) & (truth <= next(ends)))])
    covered.check(slack=0.02, over=None)
    assert np.mean(bare) < 0.92  # the ends of the ability's interval alone


@pytest.mark.parametrize(("agents", "items"), [(8, 12), (8, 40), (20, 40)])
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
