"""Nash averages and alpha-Rank beside a leaderboard, where every pair met and there are not too many agents."""

from concurrent.futures import Executor
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.wording import Advice, Option
from equipoise.data.types.pairs import PairTable

if TYPE_CHECKING:
    from equipoise.alpharank.alpha_rank import AlphaRank
    from equipoise.inference.resampling import Unit
    from equipoise.nash.agents import AgentNash

MOST_NASH, MOST_ALPHA_RANK = 3000, 2000
"""Agents above which these would take longer than the ratings; nash_average and alpha_rank do it when asked."""
MOST_RESAMPLED, RESAMPLED = 40, 200
"""Agents up to which so many bootstrap samples of the Nash averages take a second."""


def board_nash(
    table: PairTable, plain: PairTable, level: float, rng: int | np.random.Generator, executor: Executor | None
) -> "tuple[AgentNash | None, tuple[Diagnostic, ...]]":
    """Nash averages where every pair met and the table of all pairs is not larger than a leaderboard should ask for.

    They have intervals where games were counted and resampling them takes a second.
    """
    if not plain.complete:
        message = "Some pairs never met, so Nash averages and alpha-Rank are not defined: their columns are null."
        advice = Advice("fill the gaps in with nash_average(..., ", Option("complete", "bradley-terry"), ")")
        return None, (info("incomplete-table", message, advice=[advice]),)
    if len(plain.agents) > MOST_NASH:
        return None, (info("no-nash", f"No Nash averages of more than {MOST_NASH:,} agents here."),)
    from equipoise.nash.average import nash_average

    n = RESAMPLED if plain.counted and len(plain.agents) <= MOST_RESAMPLED else 0
    unit: Unit = "matches" if table.group is None else "clusters"
    counts = plain if table.group is None else table
    result: Any = nash_average(counts, n=n, over=unit, level=level, rng=rng, executor=executor)
    return result, tuple(note for note in result.diagnostics if note not in plain.diagnostics)


def board_alpha_rank(
    table: PairTable, plain: PairTable, level: float
) -> "tuple[AlphaRank | None, tuple[Diagnostic, ...]]":
    """alpha-Rank at infinite alpha, likewise; what stands in its way is said of the Nash averages already."""
    if not plain.complete:
        return None, ()
    if len(plain.agents) > MOST_ALPHA_RANK:
        return None, (info("no-alpha-rank", f"No alpha-Rank of more than {MOST_ALPHA_RANK:,} agents here."),)
    from equipoise.alpharank.alpha_rank import alpha_rank

    bounded = plain.counted and len(plain.agents) <= MOST_RESAMPLED
    counts = plain if table.group is None else table
    return alpha_rank(counts, confidence="auto" if bounded else None, level=level), ()
