"""What is done to a game before it is solved: clones become one strategy, and agents that cannot matter are put aside.

Clones are strategies that no opponent can tell apart. The agents that matter are the smallest set whose every member
beats everybody outside. Afterwards one asks whether an equilibrium holds beside every payoff, or only beside the
largest, and if so which units of the agents make payoffs more even.
"""

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray, IntArray, frozen

# Enough to undo the rounding of a subtraction or a logarithm, far below any difference in data.
ROUNDINGS = 1024.0

BLOCK = 512  # rows looked at together where a whole copy would double the memory
OWN_SCALE = 1e-6
"""Of the payoffs that an agent meets: an average this near to zero is zero."""
ROUNDING = 2 * float(np.finfo(float).eps)
"""Of the largest payoff: differences below this are those of the numbers as they were given."""


def magnitude(matrix: npt.NDArray[np.floating[Any]]) -> float:
    """The largest absolute entry, without a copy of the matrix; NaN where an entry is NaN."""
    return float(np.maximum(-matrix.min(initial=0.0), matrix.max(initial=0.0)))


def rounding(matrix: npt.NDArray[np.floating[Any]]) -> float:
    """The difference between two entries of ``matrix`` that counts as none."""
    return ROUNDINGS * float(np.finfo(matrix.dtype).eps) * magnitude(matrix)


def clone_classes(rows: npt.NDArray[np.floating[Any]]) -> IntArray:
    """Number the classes of rows that agree everywhere up to rounding, in order of appearance.

    Rows are sorted by a fixed combination of their entries, so that each is compared with the few
    first members whose combination is close, not with all others; exact copies, which lie side by side then, all at
    once.
    """
    count, width = rows.shape
    tolerance = rounding(rows)
    key = np.asarray(rows @ _weights(width).astype(rows.dtype, copy=False), dtype=np.float64)
    window = 2.0 * width * tolerance
    order = np.argsort(key, kind="stable")
    first = np.arange(count, dtype=np.int64)
    close = np.flatnonzero(np.diff(key[order]) <= window)
    if not len(close):
        return first
    leads = np.ones(count, dtype=np.bool_)
    for some in (close[k : k + BLOCK] for k in range(0, len(close), BLOCK)):
        leads[some + 1] = (rows[order[some]] != rows[order[some + 1]]).any(axis=1)
    heads = order[leads]
    near = np.diff(key[heads]) <= window
    recent: list[int] = []
    for row in heads[np.append(near, False) | np.append(False, near)]:
        recent = [other for other in recent if key[row] - key[other] <= window]
        same = next((other for other in recent if np.abs(rows[row] - rows[other]).max() <= tolerance), None)
        if same is None:
            recent.append(int(row))
        else:
            first[row] = same
    first[order] = first[heads][np.cumsum(leads) - 1]
    return _by_appearance(first)


@functools.lru_cache(maxsize=8)
def _weights(width: int) -> npt.NDArray[np.float64]:
    """The same combination for every table of this width."""
    return frozen(np.random.default_rng(20180607).random(size=width))


def _by_appearance(label: IntArray) -> IntArray:
    """Renumber labels from 0 in the order in which they first occur."""
    _, where, inverse = np.unique(label, return_index=True, return_inverse=True)
    number = np.empty(len(where), dtype=np.int64)
    number[np.argsort(where, kind="stable")] = np.arange(len(where))
    return number[inverse]


def representatives(classes: IntArray) -> IntArray:
    """The first member of each class, in the order of the class numbers."""
    return np.asarray(np.unique(classes, return_index=True)[1], dtype=np.int64)


def share(mass: npt.NDArray[np.float64], classes: IntArray) -> npt.NDArray[np.float64]:
    """Each member's equal share of its class's mass."""
    return np.asarray((mass / np.bincount(classes))[classes])


def dominant_set(payoff: npt.NDArray[np.floating[Any]]) -> IntArray:
    """The smallest set of agents whose every member beats every agent outside, in increasing order.

    Every equilibrium of the antisymmetric game is played inside it, and every equilibrium of the game inside is one of
    the whole: an equilibrium q of the inside gains at least 0 from the part of p that lies inside, and more than 0 from
    whatever p plays outside, so a p that plays outside is beaten by q. (For votes this is the Smith set.)

    Members have more wins than anybody outside, so the agent with the most wins is one; and whoever a member does not
    beat is one as well.
    """
    level = rounding(payoff)
    wins = np.concatenate([(payoff[k : k + BLOCK] > level).sum(axis=1) for k in range(0, len(payoff), BLOCK)])
    inside = np.zeros(len(payoff), dtype=np.bool_)
    fresh = np.array([wins.argmax()])
    while len(fresh):
        inside[fresh] = True
        reached = inside.copy()
        for k in range(0, len(fresh), BLOCK):
            reached |= (payoff[fresh[k : k + BLOCK]] <= level).any(axis=0)
        fresh = np.flatnonzero(reached & ~inside)
    return np.flatnonzero(inside)


def balanced(payoff: npt.NDArray[np.floating[Any]], mass: FloatArray) -> bool:
    """Whether agents in play win as much as they lose, and others no more, each by the size of its own payoffs."""
    played = np.flatnonzero(mass)
    noise = ROUNDING * float(magnitude(payoff))
    for start in range(0, len(payoff), BLOCK):
        rows = payoff[start : start + BLOCK][:, played].astype(np.float64)
        average, size = rows @ mass[played], np.abs(rows) @ mass[played]
        off = np.where(mass[start : start + BLOCK] > 0, np.abs(average), average)
        if (off > np.maximum(OWN_SCALE * size, noise)).any():
            return False
    return True


def even_units(payoff: npt.NDArray[np.floating[Any]]) -> FloatArray:
    """Units of the agents in which payoffs have sizes as equal as can be: least squares of their logarithms."""
    size = np.abs(payoff.astype(np.float64))
    known = size > 0
    logs = np.log(np.where(known, size, 1.0))
    system = np.diag(known.sum(axis=1).astype(float)) + known
    unit = np.linalg.lstsq(system, -logs.sum(axis=1), rcond=None)[0]
    return np.asarray(np.exp(np.clip(unit, -300.0, 300.0)))
