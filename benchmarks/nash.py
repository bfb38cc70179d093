"""Nash averaging beside its peers: OpenSpiel (cvxpy) for the same answer, SciPy's HiGHS for any equilibrium.

Usage: python benchmarks/nash.py [--repeats 3] [--large]

One row a game: our median seconds, a peer's, their ratio, and how exact each is: the gain of the best reply relative to
the largest payoff, and by how much entropy falls short of ours. OpenSpiel and cvxpy (benchmarks/requirements.txt) are
only asked for games they finish in reasonable time; without them their rows are left out. ``--large`` adds 1,000
agents of pure noise for HiGHS, and 10,000 agents with a small support (800 MB).
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy

import equipoise as eq

try:
    from open_spiel.python.algorithms import nash_averaging as openspiel
except ImportError:
    openspiel = None


@dataclass(frozen=True)
class Answer:
    """Masses of both sides (the same for agents against agents) and the seconds they took."""

    rows: np.ndarray
    columns: np.ndarray
    seconds: float


def timed(call: Callable[[], tuple[np.ndarray, np.ndarray]], repeats: int) -> Answer:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        rows, columns = call()
        times.append(time.perf_counter() - start)
    return Answer(np.ravel(rows), np.ravel(columns), statistics.median(times))


def ours_agents(payoff: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p = eq.maxent_nash(payoff).p
    return p, p


def ours_tasks(score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = eq.nash_average(eq.Scores.from_matrix(score), units="none")
    return found.agent_p, found.task_p


def openspiel_agents(payoff: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p = openspiel._max_entropy_symmetric_nash(payoff, eps=0.0)
    return p, p


def openspiel_tasks(score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    (rows, columns), _ = openspiel.nash_averaging_avt_matrix(score)
    return rows, columns


def highs(payoff: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Any equilibrium: one linear programme, whose dual gives the other side."""
    rows, columns = payoff.shape
    found = scipy.optimize.linprog(
        np.append(np.zeros(rows), -1.0),
        A_ub=np.hstack([-payoff.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    return found.x[:rows], -found.ineqlin.marginals


def realistic(size: int, rng: np.random.Generator) -> np.ndarray:
    """A transitive part, three discs, and noise."""
    rating, disc = rng.normal(size=size), rng.normal(size=(size, 6))
    payoff = rating[:, None] - rating
    for k in range(0, 6, 2):
        payoff += 0.5 * np.outer(disc[:, k], disc[:, k + 1])
        payoff -= 0.5 * np.outer(disc[:, k + 1], disc[:, k])
    payoff += 0.1 * noise(size, rng)
    return (payoff - payoff.T) / 2  # OpenSpiel refuses the last bit of asymmetry


def noise(size: int, rng: np.random.Generator) -> np.ndarray:
    upper = np.triu(rng.normal(size=(size, size)), 1)
    return upper - upper.T


def min_max(score: np.ndarray) -> np.ndarray:
    return (score - score.min(axis=0)) / np.ptp(score, axis=0)


def gain(payoff: np.ndarray, answer: Answer) -> float:
    """What the better of the two best replies gains, relative to the largest payoff."""
    value = answer.rows @ payoff @ answer.columns
    best = max((payoff @ answer.columns).max() - value, value - (answer.rows @ payoff).min())
    return float(best / np.abs(payoff).max())


def entropy(answer: Answer) -> float:
    both = np.clip(np.concatenate([answer.rows, answer.columns]), 0.0, None)
    return float(scipy.special.entr(both).sum())


def games(large: bool) -> Iterator[tuple[str, np.ndarray, bool, tuple[str, ...]]]:
    """Name, payoffs, whether agents meet agents, and the peers that are asked."""
    rng = np.random.default_rng(0)
    cycle = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
    yield "rock, paper, scissors", cycle, True, ("openspiel", "highs")
    ties = np.triu(rng.integers(-1, 2, size=(12, 12)), 1).astype(float)
    yield "12 agents, many ties", ties - ties.T, True, ("openspiel", "highs")
    yield "20 agents, realistic", realistic(20, rng), True, ("openspiel", "highs")
    yield "100 agents, noise", noise(100, rng), True, ("openspiel", "highs")
    yield (
        "4 agents, 3 tasks (OpenSpiel's test)",
        min_max(np.outer([0, 1, 2, 3], [1, 10, 100.0])),
        False,
        (
            "openspiel",
            "highs",
        ),
    )
    yield "20 agents, 60 tasks", min_max(rng.random((20, 60))), False, ("openspiel", "highs")
    yield "1,000 agents, realistic", realistic(1000, rng), True, ("highs",)
    yield "100 agents, 2,000 tasks", min_max(rng.random((100, 2000))), False, ("highs",)
    if large:
        yield "1,000 agents, noise", noise(1000, rng), True, ("highs",)
        yield "10,000 agents, realistic", realistic(10_000, rng), True, ()


PEERS = {
    ("openspiel", True): openspiel_agents,
    ("openspiel", False): openspiel_tasks,
    ("highs", True): highs,
    ("highs", False): highs,
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true")
    options = parser.parse_args(arguments)
    print(f"{'game':38s} {'solver':10s} {'seconds':>9s} {'ratio':>8s} {'gain':>9s} {'entropy':>9s} {'distance':>9s}")
    for name, payoff, met, peers in games(options.large):
        solve = ours_agents if met else ours_tasks
        ours = timed(lambda solve=solve, payoff=payoff: solve(payoff), options.repeats)
        print(f"{name:38s} {'equipoise':10s} {ours.seconds:9.4f} {'':8s} {gain(payoff, ours):9.1e}", flush=True)
        for peer in peers:
            if peer == "openspiel" and openspiel is None:
                continue
            call = PEERS[peer, met]
            theirs = timed(lambda call=call, payoff=payoff: call(payoff), 1 if ours.seconds > 0.3 else options.repeats)
            short = entropy(ours) - entropy(theirs)
            far = max(np.abs(ours.rows - theirs.rows).max(), np.abs(ours.columns - theirs.columns).max())
            print(
                f"{'':38s} {peer:10s} {theirs.seconds:9.4f} {theirs.seconds / ours.seconds:7.1f}x"
                f" {gain(payoff, theirs):9.1e} {short:9.1e} {far:9.1e}",
                flush=True,
            )


if __name__ == "__main__":
    main()
