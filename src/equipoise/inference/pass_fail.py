r"""Pass/fail tables under the Rasch model, drawn with both margins as they are.

Given how many tasks each agent passes and how many agents pass each task, all tables are equally likely under Rasch
(Ponocny 2001), so neither abilities nor difficulties have to be estimated. Given the margins, the sum of squares that
averages leave over is a constant: it says nothing about a pass/fail table. What does is how agents go together,

.. math:: Q = \sum_d \sigma_d^4,

the squared covariances between agents (singular values of the doubly centred table). Tables are drawn by trades
(curveball; Strona et al. 2014): of two rows the columns in which exactly one passes are pooled and dealt out again.
All chains start where one more chain from the table ended: trades are as likely back as forth, so that the table is one
of the tables drawn, and the p-value holds however many trades they take to mix (Besag and Clifford 1989).

References: Ponocny (2001), Nonparametric goodness-of-fit tests for the Rasch model; Besag and Clifford (1989),
Generalized Monte Carlo significance tests; Strona, Nappo, Boccacci, Fattorini and San-Miguel-Ayanz (2014), A fast and
unbiased procedure to randomize ecological binary matrices.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray

CHAINS, FEWEST, TRADES = 199, 39, 12
"""Tables that are drawn, the fewest worth it, and trades for each row behind every one."""
BUDGET = 40_000_000
"""Cells that are dealt out in all trades: a few seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class RaschNull:
    """How a pass/fail table compares with tables of the same margins.

    Attributes
    ----------
    p_value
        Chance that agents go together as much as here, under Rasch.
    repeated
        In each table drawn, columns that repeat an earlier one.
    """

    p_value: float
    repeated: npt.NDArray[np.int64]


def is_pass_fail(values: FloatArray) -> bool:
    """Tell whether all numbers are 0 or 1, and both are there."""
    return bool(np.isin(values, (0.0, 1.0)).all()) and float(values.min()) < float(values.max())


def rasch_null(values: FloatArray, rng: np.random.Generator) -> RaschNull | None:
    """Hold a pass/fail table (agents x tasks) against others of its margins; None where that takes too long."""
    few, many = sorted(values.shape)
    chains = min(CHAINS, BUDGET // (TRADES * few * many))
    if chains < FEWEST:
        return None
    (middle,) = same_margins(values > 0.5, 1, rng)
    drawn = same_margins(middle, chains, rng)
    statistics = np.array([_together(table) for table in (values > 0.5, *drawn)])
    at_least = int((statistics[1:] >= statistics[0] * (1.0 - 1e-9)).sum())
    return RaschNull((1 + at_least) / (chains + 1), np.array([repeated_columns(table) for table in drawn]))


def same_margins(table: npt.NDArray[np.bool_], count: int, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Draw ``count`` tables with the row and column sums of this one, each by trades of its own."""
    if table.shape[0] > table.shape[1]:  # trades of the longer rows mix sooner
        return same_margins(table.T, count, rng).transpose(0, 2, 1)
    rows, columns = table.shape
    drawn, chain = np.repeat(table[None], count, axis=0), np.arange(count)
    for _ in range(TRADES * rows if rows > 1 else 0):
        one = rng.integers(rows, size=count)
        other = (one + rng.integers(1, rows, size=count)) % rows
        first, second = drawn[chain, one], drawn[chain, other]
        pooled = first != second
        keys = np.where(pooled, rng.random((count, columns), dtype=np.float32), np.float32(2.0))
        # As many of the pooled columns as the first row had go back to it: those with the smallest keys.
        share = (first & pooled).sum(axis=1)
        ordered = np.sort(keys, axis=1)
        limit = ordered[chain, np.maximum(share - 1, 0)]
        dealt = pooled & (keys <= limit[:, None]) & (share > 0)[:, None]
        tie = dealt.sum(axis=1) != share  # equal keys, once in millions: leave these rows as they are
        dealt[tie] = (first & pooled)[tie]
        drawn[chain, one], drawn[chain, other] = (first & second) | dealt, (first & second) | (pooled & ~dealt)
    return drawn


def repeated_columns(table: npt.NDArray[np.bool_]) -> int:
    """How many columns repeat an earlier one, of those in which anybody differs."""
    telling = table[:, table.any(axis=0) & ~table.all(axis=0)]
    return int(telling.shape[1]) - len(np.unique(np.packbits(telling, axis=0), axis=1).T)


def _together(table: npt.NDArray[np.bool_]) -> float:
    """Sum of fourth powers of the singular values of the doubly centred table."""
    rest = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    cross = rest @ rest.T if rest.shape[0] <= rest.shape[1] else rest.T @ rest
    return float((cross**2).sum())
