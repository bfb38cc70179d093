"""Do aggregates keep their word with the two, three or five runs that people have, whatever the scores' shape?"""

import numpy as np
import pytest

import equipoise as eq
from equipoise.aggregates.kernels import iqm
from equipoise.aggregates.runs import resampled, runs_of
from tests.statistical.honesty import SIGMAS, Coverage, check_guarantee, record

SHAPES = {
    "normal": lambda rng, size: rng.normal(size=size),
    "skewed": lambda rng, size: (rng.gumbel(size=size) - np.euler_gamma) / np.sqrt(np.pi**2 / 6),
    "heavy tails": lambda rng, size: rng.standard_t(3, size=size) / np.sqrt(3),
}
STATISTICS = ("iqm", "median", "mean", "optimality_gap")
LEAST = 0.93
SAMPLES = 300


def worlds(rng, tasks):
    """Shapes of the runs, with equal and unequal spread over the tasks: means, spreads, and how to draw."""
    for draw in SHAPES.values():
        for uneven in (0.0, 0.7):
            yield rng.normal(size=tasks) * 0.5, 0.3 * np.exp(uneven * rng.normal(size=tasks)), draw


def truths(rng, mean, spread, draw):
    many = mean[:, None] + spread[:, None] * draw(rng, (len(mean), 40_000))
    values = {"iqm": float(iqm(many)), "median": float(np.median(mean)), "mean": float(mean.mean())}
    return values | {"optimality_gap": float(np.maximum(1 - many, 0.0).mean())}


@pytest.mark.parametrize("tasks", [1, 5, 20])
@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_aggregates_of_few_runs_cover(runs, tasks):
    rng = np.random.default_rng(100 * runs + tasks)
    covered = {name: Coverage(what=f"{name}, {runs} runs, {tasks} tasks") for name in STATISTICS}
    plain = Coverage(what="percentiles")
    for mean, spread, draw in worlds(rng, tasks):
        truth = truths(rng, mean, spread, draw)
        # Agents are independent: many of them are as many samples.
        table = eq.Scores.from_matrix(mean[:, None] + spread[:, None] * draw(rng, (SAMPLES, tasks, runs)))
        result = eq.aggregate(table, n=200)
        for name in STATISTICS:
            covered[name].add(*(getattr(result, f"{name}{end}") for end in ("_low", "_high")), truth[name])
        drawn = np.concatenate(list(resampled(runs_of(table, "none", None, "run"), 100, rng)))
        plain.add(*np.quantile(np.nanmean(drawn, axis=(2, 3)), [0.025, 0.975], axis=0), truth["mean"])
    bound = LEAST - SIGMAS * np.sqrt(LEAST * (1 - LEAST) / plain.held().size)
    for name in STATISTICS:
        share = covered[name].held().mean()
        record(covered[name].what, f"95%, at least {LEAST:.0%}", round(float(share), 3))
        assert share >= bound, f"{covered[name].what}: {share:.3f} hold"
    if runs <= 3:
        assert plain.held().mean() < bound, "plain percentiles would do as well"


@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_four_equal_agents_with_few_runs_are_rarely_ranked_apart(runs):
    rng = np.random.default_rng(runs)
    apart, naive = [], []
    for tasks in (1, 5, 20):
        for mean, spread, draw in worlds(rng, tasks):
            for repeat in range(24):
                values = mean[:, None] + spread[:, None] * draw(rng, (4, tasks, runs))
                statistic = STATISTICS[repeat % 4]
                result = eq.compare(eq.Scores.from_matrix(values), statistic=statistic, n=100, rng=repeat)
                apart.append(len(set(result.group)) > 1)
                # As if the spread of so few runs were known, and drawn out of themselves.
                error = np.sqrt(values.var(axis=2).sum(axis=1) / runs) / tasks
                gap = values.mean(axis=(1, 2))
                far = np.abs(gap[:, None] - gap) / np.sqrt(error[:, None] ** 2 + error**2)
                naive.append((far > 2.57).any())
    check_guarantee(apart, 0.05, naive=naive if runs <= 5 else None, what=f"equal agents apart, {runs} runs")


def test_chances_of_improvement_of_few_runs_cover():
    rng = np.random.default_rng(7)
    for runs in (2, 3, 5, 10):
        covered = Coverage(what=f"improvement, {runs} runs")
        for tasks in (1, 5, 20):
            for shift, chance in ((0.0, 0.5), (1.0, 0.7602499389065233)):
                for _ in range(40):
                    values = rng.normal(np.array([0.0, 0.0, 0.0, shift])[:, None, None], 1.0, size=(4, tasks, runs))
                    result = eq.compare(eq.Scores.from_matrix(values), statistic="mean")
                    covered.add(result.improvement_low[3, :3], result.improvement_high[3, :3], chance)
        share = covered.held().mean()
        record(covered.what, "95%, at least 93%", round(float(share), 3))
        assert share >= LEAST, (runs, share)
        assert runs < 5 or covered.held(0.7).mean() < LEAST, "narrower intervals would do"


def test_strongly_skewed_runs_of_one_task_are_the_limit_that_the_page_states():
    rng = np.random.default_rng(8)
    for tasks, low, high in ((1, 0.86, 0.93), (5, 0.92, 1.0)):
        for runs in (2, 3, 5, 10):
            result = eq.aggregate(eq.Scores.from_matrix(rng.exponential(size=(1000, tasks, runs))), n=2)
            share = np.mean((result.mean_low <= 1.0) & (result.mean_high >= 1.0))
            record(f"exponential runs, {tasks} tasks, {runs} runs", "stated limit", round(float(share), 3))
            assert low <= share <= high, (tasks, runs, share)


def test_means_and_medians_of_few_tasks_cover_what_another_suite_would_show():
    rng = np.random.default_rng(9)
    for tasks in (3, 5, 10, 20):
        covered = {name: Coverage(what=f"{name} over {tasks} tasks") for name in ("mean", "median", "iqm")}
        for draw in (SHAPES["normal"], SHAPES["heavy tails"]):
            table = eq.Scores.from_matrix(draw(rng, (600, tasks)))
            result = eq.aggregate(table, unit="task", n=200)
            for name, part in covered.items():
                part.add(*(getattr(result, f"{name}{end}") for end in ("_low", "_high")), 0.0)
        for part in covered.values():
            share = part.held().mean()
            record(part.what, "95%, at least 93%", round(float(share), 3))
            assert share >= LEAST - SIGMAS * np.sqrt(LEAST * (1 - LEAST) / part.held().size), (part.what, share)
