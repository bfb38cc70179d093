"""Maximum-entropy Nash: agents against agents, and agents against tasks."""

from typing import Any

import numpy as np

from benchmarks.job import Agreement, Answer, Job, Side, close

__all__ = ["JOBS"]

TASKS = {5: 15, 8: 24, 10: 30, 20: 60, 50: 200, 100: 500}
"""Tasks for each number of agents."""


def antisymmetric(n: int) -> Any:
    """Give log-odds of agents with a rating, a place on each of three discs, and noise."""
    rng = np.random.default_rng(n)
    rating, discs = 0.5 * rng.normal(size=n), rng.normal(size=(3, 2, n))
    flow = rating[:, None] - rating
    for one, other in discs:
        flow += np.outer(one, other) - np.outer(other, one)
    upper = np.triu(flow + 0.5 * rng.normal(size=(n, n)), 1)
    return upper - upper.T


def ours_agents(payoff: Any) -> Answer:
    import equipoise as eq

    return {"p": eq.maxent_nash(payoff).p}


def open_spiel_agents(payoff: Any) -> Answer:
    import pyspiel
    from open_spiel.python.algorithms.nash_averaging import nash_averaging

    game = pyspiel.create_matrix_game(payoff.tolist(), (-payoff).tolist())
    return {"p": np.asarray(nash_averaging(game, a_v_a=True)[0]).ravel()[: len(payoff)]}


def cvxpy_agents(payoff: Any) -> Answer:
    import cvxpy as cp

    p = cp.Variable(len(payoff))
    cp.Problem(cp.Maximize(cp.sum(cp.entr(p))), [payoff @ p <= 0, cp.sum(p) == 1]).solve()
    return {"p": p.value}


def highs_agents(payoff: Any) -> Answer:
    """Any mixed strategy that gains at least 0 against every agent: one linear programme."""
    from scipy.optimize import linprog

    n = len(payoff)
    found = linprog(np.zeros(n), A_ub=payoff, b_ub=np.zeros(n), A_eq=np.ones((1, n)), b_eq=[1.0])
    return {"p": found.x}


def product(payoff: Any) -> Answer:
    """Check an equilibrium that is already known: the table times one mixed strategy."""
    return {"best reply": float((payoff @ np.full(payoff.shape[1], 1.0 / payoff.shape[1])).max())}


def scores(agents: int) -> Any:
    """Give scores made of four skills, and noise."""
    rng = np.random.default_rng(agents)
    skill = rng.normal(size=(agents, 4)) @ rng.normal(size=(4, TASKS[agents]))
    return skill + rng.normal(size=skill.shape)


def ours_tasks(values: Any) -> Answer:
    import equipoise as eq

    found = eq.nash_average(eq.Scores.from_matrix(values))
    return {"value": found.value, "p": np.concatenate([found.agent_p, found.task_p])}


def open_spiel_tasks(values: Any) -> Answer:
    from open_spiel.python.algorithms.nash_averaging import nash_averaging_avt_matrix

    (agents, tasks), (skill, _) = nash_averaging_avt_matrix(values)
    return {"value": float(agents.ravel() @ skill.ravel()), "p": np.concatenate([agents.ravel(), tasks.ravel()])}


def cvxpy_tasks(values: Any) -> Answer:
    """One constraint for each agent and each task, with the value of the game as a variable."""
    import cvxpy as cp

    unit = (values - values.min(axis=0)) / np.ptp(values, axis=0)
    agents, tasks, value = cp.Variable(len(unit)), cp.Variable(unit.shape[1]), cp.Variable()
    within = [unit @ tasks <= value, unit.T @ agents >= value, cp.sum(agents) == 1, cp.sum(tasks) == 1]
    cp.Problem(cp.Maximize(cp.sum(cp.entr(agents)) + cp.sum(cp.entr(tasks))), within).solve()
    return {"value": float(value.value), "p": np.concatenate([agents.value, tasks.value])}


def same_masses(ours: Answer, theirs: Answer) -> Agreement:
    """Compare masses; the floor has none."""
    return close("p", 1e-3, "a mass")(ours, theirs) if "p" in theirs else (True, "")


ACCURATE = "cvxpy; accurate to about 1e-5"
FLOOR = Side("product", product, note="the table times one mixed strategy, as a check of a known answer needs")
JOBS = (
    Job(
        "maxent Nash, agents against agents",
        antisymmetric,
        (
            Side("equipoise", ours_agents),
            Side("OpenSpiel", open_spiel_agents, note=ACCURATE),
            Side("cvxpy", cvxpy_agents, note="the programme as it is written"),
            Side("HiGHS", highs_agents, note="any equilibrium, not the most even; here there is only one"),
            FLOOR,
        ),
        (8, 30, 100, 300, 1000),
        (8, 30, 100),
        lambda n: f"{n:,} agents",
        same_masses,
        floor="product",
    ),
    Job(
        "maxent Nash, agents against tasks",
        scores,
        (
            Side("equipoise", ours_tasks),
            Side("OpenSpiel", open_spiel_tasks, note=ACCURATE),
            Side("cvxpy", cvxpy_tasks, note="a constraint for each agent and task instead of each pair of them"),
            FLOOR,
        ),
        (5, 20, 50, 100),
        (5, 8, 10),
        lambda n: f"{n:,} agents, {TASKS[n]:,} tasks",
        same_masses,
        floor="product",
    ),
)
