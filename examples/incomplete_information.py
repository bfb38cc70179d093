"""The tables of "Multiagent Evaluation under Incomplete Information", on Bernoulli games, soccer and Kuhn poker.

Usage: python examples/incomplete_information.py [--trials 3] [--budget 3000] [--out FOLDER]

Prints the known figures beside what is found here, then five tables, each shaped like a figure of Rowland et al.
(2019), and writes them as CSV where --out is given:

  known known figures, and the largest difference to OpenSpiel where that is installed
  H.1   games played and wrong edges against delta, for every sampling scheme and confidence form
  1.1b  bounds on every mass as payoff intervals shrink
  6.1   ranking error against alpha and the payoff error tolerated
  6.3   ranking error against delta, for the sampling schemes
  H.3   ranking error of completed tables against the observation rate, by rank and space

Soccer and Kuhn need the public tables (EQUIPOISE_DATA); without them only Bernoulli games are shown. A budget stops
games whose gaps are tiny: soccer has pairs within 0.004 of each other, which no one resolves in thousands of games.
Unresolved edges are counted apart from wrong ones.
"""

import argparse
import itertools
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import equipoise as eq

SAMPLING = ("uniform", "uniform-exhaustive", "valence-weighted", "count-weighted")
CONFIDENCE = {
    "UCB": {"confidence": "hoeffding"},
    "UCB-relaxed": {"confidence": "hoeffding", "relaxation": 0.1},
    "CP-UCB": {"confidence": "clopper-pearson"},
    "CP-UCB-relaxed": {"confidence": "clopper-pearson", "relaxation": 0.1},
}
SYMMETRY = {"soccer": {"symmetric": True, "constant_sum": 1.0}}
"""What is known of a game beforehand."""
Payoffs = list[np.ndarray]


def bernoulli(seed: int) -> Payoffs:
    """A two-player win-loss game with three strategies each, whose gaps can be resolved."""
    rng = np.random.default_rng(seed)
    while True:
        win = rng.random((3, 3))
        gaps = [abs(a - b) for line in (*win, *win.T) for a, b in itertools.combinations(line, 2)]
        if min(gaps) > 0.05:
            return [win, 1 - win]


def public_games() -> dict[str, Payoffs]:
    """Soccer as a symmetric two-player game, and Kuhn poker of two and three players scaled to [0, 1]."""
    folder = os.environ.get("EQUIPOISE_DATA")
    if not folder:
        return {}
    tables = Path(folder) / "metagames"
    soccer = eq.read_metagame(tables / "soccer_winprob_10x10.csv").payoffs[0]
    games = {"soccer": [soccer, 1 - soccer]}
    for players in (2, 3):
        payoffs = eq.read_metagame(tables / f"kuhn_poker_{players}p_metagame.json").payoffs
        low, high = min(p.min() for p in payoffs) - 0.1, max(p.max() for p in payoffs) + 0.1
        games[f"kuhn{players}"] = [(p - low) / (high - low) for p in payoffs]
    return games


def learn(
    payoffs: Payoffs, seed: int, budget: int, batch: int = 10, **options: object
) -> tuple[eq.ResponseGraphUCB, Payoffs]:
    """Play Bernoulli games until the graph is known or the budget is spent; give the learner and the means observed."""
    ucb = eq.ResponseGraphUCB(payoffs[0].shape, budget=budget, rng=seed, **options)  # type: ignore[arg-type]
    rng = np.random.default_rng(10_000 + seed)
    total = [np.zeros(payoffs[0].shape) for _ in payoffs]
    count = np.zeros(payoffs[0].shape)
    while not ucb.done:
        for proposal in ucb.ask(batch):
            result = [float(rng.random() < p[proposal.profile]) for p in payoffs]
            if len(payoffs) == 2 and np.allclose(payoffs[0] + payoffs[1], 1):
                result[1] = 1 - result[0]
            ucb.tell(proposal, result)
            seats = [proposal.profile, proposal.profile[::-1]] if options.get("symmetric") else [proposal.profile]
            for turn, profile in enumerate(seats):
                count[profile] += 1
                for k, x in enumerate(result if turn == 0 else result[::-1]):
                    total[k][profile] += x
    return ucb, [np.where(count > 0, t / np.maximum(count, 1), 0.5) for t in total]


