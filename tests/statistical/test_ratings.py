"""Do intervals of ratings cover what they promise? Seeded simulations from known strengths."""

from functools import cache

import numpy as np
import pytest
import scipy

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.inference import ranks
from equipoise.ratings.paired import bradley_terry as ratings
from equipoise.ratings.paired import clustered_errors
from tests.statistical.honesty import Coverage, check_guarantee, check_unbiased, record

AGENTS, GAMES, RUNS = 8, 1500, 400
STRENGTH = np.linspace(1.2, -1.2, AGENTS)
TIED = np.array([1.0, 0.6, 0.6, 0.2, 0.0, -0.4, -0.8, -1.2])
TIED = TIED - TIED.mean()
SIDE = 0.3


def schedule(rng, games):
    a = rng.integers(AGENTS, size=games).astype(np.int32)
    return a, ((a + rng.integers(1, AGENTS, size=games)) % AGENTS).astype(np.int32)


def matches(a, b, outcome, **more):
    return eq.Matches.from_codes(tuple("abcdefgh"), a, b, outcome.astype(float), **more)


def draw(rng, strength, games, side=0.0):
    a, b = schedule(rng, games)
    return matches(a, b, rng.random(games) < scipy.special.expit(strength[a] - strength[b] + side))


def true_ranks(strength):
    """Equal agents share all the ranks from the best to the worst of them: none of those may be ruled out."""
    best = 1 + (strength[None, :] > strength[:, None] + 1e-9).sum(axis=1)
    worst = AGENTS - (strength[None, :] < strength[:, None] - 1e-9).sum(axis=1)
    return best, worst


@pytest.mark.parametrize("errors", ["sandwich", "information"])
def test_intervals_of_ratings_cover_and_ratings_are_right_on_average(errors):
    rng = np.random.default_rng(11)
    covered, found = Coverage(what="rating"), []
    for _ in range(RUNS):
        result = eq.bradley_terry(draw(rng, STRENGTH, GAMES), errors=errors)
        covered.add(result.low, result.high, STRENGTH, result.rating)
        found.append(result.rating)
    covered.check()
    # Maximum likelihood stretches ratings a little: by about one part in the games of an agent.
    check_unbiased(found, STRENGTH, allowed=0.1, what="rating")


def test_the_side_advantage_is_covered_and_right_on_average():
    rng = np.random.default_rng(12)
    covered, found = Coverage(what="side"), []
    for _ in range(RUNS):
        side = eq.bradley_terry(draw(rng, STRENGTH, GAMES, side=SIDE), side=True).side
        covered.add(side.low, side.high, SIDE, side)
        found.append(float(side))
    covered.check()
    check_unbiased(found, SIDE, allowed=0.1, what="side")


def test_differences_to_an_anchor_are_covered():
    rng = np.random.default_rng(41)
    covered, others = Coverage(what="difference to an anchor"), np.arange(AGENTS) != 3
    for _ in range(RUNS):
        found = eq.bradley_terry(draw(rng, STRENGTH, GAMES)).relative_to("d")
        covered.add(*(part[others] for part in (found.low, found.high, STRENGTH - STRENGTH[3], found.rating)))
    covered.check()


def held_at_once(result, strength):
    best, worst = true_ranks(strength)
    assert (result.rank_low <= result.rank_high).all()
    return ((result.rank_low <= best) & (result.rank_high >= worst)).all()


def test_simultaneous_rank_intervals_hold_for_all_agents_at_once(monkeypatch):
    rng = np.random.default_rng(13)
    # All equal is the hardest case: then any order that is told is wrong.
    level = np.zeros(AGENTS)
    tables = [draw(rng, level, GAMES) for _ in range(RUNS)]
    wrong = [not held_at_once(eq.bradley_terry(table), level) for table in tables]
    monkeypatch.setattr(ranks, "simultaneous_quantile", lambda *_: 1.96)
    separate = [not held_at_once(eq.bradley_terry(table), level) for table in tables[:100]]
    check_guarantee(wrong, 0.05, naive=separate, what="rank intervals")
    assert np.mean(wrong) >= 0.05 - 3 * np.sqrt(0.05 * 0.95 / RUNS)  # and they are not wider than they must be


def test_rank_intervals_hold_with_ties_among_unequal_agents_and_are_not_trivially_wide():
    rng = np.random.default_rng(13)
    found = [eq.bradley_terry(draw(rng, TIED, GAMES)) for _ in range(RUNS)]
    check_guarantee([not held_at_once(result, TIED) for result in found], 0.05, what="rank intervals")
    assert np.mean([(result.rank_high - result.rank_low).mean() for result in found]) < 3


