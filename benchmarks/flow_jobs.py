"""Flows: mElo, the verdict on one number per agent, and the Hodge decomposition of a sparse table."""

from typing import Any

import numpy as np

from benchmarks.job import Answer, Job, Side, close

__all__ = ["JOBS"]

TABLES = 99


def agents_of(matches: int) -> int:
    return 300 if matches >= 10_000 else 8


def cyclic_matches(matches: int) -> Any:
    """Matches of agents with ratings and places on one disc."""
    import equipoise as eq

    rng, agents = np.random.default_rng(1), agents_of(matches)
    rating, place = rng.normal(size=agents), 0.8 * rng.normal(size=(agents, 2))
    a = rng.integers(agents, size=matches, dtype=np.int32)
    b = ((a + rng.integers(1, agents, size=matches)) % agents).astype(np.int32)
    odds = rating[a] - rating[b] + place[a, 0] * place[b, 1] - place[a, 1] * place[b, 0]
    won = (rng.random(matches) < 1 / (1 + np.exp(-odds))).astype(float)
    return eq.Matches.from_codes(tuple(f"agent {k}" for k in range(agents)), a, b, won)


def sparse_table(agents: int) -> Any:
    """Every agent met about two hundred others, a few times each."""
    import equipoise as eq

    rng = np.random.default_rng(2)
    i = rng.integers(agents, size=100 * agents)
    j = (i + rng.integers(1, agents, size=len(i))) % agents
    rating, games = rng.normal(size=agents), rng.integers(1, 20, size=len(i))
    wins = rng.binomial(games, 1 / (1 + np.exp(rating[j] - rating[i])))
    return eq.PairTable.from_counts(tuple(f"agent {k}" for k in range(agents)), i, j, wins, games - wins)


def ours_melo(matches: Any) -> Answer:
    import equipoise as eq

    return {"rating": eq.melo(matches).rating}


def ours_online(matches: Any) -> Answer:
    import equipoise as eq

    return {"rating": eq.methods.melo_online(matches).rating}


def ours_transitivity(matches: Any) -> Answer:
    import equipoise as eq

    return {"rating": eq.transitivity(matches, n=TABLES).cyclic_share}


def ours_hodge(table: Any) -> Answer:
    import equipoise as eq

    return {"rating": eq.hodge(table).rating}


def counted_floor(matches: Any) -> Answer:
    """Count the games of each pair once."""
    size = len(matches.agents)
    np.bincount(matches.a.astype(np.int64) * size + matches.b, matches.outcome, size**2)
    return {}


def drawn_floor(matches: Any) -> Answer:
    """Draw the simulated tables, and do nothing with them."""
    rng = np.random.default_rng(0)
    size = len(matches.agents)
    games = np.bincount(matches.a.astype(np.int64) * size + matches.b, minlength=size**2)
    for _ in range(TABLES):
        rng.binomial(games[games > 0], 0.5)
    return {}


def product_floor(table: Any) -> Answer:
    """Build the sparse table and multiply it once."""
    import scipy

    size = len(table.agents)
    square = scipy.sparse.coo_array((table.games, (table.first, table.second)), shape=(size, size)).tocsr()
    square @ np.ones(size)
    return {}


COUNTED = Side("one count", counted_floor, note="count the games of each pair")
DRAWN = Side("draws", drawn_floor, note="draw the simulated tables, no analysis")
JOBS = (
    *(
        Job(
            name,
            cyclic_matches,
            (Side("equipoise", run), floor),
            (1_000, 30_000, 200_000, 1_000_000),
            (1_000, 10_000, 100_000),
            lambda matches: f"{matches:,} matches, {agents_of(matches)} agents",
            close("rating", 1e-6, "a rating"),
            floor=floor.name,
        )
        for name, run, floor in (
            ("mElo with one disc", ours_melo, COUNTED),
            ("online mElo with one disc", ours_online, COUNTED),
            (f"transitivity test, {TABLES} simulated tables", ours_transitivity, DRAWN),
        )
    ),
    Job(
        "Hodge decomposition of a sparse table",
        sparse_table,
        (Side("equipoise", ours_hodge), Side("one product", product_floor, note="a sparse table, multiplied once")),
        (20, 500, 2_000, 5_000),
        (20, 200, 1_000),
        lambda agents: f"{agents:,} agents, {100 * agents:,} rows",
        close("rating", 1e-6, "a rating"),
        floor="one product",
    ),
)
