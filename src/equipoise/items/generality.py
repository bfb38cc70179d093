"""Is an agent good at everything up to its level, or only in pockets? Regularity, generality, and its slope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.data.scores import Scores
from equipoise.data.units import in_units
from equipoise.declaration import method
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import DataError, ParameterError, did_you_mean, some_of
from equipoise.items.agent_curves import (
    AgentCurves,
    agent_curves,
    bin_count,
    dominance_of,
    generality_of,
    inverse_variance,
    regularity_of,
    slope_at_half,
)
from equipoise.items.calibration import Calibration
from equipoise.items.fit import IRT
from equipoise.results import FloatArray, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Generality", "Units", "generality"]

Units = Literal["z-cdf", "none"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Generality(Result):
    """How each agent's results spread: over all tasks, and within levels of difficulty.

    Attributes
    ----------
    regularity
        1 / variance of the results, difficulty ignored.
    generality
        1 / sum over difficulty bins of the variance within the bin; infinite for an agent that is all or
        nothing in every bin.
    theoretical
        The same from the fitted curves (binary results expected at the agent's ability); NaN when only
        difficulties were given.
    slope
        How steeply the empirical curve falls where it crosses one half; NaN where it never does.
    curves
        Empirical agent curves: difficulty of the bins, mean and variance of each agent in them.
    dominance
        Whether agent i did at least as well as agent j on every task, and better on one.
    """

    main: ClassVar[str] = "generality"

    agents: tuple[str, ...]
    mean: FloatArray
    regularity: FloatArray
    regularity_low: FloatArray
    regularity_high: FloatArray
    generality: FloatArray
    generality_low: FloatArray
    generality_high: FloatArray
    slope: FloatArray
    slope_low: FloatArray
    slope_high: FloatArray
    theoretical: FloatArray
    curves: AgentCurves
    dominance: NDArray[np.bool_]
    interval: Interval

    def frame(self) -> pl.DataFrame:
        """Give the agents, most general first."""
        import polars as pl

        columns: dict[str, object] = {"agent": list(self.agents), "mean": self.mean}
        for name in ("generality", "regularity", "slope"):
            columns |= {name + end: getattr(self, name + end) for end in ("", "_low", "_high")}
        columns["theoretical"] = self.theoretical
        columns["dominates"] = self.dominance.sum(axis=1)
        return pl.DataFrame(columns).sort(
            pl.col("generality").fill_nan(None), descending=True, nulls_last=True, maintain_order=True
        )

    def curve_frame(self) -> pl.DataFrame:
        """Give the empirical curves, one row per agent and bin."""
        import polars as pl

        agents, bins = self.curves.mean.shape
        return pl.DataFrame(
            {
                "agent": np.repeat(np.array(self.agents, dtype=object), bins).tolist(),
                "difficulty": np.tile(self.curves.difficulty, agents),
                "mean": self.curves.mean.ravel(),
                "variance": self.curves.variance.ravel(),
            }
        )

    def summary(self) -> dict[str, object]:
        """Give the interval's kind and the bins."""
        return {"interval": self.interval, "bin_difficulty": self.curves.difficulty}


@method(
    takes="scores",
    answers="Does an agent fail on hard tasks only, or in pockets of easy ones too?",
    reference="Martinez-Plumed and Hernandez-Orallo (2018)",
)
def generality(
    scores: Scores,
    difficulty: IRT | Calibration | ArrayLike,
    *,
    units: Units = "z-cdf",
    threshold: float | None = None,
    bins: int | None = None,
    n: int = 500,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Generality:
    r"""Does an agent fail on hard tasks only, or in pockets of easy ones too?

    .. math:: \gamma_j = \Bigl(\sum_h \bigl(\sigma_j^{[h]}\bigr)^2\Bigr)^{-1}

    with :math:`\sigma_j^{[h]}` the population deviation of agent j's results in difficulty bin h.

    Parameters
    ----------
    scores
        Results, binary or continuous; NaN where missing.
    difficulty
        A fit or calibration (matched by task name), or one difficulty per task. Items with negative
        discrimination, or without a difficulty, are left out of the bins.
    units
        ``z-cdf``: each task standardised over the agents (n - 1), then the normal distribution function.
        ``none``: results as they are; right for binary results.
    threshold
        Turn scores into 0 and 1 first; units are then ``none``.
    bins
        How many; by default about ten items each and at least four.
    n
        Bootstrap resamples of tasks; 0 for no intervals.
    level
        Of the intervals.
    rng
        Seed or generator.

    Fails when
        fewer than two items per bin are left.

    Notes
    -----
    The two readings of the paper's equation differ: on continuous results in common units generality falls
    with ability on the Atari data (a strong agent's scores spread more), on binary results it does not.

    References
    ----------
    Martinez-Plumed and Hernandez-Orallo (2018), Analysing results from AI benchmarks, section II.B.

    Examples
    --------
    >>> import equipoise as eq
    >>> steps = [[1, 1, 1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 1, 0, 1, 0]]
    >>> result = eq.generality(eq.Scores.from_matrix(steps), range(8), units="none", n=0)
    >>> result.generality.tolist()
    [inf, 1.0]
    """
    _check(units, bins, n, level)
    results, unit_notes = _in_units(scores, units, threshold)
    known, slopes = _difficulties(scores, difficulty)
    use = ~np.isnan(known) & ~(slopes < 0) & ~np.isnan(results).all(axis=0)
    count = bins or bin_count(int(use.sum()))
    if use.sum() < 2 * count:
        raise DataError(
            f"generality needs at least two items in each of {count} difficulty bins, found {int(use.sum())} items"
            " with a difficulty and no negative discrimination"
        )
    notes = [*scores.diagnostics, *unit_notes, *_left_out(scores, known, slopes)]
    curves = agent_curves(results[:, use], known[use], count)
    point = _indicators(results, results[:, use], known[use], count)
    draws = _bootstrap(results, use, known, count, n, np.random.default_rng(rng))
    low, high = _percentiles(draws, level)
    notes += _empty_bins(scores, curves)
    with np.errstate(invalid="ignore"):
        mean = np.nansum(results, axis=1) / np.maximum(np.sum(~np.isnan(results), axis=1), 1)
    return Generality(
        agents=scores.agents, mean=frozen(mean),
        regularity=frozen(point[0]), regularity_low=frozen(low[0]), regularity_high=frozen(high[0]),
        generality=frozen(point[1]), generality_low=frozen(low[1]), generality_high=frozen(high[1]),
        slope=frozen(point[2]), slope_low=frozen(low[2]), slope_high=frozen(high[2]),
        theoretical=frozen(_theoretical(scores, difficulty, known, use, count)),
        curves=AgentCurves(*(frozen(part) for part in curves)), dominance=frozen(dominance_of(results)),
        interval=Interval("percentile bootstrap over tasks", level),
        params=frozen_params(units=units if threshold is None else "none", threshold=threshold, bins=count, n=n),
        diagnostics=tuple(notes),
    )  # fmt: skip


def _check(units: str, bins: int | None, n: int, level: float) -> None:
    if units not in ("z-cdf", "none"):
        raise ParameterError(f'units is "z-cdf" or "none", not "{units}"{did_you_mean(units, ["z-cdf", "none"])}')
    if bins is not None and bins < 1:
        raise ParameterError(f"bins is at least 1, not {bins}")
    if n < 0 or n == 1:
        raise ParameterError(f"n is 0 (no intervals) or at least 2 resamples, not {n}")
    if not 0 < level < 1:
        raise ParameterError(f"level is between 0 and 1, such as 0.95, not {level}")


def _in_units(scores: Scores, units: Units, threshold: float | None) -> tuple[FloatArray, list[Diagnostic]]:
    if threshold is not None:
        return np.where(scores.missing, np.nan, (scores.values >= threshold).astype(np.float64)), []
    if units == "none":
        return scores.values, []
    if len(scores.agents) < 2:
        raise DataError('units "z-cdf" compare agents with each other and need at least two; use units="none"')
    results = in_units(scores.values, units)
    constant = np.isnan(results).all(axis=0) & ~scores.missing.all(axis=0)
    if not constant.any():
        return results, []
    names = [scores.tasks[k] for k in np.flatnonzero(constant)]
    text = f'Tasks with one result for everybody have no z units and were left out: {some_of(names)}; see units="none".'
    return results, [warning("constant-task", text, names)]


def _difficulties(scores: Scores, difficulty: IRT | Calibration | ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return difficulty and discrimination per task (NaN where unknown; discrimination 1 when only given)."""
    if not isinstance(difficulty, IRT | Calibration):
        given = np.array(difficulty, dtype=np.float64)
        if given.shape != (len(scores.tasks),):
            raise DataError(f"{given.size} difficulties for {len(scores.tasks)} tasks; give one each")
        return given, np.ones(len(given))
    place = {task: k for k, task in enumerate(difficulty.tasks)}
    where = [place.get(task) for task in scores.tasks]
    if all(k is None for k in where):
        raise DataError(f"none of the tasks ({some_of(scores.tasks)}) is in the fit; items are matched by name")
    known = np.array([np.nan if k is None else difficulty.difficulty[k] for k in where])
    slopes = np.array([np.nan if k is None else difficulty.discrimination[k] for k in where])
    return known, slopes


def _left_out(scores: Scores, known: FloatArray, slopes: FloatArray) -> list[Diagnostic]:
    notes = []
    negative = [scores.tasks[k] for k in np.flatnonzero(slopes < 0)]
    if negative:
        text = f"Items with negative discrimination are not in the difficulty bins: {some_of(negative)}."
        notes.append(info("negative-discrimination", text, negative))
    missing = [scores.tasks[k] for k in np.flatnonzero(np.isnan(known))]
    if missing:
        text = f"Items without a difficulty are not in the bins: {some_of(missing)}."
        notes.append(info("no-difficulty", text, missing))
    return notes


def _empty_bins(scores: Scores, curves: AgentCurves) -> list[Diagnostic]:
    empty = [scores.agents[j] for j in np.flatnonzero(np.isnan(curves.mean).any(axis=1))]
    if not empty:
        return []
    text = f"No generality for {some_of(empty)}: no result in one of the difficulty bins."
    return [warning("empty-bin", text, empty)]


def _indicators(
    results: FloatArray, binned: FloatArray, difficulty: FloatArray, bins: int, ddof: int = 0
) -> FloatArray:
    curves = agent_curves(binned, difficulty, bins, ddof)
    return np.stack(
        [regularity_of(results, ddof), generality_of(curves.variance), slope_at_half(curves.difficulty, curves.mean)]
    )


def _bootstrap(
    results: FloatArray,
    use: NDArray[np.bool_],
    difficulty: FloatArray,
    bins: int,
    n: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return (resample, indicator, agent); tasks are drawn with replacement and binned afresh."""
    tasks = results.shape[1]
    inside = np.flatnonzero(use)
    draws = np.full((n, 3, len(results)), np.nan)
    for k in range(n):
        everything = rng.integers(tasks, size=tasks)
        picked = rng.choice(inside, size=len(inside))
        # Ties of a task drawn twice are broken by position, so a bin may share it with its neighbour. Drawing n out of
        # n shrinks a variance by (n - 1)/n, a tenth in bins of ten: ddof takes that back, else no interval would fit.
        draws[k] = _indicators(results[:, everything], results[:, picked], difficulty[picked], bins, ddof=1)
    return draws


def _percentiles(draws: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return percentile bounds; infinite draws are legal, undefined ones are left out."""
    shape = draws.shape[1:]
    low, high = np.full(shape, np.nan), np.full(shape, np.nan)
    for place in np.ndindex(*shape):
        values = np.sort(draws[(slice(None), *place)])
        values = values[~np.isnan(values)]
        if len(values) >= 2:
            # Order statistics, not interpolation: between a number and infinity there is nothing.
            low[place] = values[int(np.floor((1 - level) / 2 * (len(values) - 1)))]
            high[place] = values[int(np.ceil((1 + level) / 2 * (len(values) - 1)))]
    return low, high


def _theoretical(
    scores: Scores,
    source: IRT | Calibration | ArrayLike,
    difficulty: FloatArray,
    use: NDArray[np.bool_],
    bins: int,
) -> FloatArray:
    """Return generality expected from the fitted curves at each agent's fitted ability."""
    unknown = np.full(len(scores.agents), np.nan)
    if not isinstance(source, IRT):
        return unknown
    place = {agent: k for k, agent in enumerate(source.agents)}
    rows = [k for k, agent in enumerate(scores.agents) if agent in place]
    ability = source.ability[[place[scores.agents[k]] for k in rows]]
    bank = source.calibration()
    names = [scores.tasks[k] for k in np.flatnonzero(use)]
    chance = bank.take(names).probability(np.where(np.isfinite(ability), ability, 0.0))
    share = agent_curves(chance, difficulty[use], bins).mean
    value = inverse_variance((share * (1.0 - share)).sum(axis=1))
    unknown[rows] = np.where(np.isfinite(ability), value, np.nan)
    return unknown
