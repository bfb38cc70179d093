"""Arrays in, arrays out: the maximum-entropy equilibria of both games, clones merged, with certificates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray, IntArray
from equipoise.inference.threads import one_thread
from equipoise.nash.games import AgentGame, TaskGame
from equipoise.nash.reduction import (
    BLOCK,
    balanced,
    clone_classes,
    dominant_set,
    even_units,
    magnitude,
    representatives,
    share,
)
from equipoise.nash.solve import Equilibrium, maxent_equilibrium

SCALABLE = 500
"""Agents up to which a game with payoffs of very different sizes is solved again in other units."""


@dataclass(frozen=True, slots=True)
class AgentSolution:
    """Agents' masses, their averages ``A p``, the clone class of each, and the equilibrium behind them."""

    p: FloatArray
    average: FloatArray
    classes: IntArray
    equilibrium: Equilibrium

    @property
    def exploitability(self) -> float:
        """What the best deviation gains: 0 at an equilibrium."""
        return float(self.average.max())


@dataclass(frozen=True, slots=True)
class TaskSolution:
    """Both sides' masses, skills ``S p_e``, difficulties ``-S' p_a`` and the value of the game."""

    agent_p: FloatArray
    task_p: FloatArray
    skill: FloatArray
    difficulty: FloatArray
    value: float
    agent_classes: IntArray
    task_classes: IntArray
    equilibrium: Equilibrium

    @property
    def exploitability(self) -> float:
        """What the better of the two best deviations gains: 0 at an equilibrium."""
        return float(max(self.skill.max() - self.value, self.value + self.difficulty.max()))


def maxent_skew(payoff: npt.NDArray[np.floating[Any]], *, merge_clones: bool = True) -> AgentSolution:
    """The most even equilibrium of the antisymmetric game ``payoff``, every entry finite."""
    return maxent_skews([payoff], merge_clones=merge_clones)[0]


def maxent_skews(payoffs: Sequence[npt.NDArray[np.floating[Any]]], *, merge_clones: bool = True) -> list[AgentSolution]:
    """The same for many games of the same agents, one after the other."""
    reduced = [_AgentReduction.of(payoff, merge_clones) for payoff in payoffs]
    with one_thread(max((len(each.core) for each in reduced), default=0)):
        return [each.solved() for each in reduced]


@dataclass(frozen=True, slots=True, eq=False)
class _AgentReduction:
    """An antisymmetric game without clones (``classes``), and of the ``first`` of each only those who can matter."""

    payoff: npt.NDArray[np.floating[Any]]
    classes: IntArray
    first: IntArray
    inside: IntArray
    core: npt.NDArray[np.floating[Any]]

    @classmethod
    def of(cls, payoff: npt.NDArray[np.floating[Any]], merge_clones: bool) -> "_AgentReduction":
        """Merge clones and put aside who cannot matter, where that leaves half of the agents at most."""
        size = len(payoff)
        classes = clone_classes(payoff) if merge_clones else np.arange(size, dtype=np.int64)
        first = representatives(classes)
        reduced = payoff if len(first) == size else payoff[np.ix_(first, first)]
        inside = dominant_set(reduced)
        if 2 * len(inside) > len(reduced):
            inside = np.arange(len(reduced))
        core = reduced if len(inside) == len(reduced) else reduced[np.ix_(inside, inside)]
        return cls(payoff, classes, first, inside, core)

    def solved(self) -> AgentSolution:
        """Solve what is left, and give everybody a share and an average."""
        equilibrium = _at_all_scales(self.core)
        mass = np.zeros(len(self.first))
        mass[self.inside] = equilibrium.mass
        p = share(mass, self.classes)
        played = np.flatnonzero(p)
        # By antisymmetry A p = -(p A); only the rows in play are read.
        average = 0.0 - p[played] @ self.payoff[played].astype(np.float64)
        return AgentSolution(p, np.asarray(average), self.classes, equilibrium)


