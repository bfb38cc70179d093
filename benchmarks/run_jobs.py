"""Runs: aggregates over tasks and seeds with a stratified bootstrap, what papers on reinforcement learning report."""

from typing import Any

import numpy as np

from benchmarks.job import Agreement, Answer, Job, Side

__all__ = ["JOBS"]

AGENTS, TASKS, RUNS = 4, 26, 10
STATISTICS = ("median", "iqm", "mean", "optimality_gap")


def scores(resamples: int) -> Any:
    """Give agents x tasks x runs (tasks differ in level, agents in skill, runs in luck), and how often to resample."""
    rng = np.random.default_rng(0)
    level = rng.lognormal(-0.5, 0.8, size=(1, TASKS, 1))
    skill = np.linspace(0, 0.5, AGENTS)[:, None, None]
    return level * rng.lognormal(skill, 0.3, size=(AGENTS, TASKS, RUNS)), resamples


def ours(data: Any) -> Answer:
    import equipoise as eq

    values, resamples = data
    found = eq.aggregate(eq.Scores.from_matrix(values), n=resamples)
    width = [getattr(found, f"{name}_high") - getattr(found, f"{name}_low") for name in STATISTICS]
    # Our intervals are widened for drawing n out of n runs; theirs are not.
    shrunk = np.array(width) * np.sqrt((RUNS - 1) / RUNS)
    return {"point": np.array([getattr(found, name) for name in STATISTICS]), "width": shrunk}


def rliable(data: Any) -> Answer:
    from rliable import library, metrics

    aggregates = (
        metrics.aggregate_median,
        metrics.aggregate_iqm,
        metrics.aggregate_mean,
        metrics.aggregate_optimality_gap,
    )

    def all_four(table: Any) -> Any:
        return np.array([aggregate(table) for aggregate in aggregates])

    values, resamples = data
    tables = {str(k): values[k].T for k in range(len(values))}
    points, intervals = library.get_interval_estimates(tables, all_four, reps=resamples)
    ends = np.array([intervals[name] for name in tables])
    return {"point": np.array([points[name] for name in tables]).T, "width": (ends[:, 1] - ends[:, 0]).T}


def drawn_floor(data: Any) -> Answer:
    """Draw and gather the resamples, and do nothing with them."""
    values, resamples = data
    rng = np.random.default_rng(0)
    for _ in range(resamples):
        np.take_along_axis(values, rng.integers(RUNS, size=values.shape), axis=2)
    return {}


def same_aggregates(ours: Answer, theirs: Answer) -> Agreement:
    """Point estimates are equal; widths agree up to the luck of the draws."""
    gap = float(np.max(np.abs(ours["point"] - theirs["point"])))
    ratio = float(np.median(theirs["width"] / ours["width"]))
    words = f"largest difference of an aggregate {gap:.0e}, median ratio of interval widths {ratio:.2f}"
    return gap <= 1e-9 and 0.8 <= ratio <= 1.25, words


JOBS = (
    Job(
        "aggregates over runs with intervals",
        scores,
        (
            Side("equipoise", ours),
            Side("rliable", rliable),
            Side("draws", drawn_floor, note="draw and gather the runs, no statistic"),
        ),
        (100, 500, 2_000, 10_000),
        (100, 200, 400),
        lambda resamples: f"{resamples:,} bootstrap samples of {AGENTS} x {TASKS} x {RUNS} runs",
        same_aggregates,
        floor="draws",
    ),
)
