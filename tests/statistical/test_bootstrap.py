"""The bootstrap over each of its units: what would other matches, groups or tasks have said?"""

from dataclasses import dataclass

import numpy as np

import equipoise as eq
from tests.statistical.honesty import Coverage
from tests.statistical.test_ratings import STRENGTH, draw, grouped, truth_of_groups


def test_intervals_over_matches_cover():
    rng = np.random.default_rng(15)
    covered = Coverage(what="bootstrap over matches")
    for run in range(150):
        found = eq.bootstrap(eq.bradley_terry, draw(rng, STRENGTH, 600), n=200, rng=run)
        covered.add(found.low, found.high, STRENGTH, found.estimate)
    covered.check(slack=0.015)  # percentiles of 200 resamples, and maximum likelihood stretches in each of them


def test_intervals_over_groups_cover():
    rng = np.random.default_rng(51)
    truth, covered = truth_of_groups(), Coverage(what="bootstrap over groups")
    for run in range(100):
        found = eq.bootstrap(eq.bradley_terry, grouped(rng), n=200, over="clusters", rng=run)
        covered.add(found.low, found.high, truth, found.estimate)
    covered.check(slack=0.015)  # as above, with 60 groups


def test_intervals_of_online_elo_cover_what_such_games_give_on_average():
    rng = np.random.default_rng(52)
    truth = np.mean([eq.elo(draw(rng, STRENGTH, 600), k=0.1).rating for _ in range(3000)], axis=0)
    covered = Coverage(what="bootstrap of elo over matches")
    for run in range(150):
        found = eq.bootstrap(lambda m: eq.elo(m, k=0.1), draw(rng, STRENGTH, 600), n=200, rng=run)
        covered.add(found.low, found.high, truth, found.estimate)
    covered.check(slack=0.02)


@dataclass(frozen=True)
class Means:
    agents: tuple[str, ...]
    mean: np.ndarray


def test_intervals_over_tasks_cover_what_other_tasks_would_show():
    rng = np.random.default_rng(53)
    covered, skill = Coverage(what="bootstrap over tasks"), np.array([0.5, 0.7, 0.9])

    def method(scores: eq.Scores) -> Means:
        return Means(scores.agents, scores.values.mean(axis=1))

    for run in range(400):
        values = skill[:, None] + 0.2 * rng.normal(size=(1, 40)) + 0.4 * rng.normal(size=(3, 40))
        found = eq.bootstrap(method, eq.Scores.from_matrix(values), n=200, over="tasks", statistic="mean", rng=run)
        covered.add(found.low, found.high, skill, found.estimate)
    covered.check(slack=0.015)  # drawing 40 tasks out of 40 makes it 1/80 too narrow, and 200 resamples are few
