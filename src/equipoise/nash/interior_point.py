"""The interior-point solver: the analytic centre of the equilibria of a skew-symmetric game.

Both games of Nash averaging have one form. With ``K`` skew-symmetric and the strategies split into
blocks that each have mass one (one block for agent-vs-agent, agents and tasks for agent-vs-task)

    slack = K p + theta[block] >= 0,      p >= 0,      the masses of each block add up to 1,

and ``p . slack = sum(theta)`` because ``p . K p = 0``: the game is its own dual. The central path
``p * slack = mu`` leads to a *strictly complementary* solution: in the limit exactly one of
``p[i]`` and ``slack[i]`` is positive, which tells the strategies that some equilibrium plays from
those that none does (Goldman and Tucker 1956). That partition is what maximum entropy needs; a
vertex from a simplex solver does not give it.

On games of tens of strategies the number of array operations is what counts, so there are few. Compiled, a small game
takes half the time, 0.2 ms less; but loading the compiler takes as long as thousands of games.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]

CENTRING, NEIGHBOURHOOD, SHORTEST = 1e-3, 1e-3, 1e-4
MAX_STEPS = 200
FLOOR = 1e-15  # of the largest payoff: below this the gap is rounding


def residual(skew: FloatArray, block: IntArray, mass: FloatArray, slack: FloatArray, theta: FloatArray) -> FloatArray:
    """Residual of the linear equations: ``slack - K p - theta[block]``, then ``1 - mass of each block``."""
    size = len(mass)
    right = np.empty(size + len(theta))
    right[:size] = slack - skew @ mass - theta[block]
    right[size:] = 1.0 - np.bincount(block, mass)
    return right


def corrected(mass: FloatArray, slack: FloatArray, predicted: FloatArray) -> FloatArray:
    """Right-hand side of the complementarity equations after Mehrotra's predictor, whose change of mass is given.

    The predictor aims at products of zero: slacks then change by -1 - share of themselves as masses change by share.
    """
    share = predicted / mass
    worst = min(float(share.min()), -1.0 - float(share.max()))
    length = min(1.0, -1.0 / worst) if worst < 0.0 else 1.0
    target = float(mass @ slack) / len(mass) * max((1.0 - length) ** 3, CENTRING)
    return np.asarray(target / mass + slack * (share * (1.0 + share) - 1.0))


def step_inside(
    mass: FloatArray, slack: FloatArray, right: FloatArray, d_mass: FloatArray
) -> tuple[float, FloatArray, FloatArray, float]:
    """Length of the longest step that stays inside and near the central path, where it leads, and the gap there.

    Off the path a product of mass and slack may vanish long before the others; the strategy's side is then a matter of
    chance, and where payoffs differ by very little a wrong one. The length is 0 where there is no such step, or
    where it is not a number. The slack's direction comes from the complementarity equation, so the smallest slacks
    keep their relative accuracy.
    """
    share = d_mass / mass
    d_slack = right - slack * share
    worst = min(float(share.min()), float((d_slack / slack).min()))
    length = min(1.0, -0.9995 / worst) if worst < 0.0 else 1.0
    while length >= SHORTEST:
        new_mass, new_slack = mass + length * d_mass, slack + length * d_slack
        product = new_mass * new_slack
        gap = float(product.sum())
        if product.min() >= NEIGHBOURHOOD / len(mass) * gap:
            return length, new_mass, new_slack, gap
        length *= 0.8
    return 0.0, mass, slack, 0.0


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
