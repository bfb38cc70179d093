"""Maximum entropy on the optimal face: the equilibria are the optimal solutions of a linear program.

Once it is known which strategies some equilibrium plays, the equilibria are the polytope

    x > 0,   sum(x) = 1,   level @ x = 0,   below @ x <= 0

and entropy has one maximum on it. Where the equations leave one point only, the generic case, that is
the answer. Otherwise the maximum is an exponential family (Jaynes 1957)

    x ~ exp(-(level' y + below' z)),      z >= 0,

whose multipliers minimise the log-normaliser: smooth, convex, and exact for masses as small as 1e-30,
which do occur. ``below`` may well bind: a strategy that no equilibrium plays can still forbid some.
"""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.results import FloatArray

MAX_STEPS = 100
TARGET = 1e-14
VANISHED = 1e-60
FURTHEST = 1e60
GOOD = 1e-10  # below this error, steps that do not halve it are rounding
ROUNDING = 16.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class FacePoint:
    """The most even point of a face, the error of its optimality conditions, and the face's dimension."""

    mass: FloatArray
    kkt: float
    steps: int
    dimension: int


def most_even(level: FloatArray, below: FloatArray, start: FloatArray, noise: float = 0.0) -> FacePoint:
    """Maximise ``-sum(x log x)``; ``start`` is a positive point near the face, ``noise`` the rounding in the rows.

    The caller looks at the answer: ``kkt`` is infinite or a mass negative where there is no such face.
    """
    rows, kernel = _row_space(level, len(start), noise)
    if kernel.shape[1] == 1:
        x = kernel[:, 0] * np.sign(kernel[:, 0] @ start)
        return FacePoint(x / x.sum(), 0.0, 0, 0) if x.sum() > 0.0 else FacePoint(start, np.inf, 0, 0)
    size = np.abs(below).max(axis=1, initial=0.0)
    below = below[size > noise] / size[size > noise, None]
    return _exponential_family(rows, below, start, kernel.shape[1] - 1)


def _row_space(level: FloatArray, size: int, noise: float) -> tuple[FloatArray, FloatArray]:
    """Orthonormal rows that say the same as ``level``, and a basis of its kernel.

    The caller knows that a solution exists: a kernel lost to rounding is recovered as the flattest direction.
    """
    if level.size == 0:
        return np.empty((0, size)), np.eye(size)
    _, values, rows = np.linalg.svd(level, full_matrices=True)
    rank = int((values > max(level.shape) * max(ROUNDING * values[0], noise)).sum())
    rank = min(rank, size - 1)
    return np.asarray(rows[:rank]), np.asarray(rows[rank:].T)


def _exponential_family(rows: FloatArray, below: FloatArray, start: FloatArray, dimension: int) -> FacePoint:
    """Without the inequalities first: if none is violated that is the answer, and mostly none is.

    Else multipliers with room for the inequalities; then with those that bind as equations, to full accuracy.
    An inequality may bind with a multiplier of zero: its room and its multiplier then both end near the square root
    of the accuracy, and only the second stage is exact.
    """
    free = _descend(rows, below[:0], np.zeros(len(rows)), np.empty(0))
    beyond = float((below @ free.x).max(initial=0.0))
    if max(free.error, beyond) <= TARGET:
        return FacePoint(free.x, max(free.error, beyond), free.steps, dimension)
    room = np.maximum(-(below @ start), 1e-3)
    price = np.concatenate([np.zeros(len(rows)), 0.01 / room])
    first = _descend(rows, below, price, room)
    binding = first.price[len(rows) :] > first.room
    equations = np.concatenate([np.ones(len(rows), dtype=np.bool_), binding])
    second = _descend(np.vstack([rows, below[binding]]), below[:0], first.price[equations], room[:0])
    steps = first.steps + second.steps
    error = max(
        second.error, float((below @ second.x).max(initial=0.0)), -float(second.price[len(rows) :].min(initial=0))
    )
    if error < first.error:
        return FacePoint(second.x, error, steps, dimension)
    return FacePoint(first.x, first.error, steps, dimension)


