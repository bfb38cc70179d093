"""Speed of the flows: mElo on a million matches, Hodge on a sparse table, the verdict on both.

Usage: python benchmarks/flows.py [--repeats 3]

Prints the median seconds of each; the first call, which compiles the kernels, is not counted.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

import equipoise as eq


def million_matches(agents: int = 300, matches: int = 1_000_000) -> eq.Matches:
    """Matches of agents with ratings and places on one disc."""
    rng = np.random.default_rng(1)
    rating, place = rng.normal(size=agents), 0.8 * rng.normal(size=(agents, 2))
    a = rng.integers(agents, size=matches, dtype=np.int32)
    b = ((a + rng.integers(1, agents, size=matches)) % agents).astype(np.int32)
    odds = rating[a] - rating[b] + place[a, 0] * place[b, 1] - place[a, 1] * place[b, 0]
    won = (rng.random(matches) < 1 / (1 + np.exp(-odds))).astype(float)
    return eq.Matches.from_codes(tuple(f"agent {k}" for k in range(agents)), a, b, won)


def sparse_table(agents: int = 2000, pairs: int = 200_000) -> eq.PairTable:
    """A tenth of all pairs met, a few times each."""
    rng = np.random.default_rng(2)
    i, j = np.triu_indices(agents, 1)
    kept = rng.choice(len(i), size=pairs, replace=False)
    i, j = i[kept], j[kept]
    rating, games = rng.normal(size=agents), rng.integers(1, 20, size=pairs)
    wins = rng.binomial(games, 1 / (1 + np.exp(rating[j] - rating[i])))
    return eq.PairTable.from_columns(tuple(f"agent {k}" for k in range(agents)), i, j, wins, games - wins)


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    work()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    log, table = million_matches(), sparse_table()
    rows = {
        "melo, k = 1: 300 agents, 1,000,000 matches": lambda: eq.melo(log),
        "melo_online, k = 1: the same": lambda: eq.melo_online(log),
        "transitivity, 999 tables: the same": lambda: eq.transitivity(log),
        "hodge: 2,000 agents, 200,000 pairs": lambda: eq.hodge(table),
        "transitivity, 99 tables: the same": lambda: eq.transitivity(table, n=99),
    }
    for name, work in rows.items():
        print(f"{median_seconds(work, repeats):8.2f} s  {name}")


if __name__ == "__main__":
    main()
