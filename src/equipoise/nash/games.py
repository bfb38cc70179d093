"""The two games of Nash averaging, in the one form that the solver knows.

A game has strategies in blocks of mass one, a skew-symmetric matrix ``K`` that is never built as a
whole, and ``slack = K p + theta[block]``, non-negative at an equilibrium. See `interior_point`.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Face:
    """The optimal face of one block: its equilibria.

    They are ``level @ x = 0`` and ``below @ x <= 0`` on the ``inside`` strategies; ``noise`` is the rounding that
    ``level`` and ``below`` hold.
    """

    inside: IntArray
    level: FloatArray
    below: FloatArray
    noise: float


class NashGame(Protocol):
    """What the solver asks of a game."""

    @property
    def block(self) -> IntArray:
        """The block of each strategy."""

    def part(self, chosen: IntArray) -> FloatArray:
        """``K`` between the chosen strategies, in units in which the largest entry of the game is near 1."""

    def unit(self, chosen: IntArray) -> float:
        """How far the payoffs of the chosen strategies are from their middle, in the units of ``part``."""

    def rescaled(self, chosen: IntArray) -> FloatArray:
        """``K`` between the chosen strategies in their own ``unit``, which is not 0."""

    def push(self, chosen: IntArray, mass: FloatArray) -> FloatArray:
        """``K[:, chosen] @ mass`` for all strategies, in the units of ``part``."""

    def first_guess(self) -> FloatArray:
        """A first guess of how good each strategy is: larger is better."""

    def faces(self, chosen: IntArray, played: BoolArray) -> list[Face]:
        """The face of each block, given which of the chosen strategies are played; positions are among the chosen."""


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

    def unit(self, chosen: IntArray) -> float:
        """The largest payoff among the chosen."""
        return float(np.abs(self.payoff[np.ix_(chosen, chosen)]).max(initial=0.0)) / self.scale

    def rescaled(self, chosen: IntArray) -> FloatArray:
        """Minus the payoffs, scaled by the largest among the chosen."""
        part = self.part(chosen)
        return np.asarray(part / np.abs(part).max())

    def push(self, chosen: IntArray, mass: FloatArray) -> FloatArray:
        """What the chosen, played so, cost every agent."""
        # Rows instead of columns, by antisymmetry: contiguous, and no copy of the matrix.
        return np.asarray(mass @ (self.payoff[chosen].astype(np.float64) / self.scale))

    def first_guess(self) -> FloatArray:
        """Each agent's mean payoff."""
        return np.asarray(self.payoff.mean(axis=1, dtype=np.float64))

    def faces(self, chosen: IntArray, played: BoolArray) -> list[Face]:
        """One face, of value 0."""
        part = self.part(chosen)
        inside, outside = np.flatnonzero(played), np.flatnonzero(~played)
        return [Face(inside, -part[np.ix_(inside, inside)], -part[np.ix_(outside, inside)], 0.0)]


@dataclass(frozen=True, slots=True)
class TaskGame:
    """Agents (rows, who maximise) against tasks (columns, who minimise); ``middle`` and ``scale`` make the units."""

    score: FloatArray
    middle: float
    scale: float

    @property
    def block(self) -> IntArray:
        """Block 0 are the agents, block 1 the tasks."""
        agents, tasks = self.score.shape
        return np.repeat(np.arange(2, dtype=np.int64), [agents, tasks])

    def part(self, chosen: IntArray) -> FloatArray:
        """Agents lose what tasks gain."""
        return _skew((self._among(chosen) - self.middle) / self.scale)

    def unit(self, chosen: IntArray) -> float:
        """Half the range of the chosen scores."""
        score = self._among(chosen)
        return float(score.max() - score.min()) / 2.0 / self.scale if score.size else 0.0

    def rescaled(self, chosen: IntArray) -> FloatArray:
        """Around the chosen scores' own middle: scores that differ by little are subtracted exactly."""
        score = self._among(chosen)
        centred = score - (score.min() + np.ptp(score) / 2.0)
        return _skew(centred / np.abs(centred).max())

    def push(self, chosen: IntArray, mass: FloatArray) -> FloatArray:
        """What the chosen, played so, cost every agent and every task."""
        agents, tasks = self._split(chosen)
        mass_agents, mass_tasks = mass[: len(agents)], mass[len(agents) :]
        on_agents = (self.score[:, tasks] - self.middle) @ mass_tasks
        on_tasks = mass_agents @ (self.score[agents] - self.middle)
        return np.concatenate([-on_agents, on_tasks]) / self.scale

    def first_guess(self) -> FloatArray:
        """Each agent's mean score, and minus each task's mean score."""
        return np.concatenate([self.score.mean(axis=1), -self.score.mean(axis=0)])

    def faces(self, chosen: IntArray, played: BoolArray) -> list[Face]:
        """A face for the agents and one for the tasks."""
        score = self._among(chosen)
        agents = len(score)
        core_agents, core_tasks = played[:agents], played[agents:]
        of_agents = self._face(-score.T, core_agents, core_tasks, 0)
        return [of_agents, self._face(score, core_tasks, core_agents, agents)]

    def _face(self, payoff: FloatArray, own: BoolArray, other: BoolArray, start: int) -> Face:
        """What opponents (rows) gain from one's own strategies (columns): equal for those played, no more for others.

        The value is unknown but common; differences to one of the rows do without it.
        """
        gain = payoff[:, own]
        if not other.any():
            return Face(start + np.flatnonzero(own), gain[:0], gain[:0], 0.0)
        first = gain[other][0]
        noise = 4.0 * float(np.finfo(np.float64).eps) * float(np.abs(gain).max(initial=0.0)) / self.scale
        level, below = (gain[other][1:] - first) / self.scale, (gain[~other] - first) / self.scale
        return Face(start + np.flatnonzero(own), level, below, noise)

    def _among(self, chosen: IntArray) -> FloatArray:
        """Scores of the chosen agents on the chosen tasks."""
        if len(chosen) == sum(self.score.shape):
            return self.score
        return np.asarray(self.score[np.ix_(*self._split(chosen))])

    def _split(self, chosen: IntArray) -> tuple[IntArray, IntArray]:
        """Chosen strategies as agents and tasks; ``chosen`` is in increasing order."""
        agents = len(self.score)
        return chosen[chosen < agents], chosen[chosen >= agents] - agents


def _skew(score: FloatArray) -> FloatArray:
    agents, size = len(score), sum(score.shape)
    skew = np.zeros((size, size))
    skew[:agents, agents:], skew[agents:, :agents] = -score, score.T
    return skew
