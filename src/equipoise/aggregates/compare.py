"""Paired comparisons of agents on the same tasks, and groups that the data do not separate."""

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.aggregates.aggregate import check_level
from equipoise.aggregates.groups import letters
from equipoise.aggregates.kernels import STATISTICS, Statistic, beaten
from equipoise.aggregates.runs import Runs, RunUnit, RunUnits, resampled, runs_of
from equipoise.data.scores import Scores
from equipoise.data.units import check_choice
from equipoise.declaration import method
from equipoise.errors import DataError
from equipoise.results import FloatArray, IntArray, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """All pairs of agents, and who ties with whom.

    Attributes
    ----------
    estimate
        The statistic of each agent.
    rank_low, rank_high
        Best and worst rank that the comparisons allow, all pairs together at the level.
    group
        Letters: agents that share a letter are statistically tied.
    difference, difference_low, difference_high
        ``[i, j]`` is how much better i is than j, with intervals that hold for all pairs together.
    improvement, improvement_low, improvement_high
        ``[i, j]`` is the chance that a run of i beats a run of j on the same task, a tie counting half, averaged over
        tasks; its intervals hold one by one.
    """

    main: ClassVar[str] = "estimate"

    agents: tuple[str, ...]
    statistic: str
    estimate: FloatArray
    rank_low: IntArray
    rank_high: IntArray
    group: tuple[str, ...]
    difference: FloatArray
    difference_low: FloatArray
    difference_high: FloatArray
    improvement: FloatArray
    improvement_low: FloatArray
    improvement_high: FloatArray
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first, with the letters of their groups."""
        import polars as pl

        table = pl.DataFrame(
            {
                "agent": list(self.agents),
                self.statistic: self.estimate,
                "rank_low": self.rank_low,
                "rank_high": self.rank_high,
                "group": list(self.group),
            }
        )
        return table.sort(self.statistic, descending=self.statistic != "optimality_gap", maintain_order=True)

    def pair_frame(self) -> "pl.DataFrame":
        """Give a row for each pair, the better agent first, the largest difference first."""
        import polars as pl

        columns = (
            "difference", "difference_low", "difference_high", "improvement", "improvement_low", "improvement_high",
        )  # fmt: skip
        rows = []
        for i, j in combinations(range(len(self.agents)), 2):
            a, b = (i, j) if self.difference[i, j] >= 0 else (j, i)
            values = {name: float(getattr(self, name)[a, b]) for name in columns}
            rows.append({"agent": self.agents[a], "other": self.agents[b], **values, "tied": self.tied(a, b)})
        return pl.DataFrame(rows).sort("difference", descending=True, maintain_order=True)

    def tied(self, i: int, j: int) -> bool:
        """Tell whether the comparison of these two positions leaves open who is better."""
        return bool(self.difference_low[i, j] <= 0.0 <= self.difference_high[i, j])

    def summary(self) -> dict[str, object]:
        """Give the pairs and the kind of the intervals."""
        return {"pairs": self.pair_frame().to_dicts(), "interval": self.interval}


@method(
    takes="scores",
    answers="Which agents differ on these tasks, and which are statistically tied?",
    reference="Agarwal et al. (2021); Piepho (2004)",
)
def compare(
    data: Scores,
    *,
    statistic: Statistic = "iqm",
    units: RunUnits = "none",
    anchors: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    unit: RunUnit | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Comparison:
    r"""Which agents differ, and which are statistically tied?

    Every pair is compared on the same tasks: the difference of a statistic, and the probability of improvement

    .. math:: P(X > Y) = \frac{1}{M} \sum_m \frac{1}{N K} \sum_{n, k} [x_{mn} > y_{mk}] + \tfrac12 [x_{mn} = y_{mk}].

    Parameters
    ----------
    data, units, anchors, unit, resamples, level, rng
        As for :func:`aggregate`. Over tasks the comparison is paired: both agents get the same drawn tasks.
    statistic
        What is compared: ``iqm``, ``median``, ``mean`` or ``optimality_gap``.

    Returns
    -------
    Comparison
        Differences and probabilities of improvement with intervals, rank intervals, and groups.

    Fails when
        cells are missing, or there is one agent only.

    Notes
    -----
    The intervals of differences are studentised and hold for all pairs together (the largest deviation over pairs sets
    their width), so that comparing many agents does not find differences by number alone.

    References
    ----------
    Agarwal et al. (2021), Deep reinforcement learning at the edge of the statistical precipice. Piepho (2004), An
    algorithm for a letter-based representation of all-pairwise comparisons.

    Examples
    --------
    >>> import equipoise as eq
    >>> rng = np.random.default_rng(0)
    >>> runs = rng.normal([[[0.0]], [[0.05]], [[2.0]]], 1.0, size=(3, 20, 5))
    >>> eq.compare(eq.Scores.from_matrix(runs, agents=["x", "y", "z"])).frame()["group"].to_list()
    ['a', 'b', 'b']
    """
    check_level(level)
    check_choice("statistic", statistic, tuple(STATISTICS))
    if len(data.agents) < 2:
        raise DataError(f"one agent only ({data.agents[0]}): there is nothing to compare it with")
    runs = runs_of(data, units, anchors, unit)
    sign = -1.0 if statistic == "optimality_gap" else 1.0
    estimate = STATISTICS[statistic](runs.values)
    draws, chances = _replicates(runs, statistic, resamples, np.random.default_rng(rng))
    difference = sign * (estimate[:, None] - estimate)
    reach = runs.widening * _simultaneous_reach(sign * draws, level)
    low, high = difference - reach, difference + reach
    above, below = low > 0.0, high < 0.0
    improvement = _improvement(runs.values[None])[0]
    improvement_low, improvement_high = (np.clip(end, 0.0, 1.0) for end in runs.ends(improvement, chances, level))
    return Comparison(
        agents=runs.agents, statistic=statistic, estimate=frozen(estimate),
        rank_low=frozen(1 + below.sum(axis=1), np.int64),
        rank_high=frozen(len(runs.agents) - above.sum(axis=1), np.int64),
        group=letters(sign * estimate, above | below),
        difference=frozen(difference), difference_low=frozen(low), difference_high=frozen(high),
        improvement=frozen(improvement),
        improvement_low=frozen(improvement_low), improvement_high=frozen(improvement_high),
        interval=runs.interval(level, "simultaneous"), diagnostics=runs.diagnostics,
        params=frozen_params(statistic=statistic, units=units, unit=runs.unit, resamples=resamples, level=level),
    )  # fmt: skip


def _replicates(
    runs: Runs, statistic: Statistic, resamples: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Resampled statistics (resamples x agents) and chances of improvement (resamples x agents x agents)."""
    draws, chances = [], []
    for chunk in resampled(runs, resamples, rng):
        draws.append(STATISTICS[statistic](chunk))
        chances.append(_improvement(chunk))
    return np.concatenate(draws), np.concatenate(chances)


def _improvement(runs: FloatArray) -> FloatArray:
    """Chances of improvement of all pairs; 1/2 on the diagonal."""
    agents = runs.shape[1]
    chance = np.full((len(runs), agents, agents), 0.5)
    for i, j in combinations(range(agents), 2):
        chance[:, i, j] = beaten(runs[:, i], runs[:, j])
        chance[:, j, i] = 1.0 - chance[:, i, j]
    return chance


def _simultaneous_reach(draws: FloatArray, level: float) -> FloatArray:
    """Half-widths of intervals for all differences together: standard errors times one quantile of the largest."""
    centred = draws - draws.mean(axis=0)
    agents = draws.shape[1]
    first, second = np.triu_indices(agents, 1)
    deviation = centred[:, first] - centred[:, second]
    error = deviation.std(axis=0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        largest = np.nanmax(np.abs(np.where(error > 0, deviation / error, 0.0)), axis=1)
    reach = np.zeros((agents, agents))
    reach[first, second] = reach[second, first] = np.quantile(largest, level, method="weibull") * error
    return reach
