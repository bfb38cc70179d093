"""Tables shaped like the figures of "Multiagent Evaluation under Incomplete Information" (Rowland et al., 2019).

Usage: python examples/incomplete_information.py [--trials 5] [--budget 100000000] [--out FOLDER]

The paper draws its figures without numbers; these are ours, on Bernoulli games, soccer and Kuhn poker of two, three and
four players. They are written as CSV where --out is given:

  H.1   games played, edges wrong and edges open against delta, for every sampling scheme and confidence form
  1.1b  bounds on every stationary probability as payoff intervals shrink
  6.1   error of finite-alpha probabilities and of their ranking when every payoff is off by up to epsilon
  6.3   ranking error against delta, for the sampling schemes
  H.3   ranking error of completed tables against the observation rate, by rank and space

`equipoise reproduce incomplete` prints the results that can be compared with the paper's.

Soccer and Kuhn need the public tables (EQUIPOISE_DATA); without them only Bernoulli games are shown. Soccer has payoffs
a few thousandths apart, which take millions of games, so a proposal is played more often the more games are behind it.
Two pairs of payoffs of Kuhn of four are equal: no form resolves them rightly, and the exhaustive sampler stays with one
of them until the budget is used up. With all games and five runs it takes about six minutes of one core.
"""

import argparse
import itertools
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np
import polars as pl

import equipoise as eq
from equipoise.reproduce.incomplete_learning import FORMS, LearnedGame, bernoulli, kuhn, learn, ranking_error, soccer
from equipoise.schedule.payoff_evidence import Sampling

DELTAS = (0.05, 0.1, 0.3)
Games = dict[str, Callable[[int], LearnedGame]]
"""From a trial to its game; only Bernoulli games differ between trials."""


def all_games() -> Games:
    """Bernoulli games, and soccer and Kuhn poker where the public tables are at hand."""
    folder = os.environ.get("EQUIPOISE_DATA")
    games: Games = {"bernoulli": bernoulli}
    if folder:
        public = {"soccer": soccer(Path(folder))} | {f"kuhn{k}": kuhn(Path(folder), k) for k in (2, 3, 4)}
        games |= {name: partial(_same, game) for name, game in public.items()}
    return games


def _same(game: LearnedGame, _: int) -> LearnedGame:
    return game


def table_h1(games: Games, trials: int, budget: int) -> pl.DataFrame:
    """Games, wrong and open edges against delta, for all samplers and confidence forms."""
    rows = []
    for (name, make), delta, sampling, form in itertools.product(games.items(), DELTAS, get_args(Sampling), FORMS):
        runs = [learn(make(t), form, seed=t, delta=delta, sampling=sampling, budget=budget) for t in range(trials)]
        played, wrong, unresolved = np.mean([run[:3] for run in runs], axis=0)
        rows.append(
            {"game": name, "delta": delta, "sampling": sampling, "confidence": form, "games": played,
             "wrong_edges": wrong, "unresolved": unresolved}
        )  # fmt: skip
    return pl.DataFrame(rows)


def table_1_1b(games: Games) -> pl.DataFrame:
    """Bounds on the leading stationary probabilities as every payoff's interval shrinks."""
    rows = []
    for name, make in games.items():
        game = make(0)
        tables = game.payoffs[:1] if game.symmetric else game.payoffs
        for width in (0.2, 0.1, 0.05, 0.02, 0.01, 0.001):
            bounds = eq.alpha_rank_bounds([p - width / 2 for p in tables], [p + width / 2 for p in tables])
            spread = float(np.mean(bounds.pi_high - bounds.pi_low))
            rows += [
                {"game": name, "width": width, **row, "mean_spread": spread, "of": bounds.measure}
                for row in bounds.frame().head(3).to_dicts()
            ]
    return pl.DataFrame(rows)


