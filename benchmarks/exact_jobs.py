"""Bradley-Terry of thousands of agents with exact errors."""

from typing import Any

import numpy as np

from benchmarks.job import Answer, Job, Side, close

__all__ = ["JOBS"]


def many_games(agents: int) -> Any:
    """Give a hundred games an agent, as codes."""
    rng = np.random.default_rng(agents)
    strength = rng.normal(scale=0.5, size=agents)
    a = rng.integers(agents, size=50 * agents, dtype=np.int32)
    b = ((a + rng.integers(1, agents, size=len(a))) % agents).astype(np.int32)
    won = (rng.random(len(a)) < 1 / (1 + np.exp(strength[b] - strength[a]))).astype(float)
    return tuple(str(k) for k in range(agents)), a, b, won


def ours_exact(columns: Any) -> Answer:
    import equipoise as eq

    board = eq.bradley_terry(eq.Matches.from_codes(*columns))
    return {"rating": board.rating, "width": board.high - board.low}


def one_inverse(columns: Any) -> Answer:
    """Invert one information matrix."""
    names, a, b, _ = columns
    size = len(names)
    games = np.bincount(a.astype(np.int64) * size + b, minlength=size**2).reshape(size, size).astype(float)
    matrix = -(games + games.T)
    np.fill_diagonal(matrix, 1 - matrix.sum(axis=1))
    np.linalg.inv(matrix)
    return {}


JOBS = (
    Job(
        "Bradley-Terry of many agents with exact errors",
        many_games,
        (Side("equipoise", ours_exact), Side("one inverse", one_inverse, note="one information matrix, inverted")),
        (20, 300, 1_000, 3_000),
        (20, 100, 300),
        lambda agents: f"{agents:,} agents, {50 * agents:,} matches",
        close("rating", 1e-6, "a rating"),
        floor="one inverse",
    ),
)
