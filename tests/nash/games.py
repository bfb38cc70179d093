"""Games for the tests of `equipoise.nash`, as hypothesis strategies and by formula."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CYCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])


def antisymmetric(square: Floats) -> Floats:
    """The upper triangle, mirrored with the opposite sign."""
    return np.asarray(np.triu(square, 1) - np.triu(square, 1).T) + 0.0


@st.composite
def small_integer_games(draw: st.DrawFn, largest: int = 7) -> Floats:
    """Few agents and few distinct payoffs: full of ties, clones and faces of several dimensions."""
    size = draw(st.integers(1, largest))
    square = draw(hnp.arrays(np.int64, (size, size), elements=st.integers(-2, 2)))
    return antisymmetric(square.astype(np.float64))


@st.composite
def real_games(draw: st.DrawFn, largest: int = 12) -> Floats:
    """Generic payoffs from a seed: the equilibrium is unique with probability one."""
    size = draw(st.integers(2, largest))
    seed = draw(st.integers(0, 2**32 - 1))
    return antisymmetric(np.random.default_rng(seed).normal(size=(size, size)))


@st.composite
def small_score_tables(draw: st.DrawFn, largest: int = 6) -> Floats:
    """Few distinct scores: optimal sets of several dimensions on both sides."""
    shape = draw(st.tuples(st.integers(1, largest), st.integers(1, largest)))
    return draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 3))).astype(np.float64)


def realistic(size: int, rng: np.random.Generator, noise: float = 0.1) -> Floats:
    """A transitive part, three discs and noise."""
    rating, disc = rng.normal(size=size), rng.normal(size=(size, 6))
    payoff = rating[:, None] - rating
    for k in range(0, 6, 2):
        payoff += 0.5 * (np.outer(disc[:, k], disc[:, k + 1]) - np.outer(disc[:, k + 1], disc[:, k]))
    return np.asarray(payoff + noise * antisymmetric(rng.normal(size=(size, size))))