def table_6_1(games: Games, trials: int) -> pl.DataFrame:
    """Error of finite-alpha probabilities and their ranking when every payoff is off by up to epsilon."""
    rows = []
    for (name, make), alpha, epsilon in itertools.product(games.items(), (0.1, 1.0, 10.0), (0.2, 0.1, 0.05, 0.01)):
        errors, distances = [], []
        for trial in range(trials):
            payoffs, rng = make(trial).payoffs, np.random.default_rng(trial)
            noisy = [p + rng.uniform(-epsilon, epsilon, p.shape) for p in payoffs]
            true, found = (eq.alpha_rank(eq.MetaGame.from_payoffs(p), alpha=alpha) for p in (payoffs, noisy))
            errors.append(float(np.abs(true.pi - found.pi).max()))
            distances.append(eq.kendall_distance(true.ranks(), found.ranks()))
        rows.append({"game": name, "alpha": alpha, "epsilon": epsilon, "mass_error": np.mean(errors),
                     "kendall": np.mean(distances)})  # fmt: skip
    return pl.DataFrame(rows)


def table_6_3(games: Games, trials: int, budget: int) -> pl.DataFrame:
    """Kendall distance of the infinite-alpha ranking from the games that each sampler chose to play."""
    rows = []
    for (name, make), delta, sampling in itertools.product(games.items(), DELTAS, get_args(Sampling)):
        runs = [learn(make(t), "UCB", seed=t, delta=delta, sampling=sampling, budget=budget) for t in range(trials)]
        distance = np.mean([ranking_error(make(trial), run.seen) for trial, run in enumerate(runs)])
        rows.append({"game": name, "delta": delta, "sampling": sampling, "games": np.mean([run.games for run in runs]),
                     "kendall": distance})  # fmt: skip
    return pl.DataFrame(rows)


def table_h3(win: np.ndarray, trials: int) -> pl.DataFrame:
    """Ranking error of completed tables against the observation rate, by rank and space."""
    truth = eq.alpha_rank(eq.PairTable.from_matrix(win)).ranks()
    i, j = np.triu_indices(len(win), 1)
    rows = []
    for space, rank, rate in itertools.product(("payoff", "logit", "odds"), (2, 4, 6), (0.5, 0.7, 0.9)):
        distances = []
        for trial in range(trials):
            rng = np.random.default_rng(trial)
            seen = win.copy()
            hidden = rng.choice(i.size, round(i.size * (1 - rate)), replace=False)
            seen[i[hidden], j[hidden]] = seen[j[hidden], i[hidden]] = np.nan
            filled = eq.complete(eq.PairTable.from_matrix(seen), rank=rank, space=space)
            distances.append(eq.kendall_distance(eq.alpha_rank(filled.table()).ranks(), truth))
        rows.append({"space": space, "rank": rank, "observed": rate, "kendall": np.mean(distances)})
    return pl.DataFrame(rows)


def main(arguments: list[str] | None = None) -> None:
    """Make the tables, print them, and write them where asked to."""
    parser = argparse.ArgumentParser(description="Tables of Rowland et al. (2019).")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--budget", type=int, default=10**8)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    games = all_games()
    win = games["soccer"](0).payoffs[0] if "soccer" in games else _cyclic_table()
    tables = {
        "H.1": table_h1(games, given.trials, given.budget),
        "1.1b": table_1_1b(games),
        "6.1": table_6_1(games, given.trials),
        "6.3": table_6_3(games, given.trials, given.budget),
        "H.3": table_h3(win, given.trials),
    }
    with pl.Config(tbl_rows=400, tbl_cols=12, float_precision=3, fmt_str_lengths=40):
        for name, table in tables.items():
            print(f"\n{name}\n{table}")
            if given.out:
                given.out.mkdir(parents=True, exist_ok=True)
                table.write_csv(given.out / f"{name}.csv")


def _cyclic_table() -> np.ndarray:
    """Stand-in for soccer: ratings and a cycle, ten agents."""
    rng = np.random.default_rng(0)
    r, c = rng.normal(size=10), rng.normal(size=(10, 2))
    odds = r[:, None] - r[None, :] + np.outer(c[:, 0], c[:, 1]) - np.outer(c[:, 1], c[:, 0])
    return np.asarray(1 / (1 + np.exp(-odds)))


if __name__ == "__main__":
    main()