def test_rank_intervals_of_many_agents_are_only_more_careful(monkeypatch):
    rng = np.random.default_rng(17)
    level = np.zeros(AGENTS)
    tables = [draw(rng, level, GAMES) for _ in range(RUNS)]
    monkeypatch.setattr(ranks, "MOST_SIMULATED", 4)
    check_guarantee([not held_at_once(eq.bradley_terry(t), level) for t in tables], 0.05, what="ranks by Sidak")
    monkeypatch.setattr(ratings, "DENSE", 4)
    check_guarantee([not held_at_once(eq.bradley_terry(t), level) for t in tables], 0.05, what="ranks by variances")


def test_approximate_errors_of_very_many_agents_cover(monkeypatch):
    """Every agent meets about twenty others; the centring that the approximation leaves out counts for 1/80."""
    monkeypatch.setattr(ratings, "DENSE", 4)
    rng = np.random.default_rng(18)
    covered, n = Coverage(what="rating (approximate)"), 80
    strength = np.linspace(1.2, -1.2, n)
    first, second = (np.concatenate([np.arange(n)] * 10), np.concatenate([np.arange(n) + k for k in range(1, 11)]) % n)
    chance = scipy.special.expit(strength[first] - strength[second])
    for _ in range(60):
        won = rng.binomial(8, chance)
        table = eq.PairTable.from_counts(tuple(map(str, range(n))), first, second, won, 8 - won)
        found = eq.bradley_terry(table)
        assert "approximate" in found.interval.kind
        covered.add(found.low, found.high, strength, found.rating)
    covered.check(slack=0.02)


def test_posterior_intervals_cover_strengths_drawn_from_the_prior():
    rng = np.random.default_rng(19)
    covered = Coverage(what="rating with a prior")
    for _ in range(RUNS):
        strength = rng.normal(scale=0.8, size=AGENTS)
        found = eq.bradley_terry(draw(rng, strength, 150), prior=0.8)
        covered.add(found.low, found.high, strength - strength.mean(), found.rating)  # relative to the field
    covered.check()


def grouped(rng, groups=60, each=20):
    """Every group (a voter) shifts all strengths by its own taste."""
    taste = rng.normal(scale=0.7, size=(groups, AGENTS))
    a, b = schedule(rng, groups * each)
    g = np.repeat(np.arange(groups), each)
    gap = STRENGTH[a] + taste[g, a] - STRENGTH[b] - taste[g, b]
    return matches(a, b, rng.random(len(a)) < scipy.special.expit(gap), group=Factor.of(g))


@cache
def truth_of_groups():
    """Tastes shrink the average strengths a little; the truth is what many groups would give."""
    return eq.bradley_terry(grouped(np.random.default_rng(0), groups=60_000, each=20).pairs()).rating


def test_clustered_errors_are_right_where_plain_ones_are_too_small():
    rng = np.random.default_rng(14)
    truth = truth_of_groups()
    clustered, plain = Coverage(what="rating, clustered"), Coverage()
    for _ in range(RUNS):
        m = grouped(rng)
        for covered, found in ((clustered, eq.bradley_terry(m)), (plain, eq.bradley_terry(m.pairs()))):
            covered.add(found.low, found.high, truth, found.rating)
    clustered.check(slack=0.005)  # sandwiches of 60 groups are a little narrow
    assert plain.held().mean() < clustered.held().mean() - 0.02


def test_fractional_scores_have_errors_of_their_own_size():
    """Scores spread by 0.1 around what strengths say: as games won and lost they would look five times as unsure."""
    rng = np.random.default_rng(45)
    covered, drawn = Coverage(what="rating, fractional scores"), Coverage(what="bootstrap of fractional scores")
    for run in range(RUNS):
        a, b = schedule(rng, 240)
        mean = scipy.special.expit(STRENGTH[a] - STRENGTH[b])
        m = matches(a, b, rng.beta(mean * 20, (1 - mean) * 20))
        found = eq.bradley_terry(m)
        covered.add(found.low, found.high, STRENGTH, found.rating)
        if run % 5 == 0:
            again = eq.bootstrap(eq.bradley_terry, m, n=199, rng=run)
            drawn.add(again.low, again.high, STRENGTH, found.rating)
    covered.check(slack=0.01)  # 240 games of 8 agents: sandwiches are a little narrow
    drawn.check(slack=0.015)


def few_groups(rng, sizes, agents=4):
    """Four agents that are equal on average; every group has its own taste."""
    g = np.repeat(np.arange(len(sizes)), sizes)
    taste = rng.normal(scale=0.5, size=(len(sizes), agents))
    a = rng.integers(agents, size=len(g))
    b = (a + rng.integers(1, agents, size=len(g))) % agents
    won = rng.random(len(g)) < scipy.special.expit(taste[g, a] - taste[g, b])
    names = tuple("abcdefgh"[:agents])
    return eq.Matches.from_codes(
        names, a.astype(np.int32), b.astype(np.int32), won.astype(float), group=Factor.of(g)
    )  # fmt: skip


