"""How the luck methods grow with the number of rows: baseline and duplicate up to ten million.

Hands are drawn, not played: a deal has a luck, an agent a skill, a control sees the luck with noise. Each size prints
the seconds for building the table and for each method; linear cost means that ten times the rows take about ten times
as long.

Run: ``python benchmarks/luck_rows.py [largest]``
"""

import sys
import time

import numpy as np

import equipoise as eq
from equipoise.data.labels import Factor

AGENTS = 10
SIZES = (100_000, 1_000_000, 10_000_000)


def hands(rows: int, *, twice: bool) -> eq.Episodes:
    """Two-seat hands; every deal once, or in both orders of the seats."""
    rng = np.random.default_rng(0)
    plays = rows // 2
    deals = plays // 2 if twice else plays
    deal = np.tile(np.arange(deals), plays // deals)
    luck = rng.normal(size=deals)[deal]
    first = rng.integers(AGENTS, size=deals)[deal]
    second = (first + rng.integers(1, AGENTS, size=deals)[deal]) % AGENTS
    swapped = np.arange(plays) >= deals
    first, second = np.where(swapped, second, first), np.where(swapped, first, second)
    won = luck + 0.05 * (first - second) + rng.normal(size=plays)
    own = luck + 0.3 * rng.normal(size=deals)[deal]

    def interleaved(one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.stack([one, other], axis=1).ravel()

    names = tuple(f"agent {index}" for index in range(AGENTS))
    return eq.Episodes.from_factors(
        Factor(names, interleaved(first, second).astype(np.int32)),
        Factor(tuple(map(str, range(deals))), interleaved(deal, deal).astype(np.int32)),
        interleaved(won, -won),
        seat=Factor(("0", "1"), np.tile(np.array([0, 1], dtype=np.int32), plays)),
        controls={"bot": interleaved(own, -own)},
    )


def seconds(work: object) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def main(largest: int) -> None:
    """Print one line for each size."""
    print(f"{'rows':>12} {'baseline':>10} {'cross-fitted':>13} {'pairs':>8} {'duplicate':>10}")
    for rows in (size for size in SIZES if size <= largest):
        single, double = hands(rows, twice=False), hands(rows, twice=True)
        times = (
            seconds(lambda e=single: eq.baseline(e, control="bot")),
            seconds(lambda e=single: eq.baseline(e, control="bot", coefficient="cross-fitted")),
            seconds(lambda e=single: eq.baseline(e, control="bot", by="pair")),
            seconds(lambda e=double: eq.duplicate(e)),
        )
        print(f"{rows:>12,} {times[0]:>9.2f}s {times[1]:>12.2f}s {times[2]:>7.2f}s {times[3]:>9.2f}s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1])
