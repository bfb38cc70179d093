"""Second families of worlds for numbers whose first simulations drew normal strengths and equal shares of the games.

Strengths are in two humps or exponential, people and judges are active by Pareto's law, judges lean by a lopsided
distribution, raters differ in how good they are, pairs are those of cups. No constant was chosen on any of them.
"""

from dataclasses import dataclass

import numpy as np

import equipoise as eq
from equipoise.data.encode.labels import Factor
from equipoise.ratings.judges.position_effects import side_terms
from tests.statistical.honesty import SIGMAS, record

LEAST, MOST = 0.93, 0.06


def check(what, held):
    """Assert that intervals hold often enough, up to the error of the simulation over its runs."""
    share = float(np.mean(held))
    record(what, f"at least {LEAST:.0%}", round(share, 3))
    assert share >= LEAST - SIGMAS * np.std(held) / np.sqrt(len(held)), what


def two_humps(rng, agents):
    """Strengths of a weak and a strong camp, summing to zero."""
    drawn = np.where(np.arange(agents) % 2, 0.7, -0.7) + 0.3 * rng.uniform(-1, 1, size=agents)
    return drawn - drawn.mean()


def lopsided_pairs(rng, agents, games):
    """Draw who meets whom: by popularity."""
    popular = 1 / np.arange(1.0, agents + 1)
    a = rng.choice(agents, size=games, p=popular / popular.sum())
    return a, (a + rng.integers(1, agents, size=games)) % agents


def logistic(gap):
    return 1 / (1 + np.exp(-gap))


def matches(agents, a, b, won, **more):
    names = tuple(f"p{k}" for k in range(agents))
    return eq.Matches.from_codes(names, a.astype(np.int32), b.astype(np.int32), np.asarray(won, dtype=float), **more)


@dataclass(frozen=True)
class Means:
    """What a user's own method gives."""

    agents: tuple[str, ...]
    mean: np.ndarray


def means(scores):
    return Means(scores.agents, scores.values.mean(axis=1))


def test_bootstraps_over_matches_and_tasks_cover():
    over_matches, over_tasks = [], []
    for run in range(80):
        rng = np.random.default_rng([71, run])
        strength = two_humps(rng, 5)
        a, b = lopsided_pairs(rng, 5, 700)
        m = matches(5, a, b, rng.random(700) < logistic(strength[a] - strength[b]))
        found = eq.bootstrap(eq.bradley_terry, m, n=120, rng=run)
        over_matches.append(np.mean((found.low <= strength) & (strength <= found.high)))
        skill = rng.exponential(size=3)
        values = skill[:, None] + rng.gamma(2.0, 0.3, size=(1, 60)) - 0.6 + rng.laplace(scale=0.4, size=(3, 60))
        scores = eq.Scores.from_matrix(values)
        tasks = eq.bootstrap(means, scores, n=120, over="tasks", statistic="mean", rng=run)
        over_tasks.append(np.mean((tasks.low <= skill) & (skill <= tasks.high)))
    check("bootstrap over matches, two camps", over_matches)
    check("bootstrap over tasks, skewed", over_tasks)


def test_ties_of_davidsons_kind_are_covered_where_agents_meet_by_popularity():
    ratings, ties = [], []
    for run in range(120):
        rng = np.random.default_rng([72, run])
        strength, nu = two_humps(rng, 6), 0.9
        a, b = lopsided_pairs(rng, 6, 900)
        gap = strength[a] - strength[b]
        win, loss = np.exp(gap / 2), np.exp(-gap / 2)
        u = rng.random(900) * (win + loss + nu)
        fit = eq.bradley_terry(
            matches(6, a, b, np.where(u < win, 1.0, np.where(u < win + loss, 0.0, 0.5))), ties="davidson"
        )
        ratings.append(np.mean((fit.low <= strength) & (strength <= fit.high)))
        ties.append(fit.tie.low <= np.log(nu) <= fit.tie.high)
    check("Davidson's ratings, popular agents", ratings)
    check("Davidson's tie parameter, popular agents", ties)


def test_cups_in_which_winners_meet_winners_are_covered_and_seldom_ranked_wrongly():
    held, wrong = [], []
    for run in range(60):
        rng = np.random.default_rng([73, run])
        strength = np.zeros(8) if run % 2 else two_humps(rng, 8)
        games = []
        for cup in range(12):
            left = rng.permutation(8)
            while len(left) > 1:
                a, b = left[0::2], left[1::2]
                won = rng.random(len(a)) < logistic(strength[a] - strength[b])
                games += [(x, y, w, 4 * cup + int(np.log2(8 / len(left)))) for x, y, w in zip(a, b, won, strict=True)]
                left = np.where(won, a, b)
        a, b, won, when = (np.array(column) for column in zip(*games, strict=True))
        log = matches(8, a, b, won, time=when)
        fit = eq.bradley_terry(log, pairing="adaptive", rng=run)
        held.append(np.mean((fit.low <= strength) & (strength <= fit.high)))
        best = 1 + (strength[None, :] > strength[:, None] + 1e-9).sum(axis=1)
        wrong.append((fit.rank_low > best).any())
    check("ratings in cups", held)
    record("ranks in cups", f"wrong in at most {MOST:.0%}", round(float(np.mean(wrong)), 4))
    assert np.mean(wrong) <= MOST + SIGMAS * np.sqrt(MOST * (1 - MOST) / len(wrong))


def test_leanings_of_judges_from_a_lopsided_population_are_covered():
    held = []
    for run in range(100):
        rng = np.random.default_rng([74, run])
        judges, agents = 25, 6
        lean = rng.gamma(1.5, 0.3, size=judges)
        active = 1 + rng.pareto(2.0, size=judges)
        who = rng.choice(judges, size=1500, p=active / active.sum())
        strength = two_humps(rng, agents)
        a, b = lopsided_pairs(rng, agents, 1500)
        m = matches(agents, a, b, rng.random(1500) < logistic(strength[a] - strength[b] + lean[who]))
        labels = Factor(tuple(f"j{k}" for k in range(judges)), who.astype(np.int32))
        found = side_terms(m, labels, np.zeros(agents), against_common=False, level=0.95)
        held.append(np.mean((found.low <= lean) & (lean <= found.high)))
    check("leanings of judges, lopsided", held)


def rated(rng, items, good):
    """Votes of raters of unequal skill, each on three items in four; labels in four unequal classes."""
    shares = np.array([0.5, 0.25, 0.15, 0.1])
    truth = rng.choice(4, items, p=shares)
    cast = np.where(rng.random((len(good), items)) < good[:, None], truth, rng.choice(4, (len(good), items), p=shares))
    return np.where(rng.random(cast.shape) < 0.75, cast.astype(float), np.nan)


def test_agreement_of_raters_of_unequal_skill_is_covered():
    good = np.array([0.9, 0.8, 0.7, 0.5, 0.4, 0.4])
    truth = float(eq.agreement(rated(np.random.default_rng(9), 20_000, good)).alpha)
    held = []
    for run in range(250):
        found = eq.agreement(rated(np.random.default_rng([75, run]), 70, good))
        held.append(found.low <= truth <= found.high)
    check("alpha of raters of unequal skill", held)
