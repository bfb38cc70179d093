"""Coverage and rank claims where pairs followed results: plain and adaptive Bradley-Terry beside each other.

    python tools/adaptive_pairing.py [RUNS] [--jobs N]

Writes a table in Markdown; a cell takes some seconds for each hundred runs, and N processes share them. The statistical
suite holds the main cells to their word (``tests/statistical/test_adaptive_pairing.py``).
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import equipoise as eq
from equipoise.inference.executors import in_order, processes
from tests.statistical.pairings import king_of_the_hill, planned, strengths, swiss
from tests.statistical.test_adaptive_pairing import claims_a_wrong_rank, tables

DESIGNS = {
    "Swiss, 8 x 12": (8, lambda s, rng, ties: swiss(s, rng, rounds=12, **ties)),
    "Swiss, 8 x 60": (8, lambda s, rng, ties: swiss(s, rng, rounds=60, **ties)),
    "Swiss, 16 x 9": (16, lambda s, rng, ties: swiss(s, rng, rounds=9, **ties)),
    "the winner stays, 100 games": (8, lambda s, rng, ties: king_of_the_hill(s, rng, games=100, **ties)),
    "ranking, 200 games": (8, lambda s, rng, ties: planned("ranking", s, rng, games=200, **ties)),
    "ranking, 400 games": (8, lambda s, rng, ties: planned("ranking", s, rng, games=400, **ties)),
    "uncertainty, 200 games": (8, lambda s, rng, ties: planned("uncertainty", s, rng, games=200, **ties)),
    "uniform, 200 games": (8, lambda s, rng, ties: planned("uniform", s, rng, games=200, **ties)),
}
TIES = (({}, "half"), ({"share": 0.1}, "half"), ({"share": 0.3}, "half"), ({"nu": 0.9}, "davidson"))


def cell(log, truth, pairing, ties):
    """Coverage of all and of the best, wrong rank claims, pairs told apart, mean width."""
    held, wrong, apart, width = [], [], [], []
    pairs = truth.shape[1] * (truth.shape[1] - 1) / 2
    for table, strength in zip(tables(log), truth, strict=True):
        found = eq.bradley_terry(table, pairing=pairing, ties=ties, components="each")
        held.append((found.low <= strength) & (strength <= found.high))
        wrong.append(claims_a_wrong_rank(found, strength))
        apart.append((found.rank_low - 1).sum() / pairs)
        width.append((found.high - found.low).mean())
    best = np.array(held)[np.arange(len(truth)), truth.argmax(axis=1)].mean()
    return f"{np.mean(held):.3f} ({best:.3f}) | {np.mean(wrong):.3f} | {np.mean(apart):.3f} | {np.mean(width):.2f}"


def settings(runs: int) -> Iterator[tuple[str, tuple]]:
    """Give each setting in words, with what its two cells are computed from."""
    rng = np.random.default_rng(1)
    for name, (agents, play) in DESIGNS.items():
        for spread in (0.0, 0.3, 1.0, 2.0):
            for how, ties in TIES:
                truth = strengths(rng, runs, agents, spread)
                yield f"| {name} | {spread:g} | {how or 'no'} {ties} |", (play(truth, rng, how), truth, ties)


def both(log, truth, ties):
    """The cells of adaptive and of plain Bradley-Terry beside each other."""
    return " | ".join(cell(log, truth, how, ties) for how in ("adaptive", "fixed"))


def main(runs: int, jobs: int = 1) -> None:
    """Write the table."""
    numbers = "coverage (of the best) | wrong ranks | told apart | width"
    print(f"| pairs | spread | ties | {numbers} | plain: {numbers} |\n|{'---|' * 11}")
    said: list[str] = []
    pieces = (said.append(words) or data for words, data in settings(runs))
    with processes(jobs) as executor:
        for place, cells in enumerate(in_order(both, pieces, executor)):
            print(f"{said[place]} {cells} |", flush=True)


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("runs", type=int, nargs="?", default=100)
    given.add_argument("--jobs", type=int, default=1)
    main(**vars(given.parse_args()))
