"""alpha-Rank: one and three populations, at finite and infinite alpha, and bounds from uncertain payoffs."""

from typing import Any

import numpy as np

from benchmarks.job import Agreement, Answer, Job, Side, close

__all__ = ["JOBS"]

SIZE = 50
"""Population size m on both sides."""
MISTAKES = 1e-6
"""OpenSpiel has no exact limit at infinite alpha: it takes a small probability of mistakes."""


def single(n: int) -> Any:
    rng = np.random.default_rng(n)
    upper = np.triu(rng.uniform(size=(n, n)), 1)
    return [upper + np.tril(1 - upper.T, -1) + 0.5 * np.eye(n)]


def populations(n: int) -> Any:
    rng = np.random.default_rng(n)
    return [rng.uniform(size=(n, n, n)) for _ in range(3)]


def without_equilibrium(n: int) -> Any:
    """Give the first game in which no profile is best for all: otherwise a single profile may have all the mass."""
    rng = np.random.default_rng(n)
    while True:
        payoffs = [rng.uniform(size=(n, n, n)) for _ in range(3)]
        best = [table == table.max(axis=k, keepdims=True) for k, table in enumerate(payoffs)]
        if not np.logical_and.reduce(best).any():
            return payoffs


def game(payoffs: Any) -> Any:
    import equipoise as eq

    return eq.MetaGame.symmetric(payoffs[0]) if len(payoffs) == 1 else eq.MetaGame.from_payoffs(payoffs)


def ours_finite(payoffs: Any) -> Answer:
    import equipoise as eq

    return {"pi": eq.alpha_rank(game(payoffs), alpha=1.0, m=SIZE).pi.ravel()}


def ours_infinite(payoffs: Any) -> Answer:
    import equipoise as eq

    return {"pi": eq.alpha_rank(game(payoffs), m=SIZE).pi.ravel()}


def ours_bounds(payoffs: Any) -> Answer:
    """Half of the edges are uncertain."""
    import equipoise as eq

    win = payoffs[0]
    width = float(np.median(np.abs(win - 0.5)[np.triu_indices(len(win), 1)]))
    return {"pi": eq.alpha_rank_bounds(win - width, win + width).pi_low}


def open_spiel_finite(payoffs: Any) -> Answer:
    from open_spiel.python.egt.alpharank import compute

    return {"pi": np.asarray(compute(payoffs, m=SIZE, alpha=1.0)[2])}


def open_spiel_infinite(payoffs: Any) -> Answer:
    from open_spiel.python.egt.alpharank import compute

    return {"pi": np.asarray(compute(payoffs, m=SIZE, use_inf_alpha=True, inf_alpha_eps=MISTAKES)[2])}


def gains(payoffs: Any) -> list[Any]:
    """What every deviation of every population gains."""
    if len(payoffs) == 1:
        return [payoffs[0].T - payoffs[0]]
    own = [np.moveaxis(table, k, -1) for k, table in enumerate(payoffs)]
    return [table[..., None, :] - table[..., :, None] for table in own]


def fixation(payoffs: Any) -> Answer:
    """Compute the rate of every deviation at alpha 1, and no more."""
    total = 0.0
    for gap in gains(payoffs):
        gap[gap == 0.0] = 1e-12
        total += float((np.expm1(-gap) / np.expm1(-SIZE * gap)).sum())
    return {"rates": total}


def signs(payoffs: Any) -> Answer:
    """See of every deviation whether it pays, and no more."""
    return {"rates": float(sum((gap > 0.0).sum() for gap in gains(payoffs)))}


def same_masses(most: float) -> Any:
    def agree(ours: Answer, theirs: Answer) -> Agreement:
        return close("pi", most, "a mass")(ours, theirs) if "pi" in theirs else (True, "")

    return agree


FINITE = (
    Side("equipoise", ours_finite),
    Side("OpenSpiel", open_spiel_finite),
    Side("rates", fixation, note="the rate of every deviation once, no stationary distribution"),
)
INFINITE = (
    Side("equipoise", ours_infinite),
    Side("OpenSpiel", open_spiel_infinite, note=f"not the limit, but mistakes of probability {MISTAKES:g}"),
    Side("signs", signs, note="whether each deviation pays, no stationary distribution"),
)


def strategies(n: int) -> str:
    return f"{n:,} strategies"


def profiles(n: int) -> str:
    return f"{n} x {n} x {n} profiles"


JOBS = (
    Job(
        "alpha-Rank, one population",
        single, FINITE, (10, 200, 500, 2000, 5000), (10, 80, 160), strategies, same_masses(1e-8), floor="rates",
    ),
    Job(
        "alpha-Rank, three populations",
        populations, FINITE, (3, 8, 13, 20), (3, 5, 8), profiles, same_masses(1e-8), floor="rates",
    ),
    Job(
        "alpha-Rank at infinite alpha",
        single, INFINITE, (10, 200, 500, 2000, 5000), (10, 50, 100), strategies, same_masses(1e-3), floor="signs",
    ),
    Job(
        "alpha-Rank at infinite alpha, three populations",
        without_equilibrium, INFINITE, (3, 8, 13, 20), (3, 5, 8), profiles, same_masses(1e-3), floor="signs",
    ),
    Job(
        "bounds on alpha-Rank, half of the edges uncertain",
        single, (Side("equipoise", ours_bounds),), (10, 20, 40), (5, 10, 20), strategies, same_masses(1e-8),
    ),
)  # fmt: skip
