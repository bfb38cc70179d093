"""Do aggregates hold where a run is good or bad on all tasks at once, and cost little where it is not?"""

import numpy as np
import pytest

import equipoise as eq
from equipoise.aggregates.kernels import iqm
from equipoise.analyses.scores.as_games import games_of
from equipoise.data.types.matches import matches_from_scores
from tests.statistical.honesty import SIGMAS, check_guarantee, record
from tests.statistical.unseen.runs_worlds import FAMILIES, table

STATISTICS = ("mean", "iqm", "median", "optimality_gap")
LEAST, WIDEST = 0.93, 1.25
AGENTS, TASKS, REPEATS = 4, (9, 24), 40


def truths(many):
    """Statistics of very many runs, tasks x runs."""
    means = many.mean(axis=1)
    answers = {"mean": means.mean(), "median": np.median(means), "iqm": float(iqm(many))}
    return answers | {"optimality_gap": float(np.maximum(1.0 - many, 0.0).mean())}


def simulated(runs, effect, how=None):
    """Whether intervals of each statistic hold, and how wide they are, over all families and numbers of tasks."""
    held, width = {name: [] for name in STATISTICS}, {name: [] for name in STATISTICS}
    for k, family in enumerate(FAMILIES):
        for tasks in TASKS:
            seed = [runs, int(10 * effect), k, tasks]
            values, _ = table(np.random.default_rng(seed), AGENTS, tasks, runs, effect, family, REPEATS)
            many, _ = table(np.random.default_rng(seed), 1, tasks, 20_000, effect, family)
            truth = truths(many[0, 0])
            for one in values:
                result = eq.aggregate(eq.Scores.from_matrix(one), runs=how, n=60)
                for name in STATISTICS:
                    low, high = (getattr(result, f"{name}_{end}") for end in ("low", "high"))
                    held[name].append((low <= truth[name]) & (truth[name] <= high))
                    width[name].append(high - low)
    return {name: np.array(held[name]) for name in held}, {name: np.array(width[name]) for name in width}


@pytest.mark.parametrize("runs", [3, 4, 6])
@pytest.mark.parametrize("effect", [0.6, 1.5])
def test_aggregates_of_shared_runs_cover(runs, effect):
    held, _ = simulated(runs, effect)
    for name in STATISTICS:
        share = float(held[name].mean())
        record(f"{name}, {runs} runs that share {effect} of their noise", f"at least {LEAST:.0%}", round(share, 3))
        assert share >= LEAST - SIGMAS * np.sqrt(LEAST * (1 - LEAST) / held[name].size), (name, share)
    plain, _ = simulated(runs, effect, "independent")
    assert plain["mean"].mean() < 0.85, "independent runs would do as well"


@pytest.mark.parametrize("runs", [3, 4, 6])
def test_runs_that_share_nothing_cost_little(runs):
    held, width = simulated(runs, 0.0)
    _, plain = simulated(runs, 0.0, "independent")
    for name in STATISTICS:
        assert held[name].mean() >= LEAST, name
        wider = float((width[name] / plain[name]).mean())
        assert 1.0 < wider <= WIDEST, (name, wider)


@pytest.mark.parametrize("runs", [3, 4, 6])
def test_equal_agents_of_shared_runs_are_seldom_ranked_apart(runs):
    apart, naive = [], []
    for k, family in enumerate(FAMILIES):
        for tasks in TASKS:
            values, _ = table(np.random.default_rng([runs, k, tasks]), AGENTS, tasks, runs, 1.0, family, REPEATS)
            for one in values:
                for how, found in ((None, apart), ("independent", naive)):
                    result = eq.probability_of_improvement(eq.Scores.from_matrix(one), statistic="mean", runs=how, n=60)
                    found.append(len(set(result.group)) > 1)
    check_guarantee(apart, 0.06, naive=naive, what=f"equal agents apart, {runs} shared runs")


@pytest.mark.parametrize(("runs", "effect"), [(3, 0.0), (3, 1.0), (5, 0.4), (5, 1.0)])
def test_games_that_shared_runs_make_are_covered_and_equal_agents_seldom_ranked_apart(runs, effect):
    held, apart, naive, width = [], [], [], []
    for k, family in enumerate(FAMILIES):
        for tasks in TASKS:
            values, _ = table(np.random.default_rng([61, runs, k, tasks]), AGENTS, tasks, runs, effect, family, 25)
            for one in values:
                scores = eq.Scores.from_matrix(one)
                mine, plain = (eq.bradley_terry(games) for games in (games_of(scores), matches_from_scores(scores)))
                held.append(np.mean((mine.low <= 0) & (mine.high >= 0)))
                apart.append(mine.rank_low.max() > 1)
                naive.append(plain.rank_low.max() > 1)
                width.append(np.mean(mine.high - mine.low) / np.mean(plain.high - plain.low))
    record(f"games of {runs} runs that share {effect} of their noise", f"at least {LEAST:.0%}", round(np.mean(held), 3))
    assert np.mean(held) >= LEAST - SIGMAS * np.std(held) / np.sqrt(len(held))
    check_guarantee(apart, 0.06, naive=naive if effect else None, what=f"equal agents apart by games, {runs} runs")
    assert effect or np.mean(width) <= WIDEST