@dataclass(frozen=True, slots=True)
class _Multipliers:
    """Where a descent ended."""

    x: FloatArray
    price: FloatArray
    room: FloatArray
    error: float
    steps: int


def _descend(rows: FloatArray, below: FloatArray, price: FloatArray, room: FloatArray) -> _Multipliers:
    """Primal-dual Newton steps on the multipliers; ``room`` is kept beside ``z`` with ``room * z -> 0``.

    Each step descends on the log-normaliser minus ``target * sum(log z)``, which is convex.
    """
    equations, steps, idle = len(rows), 0, 0
    gain = np.vstack([rows, below])
    best = np.inf
    while True:
        x = _family(price, gain)[0]
        z, value = price[equations:], gain @ x
        error = max(_largest(value[:equations]), _largest(value[equations:] + room), _largest(room * z))
        idle = idle + 1 if error > best / 2.0 else 0
        best = min(error, best)
        here = _Multipliers(x, price, room, error, steps)
        if error <= TARGET or (best < GOOD and idle >= 2) or steps >= MAX_STEPS:
            return here
        target = 0.1 * float(room @ z) / max(len(room), 1)
        if len(room) and min(target, room.min(), z.min()) < VANISHED:
            return here  # no such face: a multiplier diverges
        step = _direction(gain, x, value, room, z, target)
        following = None if step is None else _search(gain, price, step[0], value, target, equations)
        if step is None or following is None:
            return here
        d_room = step[1]
        price, steps = following, steps + 1
        room = room + min(1.0, 0.995 * _reach(room, d_room)) * d_room


def _direction(
    gain: FloatArray, x: FloatArray, value: FloatArray, room: FloatArray, z: FloatArray, target: float
) -> tuple[FloatArray, FloatArray] | None:
    """Newton directions of the multipliers and of the room, None where the equations cannot be solved.

    Scaled, because masses span many magnitudes; a trace of the identity settles equations that say the same twice.
    """
    equations = len(gain) - len(room)
    curvature = (gain * x) @ gain.T - np.outer(value, value)
    inside = np.arange(equations, len(gain))
    curvature[inside, inside] += room / z
    slope = value.copy()
    slope[equations:] += target / z
    unit = 1.0 / np.sqrt(np.maximum(curvature.diagonal(), 1e-300))
    scaled = curvature * unit * unit[:, None]
    scaled[np.diag_indices_from(scaled)] += 1e-13
    solved, failed = scipy.linalg.lapack.dposv(scaled, unit * slope)[1:]
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
        move = unit * solved
    if failed or not np.isfinite(move).all() or np.abs(move).max(initial=0.0) > FURTHEST:
        return None
    return move, (target - room * move[equations:]) / z - room


def _search(
    gain: FloatArray, price: FloatArray, move: FloatArray, value: FloatArray, target: float, equations: int
) -> FloatArray | None:
    """The first point on the way down, or None where rounding leaves no way."""

    def height(at: FloatArray) -> float:
        return float(_family(at, gain)[1] - target * np.log(at[equations:]).sum())

    slope = -value
    slope[equations:] -= target / price[equations:]
    here, descent = height(price), float(slope @ move)
    length = min(1.0, 0.995 * _reach(price[equations:], move[equations:]))
    for _ in range(40):
        trial = price + length * move
        # Near the optimum heights agree to rounding while the slope still falls.
        if height(trial) <= here + 1e-4 * length * descent + 1e-15 * (1.0 + abs(here)):
            return trial
        length /= 2.0
    return None


def _family(price: FloatArray, gain: FloatArray) -> tuple[FloatArray, float]:
    """The distribution that belongs to the multipliers, and its log-normaliser."""
    exponent = -(price @ gain)
    top = float(exponent.max())
    weight = np.exp(exponent - top)
    total = float(weight.sum())
    return weight / total, top + float(np.log(total))


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def _reach(value: FloatArray, direction: FloatArray) -> float:
    """The longest step that keeps ``value + step * direction`` non-negative."""
    falling = direction < 0.0
    return float((-value[falling] / direction[falling]).min()) if falling.any() else np.inf