def _at_all_scales(core: npt.NDArray[np.floating[Any]]) -> Equilibrium:
    """The equilibrium of an antisymmetric game, certified only if every agent's own payoffs balance.

    What is exact beside the largest payoff may be wrong beside a small one. Since ``A p <= 0`` is
    ``(D A D) q <= 0`` for ``p = D q``, a game whose payoffs differ by many orders of magnitude can be solved in units
    that even them out; a unique equilibrium there is the unique one here.
    """
    equilibrium = maxent_equilibrium(AgentGame(core, _power_of_two(magnitude(core))))
    if not equilibrium.converged or balanced(core, equilibrium.mass):
        return equilibrium
    if len(core) <= SCALABLE:
        unit = even_units(core)
        # In two steps, for the product of two units may be no number.
        scaled = core.astype(np.float64) * unit[:, None] * unit[None, :]
        again = maxent_equilibrium(AgentGame(scaled, _power_of_two(magnitude(scaled))))
        mass = unit / unit.max() * again.mass
        mass = mass / mass.sum() if mass.sum() > 0 else mass
        if again.converged and again.dimension == 0 and balanced(core, mass):
            return replace(again, mass=mass)
    return replace(equilibrium, converged=False)


def maxent_zero_sum(
    score: FloatArray, *, merge_clones: bool = True, near: tuple[FloatArray, FloatArray] | None = None
) -> TaskSolution:
    """The most even optimal strategies of agents (rows, maximising) and tasks (columns, minimising).

    Entropy is maximised for each side on its own: the optimal sets of a zero-sum game are a product. ``near`` is what
    each agent and each task loses in a similar table, which saves time.
    """
    return maxent_zero_sums([score], merge_clones=merge_clones, near=near)[0]


def maxent_zero_sums(
    scores: Sequence[FloatArray], *, merge_clones: bool = True, near: tuple[FloatArray, FloatArray] | None = None
) -> list[TaskSolution]:
    """The same for many tables, one after the other."""
    classes = [_merged(score) if merge_clones else _unmerged(score) for score in scores]
    games = [_task_game(score, *own) for score, own in zip(scores, classes, strict=True)]
    with one_thread(max((max(game.score.shape) for game in games), default=0)):
        return [
            _task_solution(score, own, maxent_equilibrium(game, near=_of_classes(near, own)))
            for score, own, game in zip(scores, classes, games, strict=True)
        ]


def _of_classes(near: tuple[FloatArray, FloatArray] | None, classes: "_Classes") -> FloatArray | None:
    if near is None:
        return None
    return np.concatenate([side[representatives(own)] for side, own in zip(near, classes, strict=True)])


_Classes = tuple[IntArray, IntArray]
"""The clone class of each agent, and of each task."""


def _merged(score: FloatArray) -> _Classes:
    return clone_classes(score), clone_classes(np.ascontiguousarray(score.T))


def _unmerged(score: FloatArray) -> _Classes:
    agents, tasks = score.shape
    return np.arange(agents, dtype=np.int64), np.arange(tasks, dtype=np.int64)


def _task_game(score: FloatArray, rows: IntArray, columns: IntArray) -> TaskGame:
    first, second = representatives(rows), representatives(columns)
    reduced = score if (len(first), len(second)) == score.shape else score[np.ix_(first, second)]
    middle = reduced.min() + (reduced.max() - reduced.min()) / 2.0
    return TaskGame(reduced, float(middle), _power_of_two(magnitude(reduced - middle)))


def _task_solution(score: FloatArray, classes: _Classes, equilibrium: Equilibrium) -> TaskSolution:
    rows, columns = classes
    agents = int(rows.max()) + 1
    agent_p = share(equilibrium.mass[:agents], rows)
    task_p = share(equilibrium.mass[agents:], columns)
    skill, difficulty = score @ task_p, 0.0 - agent_p @ score
    return TaskSolution(agent_p, task_p, skill, difficulty, float(agent_p @ skill), rows, columns, equilibrium)


def asymmetry(payoff: npt.NDArray[np.floating[Any]]) -> tuple[float, int, int]:
    """The largest ``|A[i, j] + A[j, i]|`` and where it stands, a block of rows at a time."""
    worst, where = -1.0, (0, 0)
    for start in range(0, len(payoff), BLOCK):
        block = np.abs(payoff[start : start + BLOCK] + payoff[:, start : start + BLOCK].T)
        place = int(block.argmax())
        if block.flat[place] > worst:
            worst, where = float(block.flat[place]), divmod(place, len(payoff))
            where = (where[0] + start, where[1])
    return max(worst, 0.0), *where


def _power_of_two(size: float) -> float:
    """A power of two near ``size``: dividing by it is exact, so that the answer cannot depend on the scale."""
    return float(np.ldexp(1.0, int(np.frexp(size)[1]))) if size > 0.0 else 1.0
