"""alpha-Rank, its bounds and its sampler: how long they take, beside OpenSpiel where that is installed.

Usage: python benchmarks/alpha_rank.py [--repeats 3]

Prints medians in seconds. OpenSpiel (benchmarks/requirements.txt) is dense and works profile by profile in Python, so
it is only asked for games it can finish.
"""

import argparse
import math
import statistics
import time
from collections.abc import Callable

import numpy as np

import equipoise as eq

try:
    from open_spiel.python.egt import alpharank as openspiel
except ImportError:
    openspiel = None


def seconds(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def win_table(n: int, seed: int = 0) -> np.ndarray:
    upper = np.triu(np.random.default_rng(seed).random((n, n)), 1)
    table = upper + np.tril(1 - upper.T, -1)
    np.fill_diagonal(table, 0.5)
    return table


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Times of alpha-Rank.")
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args(arguments).repeats
    rng = np.random.default_rng(1)
    eq.alpha_rank(eq.MetaGame.symmetric([[0, 1], [-1, 0]]), alpha=1e4)  # compile once
    rows: list[tuple[str, float, float | None]] = []
    for n, alphas in ((30, (1.0, 100.0, math.inf)), (5000, (1.0, math.inf))):
        game = eq.MetaGame.symmetric(win_table(n))
        for alpha in alphas:
            ours = seconds(lambda game=game, alpha=alpha: eq.alpha_rank(game, alpha=alpha), repeats)
            theirs = None
            if openspiel is not None and n <= 30 and alpha == 1.0:
                table = [np.array(game.payoffs[0])]
                theirs = seconds(lambda table=table: openspiel.compute(table, m=50, alpha=1.0), repeats)
            rows.append((f"one population of {n}, alpha {alpha:g}", ours, theirs))
    for shape, alphas in (((5, 5, 5), (1.0, math.inf)), ((20, 20, 20), (1.0, math.inf))):
        payoffs = [rng.random(shape) for _ in shape]
        game = eq.MetaGame.from_payoffs(payoffs)
        for alpha in alphas:
            ours = seconds(lambda game=game, alpha=alpha: eq.alpha_rank(game, alpha=alpha), repeats)
            theirs = None
            if openspiel is not None and shape == (5, 5, 5) and alpha == 1.0:
                theirs = seconds(lambda payoffs=payoffs: openspiel.compute(payoffs, m=50, alpha=1.0), repeats)
            rows.append((f"{'x'.join(map(str, shape))} profiles, alpha {alpha:g}", ours, theirs))
    win = win_table(30)
    width = float(np.median(np.abs(win - 0.5)[np.triu_indices(30, 1)]))
    bounds = seconds(lambda: eq.alpha_rank_bounds(win - width, win + width), repeats)
    rows.append(("bounds, 30 strategies, half of the edges uncertain", bounds, None))
    for what, ours, theirs in rows:
        beside = "" if theirs is None else f"   OpenSpiel {theirs:8.3f} s"
        print(f"{what:55s} {ours:8.3f} s{beside}")


if __name__ == "__main__":
    main()
