"""The two games of Nash averaging, in the one form that the solver knows.

A game has strategies in blocks of mass one, a skew-symmetric matrix ``K`` that is never built as a
whole, and ``slack = K p + theta[block]``, non-negative at an equilibrium. See `interior`.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from equipoise.results import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]


class Game(Protocol):
    """What the solver asks of a game."""

    @property
    def block(self) -> IntArray:
        """The block of each strategy."""

    def part(self, chosen: IntArray) -> FloatArray:
        """``K`` between the chosen strategies."""

    def push(self, chosen: IntArray, mass: FloatArray) -> FloatArray:
        """``K[:, chosen] @ mass`` for all strategies."""

    def promise(self) -> FloatArray:
        """A first guess of how good each strategy is: larger is better."""

    def faces(
        self, part: FloatArray, block: IntArray, played: BoolArray
    ) -> list[tuple[IntArray, FloatArray, FloatArray]]:
        """For each block: its played strategies, the equations ``@ x = 0`` and the inequalities ``@ x <= 0``.

        ``part``, ``block`` and ``played`` belong to the chosen strategies only.
        """


@dataclass(frozen=True, slots=True)
class AgentGame:
    """Agents against agents: ``payoff`` antisymmetric, value 0, both players alike.

    ``scale`` divides every payoff that leaves the matrix; float32 input stays float32 until then.
    """

    payoff: npt.NDArray[np.floating[Any]]
    scale: float

    @property
    def block(self) -> IntArray:
        """One block: all agents."""
        return np.zeros(len(self.payoff), dtype=np.int64)

    def part(self, chosen: IntArray) -> FloatArray:
        """Minus the payoffs, exactly antisymmetric and scaled."""
        part = self.payoff[np.ix_(chosen, chosen)].astype(np.float64) / self.scale
        return np.asarray((part.T - part) / 2.0)

    def push(self, chosen: IntArray, mass: FloatArray) -> FloatArray:
        """What the chosen, played so, cost every agent."""
        # Rows instead of columns, by antisymmetry: contiguous, and no copy of the matrix.
        return np.asarray(mass @ (self.payoff[chosen].astype(np.float64) / self.scale))

    def promise(self) -> FloatArray:
        """Each agent's mean payoff."""
        return np.asarray(self.payoff.mean(axis=1, dtype=np.float64))

    def faces(
        self, part: FloatArray, block: IntArray, played: BoolArray
    ) -> list[tuple[IntArray, FloatArray, FloatArray]]:
        """One face, of value 0."""
        assert not block.any()
        inside = np.flatnonzero(played)
        return [(inside, -part[np.ix_(inside, inside)], -part[np.ix_(np.flatnonzero(~played), inside)])]


@dataclass(frozen=True, slots=True)
class TaskGame:
    """Agents (rows, who maximise) against tasks (columns, who minimise)."""

    score: FloatArray

    @property
    def block(self) -> IntArray:
        """Block 0 are the agents, block 1 the tasks."""
        agents, tasks = self.score.shape
        return np.repeat(np.arange(2, dtype=np.int64), [agents, tasks])

    def part(self, chosen: IntArray) -> FloatArray:
        """Agents lose what tasks gain."""
        agents, tasks = self._split(chosen)
        score = self.score[np.ix_(agents, tasks)]
        return np.block([[np.zeros((len(agents),) * 2), -score], [score.T, np.zeros((len(tasks),) * 2)]])

    def push(self, chosen: IntArray, mass: FloatArray) -> FloatArray:
        """What the chosen, played so, cost every agent and every task."""
        agents, tasks = self._split(chosen)
        mass_agents, mass_tasks = mass[: len(agents)], mass[len(agents) :]
        return np.concatenate([-(self.score[:, tasks] @ mass_tasks), mass_agents @ self.score[agents]])

    def promise(self) -> FloatArray:
        """Each agent's mean score, and each task's mean score turned round."""
        return np.concatenate([self.score.mean(axis=1), -self.score.mean(axis=0)])

    def faces(
        self, part: FloatArray, block: IntArray, played: BoolArray
    ) -> list[tuple[IntArray, FloatArray, FloatArray]]:
        """A face for the agents and one for the tasks."""
        return [self._face(part, block == side, played) for side in (0, 1)]

    def _face(self, part: FloatArray, own: BoolArray, played: BoolArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """The value is unknown but common: subtracting the mean over the played opponents removes it."""
        inside = np.flatnonzero(own & played)
        payoff = -part[np.ix_(np.flatnonzero(~own & played), inside)]
        value = payoff.mean(axis=0)
        return inside, payoff - value, -part[np.ix_(np.flatnonzero(~own & ~played), inside)] - value

    def _split(self, chosen: IntArray) -> tuple[IntArray, IntArray]:
        """Chosen strategies as agents and tasks; ``chosen`` is in increasing order."""
        agents = len(self.score)
        return chosen[chosen < agents], chosen[chosen >= agents] - agents
