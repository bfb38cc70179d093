"""Performance profiles: what share of runs is at least so good?"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.aggregates.kernels import profile, share_above, thresholds_passed
from equipoise.aggregates.precision import share_ends, summed
from equipoise.aggregates.runs import Anchors, Runs, RunUnit, resampled, runs_of
from equipoise.core.declaration import method
from equipoise.core.errors import ParameterError
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.data.types.normalisation import Units
from equipoise.data.types.scores import Scores


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PerformanceProfile(Result):
    """Shares of runs above thresholds, agents x thresholds.

    Attributes
    ----------
    thresholds
        In the units of the scores.
    share, low, high
        Share of runs above each threshold, mean over tasks, with its pointwise interval.
    """

    rows_name: ClassVar[str] = "points"
    in_summary: ClassVar[tuple[str, ...]] = ("interval",)
    main: ClassVar[str] = "share"

    agents: tuple[str, ...]
    thresholds: FloatArray
    share: FloatArray
    low: FloatArray
    high: FloatArray
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give one row for each agent and threshold."""
        agents = np.repeat(np.array(self.agents, dtype=object), len(self.thresholds))
        columns = {name: getattr(self, name).ravel() for name in ("share", "low", "high")}
        where = np.tile(self.thresholds, len(self.agents))
        return pl.DataFrame({"agent": agents.tolist(), "threshold": where} | columns)


@method(
    takes="scores",
    answers="What share of an agent's runs is better than a threshold, for all thresholds?",
    reference="Dolan and More (2002); Agarwal et al. (2021)",
    checks={"n": whole(2)},
    resampled="its shares come with intervals from resampled runs already",
    renamed={"resample": "over"},
)
def performance_profile(
    data: Scores,
    *,
    thresholds: npt.ArrayLike | None = None,
    units: Units = "none",
    anchors: Anchors | None = None,
    over: RunUnit | None = None,
    n: int = 1000,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> PerformanceProfile:
    r"""What share of an agent's runs is better than a threshold, for all thresholds?

    .. math:: F(\tau) = \frac{1}{M} \sum_m \frac{1}{N_m} \#\{n : x_{mn} > \tau\}

    Where one agent's curve lies above another's everywhere, it is better whatever one asks for (stochastic dominance).

    Parameters
    ----------
    data, units, anchors, over, level, rng
        As for :func:`aggregate`.
    thresholds
        Where to look; 51 steps over the middle 98% of all runs if not given.
    n
        Number of bootstrap samples.

    Returns
    -------
    PerformanceProfile
        Shares with pointwise intervals.

    Fails when
        cells are missing, or a threshold is not a finite number.

    References
    ----------
    Dolan and More (2002), Benchmarking optimization software with performance profiles. Agarwal et al. (2021).

    Examples
    --------
    >>> import equipoise as eq
    >>> s = eq.Scores.from_matrix([[[0.1, 0.7], [0.6, 0.9]]], agents=["a"])
    >>> eq.performance_profile(s, thresholds=[0.0, 0.5, 1.0]).share.tolist()
    [[1.0, 0.75, 0.0]]
    """
    runs = runs_of(data, units, anchors, over)
    where = _thresholds(thresholds, runs)
    share = profile(runs.values, where)
    low, high = share_ends(share, *_errors(runs, where, n, generator(rng)), level)
    return PerformanceProfile(
        agents=runs.agents, thresholds=frozen(where), share=frozen(share),
        low=low, high=high, interval=runs.interval(level, "Wilson"), diagnostics=runs.diagnostics,
        params=frozen_params(units=units, over=runs.unit, n=n, level=level),
    )  # fmt: skip


def _errors(
    runs: Runs, where: FloatArray, n: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Variances of shares from bootstrap samples, their degrees of freedom, and the numbers of runs behind them."""
    order = np.argsort(where)
    passed = replace(runs, values=thresholds_passed(runs.values, where[order]))
    chunks = np.concatenate([share_above(chunk, len(order)) for chunk in resampled(passed, n, rng)])
    chunks = chunks[..., np.argsort(order)]
    tasks, total = len(runs.tasks), runs.counts.sum(axis=1, keepdims=True)
    if runs.unit == "tasks":
        if tasks == 1:
            nothing = np.full(chunks.shape[1:], np.nan)
            return nothing, nothing, nothing, nothing
        size = np.full((len(runs.agents), 1), float(tasks))
        return chunks.var(axis=0) * tasks / (tasks - 1.0), size - 1.0, size, size * tasks
    counts = runs.counts[:, None, :]
    above = np.stack([np.nansum(runs.values > threshold, axis=2) for threshold in where], axis=1) / counts
    _, degrees = summed(above * (1.0 - above) / (counts - 1.0), runs.freedom[:, None, :])
    # Drawing n out of n runs understates a variance by (n - 1)/n.
    variance = chunks.var(axis=0) * (counts / (counts - 1.0)).mean(axis=2)
    return variance, np.where(variance > 0, degrees, np.inf), total * 1.0, total * counts.mean(axis=2)


def _thresholds(given: npt.ArrayLike | None, runs: Runs) -> FloatArray:
    if given is None:
        low, high = np.nanquantile(runs.values, [0.01, 0.99])
        return np.linspace(low, high, 51)
    try:
        where = np.atleast_1d(np.asarray(given, dtype=float))
    except (TypeError, ValueError):
        where = np.array([])
    if where.ndim != 1 or where.size == 0 or not np.isfinite(where).all():
        raise ParameterError(Option("thresholds"), " is a list of finite numbers")
    return where
