"""Boards by category: intervals hold on average over categories, flags hold together, with and without a spread."""

import numpy as np

import equipoise as eq
from tests.statistical.honesty import Coverage, check_guarantee, record

AGENTS, CATEGORIES = 8, 5
NAMES = np.array([f"p{k}" for k in range(AGENTS)])


def world(rng, tau, games, copies=1, within=False):
    """Draw a log and what is true of it: ratings by category, and overall.

    With ``copies`` each game is told so many times, by a group that tells one game, or four of several categories.
    """
    strength, own = rng.normal(0, 0.8, AGENTS), rng.normal(0, tau, (AGENTS, CATEGORIES))
    a = rng.integers(AGENTS, size=games)
    b = (a + rng.integers(1, AGENTS, size=games)) % AGENTS
    c = rng.integers(CATEGORIES, size=games) ** 2 // CATEGORIES  # some categories are played more often
    c[: 2 * CATEGORIES] = np.arange(2 * CATEGORIES) % CATEGORIES
    gap = strength[a] + own[a, c] - strength[b] - own[b, c]
    won = (rng.random(games) < 1 / (1 + np.exp(-gap))).astype(float)
    row = np.repeat(np.arange(games), copies)
    group = None if copies == 1 else row if within else row // 4
    m = eq.Matches.from_columns(NAMES[a[row]], NAMES[b[row]], won[row], task=c[row], group=group)
    rating = strength[:, None] + own
    rating = rating - rating.mean(axis=0)
    rows = [int(name[1:]) for name in m.agents]
    columns = [int(name) for name in m.task.labels]
    rating = rating[np.ix_(rows, columns)]
    return m, rating, rating.mean(axis=1)


def coverage(tau, games, runs, seed, what, slack=0.0, over=0.0, **more):
    kinds = ("ratings by category", "differences", "overall ratings")
    held = {kind: Coverage(what=f"{kind}, {what}") for kind in kinds}
    wrong, ranks, spread = [], [], []
    for run in range(runs):
        m, rating, overall = world(np.random.default_rng([seed, run]), tau, games, **more)
        boards = eq.categories(m)
        off = rating - overall[:, None]
        held[kinds[0]].add(boards.low, boards.high, rating, boards.rating)
        held[kinds[1]].add(boards.difference_low, boards.difference_high, off, boards.difference)
        held[kinds[2]].add(boards.overall_low, boards.overall_high, overall, boards.overall)
        wrong.append(bool(((boards.special != 0) & (np.sign(np.round(off, 9)) != boards.special)).any()))
        place = 1 + (rating[:, None, :] < rating[None, :, :]).sum(axis=1)
        ranks.append(((place < boards.rank_low) | (place > boards.rank_high)).any(axis=0).mean())
        spread.append(boards.tau.low <= tau <= boards.tau.high)
    for kind, each in held.items():
        if tau or kind != "differences":
            each.check(slack, over)
        else:  # all differences are 0, and intervals that allow for others nearly always hold it
            record(each.what, 0.95, round(float(each.held().mean()), 4))
            assert each.held().mean() > 0.95
    check_guarantee(wrong, 0.05, what=f"special where, {what}")
    record(f"ranks within a board, {what}", 0.05, round(float(np.mean(ranks)), 4))
    assert np.mean(ranks) < 0.06
    return spread


def test_ratings_by_category_and_differences_are_covered_on_average_over_categories():
    spread = coverage(0.4, 1500, 120, 31, "tau 0.4", over=0.02)
    record("tau", 0.95, round(float(np.mean(spread)), 4))
    assert np.mean(spread) > 0.9


def test_slices_of_few_games_are_covered_too():
    # Twelve games an agent and category, in some hardly any: intervals reach over those of two priors and are wide.
    coverage(0.6, 250, 100, 32, "few games", over=None)


def test_without_a_spread_hardly_anybody_is_special_and_intervals_hold():
    # Intervals of differences allow for a spread, which there is not: all but the overall ones are too careful.
    coverage(0.0, 1500, 50, 33, "tau 0", over=None)


def test_games_that_groups_repeat_are_not_taken_for_more():
    # tau takes them for independent and is too large, so that intervals are rather too wide.
    coverage(0.4, 600, 80, 34, "groups across categories", over=None, copies=3)
    coverage(0.4, 600, 80, 35, "groups within categories", over=None, copies=3, within=True)
