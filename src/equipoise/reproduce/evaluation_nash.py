"""Balduzzi, Tuyls, Perolat and Graepel (2018), Re-evaluating Evaluation: Nash averages."""

from functools import cache, partial
from pathlib import Path

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.data.readers.read import read_scores
from equipoise.data.types.scores import Scores
from equipoise.flows.operators import div
from equipoise.nash.average import nash_average
from equipoise.nash.tasks import TaskNash
from equipoise.reproduce.figure import Figure

__all__ = ["FIGURES"]

CYCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
LADDER = np.array([[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0], [-2.0, -1.0, 0.0]])
CLONED = np.array([[0, 4.6, -4.6, -4.6], [-4.6, 0, 4.6, 4.6], [4.6, -4.6, 0, 0], [4.6, -4.6, 0, 0]])
SUITE = np.array([[89, 93, 76, 77], [85, 85, 85, 84], [79, 74, 99, 98]], dtype=float)
"""Three agents on three tasks and a near-copy of the third: our example, made to fit the text of appendix A."""
LEVEL_MEANS = np.array([[1.0, -1.0], [2.0, -2.0]])
"""Two agents with the same mean over tasks, of whom one is never worse off against the hardest task."""
BALANCED = np.array([[1.0, -1.0], [-1.0, 1.0]])
NOOP = "atari/endtoend_noop_starts_agents_x_games.csv"
TWENTY = (
    "drawn without numbers, for 20 agents; of those the public tables lack pop-art, count-based exploration and the "
    "no-action baseline, and ours are 22"
)


def _mixed(_: Path, epsilon: float) -> tuple[float, ...]:
    nash = nash_average(CYCLE + epsilon * LADDER)
    return (*nash.p, *nash.average)


def _jump(epsilon: float) -> tuple[float, ...]:
    """Give the paper's formulas for the equilibrium of C + epsilon T and the averages under it."""
    if epsilon <= 0.5:
        return ((1 + epsilon) / 3, (1 - 2 * epsilon) / 3, (1 + epsilon) / 3, 0.0, 0.0, 0.0)
    return (1.0, 0.0, 0.0, 0.0, -1 - epsilon, 1 - 2 * epsilon)


def _copies(_: Path, merge: bool) -> tuple[float, ...]:
    """Mass of an agent and its copy, in one of two cycles that have nothing to do with each other."""
    rows = [0, 1, 2, 3, 4, 5, 5]
    both = np.kron(np.eye(2), CYCLE)[np.ix_(rows, rows)]
    return (float(nash_average(both, merge_clones=merge).p[5:].sum()),)


def _tasks(values: FloatArray) -> TaskNash:
    return nash_average(Scores.from_matrix(values), units="none")


def _level(tasks: int) -> str:
    skill = nash_average(Scores.from_matrix(SUITE[:, :tasks], agents="ABC")).skill
    return " and ".join("ABC"[k] for k in np.flatnonzero(skill > skill.max() - 1e-9))


@cache
def _results(folder: Path) -> Scores:
    """Agents with at most three gaps, on the games that they all played."""
    scores = read_scores(folder / NOOP)
    few = scores.take(agents=scores.missing.sum(axis=1) <= 3)
    return few.take(tasks=~few.missing.any(axis=0))


@cache
def _atari(folder: Path) -> TaskNash:
    return nash_average(_results(folder))


def _tie(folder: Path) -> str:
    nash = _atari(folder)
    top = [nash.agents[i] for i in np.flatnonzero(nash.skill > nash.value - 1e-9)]
    human = any(name.startswith("Human") for name in top)
    return f"Human {'ties' if human else 'does not tie'} for the top with {len(top) - human} agents"


def _core(folder: Path, side: str) -> str:
    """Name those with mass, most first."""
    nash = _atari(folder)
    names, mass = (nash.agents, nash.agent_p) if side == "agents" else (nash.tasks, nash.task_p)
    return ", ".join(f"{names[i].split(' | ')[0]} {mass[i]:.2f}" for i in np.argsort(-mass) if mass[i] > 1e-9)


def _human(folder: Path) -> str:
    """Place of the human among the agents by plain means over games, and by Nash averages."""
    nash, games = _atari(folder), _results(folder).values
    plain = ((games - games.min(axis=0)) / np.ptp(games, axis=0)).mean(axis=1)
    human = next(i for i, name in enumerate(nash.agents) if name.startswith("Human"))
    places = (1 + int((values > values[human] + 1e-9).sum()) for values in (plain, nash.skill))
    return "Human is number {} of 22 by plain means, number {} (a tie) by Nash averages".format(*places)


