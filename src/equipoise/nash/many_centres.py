"""The central paths of many small games of one shape, followed together.

A step of one small game is a few dozen operations on arrays of tens of numbers, of which the calls take most of the
time; here a call serves all games. The steps are those of `interior_point`, and each game has its own lengths.
"""

from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray, IntArray
from equipoise.nash.interior_point import FLOOR, MAX_STEPS, Centre, skew_centre
from equipoise.nash.interior_point_steps import CENTRING, NEIGHBOURHOOD, SHORTEST

__all__ = ["skew_centres"]

BoolArray = npt.NDArray[np.bool_]


def skew_centres(skew: FloatArray, block: IntArray) -> list[Centre]:
    """Give what :func:`skew_centre` gives for each of the matrices in ``skew``, up to rounding."""
    try:
        return _followed(skew, block)
    except np.linalg.LinAlgError:  # one of them is singular on its way, and ends there
        return [skew_centre(each, block) for each in skew]


@dataclass(slots=True, eq=False)
class _Paths:
    """Games that are still under way, by rows: their numbers, matrices, Newton matrices, and where they are."""

    number: IntArray
    skew: FloatArray
    system: FloatArray
    mass: FloatArray
    slack: FloatArray
    theta: FloatArray

    def only(self, some: BoolArray) -> "_Paths":
        """Leave the others behind."""
        return _Paths(
            self.number[some], self.skew[some], self.system[some], self.mass[some], self.slack[some], self.theta[some]
        )

    def gap(self) -> FloatArray:
        """What any deviation can gain in each game, at most."""
        return np.asarray((self.mass * self.slack).sum(axis=1))


@np.errstate(all="ignore")  # a step that is not a number is not taken
def _followed(skew: FloatArray, block: IntArray) -> list[Centre]:
    member = (block[:, None] == np.arange(int(block.max()) + 1)).astype(np.float64)
    paths, centres = _begun(skew, member), {}
    stuck = np.zeros(len(skew), dtype=np.bool_)
    for steps in count():
        gap = paths.gap()
        ended = stuck | ~(gap > FLOOR) | (steps == MAX_STEPS)
        for k in np.flatnonzero(ended):
            taken = steps - int(stuck[k])
            centres[int(paths.number[k])] = Centre(paths.mass[k], paths.slack[k], float(gap[k]), taken)
        if ended.all():
            break
        paths = paths.only(~ended) if ended.any() else paths
        stuck = _step(paths, member)
    return [centres[k] for k in range(len(skew))]


def _begun(skew: FloatArray, member: FloatArray) -> _Paths:
    """Even masses, and slacks that leave room."""
    games, size, blocks = len(skew), *member.shape
    mass = np.tile(member @ (1.0 / member.sum(axis=0)), (games, 1))
    push = _times(skew, mass)
    theta = np.repeat(2.0 * np.abs(push).max(axis=1, keepdims=True) + FLOOR, blocks, axis=1)
    system = np.zeros((games, size + blocks, size + blocks))
    system[:, :size, :size] = skew
    system[:, :size, size:], system[:, size:, :size] = member, member.T
    return _Paths(np.arange(games), skew, system, mass, push + theta @ member.T, theta)


def _step(paths: _Paths, member: FloatArray) -> BoolArray:
    """Take each game a step along its path; say which could take none."""
    mass, slack, theta, size = paths.mass, paths.slack, paths.theta, len(member)
    paths.system[:, np.arange(size), np.arange(size)] = slack / mass
    lack = np.hstack([slack - _times(paths.skew, mass) - theta @ member.T, 1.0 - mass @ member])
    right = _corrected(mass, slack, _direction(paths.system, lack, -slack)[:, :size])
    step = _direction(paths.system, lack, right)
    d_mass = step[:, :size]
    d_slack = right - slack * (d_mass / mass)
    length = _lengths(mass, slack, d_mass, d_slack)
    stuck = length == 0.0
    step[stuck], d_slack[stuck] = 0.0, 0.0
    paths.mass = mass + length[:, None] * d_mass
    paths.slack = slack + length[:, None] * d_slack
    paths.theta = theta + length[:, None] * step[:, size:]
    return np.asarray(stuck)


def _times(skew: FloatArray, mass: FloatArray) -> FloatArray:
    return np.asarray((skew @ mass[:, :, None])[:, :, 0])


def _direction(system: FloatArray, lack: FloatArray, right: FloatArray) -> FloatArray:
    """Solve the Newton equations for the directions of mass and theta."""
    aim = lack.copy()
    aim[:, : right.shape[1]] += right
    return np.asarray(np.linalg.solve(system, aim[:, :, None])[:, :, 0])


def _corrected(mass: FloatArray, slack: FloatArray, predicted: FloatArray) -> FloatArray:
    """See `interior_point_steps.corrected`."""
    share = predicted / mass
    reach = _reach(np.minimum(share.min(axis=1), -1.0 - share.max(axis=1)), 1.0)
    target = (mass * slack).mean(axis=1) * np.maximum((1.0 - reach) ** 3, CENTRING)
    return np.asarray(target[:, None] / mass + slack * (share * (1.0 + share) - 1.0))


def _lengths(mass: FloatArray, slack: FloatArray, d_mass: FloatArray, d_slack: FloatArray) -> FloatArray:
    """See `interior_point_steps.step_inside`; 0 where there is no step."""
    length = _reach(np.minimum((d_mass / mass).min(axis=1), (d_slack / slack).min(axis=1)), 0.9995)
    while True:
        product = (mass + length[:, None] * d_mass) * (slack + length[:, None] * d_slack)
        near = product.min(axis=1) >= NEIGHBOURHOOD / mass.shape[1] * product.sum(axis=1)
        length = np.where(near, length, 0.8 * length)
        none = ~(length >= SHORTEST)
        if (near | none).all():
            return np.where(none, 0.0, length)


def _reach(worst: FloatArray, share: float) -> FloatArray:
    """The longest step, 1 at most, that keeps to this share of what leads out."""
    return np.asarray(np.where(worst < 0.0, np.minimum(1.0, -share / worst), 1.0))