def test_intervals_and_ranks_hold_with_few_groups(monkeypatch):
    rng = np.random.default_rng(43)
    covered, wrong, tables = Coverage(what="rating, few groups"), {}, {}
    for groups in (2, 3, 5, 8, 20):
        tables[groups] = [few_groups(rng, [100] * groups) for _ in range(250)]
        found = [eq.bradley_terry(m) for m in tables[groups]]
        for result in found:
            covered.add(result.low, result.high, np.zeros(4), result.rating)
        wrong[groups] = [bool((result.rank_low > 1).any()) for result in found]
        assert np.mean([(r.low <= 0) & (r.high >= 0) for r in found]) >= 0.93
    covered.check()
    for groups in (2, 3, 5):
        alone = ranks.two_sided_quantile(0.95, groups - 1)
        monkeypatch.setattr(ranks, "simultaneous_quantile", lambda *_, alone=alone: alone)
        one_by_one = [bool((eq.bradley_terry(m).rank_low > 1).any()) for m in tables[groups]]
        check_guarantee(wrong[groups], 0.05, naive=one_by_one, what="ranks, few groups")
    for groups in (8, 20):
        check_guarantee(wrong[groups], 0.05, what="ranks, few groups")


def test_intervals_and_ranks_hold_where_a_few_groups_tell_most(monkeypatch):
    """They are only more careful there; sandwiches of groups as they are cover 80%."""
    rng = np.random.default_rng(44)
    tables = [
        few_groups(rng, sizes)
        for sizes in ([600, 60, 60, 60, 60], [600] + [60] * 19, [600, 200, 200, 200, 200, 200, 60, 60])
        for _ in range(100)
    ]
    covered, plain = Coverage(what="rating, uneven groups"), Coverage()
    found = [eq.bradley_terry(m) for m in tables]
    monkeypatch.setattr(clustered_errors, "EVEN_SHARE", 0.0)
    for result, naive in zip(found, [eq.bradley_terry(m) for m in tables], strict=True):
        covered.add(result.low, result.high, np.zeros(4), result.rating)
        plain.add(naive.low, naive.high, np.zeros(4), naive.rating)
    assert plain.held().mean() < 0.88
    share = float(covered.held().mean())
    record("rating, uneven groups", "at least 0.93", round(share, 4))
    assert share >= 0.93, share
    check_guarantee([(result.rank_low > 1).any() for result in found], 0.05, what="ranks, uneven groups")


def test_davidson_covers_its_own_data():
    rng = np.random.default_rng(16)
    tau = np.log(0.8)
    ratings_, tie, found = Coverage(what="rating, davidson"), Coverage(what="tie, davidson"), []
    for _ in range(RUNS):
        a, b = schedule(rng, GAMES)
        d = STRENGTH[a] - STRENGTH[b]
        weights = np.stack([np.exp(d / 2), np.full_like(d, np.exp(tau)), np.exp(-d / 2)])
        u = rng.random(GAMES) * weights.sum(axis=0)
        outcome = np.where(u < weights[0], 1.0, np.where(u < weights[0] + weights[1], 0.5, 0.0))
        result = eq.bradley_terry(matches(a, b, outcome), ties="davidson")
        ratings_.add(result.low, result.high, STRENGTH, result.rating)
        tie.add(result.tie.low, result.tie.high, tau, result.tie)
        found.append([*result.rating, float(result.tie)])
    ratings_.check()
    tie.check()
    check_unbiased(found, [*STRENGTH, tau], allowed=0.1, what="davidson")


def test_rao_kupper_covers_its_own_data():
    rng = np.random.default_rng(42)
    theta = 1.5
    ratings_, tie, found = Coverage(what="rating, rao-kupper"), Coverage(what="tie, rao-kupper"), []
    for _ in range(RUNS):
        a, b = schedule(rng, GAMES)
        gap = STRENGTH[a] - STRENGTH[b]
        won, lost = (scipy.special.expit(sign * gap - np.log(theta)) for sign in (1, -1))
        u = rng.random(GAMES)
        outcome = np.where(u < won, 1.0, np.where(u > 1 - lost, 0.0, 0.5))
        result = eq.bradley_terry(matches(a, b, outcome), ties="rao-kupper")
        ratings_.add(result.low, result.high, STRENGTH, result.rating)
        tie.add(result.tie.low, result.tie.high, np.log(theta), result.tie)
        found.append([*result.rating, float(result.tie)])
    ratings_.check()
    tie.check()
    check_unbiased(found, [*STRENGTH, np.log(theta)], allowed=0.1, what="rao-kupper")