def wrong_edges(ucb: eq.ResponseGraphUCB, payoffs: Payoffs) -> int:
    wrong = 0
    for edge in ucb.graph().resolved:
        source, target = (tuple(int(x) for x in profile) for profile in (edge.source, edge.target))
        wrong += (payoffs[edge.player][target] > payoffs[edge.player][source]) != (edge.better == "target")
    return wrong


def table_known(trials: int) -> pl.DataFrame:
    """Known figures beside ours."""
    rows: list[dict[str, object]] = []
    plain, symmetric = (_games_of_h3(trials, **options) for options in ({}, {"symmetric": True, "constant_sum": 1.0}))
    rows.append({"figure": "H.3 games (paper: one run of 244; mean near 260)", "known": 260.0, "found": plain})
    rows.append({"figure": "H.3 games, symmetric (paper: 20; mean near 11)", "known": 11.0, "found": symmetric})
    folder = os.environ.get("EQUIPOISE_DATA")
    if folder:
        tables = Path(folder) / "metagames"
        soccer = eq.read_metagame(tables / "soccer_winprob_10x10.csv")
        published = (0, 0.17, 0, 0.041, 0.137, 0, 0, 0.07, 0.163, 0.419)
        for k, (known, found) in enumerate(zip(published, eq.alpha_rank(soccer).pi, strict=True)):
            rows.append({"figure": f"soccer, infinite alpha, agent {k}", "known": known, "found": float(found)})
        kuhn = {k: eq.read_metagame(tables / f"kuhn_poker_{k}p_metagame.json") for k in (2, 3, 4)}
        for profile, known in (((2, 2, 1), 0.8758), ((2, 2, 2), 0.1220)):
            found = float(eq.alpha_rank(kuhn[3], alpha=1.0).pi[profile])
            rows.append({"figure": f"Kuhn of three, alpha 1, {profile}", "known": known, "found": found})
        named = {"soccer": soccer} | {f"Kuhn of {k}": game for k, game in kuhn.items()}
        rows += [row for name, game in named.items() for row in _beside_openspiel(name, game)]
    return pl.DataFrame(rows)


def _games_of_h3(trials: int, **options: object) -> float:
    win = np.array([[0.5, 0.85], [0.15, 0.5]])
    runs = (learn([win, 1 - win], seed, 10_000, batch=1, delta=0.1, **options)[0].games for seed in range(20 * trials))
    return float(np.mean(list(runs)))


def _beside_openspiel(name: str, game: eq.MetaGame) -> list[dict[str, object]]:
    """Largest difference of any mass to OpenSpiel, at alphas that it survives and with mistakes of 1%."""
    try:
        from open_spiel.python.egt import alpharank as peer
    except ImportError:
        return []
    payoffs = [np.array(p) for p in game.payoffs]
    rows = []
    for alpha in (0.1, 1.0):
        theirs = peer.compute(payoffs, m=50, alpha=alpha)[2]
        far = float(np.abs(eq.alpha_rank(game, alpha=alpha).pi.ravel() - theirs).max())
        rows.append({"figure": f"{name}, alpha {alpha:g}: difference to OpenSpiel", "known": 0.0, "found": far})
    theirs = peer.compute(payoffs, use_inf_alpha=True, inf_alpha_eps=0.01)[2]
    far = float(np.abs(eq.alpha_rank(game, perturbation=0.01).pi.ravel() - theirs).max())
    return [*rows, {"figure": f"{name}, mistakes of 1%: difference to OpenSpiel", "known": 0.0, "found": far}]


