"""Side advantages of judges, flags, both orders, self-preference and agreement keep their word."""

from dataclasses import replace

import numpy as np
import pytest

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.ratings.judges.both_orders import both_orders
from equipoise.ratings.judges.position_effects import side_terms
from equipoise.ratings.judges.self_preference import own_side, self_preference
from tests.statistical.honesty import Coverage, check_guarantee, record


def votes(rng, judges, each, mean, spread, ties, agents=8):
    """Draw judges from a population of leanings, and their votes; ties leave less to chance."""
    lean = mean + spread * rng.normal(size=judges)
    strength = np.linspace(1, -1, agents)
    k = rng.integers(judges, size=judges * each)
    a = rng.integers(agents, size=len(k))
    b = (a + rng.integers(1, agents, size=len(k))) % agents
    d = strength[a] - strength[b] + lean[k]
    # Davidson's model: what is decided follows the strengths.
    tied = rng.random(len(k)) < ties / np.cosh(d / 2)
    won = np.where(tied, 0.5, rng.random(len(k)) < 1 / (1 + np.exp(-d)))
    names = tuple(f"p{i}" for i in range(agents))
    m = eq.Matches.from_codes(names, a.astype(np.int32), b.astype(np.int32), won.astype(float))
    return m, Factor(tuple(f"j{i}" for i in range(judges)), k.astype(np.int32)), lean


def terms(m, who, against_common=False):
    return side_terms(m, who, np.zeros(len(m.agents)), against_common=against_common, level=0.95)


@pytest.mark.parametrize(("judges", "each", "spread"), [(20, 60, 0.4), (50, 10, 0.4), (3, 100, 0.4), (10, 300, 1.0)])
def test_side_advantages_of_judges_are_covered_on_average_over_judges(judges, each, spread):
    coverage = Coverage(what=f"advantages of {judges} judges with {each} votes each")
    for run in range(150):
        m, who, lean = votes(np.random.default_rng([61, run]), judges, each, 0.3, spread, 0.0)
        found = terms(m, who)
        coverage.add(found.low, found.high, lean, found.advantage)
    coverage.check(slack=0.015, over=0.015)  # few judges tell little about their spread, few votes are no normal ones


def test_unbiased_judges_and_agents_are_seldom_flagged_and_biased_ones_are():
    judged, agents, ties, naive, noticed = [], [], [], [], []
    for run in range(150):
        rng = np.random.default_rng([62, run])
        m, who, _ = votes(rng, 20, 40, 0.0, 0.0, 0.0)
        found = terms(m, who)
        judged.append(found.flagged.any())
        naive.append((found.p_value < 0.05).any())
        agents.append(terms(m, Factor(m.agents, m.a), against_common=True).flagged.any())
        m, who, _ = votes(rng, 20, 40, 0.0, 0.0, 0.4)
        ties.append(terms(m, who).flagged.any())
        always_first = terms(replace(m, outcome=np.where(who.codes == 0, 1.0, m.outcome)), who)
        noticed.append(always_first.flagged[0] and not always_first.flagged[1:].any())
    check_guarantee(judged, 0.05, naive, "any of 20 judges flagged")
    check_guarantee(ties, 0.05, what="any of 20 judges flagged, with ties")
    check_guarantee(agents, 0.05, what="any of 8 agents flagged")
    assert np.mean(noticed) > 0.9


def both(seed, lean, taste, items=150):
    rng = np.random.default_rng([63, seed])
    x = rng.integers(3, size=items)
    y = (x + rng.integers(1, 3, size=items)) % 3
    liked = taste * rng.normal(size=items)
    a, b = np.stack([x, y], axis=1).ravel(), np.stack([y, x], axis=1).ravel()
    d = 0.5 * (b - a) + lean + np.stack([liked, -liked], axis=1).ravel()
    won = (rng.random(2 * items) < 1 / (1 + np.exp(-d))).astype(float)
    task = Factor(tuple(map(str, range(items))), np.repeat(np.arange(items), 2).astype(np.int32))
    return eq.Matches.from_codes(("p", "q", "r"), a.astype(np.int32), b.astype(np.int32), won, task=task)


