"""The analytic centre of the equilibria of a skew-symmetric game.

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

from equipoise.results import FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]

MAX_STEPS = 200
CENTRING, NEIGHBOURHOOD, SHORTEST = 1e-3, 1e-3, 1e-4
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


def skew_centre(skew: FloatArray, block: IntArray, floor: float = FLOOR) -> Centre:
    """Follow the central path with Mehrotra's predictor and corrector until the gap is below ``floor``.

    ``skew`` should be scaled to a largest entry near 1; ``block`` numbers each strategy's block from 0.
    """
    blocks = int(block.max()) + 1
    mass = 1.0 / np.bincount(block)[block]
    push = skew @ mass
    theta = np.full(blocks, 2.0 * float(np.abs(push).max()) + floor)
    slack = push + theta[block]
    system, diagonal = _bordered(skew, block, blocks)
    steps, gap = 0, float(mass @ slack)
    while gap > floor and steps < MAX_STEPS:
        error = skew @ mass + theta[block] - slack
        lost = np.asarray(1.0 - np.bincount(block, mass), dtype=np.float64)
        diagonal[:] = slack / mass
        step = _newton_step(system, mass, slack, error, lost)
        length = 0.0 if step is None else _length(mass, slack, *step[:2])
        if step is None or length < SHORTEST:
            break
        mass, slack, theta = mass + length * step[0], slack + length * step[1], theta + length * step[2]
        steps, gap = steps + 1, float(mass @ slack)
    return Centre(mass, slack, gap, steps)


def _length(mass: FloatArray, slack: FloatArray, d_mass: FloatArray, d_slack: FloatArray) -> float:
    """The longest step that stays inside and near the central path.

    Off the path a product of mass and slack may vanish long before the others; the strategy's side is then a matter of
    chance, and where payoffs differ by very little a wrong one.
    """
    length = min(1.0, 0.9995 * min(_reach(mass, d_mass), _reach(slack, d_slack)))
    while length >= SHORTEST:
        product = (mass + length * d_mass) * (slack + length * d_slack)
        if product.min() >= NEIGHBOURHOOD / len(product) * product.sum():
            return length
        length *= 0.8
    return 0.0


def _bordered(skew: FloatArray, block: IntArray, blocks: int) -> tuple[FloatArray, FloatArray]:
    """The Newton matrix ``[[diag(slack / mass) + K, E], [E', 0]]`` and a view of its diagonal, still to be filled."""
    size = len(skew)
    system = np.zeros((size + blocks, size + blocks), order="F")
    system[:size, :size] = skew
    system[np.arange(size), size + block] = 1.0
    system[size + block, np.arange(size)] = 1.0
    return system, system.ravel(order="F")[: size * (size + blocks) : size + blocks + 1]


def _newton_step(
    system: FloatArray, mass: FloatArray, slack: FloatArray, error: FloatArray, lost: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray] | None:
    """Directions of mass, slack and theta, or None where the system can no longer be solved.

    The slack's direction comes from the complementarity equation, not from ``K``: so the smallest
    slacks keep their relative accuracy. ``error``, what that costs the linear equation, and ``lost``, what the masses
    lack, are fed back.
    """
    size = len(mass)
    factors, pivots, singular = scipy.linalg.lapack.dgetrf(system)
    if singular:
        return None

    def solve(right_mass: FloatArray) -> FloatArray:
        right = np.concatenate([right_mass - error, lost])
        return np.asarray(scipy.linalg.lapack.dgetrs(factors, pivots, right)[0])

    # Where the products are to vanish at once, slacks change by -1 - share of themselves as masses change by share.
    share = solve(-slack)[:size] / mass
    reach = min(1.0, _within(min(float(share.min()), -1.0 - float(share.max()))))
    target = float(mass @ slack) / size * max((1.0 - reach) ** 3, CENTRING)
    right = target / mass + slack * (share * (1.0 + share) - 1.0)
    found = solve(right)
    if not np.isfinite(found).all():
        return None
    return found[:size], right - slack / mass * found[:size], found[size:]


def _reach(value: FloatArray, direction: FloatArray) -> float:
    """The longest step that keeps ``value + step * direction`` non-negative."""
    return _within(float((direction / value).min()))


def _within(worst: float) -> float:
    """The longest step of a number that changes by ``worst`` times itself."""
    return -1.0 / worst if worst < 0.0 else np.inf
