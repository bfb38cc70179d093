"""Krippendorff's alpha of many votes: raters by items, with gaps.

Every side starts from the same table of numbers and puts it in its own form itself. Ours gives an interval and names
raters who stand out; alpha itself is compared first.
"""

from typing import Any

import numpy as np

from benchmarks.job import Answer, Job, Side, close

__all__ = ["JOBS"]

RATERS, EACH = 100, 5
"""Raters of a table, and votes on each item on average."""


def votes(count: int) -> Any:
    """Give a table of raters by items with about so many votes: a win, a loss or a tie; NaN where nobody voted."""
    rng = np.random.default_rng(count)
    items = count // EACH
    truth = rng.integers(3, size=items)
    wrong = rng.random((RATERS, items)) < 0.4
    table = np.where(wrong, rng.integers(3, size=(RATERS, items)), truth) / 2
    table[rng.random((RATERS, items)) > EACH / RATERS] = np.nan
    return table


def ours(table: Any) -> Answer:
    import equipoise as eq

    return {"alpha": eq.agreement(table).alpha}


def evalica_alpha(table: Any) -> Answer:
    import evalica
    import pandas as pd

    return {"alpha": evalica.alpha(pd.DataFrame(table)).alpha}


def coded_floor(table: Any) -> Answer:
    """Find the votes in the table, and do nothing with them."""
    who, on = np.nonzero(~np.isnan(table))
    table[who, on].sum()
    return {}


JOBS = (
    Job(
        "Krippendorff's alpha",
        votes,
        (
            Side(
                "equipoise", ours, note="with the interval of leaving out each item, and each rater beside the others"
            ),
            Side("evalica", evalica_alpha, note="Rust; alpha alone"),
            Side("votes found", coded_floor, note="NumPy finds the votes in the table"),
        ),
        (1_000, 10_000, 100_000),
        (1_000, 10_000),
        lambda count: f"{count:,} votes, {RATERS} raters",
        close("alpha", 1e-9, "alpha"),
        floor="votes found",
    ),
)