@pytest.mark.parametrize(("lean", "taste"), [(0.0, 0.0), (1.5, 0.0), (0.0, 3.0)])
def test_what_averaging_two_orders_buys_is_what_it_buys(lean, taste):
    single, averaged, said = [], [], []
    for seed in range(200):
        m = both(seed, lean, taste)
        order = np.random.default_rng([64, seed]).integers(0, 2, 150) + 2 * np.arange(150)
        fit = eq.bradley_terry(m)
        single.append(eq.bradley_terry(m.take(order)).rating)
        averaged.append(fit.rating)
        said.append(both_orders(m, m.task, None, fit.rating, 0.95))
    ratio = np.var(single, axis=0).sum() / np.var(averaged, axis=0).sum()
    told = np.mean([float(one.variance_ratio) for one in said])
    record(f"variance ratio of one order and both, lean {lean}, taste {taste}", round(ratio, 3), round(told, 3))
    assert told == pytest.approx(ratio, rel=0.2)
    truth = {name: np.mean([float(getattr(one, name)) for one in said]) for name in ("consistent", "correlation")}
    for name, value in truth.items():
        found = [getattr(one, name) for one in said]
        coverage = Coverage(what=f"{name}, lean {lean}, taste {taste}")
        for one in found:
            coverage.add(one.low, one.high, value, float(one))
        coverage.check()


def table(rng, items, each, accuracy, shares, raters=5):
    truth = rng.choice(3, items, p=shares)
    out = np.full((raters, items), np.nan)
    who = np.argsort(rng.random((items, raters)), axis=1)[:, :each]
    cast = np.where(rng.random((items, each)) < accuracy, truth[:, None], rng.choice(3, (items, each), p=shares))
    out[who.T, np.arange(items)] = cast.T
    return out


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval"])
def test_alpha_is_covered_and_equal_raters_are_seldom_called_odd(distance):
    odd = []
    for items, each, accuracy in ((30, 3, 0.6), (100, 4, 0.5), (50, 2, 0.8)):
        shares = np.array([0.4, 0.3, 0.3])
        truth = accuracy**2  # two votes agree beyond chance where both know
        coverage = Coverage(what=f"alpha ({distance}) of {items} items with {each} votes")
        for run in range(400):
            found = eq.agreement(
                table(np.random.default_rng([65, run]), items, each, accuracy, shares), distance=distance
            )
            coverage.add(found.low, found.high, truth, found.alpha)
            odd.append(found.odd.any())
        coverage.check(slack=0.02)  # of thirty items
    check_guarantee(odd, 0.05, what="any of 5 equal raters called odd")


def test_raters_own_alpha_is_covered():
    coverage = Coverage(what="alpha of one rater with the others")
    for run in range(300):
        found = eq.agreement(table(np.random.default_rng([66, run]), 150, 3, 0.6, np.array([0.4, 0.3, 0.3])))
        coverage.add(found.rater_low, found.rater_high, 0.36, found.rater_alpha)
    coverage.check(slack=0.02, over=0.02)


def test_perfect_looking_agreement_is_covered():
    held = []
    for run in range(400):
        found = eq.agreement(table(np.random.default_rng([67, run]), 40, 3, 0.97, np.array([0.6, 0.2, 0.2])))
        held.append(not found.low <= 0.97**2 <= found.high)
    check_guarantee(held, 0.05, what="alpha near 1 missed")


def test_self_preference_is_covered():
    house = {"p0": "A", "p1": "A", "p2": "B", "p3": "C", "jA": "A", "jB": "B", "jD": "D"}
    agents, judges = ("p0", "p1", "p2", "p3"), ("jA", "jB", "jD")
    own = np.array([[house[a] == house[j] for a in agents] for j in judges], dtype=float)
    pooled, each = Coverage(what="self-preference"), Coverage(what="self-preference of each judge")
    for run in range(300):
        rng = np.random.default_rng([68, run])
        a = rng.integers(4, size=600)
        b = (a + rng.integers(1, 4, size=600)) % 4
        k = rng.integers(3, size=600)
        d = 0.3 * (b - a) + 0.6 * (own[k, a] - own[k, b])
        won = (rng.random(600) < 1 / (1 + np.exp(-d))).astype(float)
        m = eq.Matches.from_codes(agents, a.astype(np.int32), b.astype(np.int32), won)
        who = Factor(judges, k.astype(np.int32))
        found, _ = self_preference(m, who, own_side(m, who, house), side=False, level=0.95)
        pooled.add(found.pooled.low, found.pooled.high, 0.6, float(found.pooled))
        each.add(found.low, found.high, 0.6, found.preference)
    pooled.check()
    each.check()