example = partial(Figure, where="section 4.1", digits=4)
theorem = partial(Figure, where="theorem 1", digits=4)
ours = partial(Figure, where="example of ours for appendix A")
atari = partial(Figure, needs=NOOP)

FIGURES = (
    Figure(
        "two suites of tasks, one with a near-copy",
        "",
        None,
        where="appendix A",
        because="the numbers of its two tables are lost in our copy; an example that fits its text follows",
    ),
    ours(
        "plain means of A, B, C turn round with a near-copy of a task",
        (86.0, 85.0, 84.0, 83.75, 84.75, 87.5),
        lambda _: (*SUITE[:, :3].mean(axis=1), *SUITE.mean(axis=1)),
    ),
    ours(
        "Nash averages do not: who is on top without and with the near-copy",
        "A and C; A and C",
        lambda _: f"{_level(3)}; {_level(4)}",
    ),
    example(
        "example 1: maxent Nash of rock-paper-scissors, and with a second C",
        (1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 6, 1 / 6),
        lambda _: (*nash_average(4.6 * CYCLE).p, *nash_average(CLONED).p),
    ),
    example(
        "example 1: Nash averages, without and with a second C",
        (0.0,) * 7,
        lambda _: (*nash_average(4.6 * CYCLE).average, *nash_average(CLONED).average),
        digits=2,
    ),
    example(
        "example 1: uniform averages with a second C",
        (-1.15, 1.15, 0.0, 0.0),
        lambda _: tuple(div(CLONED)),
        digits=2,
    ),
    *(
        example(
            f"example 2: maxent Nash and averages of C + {epsilon:g} T",
            _jump(epsilon),
            partial(_mixed, epsilon=epsilon),
        )
        for epsilon in (0.0, 0.25, 0.5, 0.6, 1.0)
    ),
    theorem(
        "P1: a cycle beside another, one agent copied: mass of the two copies", (1 / 6,), partial(_copies, merge=True)
    ),
    theorem(
        "the same by the definition as printed",
        (1 / 6,),
        partial(_copies, merge=False),
        because="the equilibrium is not unique here, and plain maximum entropy favours the cycle with more agents: "
        "identical rows are merged first, unless merge_clones=False",
    ),
    theorem(
        "P3: a cyclic game is uniform; a ladder puts all on the best",
        (1 / 3, 1 / 3, 1 / 3, 1.0, 0.0, 0.0),
        lambda _: (*nash_average(CYCLE).p, *nash_average(LADDER).p),
    ),
    Figure(
        "P3 for agents and tasks: equal means of agents, so uniform on them",
        (0.5, 0.5),
        lambda _: tuple(_tasks(LEVEL_MEANS).agent_p),
        where="appendix D, scores (1, -1) and (2, -2)",
        because="it is not true as printed: both means are 0, but the first agent loses less on the harder task",
    ),
    Figure(
        "its right form, the means of tasks equal too: masses of agents, of tasks",
        (0.5, 0.5, 0.5, 0.5),
        lambda _: (*_tasks(BALANCED).agent_p, *_tasks(BALANCED).task_p),
        where="reference value, scores (1, -1) and (-1, 1)",
    ),
    atari(
        "Atari: Human ties for the top",
        "Human ties for the top with 6 agents",
        _tie,
        where="section 4.2; the number is a reference value",
    ),
    atari(
        "Atari: value of the game, 22 agents on 54 games",
        (0.23005,),
        lambda folder: (_atari(folder).value,),
        where="reference value",
        digits=5,
    ),
    atari("Atari: core agents and their masses", "", partial(_core, side="agents"), where="figure 1A", because=TWENTY),
    atari("Atari: core games and their masses", "", partial(_core, side="games"), where="figure 1B", because=TWENTY),
    atari("Atari: skill by plain and by Nash averages", "", _human, where="figure 2A", because=TWENTY),
    Figure(
        "Atari: tables of all skills and difficulties",
        "",
        None,
        where="appendix, and figure 2B",
        because="the tables are lost in our copy, and the figure is drawn without numbers",
    ),
)
