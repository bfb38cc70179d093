"""Games until an arena is answered, beside a round-robin of fixed length with the same error: docs/arena-savings.md.

    python tools/arena_savings.py [RUNS]

Runs the model of the arena (``tests/statistical/arena_model.py``), which a test holds to the real contest. With 120
runs it takes a few minutes on one core.
"""

import argparse
import math
import sys
from pathlib import Path

import numpy as np
from scipy.special import ndtri

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.statistical.arena_model import OrderModel, chances, decisions_against, place_games

PAGE = Path(__file__).parents[1] / "docs" / "arena-savings.md"
ALPHA, GAPS, PLAYERS, PLACES = 0.05, (20, 50, 100), (4, 8, 16), 64
HEAD = """# What an arena saves

Games until the question is answered, against a round-robin of fixed length that decides the same with the same error.
The arena looks after every game and stops by itself; the round-robin has to know its length before play, and here it is
given the right one. Both keep the probability of any wrong decision at 5%.

- **Arena**: goal `order`, policy `ranking`, no margin; median over the runs, and the range that holds 80% of them.
  Pairs two apart are looked at for 20 games each (`check`), which is counted; those further apart until the higher
  leads by three, which is not (measured with the real contest: 0 to 12% more games).
- **Fixed round-robin**: every pair plays as often as it takes that all neighbours pass a test at 5% over the number of
  pairs, made once at the end, in half of the tournaments. Its length comes from the true strengths, which nobody has.
- **Round-robin, stopped**: every pair plays in turn, and the arena's own rule looks after every game (policy
  `round-robin`).

Games are won or lost; players stand on a ladder with equal gaps. Numbers come from a model of policy and rule that
plays many runs at once (`tests/statistical/arena_model.py`); a test holds it to the real contest where that is quick.
*Wrong* is the share of runs in which any decision, or the place, was wrong. Written by `python tools/arena_savings.py`.

"""


def fixed_round_robin(chance: np.ndarray) -> int:
    """Games of a round-robin of fixed length that has the whole order in half of the cases."""
    n = len(chance)
    pairs = n * (n - 1) // 2
    p = float(chance[0, 1])
    power = ndtri(0.5 ** (1 / (n - 1)))
    each = ((ndtri(1 - ALPHA / (2 * pairs)) * 0.5 + power * math.sqrt(p * (1 - p))) / (p - 0.5)) ** 2
    return math.ceil(each) * pairs


def stopped_round_robin(chance: np.ndarray, runs: int, rng: np.random.Generator) -> float:
    """Median games of a round-robin that is stopped when all neighbours are decided by the arena's rule."""
    n = len(chance)
    threshold = math.log(n * (n - 1) / ALPHA)
    rounds = [decisions_against(float(chance[0, 1]), threshold, runs, rng)[0] for _ in range(n - 1)]
    return float(np.median(np.max(rounds, axis=0))) * n * (n - 1) / 2


def order_rows(runs: int) -> list[str]:
    """One row for each ladder."""
    rows = []
    for players in PLAYERS:
        for gap in GAPS:
            rng = np.random.default_rng([players, gap])
            chance = chances(players, gap)
            model = OrderModel(chance, runs, rng, ALPHA).play(5_000_000)
            low, median, high = np.percentile(model.games, [10, 50, 90])
            fixed, stopped = fixed_round_robin(chance), stopped_round_robin(chance, runs, rng)
            rows.append(
                f"| {players} | {gap} | {_n(median)} ({_n(low)} to {_n(high)}) | {_n(fixed)} | {_n(stopped)} | "
                f"{fixed / median:.1f} | {stopped / median:.1f} | {model.wrong.mean():.3f} |"
            )
            print(rows[-1], flush=True)
    return rows


def place_rows(runs: int) -> list[str]:
    """One row for each gap."""
    rows = []
    for gap in GAPS:
        games, wrong = place_games(PLACES, gap, 5 * runs, np.random.default_rng(gap), ALPHA)
        low, median, high = np.percentile(games, [10, 50, 90])
        p = float(chances(2, gap)[0, 1])
        power = ndtri(0.5**0.5)  # both neighbours
        z = ndtri(1 - ALPHA / (2 * PLACES))
        fixed = math.ceil(((z * 0.5 + power * math.sqrt(p * (1 - p))) / (p - 0.5)) ** 2) * PLACES
        arena = f"{_n(median)} ({_n(low)} to {_n(high)})"
        rows.append(f"| {gap} | {arena} | {_n(fixed)} | {fixed / median:.0f} | {wrong.mean():.3f} |")
        print(rows[-1], flush=True)
    return rows


def _n(games: float) -> str:
    """Write a number of games with three figures."""
    return f"{int(float(f'{games:.3g}')):,}"


def main(runs: int) -> None:
    """Write the page."""
    order, place = order_rows(runs), place_rows(runs)
    columns = ("players", "gap in Elo", "arena", "fixed round-robin", "round-robin, stopped", "fixed / arena",
               "stopped / arena", "wrong")  # fmt: skip
    text = HEAD + "\n".join([
        f"## An order ({runs} runs each)", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *order, "",
        f"## A place among {PLACES} ({5 * runs} runs each)", "",
        "The newcomer stands anywhere on the ladder, a gap from its neighbours. The round-robin is the newcomer",
        "against everybody, as often as it takes that both neighbours are told apart.", "",
        "| gap in Elo | arena | fixed round-robin | fixed / arena | wrong |", "|---|---|---|---|---|", *place, "",
    ])  # fmt: skip
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("runs", type=int, nargs="?", default=120)
    main(**vars(given.parse_args()))