def table_h1(games: dict[str, Callable[[int], Payoffs]], trials: int, budget: int) -> pl.DataFrame:
    """Games and wrong edges against delta, for all samplers and confidence forms."""
    rows = []
    for (name, make), delta, sampling, (form, options) in itertools.product(
        games.items(), (0.05, 0.1, 0.3), SAMPLING, CONFIDENCE.items()
    ):
        found = []
        for trial in range(trials):
            payoffs = make(trial)
            ucb, _ = learn(payoffs, trial, budget, delta=delta, sampling=sampling, **SYMMETRY.get(name, {}), **options)
            found.append((ucb.games, wrong_edges(ucb, payoffs), ucb.unresolved))
        played, wrong, open_edges = np.mean(found, axis=0)
        rows.append(
            {"game": name, "delta": delta, "sampling": sampling, "confidence": form, "games": played,
             "wrong_edges": wrong, "unresolved": open_edges}
        )  # fmt: skip
    return pl.DataFrame(rows)


def table_1_1b(games: dict[str, Callable[[int], Payoffs]]) -> pl.DataFrame:
    """Bounds on the leading masses as every payoff's interval shrinks."""
    rows = []
    for name, make in games.items():
        payoffs = make(0)
        single = name == "soccer"
        tables = payoffs[:1] if single else payoffs
        for width in (0.2, 0.1, 0.05, 0.02, 0.01, 0.001):
            low, high = [p - width / 2 for p in tables], [p + width / 2 for p in tables]
            bounds = eq.alpha_rank_bounds(low, high)
            best = bounds.frame().head(3)
            spread = float(np.mean(bounds.pi_high - bounds.pi_low))
            rows += [
                {"game": name, "width": width, **row, "mean_spread": spread, "of": bounds.measure}
                for row in best.to_dicts()
            ]
    return pl.DataFrame(rows)


def table_6_1(games: dict[str, Callable[[int], Payoffs]], trials: int) -> pl.DataFrame:
    """Error of finite-alpha masses and their ranking when every payoff is off by up to epsilon."""
    rows = []
    for (name, make), alpha, epsilon in itertools.product(games.items(), (0.1, 1.0, 10.0), (0.2, 0.1, 0.05, 0.01)):
        errors, distances = [], []
        for trial in range(trials):
            payoffs, rng = make(trial), np.random.default_rng(trial)
            noisy = [p + rng.uniform(-epsilon, epsilon, p.shape) for p in payoffs]
            true, found = (eq.alpha_rank(eq.MetaGame.from_payoffs(p), alpha=alpha) for p in (payoffs, noisy))
            errors.append(float(np.abs(true.pi - found.pi).max()))
            distances.append(eq.kendall_distance(true.ranks(), found.ranks()))
        rows.append({"game": name, "alpha": alpha, "epsilon": epsilon, "mass_error": np.mean(errors),
                     "kendall": np.mean(distances)})  # fmt: skip
    return pl.DataFrame(rows)


def table_6_3(games: dict[str, Callable[[int], Payoffs]], trials: int, budget: int) -> pl.DataFrame:
    """Kendall distance of the infinite-alpha ranking from the games that each sampler chose to play."""
    rows = []
    for (name, make), delta, sampling in itertools.product(games.items(), (0.05, 0.1, 0.3), SAMPLING):
        distances, played = [], []
        for trial in range(trials):
            payoffs = make(trial)
            ucb, seen = learn(payoffs, trial, budget, delta=delta, sampling=sampling, **SYMMETRY.get(name, {}))
            true, found = (eq.alpha_rank(eq.MetaGame.from_payoffs(p)) for p in (payoffs, seen))
            distances.append(eq.kendall_distance(true.ranks(), found.ranks()))
            played.append(ucb.games)
        rows.append({"game": name, "delta": delta, "sampling": sampling, "games": np.mean(played),
                     "kendall": np.mean(distances)})  # fmt: skip
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
    parser = argparse.ArgumentParser(description="Tables of Rowland et al. (2019).")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--budget", type=int, default=3000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    games: dict[str, Callable[[int], Payoffs]] = {"bernoulli": bernoulli}
    for name, payoffs in public_games().items():
        games[name] = lambda _, payoffs=payoffs: payoffs  # type: ignore[misc]
    win = games["soccer"](0)[0] if "soccer" in games else _cyclic_table()
    tables = {
        "known": table_known(given.trials),
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
