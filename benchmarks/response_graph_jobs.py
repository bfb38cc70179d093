"""Learning a response graph: the soccer meta-game, ten strategies against ten."""

import os
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.job import Agreement, Answer, Job, Side

__all__ = ["JOBS"]

SOCCER = Path("metagames") / "soccer_winprob_10x10.csv"
DELTA = 0.1


def soccer() -> Path | None:
    """Where the public table of win rates is, if the environment says so."""
    folder = os.environ.get("EQUIPOISE_DATA")
    path = Path(folder) / SOCCER if folder else None
    return path if path is not None and path.exists() else None


def win_rates() -> Any:
    """Give soccer's win rates, or without them a drawn table with as many close pairs."""
    path = soccer()
    if path is not None:
        return np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(1, 11))
    rng = np.random.default_rng(10)
    upper = np.triu(0.5 + 0.12 * rng.standard_normal((10, 10)), 1)
    return upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(10)


def label(games: int) -> str:
    return f"{games:,} games" + (" of soccer" if soccer() else " of a drawn table (EQUIPOISE_DATA is not set)")


def learner(games: int | None = None) -> Any:
    import equipoise as eq

    return eq.ResponseGraphUCB((10, 10), delta=DELTA, sampling="uniform", budget=games, rng=0)


def by_number(graph: Any) -> list[tuple[Any, Any]]:
    """Give the resolved edges as (worse profile, better profile), sorted."""
    return sorted((tuple(map(int, worse)), tuple(map(int, better))) for worse, better in graph.edges)


def wrong(edges: list[tuple[Any, Any]]) -> int:
    """Count the edges that point the wrong way."""
    win = win_rates()
    payoffs = (win, 1 - win)
    return sum(bool(payoffs[int(a[0] == b[0])][a] > payoffs[int(a[0] == b[0])][b]) for a, b in edges)


def ours(task: Any) -> Answer:
    win, games = task
    rng = np.random.default_rng(0)
    ucb = learner(games)
    while not ucb.done:
        proposal = ucb.ask()
        x = float(rng.random() < win[proposal.profile])
        ucb.tell(proposal, (x, 1 - x))
    return {"games": ucb.games, "edges": by_number(ucb.graph())}


def open_spiel(task: Any) -> Answer:
    from open_spiel.python.algorithms.response_graph_ucb import ResponseGraphUCB
    from open_spiel.python.algorithms.response_graph_ucb_utils import ZeroSumBernoulliGameSampler

    history: list[tuple[Any, float]] = []

    class Recorded(ZeroSumBernoulliGameSampler):
        def observe_result(self, strat_profile: Any) -> Any:
            outcome = super().observe_result(strat_profile)
            history.append((strat_profile, float(outcome[0])))
            return outcome

    win, games = task
    game = Recorded([10, 10], np.array([win, 1 - win]), payoff_bounds=[0.0, 1.0])
    ucb = ResponseGraphUCB(game, exploration_strategy="uniform", delta=DELTA)
    ucb.run(verbose=False, max_total_iterations=games)
    # At the end it fills in the edges it has not resolved, and adds resolved ones whose means have crossed since the
    # other way round: the first entry of an edge is the one it resolved.
    left = set(map(frozenset, ucb.edges_remaining))
    resolved: dict[Any, Any] = {}
    for edge in ucb.directed_edges:
        if frozenset(edge) not in left:
            resolved.setdefault(frozenset(edge), edge)
    return {"games": len(history), "edges": sorted(resolved.values()), "history": history}


def drawing(task: Any) -> Answer:
    """Draw profiles and outcomes one after the other, and learn nothing."""
    win, games = task
    rng = np.random.default_rng(0)
    won = 0
    for _ in range(games):
        won += rng.random() < win[rng.integers(10), rng.integers(10)]
    return {"games": games}


def same_graph(ours: Answer, theirs: Answer) -> Agreement:
    """Each side plays games of its own; told the other's games, ours must resolve exactly the same edges."""
    if "history" not in theirs:
        return ours["games"] == theirs["games"], f"games {ours['games']:,} and {theirs['games']:,}"
    ucb = learner()
    for profile, won in theirs["history"]:
        ucb.tell(profile, (won, 1 - won))
    own, found, told = ours["edges"], theirs["edges"], by_number(ucb.graph())
    words = (
        f"edges resolved {len(own)} and {len(found)}, wrong {wrong(own)} and {wrong(found)}; "
        f"given its games, ours resolves {'the same' if told == found else f'{len(told)} others'}"
    )
    return told == found and ours["games"] == theirs["games"], words


JOBS = (
    Job(
        "ResponseGraphUCB, ten by ten",
        lambda games: (win_rates(), games),
        (
            Side("equipoise", ours),
            Side("OpenSpiel", open_spiel),
            Side("drawing", drawing, note="a random profile and outcome at a time, nothing learned"),
        ),
        (3_000, 10_000, 30_000),
        (1_000, 2_000, 3_000),
        label,
        same_graph,
        floor="drawing",
    ),
)
