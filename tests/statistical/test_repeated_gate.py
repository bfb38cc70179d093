"""One noisy baseline, compared with an unchanged agent day after day: how often is a day red, and by which baseline?"""

import numpy as np
import scipy.stats

import equipoise as eq
from equipoise.aggregates.precision import precision
from equipoise.aggregates.runs import runs_of
from equipoise.analyses.gate.repeated import compare_repeatedly, looks, record
from tests.statistical.honesty import record as note

BASELINES, DAYS, TASKS, RUNS = 500, 100, 20, 5
NAMES = [f"q{k}" for k in range(TASKS)]


def intervals(base, new, runs, level):
    """Intervals of the difference of every day at once: what ``eq.gate`` gives for one of them."""
    change = (new - base)[:, :, :runs]
    drawn = runs_of(eq.Scores.from_matrix(change), "none", None, "runs", "independent")
    alike = np.ptp(change, axis=2) == 0.0
    drawn = type(drawn)(**{name: getattr(drawn, name) for name in drawn.__slots__} | {
        "least": np.where(alike, 3.0 / (TASKS * runs), 0.0)})  # fmt: skip
    return precision(drawn, "mean", 2, np.random.default_rng(0)).ends(level)


def red_days(base, new, margin):
    """Which days fail: the first look that decides, decides."""
    open_still, red = np.ones(len(new), bool), np.zeros(len(new), bool)
    planned = looks(RUNS)
    for runs in planned:
        low, high = intervals(base, new, runs, 1.0 - 0.05 / len(planned))
        red |= open_still & (high < -margin)
        open_still &= (low <= -margin) & (high >= -margin)
    return red


def plain_red(base, new):
    """Student's t over the tasks' means, one look."""
    change = (new - base).mean(axis=2)
    half = scipy.stats.t.isf(0.025, TASKS - 1) * change.std(axis=1, ddof=1) / TASKS**0.5
    return change.mean(axis=1) + half < 0.0


def test_days_of_an_unchanged_agent_are_seldom_red_though_one_baseline_serves_them_all():
    at_zero, at_margin, plain = (np.zeros((BASELINES, DAYS), bool) for _ in range(3))
    for k in range(BASELINES):
        rng = np.random.default_rng([91, k])
        chance = rng.beta(2.0, 1.0, size=(TASKS, 1))
        base = (rng.random((TASKS, RUNS)) < chance).astype(float)
        new = (rng.random((DAYS, TASKS, RUNS)) < chance).astype(float)
        at_zero[k], at_margin[k], plain[k] = red_days(base, new, 0.0), red_days(base, new, 0.05), plain_red(base, new)
        if k % 20 == 0:
            assert in_turn(base, new[0]) == bool(at_margin[k, 0])
    shares = {name: np.sort(red.mean(axis=1)) for name, red in (("0", at_zero), (".05", at_margin), ("t", plain))}
    worst = {name: float(share[-BASELINES // 20 :].mean()) for name, share in shares.items()}
    ever = {name: float((share > 0.0).mean()) for name, share in shares.items()}
    for name, share in shares.items():
        said = f"{share.mean():.4f} of days, {worst[name]:.3f} of the worst twentieth, {ever[name]:.3f} ever"
        note(f"red days, {name}", "at most 2.5% of days", said)
    # Days of one baseline are alike: what counts as one observation is a baseline.
    for name in ("0", ".05"):
        note("red days", "at most 2.5%", round(float(shares[name].mean()), 4))
        assert shares[name].mean() <= 0.025 + 3.0 * shares[name].std(ddof=1) / BASELINES**0.5
    assert worst[".05"] < 0.02 < worst["0"] < 0.1 < worst["t"]
    assert ever[".05"] < 0.06 < ever["0"] < 0.2
    assert ever["t"] > 0.35


def in_turn(base, new):
    """One day as a test of the plugin has it: is it red?"""
    places = {name: k for k, name in enumerate(NAMES)}
    recorded = record(replay(base, places), NAMES, RUNS)
    (found,) = compare_repeatedly(replay(new, places), NAMES, {"baseline": recorded}, margin=0.05, max_runs=RUNS)
    low, high = intervals(base, new[None], found.runs, found.level)
    assert (found.low, found.high) == (float(low[0]), float(high[0]))
    return found.verdict == "fail"


def replay(values, places):
    """Give runs in the order in which they are asked for."""
    given = np.zeros(len(places), int)

    def run(task, _seed):
        k = places[task]
        given[k] += 1
        return values[k, given[k] - 1]

    return run
