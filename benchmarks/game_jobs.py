"""Games: maximum-entropy Nash, alpha-Rank, and learning a response graph."""

from typing import Any

import numpy as np

from benchmarks import response_graph_jobs
from benchmarks.job import Answer, Job, Side, close

__all__ = ["JOBS"]


def antisymmetric(n: int) -> Any:
    """Give log-odds of agents with a rating and a place on a disc, and noise."""
    rng = np.random.default_rng(n)
    rating, disc = rng.normal(size=n), rng.normal(size=(n, 2))
    flow = rating[:, None] - rating[None, :] + np.outer(disc[:, 0], disc[:, 1]) - np.outer(disc[:, 1], disc[:, 0])
    noise = rng.normal(scale=0.5, size=(n, n))
    upper = np.triu(flow + noise, 1)
    return upper - upper.T


def ours_nash(payoff: Any) -> Answer:
    import equipoise as eq

    return {"p": eq.maxent_nash(payoff).p}


def open_spiel_nash(payoff: Any) -> Answer:
    import pyspiel
    from open_spiel.python.algorithms.nash_averaging import nash_averaging

    game = pyspiel.create_matrix_game(payoff.tolist(), (-payoff).tolist())
    return {"p": np.asarray(nash_averaging(game, a_v_a=True)[0]).ravel()[: len(payoff)]}


def scores(agents: int) -> Any:
    rng = np.random.default_rng(agents)
    skill = rng.normal(size=(agents, 4)) @ rng.normal(size=(4, 3 * agents))
    return skill + rng.normal(size=skill.shape)


def ours_tasks(values: Any) -> Answer:
    import equipoise as eq

    found = eq.nash_average(eq.Scores.from_matrix(values))
    return {"value": found.value, "skill": found.skill}


def open_spiel_tasks(values: Any) -> Answer:
    from open_spiel.python.algorithms.nash_averaging import nash_averaging_avt_matrix

    (agents, _), (skill, _) = nash_averaging_avt_matrix(values)
    return {"value": float(agents.ravel() @ skill.ravel()), "skill": skill.ravel()}


def single(n: int) -> Any:
    rng = np.random.default_rng(n)
    upper = np.triu(rng.uniform(size=(n, n)), 1)
    return [upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n)]


def populations(n: int) -> Any:
    rng = np.random.default_rng(n)
    return [rng.uniform(size=(n, n, n)) for _ in range(3)]


def ours_alpha(payoffs: Any) -> Answer:
    import equipoise as eq

    game = eq.MetaGame.symmetric(payoffs[0]) if len(payoffs) == 1 else eq.MetaGame.from_payoffs(payoffs)
    return {"pi": eq.alpha_rank(game, alpha=1.0).pi.ravel()}


def ours_infinite(payoffs: Any) -> Answer:
    import equipoise as eq

    return {"pi": eq.alpha_rank(eq.MetaGame.symmetric(payoffs[0])).pi}


def ours_bounds(payoffs: Any) -> Answer:
    """Half of the edges are uncertain."""
    import equipoise as eq

    win = payoffs[0]
    width = float(np.median(np.abs(win - 0.5)[np.triu_indices(len(win), 1)]))
    return {"pi": eq.alpha_rank_bounds(win - width, win + width).pi_low}


def open_spiel_alpha(payoffs: Any) -> Answer:
    from open_spiel.python.egt.alpharank import compute

    return {"pi": np.asarray(compute(payoffs, m=50, alpha=1.0)[2])}


JOBS = (
    Job(
        "maxent Nash, agents against agents",
        antisymmetric,
        (Side("equipoise", ours_nash), Side("OpenSpiel", open_spiel_nash, note="cvxpy; accurate to about 1e-5")),
        (30, 100, 300, 1000),
        (30, 60, 120),
        lambda n: f"{n:,} agents",
        close("p", 1e-3, "a mass"),
    ),
    Job(
        "maxent Nash, agents against tasks",
        scores,
        (Side("equipoise", ours_tasks), Side("OpenSpiel", open_spiel_tasks, note="cvxpy; accurate to about 1e-5")),
        (20, 50, 150),
        (5, 10, 20),
        lambda n: f"{n:,} agents, {3 * n:,} tasks",
        close("value", 1e-4, "the value"),
    ),
    Job(
        "alpha-Rank, one population",
        single,
        (Side("equipoise", ours_alpha), Side("OpenSpiel", open_spiel_alpha)),
        (200, 500, 2000, 5000),
        (50, 100, 200),
        lambda n: f"{n:,} strategies",
        close("pi", 1e-8, "a mass"),
    ),
    Job(
        "alpha-Rank, three populations",
        populations,
        (Side("equipoise", ours_alpha), Side("OpenSpiel", open_spiel_alpha)),
        (4, 8, 20),
        (3, 5, 8),
        lambda n: f"{n} x {n} x {n} profiles",
        close("pi", 1e-8, "a mass"),
    ),
    Job(
        "alpha-Rank at infinite alpha",
        single,
        (Side("equipoise", ours_infinite),),
        (200, 500, 2000, 5000),
        (50, 100, 200),
        lambda n: f"{n:,} strategies",
        close("pi", 1e-8, "a mass"),
    ),
    Job(
        "bounds on alpha-Rank, half of the edges uncertain",
        single,
        (Side("equipoise", ours_bounds),),
        (10, 20, 40),
        (5, 10, 20),
        lambda n: f"{n:,} strategies",
        close("pi", 1e-8, "a mass"),
    ),
    *response_graph_jobs.JOBS,
)
