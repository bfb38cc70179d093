"""The agents that matter: the smallest set whose every member beats everybody outside."""

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.nash.clones import rounding
from equipoise.results import IntArray

BLOCK = 512  # rows looked at together where a whole copy would double the memory


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
