"""The interior-point solver: the analytic centre of the equilibria of a skew-symmetric game.

Both games of Nash averaging have one form. With ``K`` skew-symmetric and the strategies split into
blocks that each carry mass one (one block for agent-vs-agent, agents and tasks for agent-vs-task)

    slack = K p + theta[block] >= 0,      p >= 0,      the masses of each block add up to 1,

and ``p . slack = sum(theta)`` because ``p . K p = 0``: the game is its own dual. The central path
``p * slack = mu`` leads to a *strictly complementary* solution: in the limit exactly one of
``p[i]`` and ``slack[i]`` is positive, which tells the strategies that some equilibrium plays from
those that none does (Goldman and Tucker 1956). That partition is what maximum entropy needs; a
vertex from a simplex solver does not give it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.nash.interior_point_steps import SHORTEST, corrected, residual, step_inside

__all__ = ["Centre", "skew_centre"]

BoolArray = npt.NDArray[np.bool_]

MAX_STEPS = 200
FLOOR = 1e-15  # of the largest payoff: below this the gap is rounding


@dataclass(frozen=True, slots=True)
class Centre:
    """A point near the end of the central path.

    ``mass`` and ``slack`` are positive; ``gap`` bounds what any deviation can gain, in units of the
    payoffs given; ``steps`` counts Newton steps.
    """

    mass: FloatArray
    slack: FloatArray
    gap: float
    steps: int

    def played(self) -> BoolArray:
        """Which strategies are played by some equilibrium."""
        return self.mass > self.slack


@np.errstate(all="ignore")  # a step that is not a number is not taken
def skew_centre(skew: FloatArray, block: IntArray, floor: float = FLOOR) -> Centre:
    """Follow the central path with Mehrotra's predictor and corrector until the gap is below ``floor``.

    ``skew`` should be scaled to a largest entry near 1; ``block`` numbers each strategy's block from 0.
    """
    size, blocks = len(skew), int(block.max()) + 1
    mass = 1.0 / np.bincount(block)[block]
    push = skew @ mass
    theta = np.full(blocks, 2.0 * float(np.abs(push).max()) + floor)
    slack = push + theta[block]
    system, diagonal = _bordered(skew, block, blocks)
    steps, gap = 0, float(mass @ slack)
    while gap > floor and steps < MAX_STEPS:
        diagonal[:] = slack / mass
        factors, pivots, singular = scipy.linalg.lapack.dgetrf(system)
        if singular:
            break
        lack = residual(skew, block, mass, slack, theta)
        predicted = _newton_direction(factors, pivots, lack, -slack)
        right = corrected(mass, slack, predicted[:size])
        step = _newton_direction(factors, pivots, lack, right)
        length, new_mass, new_slack, new_gap = step_inside(mass, slack, right, step[:size])
        if length < SHORTEST:
            break
        mass, slack, theta = new_mass, new_slack, theta + length * step[size:]
        steps, gap = steps + 1, float(new_gap)
    return Centre(mass, slack, gap, steps)


def _newton_direction(factors: FloatArray, pivots: IntArray, lack: FloatArray, right: FloatArray) -> FloatArray:
    """Solve the factored Newton equations for the directions of mass and theta."""
    aim = lack.copy()
    aim[: len(right)] += right
    return np.asarray(scipy.linalg.lapack.dgetrs(factors, pivots, aim, overwrite_b=True)[0])


def _bordered(skew: FloatArray, block: IntArray, blocks: int) -> tuple[FloatArray, FloatArray]:
    """The Newton matrix ``[[diag(slack / mass) + K, E], [E', 0]]`` and a view of its diagonal, still to be filled."""
    size = len(skew)
    system = np.zeros((size + blocks, size + blocks), order="F")
    system[:size, :size] = skew
    system[np.arange(size), size + block] = 1.0
    system[size + block, np.arange(size)] = 1.0
    return system, system.ravel(order="F")[: size * (size + blocks) : size + blocks + 1]
