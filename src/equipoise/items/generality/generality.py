"""Is an agent good at everything up to its level, or only in pockets? Regularity, generality, and its slope."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.types.normalisation import in_units
from equipoise.data.types.scores import Scores
from equipoise.items.generality.agent_curves import (
    AgentCurves,
    Division,
    agent_curves,
    bin_between,
    bin_count,
    dominance_of,
    generality_of,
    inverse_variance,
    percentile_ends,
    redrawn_indicators,
    regularity_of,
    slope_at_half,
)
from equipoise.items.result import IRT
from equipoise.items.scoring.calibration import FINITE, Calibration, float_column

Units = Literal["none", "min-max", "z-cdf", "rank"]
"""Units in which curves live between 0 and 1, or scores as they are."""


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
    expected
        Theoretical agent curves: the mean that the fitted item curves expect in each bin at the agent's ability; NaN
        when only difficulties were given.
    dominance
        Whether agent i did at least as well as agent j on every task, and better on one.
    interval
        Of the ``_low`` and ``_high`` of the three; all None without bootstrap samples.
    """

    main: ClassVar[str] = "generality"

    agents: tuple[str, ...]
    mean: FloatArray
    regularity: FloatArray
    regularity_low: FloatArray | None
    regularity_high: FloatArray | None
    generality: FloatArray
    generality_low: FloatArray | None
    generality_high: FloatArray | None
    slope: FloatArray
    slope_low: FloatArray | None
    slope_high: FloatArray | None
    theoretical: FloatArray
    curves: AgentCurves
    expected: FloatArray
    dominance: NDArray[np.bool_]
    interval: Interval | None

    def frame(self) -> "pl.DataFrame":
        """Give the agents, most general first."""
        columns: dict[str, object] = {"agent": list(self.agents), "mean": self.mean}
        for name in ("generality", "regularity", "slope"):
            parts = {name + end: getattr(self, name + end) for end in ("", "_low", "_high")}
            columns |= {key: float_column(values, len(self.agents)) for key, values in parts.items()}
        columns["theoretical"] = self.theoretical
        columns["dominates"] = self.dominance.sum(axis=1)
        return pl.DataFrame(columns).sort(
            pl.col("generality").fill_nan(None), descending=True, nulls_last=True, maintain_order=True
        )

    def curve_frame(self) -> "pl.DataFrame":
        """Give the empirical curves, one row per agent and bin."""
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

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is the most general, if the intervals let anybody be called so."""
        known = np.flatnonzero(~np.isnan(self.generality))
        if not len(known):
            return ()
        best = known[self.generality[known] == self.generality[known].max()]
        top, rivals = some_of(self.agents[j] for j in best), self._rivals(best, known)
        if rivals:
            have = "has" if len(best) == 1 else "have"
            return (f"{top} {have} the highest generality, but {some_of(rivals)} cannot be ruled out.",)
        verb = "is" if len(best) == 1 else "are"
        if np.isposinf(self.generality[best[0]]):
            return (f"{top} {verb} the most general: no spread at all among tasks of like difficulty.",)
        whose = "its" if len(best) == 1 else "their"
        return (f"{top} {verb} the most general: {whose} results vary least among tasks of like difficulty.",)

    def _rivals(self, best: NDArray[np.intp], known: NDArray[np.intp]) -> list[str]:
        """Name the agents whose intervals overlap with the first one's; nobody without intervals."""
        if self.generality_low is None or self.generality_high is None:
            return []
        least = float(self.generality_low[best].min())
        others = np.setdiff1d(known, best)
        return [self.agents[j] for j in others[~(self.generality_high[others] < least)]]


@method(
    takes="scores",
    answers="Does an agent fail on hard tasks only, or in pockets of easy ones too?",
    reference="Martinez-Plumed and Hernandez-Orallo (2018)",
    checks={"threshold": FINITE, "bins": whole(1, none=True), "n": whole(0)},
    resampled="tasks drawn again need their difficulties drawn with them, which its own intervals do",
)
def generality(
    data: Scores,
    difficulty: IRT | Calibration | ArrayLike,
    *,
    units: Units | None = None,
    threshold: float | None = None,
    bins: int | Sequence[float] | None = None,
    n: int = 500,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    executor: Executor | None = None,
) -> Generality:
    r"""Does an agent fail on hard tasks only, or in pockets of easy ones too?

    .. math:: \gamma_j = \Bigl(\sum_h \bigl(\sigma_j^{[h]}\bigr)^2\Bigr)^{-1}

    with :math:`\sigma_j^{[h]}` the population deviation of agent j's results in difficulty bin h.

    Parameters
    ----------
    data
        Results, binary or continuous; NaN where missing.
    difficulty
        A fit or calibration (matched by task name), or one difficulty per task. Items with negative
        discrimination, or without a difficulty, are left out of the bins.
    units
        Of the results (see ``equipoise.data.types.normalisation``). ``none``: results as they are. ``z-cdf``: each task
        standardised over the agents (n - 1), then the normal distribution function. ``min-max`` and ``rank``: from 0
        for the worst agent to 1 for the best. None: ``none`` for answers (0 or 1, or shares of successes in known
        trials), ``z-cdf`` for all other results.
    threshold
        Turn scores into 0 and 1 first; units are then ``none``.
    bins
        How many; by default about ten items each and at least four. Or the edges between them, ends included, from
        easy to hard: a difficulty belongs to the bin whose upper edge it does not exceed.
    n
        Bootstrap samples of tasks; 0 for no intervals.
    level
        Of the intervals.
    rng
        Seed or generator.
    executor
        Who computes the bootstrap samples, as in :func:`bootstrap`; the answer is the same.

    Fails when
        fewer than two items per bin are left, or edges do not rise.

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
    if n == 1:
        raise ParameterError(Option("n"), " is 0 (no intervals) or at least 2 bootstrap samples, not 1")
    chosen = "none" if threshold is not None else units or fitting_units(data)
    results, unit_notes = _in_units(data, chosen, threshold)
    known, slopes, errors = _difficulties(data, difficulty)
    use = ~np.isnan(known) & ~(slopes < 0) & ~np.isnan(results).all(axis=0)
    division, beyond = _division(bins, known, use)
    use &= ~beyond
    notes = [*data.diagnostics, *unit_notes, *_left_out(data, known, slopes), *_outside(data, beyond)]
    curves = agent_curves(results[:, use], known[use], division)
    point = np.stack(
        [regularity_of(results), generality_of(curves.variance), slope_at_half(curves.difficulty, curves.mean)]
    )
    draws = redrawn_indicators(results, use, (known, errors), division, n, generator(rng), executor)
    low, high = percentile_ends(draws, level, point)
    notes += [*_empty_bins(data, curves), *_endless(data, point[1])]
    placed = " and their difficulties" if errors.any() else ""
    theoretical, expected = _theoretical(data, difficulty, known, use, division, len(curves.difficulty))
    with np.errstate(invalid="ignore"):
        mean = np.nansum(results, axis=1) / np.maximum(np.sum(~np.isnan(results), axis=1), 1)
    return Generality(
        agents=data.agents, mean=frozen(mean),
        regularity=frozen(point[0]), regularity_low=low[0], regularity_high=high[0],
        generality=frozen(point[1]), generality_low=low[1], generality_high=high[1],
        slope=frozen(point[2]), slope_low=low[2], slope_high=high[2],
        theoretical=frozen(theoretical), expected=frozen(expected),
        curves=AgentCurves(*(frozen(part) for part in curves)), dominance=frozen(dominance_of(results)),
        interval=Interval(f"percentile bootstrap over tasks{placed}", level) if n else None,
        params=frozen_params(units=chosen, threshold=threshold, bins=division, n=n),
        diagnostics=tuple(notes),
    )  # fmt: skip


def _division(
    bins: int | Sequence[float] | None, known: FloatArray, use: NDArray[np.bool_]
) -> tuple[Division, NDArray[np.bool_]]:
    """Give the bins, at least two items in each, and which items with a difficulty lie beyond given edges."""
    beyond = np.zeros(len(known), dtype=bool)
    if bins is None or isinstance(bins, int | np.integer):
        count = int(bins or bin_count(int(use.sum())))
        sizes = np.array([int(use.sum()) // count])
        division: Division = count
    else:
        division = _edges(bins)
        count = len(division) - 1
        beyond = use & ~((known > division[0]) & (known <= division[-1]))
        sizes = np.bincount(bin_between(known[use & ~beyond], division), minlength=count)
    if sizes.min() < 2:
        found = int((use & ~beyond).sum()) if isinstance(division, int) else ", ".join(map(str, sizes))
        raise DataError(
            f"generality needs at least two items in each of {count} difficulty bins, found {found} items"
            " with a difficulty and no negative discrimination"
        )
    return division, beyond


def _edges(bins: Sequence[float]) -> tuple[float, ...]:
    try:
        edges = tuple(float(edge) for edge in bins)
    except (TypeError, ValueError) as error:
        raise ParameterError(Option("bins"), " is a number of bins, or the edges between them") from error
    if len(edges) < 2 or not all(low < high for low, high in pairwise(edges)):
        raise ParameterError(Option("bins"), ": edges are at least two numbers that rise, not ", str(list(edges)))
    return edges


def _outside(scores: Scores, beyond: NDArray[np.bool_]) -> list[Diagnostic]:
    names = [scores.tasks[k] for k in np.flatnonzero(beyond)]
    text = f"Items beyond the edges of the bins are in none: {some_of(names)}."
    return [info("beyond-bins", text, names)] if names else []


def fitting_units(data: Scores) -> Literal["none", "z-cdf"]:
    """Choose the units of results: answers as they are, which have a scale in common already; others in ``z-cdf``."""
    if data.trials is not None and data.repeats is None:
        return "none"
    seen = data.values if data.repeats is None else data.repeats
    return "none" if bool(np.isin(seen[~np.isnan(seen)], (0.0, 1.0)).all()) else "z-cdf"


def _in_units(scores: Scores, units: Units, threshold: float | None) -> tuple[FloatArray, list[Diagnostic]]:
    if threshold is not None:
        return np.where(scores.missing, np.nan, (scores.values >= threshold).astype(np.float64)), []
    if units == "none":
        return scores.values, []
    if len(scores.agents) < 2:
        raise DataError(
            f"{units} units compare agents with each other and need at least two",
            advice=[Advice("use ", Option("units", "none"))],
        )
    results = in_units(scores.values, units)
    constant = np.isnan(results).all(axis=0) & ~scores.missing.all(axis=0)
    if not constant.any():
        return results, []
    names = [scores.tasks[k] for k in np.flatnonzero(constant)]
    text = f"Tasks with one result for everybody have no {units} units and were left out: {some_of(names)}."
    keep = Advice("leave them in with ", Option("units", "none"))
    return results, [warning("constant-task", text, names, advice=[keep])]


def _difficulties(
    scores: Scores, difficulty: IRT | Calibration | ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return difficulty, discrimination and the error of the difficulty per task.

    Unknown ones are NaN; discrimination is 1 and the error 0 where only difficulties are given.
    """
    if not isinstance(difficulty, IRT | Calibration):
        try:
            given = np.array(difficulty, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterError(Option("difficulty"), " is a fit, a calibration, or one number per task") from error
        if given.shape != (len(scores.tasks),):
            raise DataError(f"{given.size} difficulties for {len(scores.tasks)} tasks; give one each")
        return given, np.ones(len(given)), np.zeros(len(given))
    place = {item: k for k, item in enumerate(difficulty.items)}
    where = [place.get(task) for task in scores.tasks]
    if all(k is None for k in where):
        raise DataError(f"none of the tasks ({some_of(scores.tasks)}) is in the fit; items are matched by name")
    known = np.array([np.nan if k is None else difficulty.difficulty[k] for k in where])
    slopes = np.array([np.nan if k is None else difficulty.discrimination[k] for k in where])
    errors = np.array([0.0 if k is None else difficulty.difficulty_se[k] for k in where])
    return known, slopes, np.where(np.isfinite(errors), errors, 0.0)


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


def _endless(scores: Scores, values: FloatArray) -> list[Diagnostic]:
    even = [scores.agents[j] for j in np.flatnonzero(np.isposinf(values))]
    if not even:
        return []
    text = f"Generality of {some_of(even)} is infinite: within each bin of difficulty all results are the same."
    return [info("infinite-generality", text, even)]


def _theoretical(
    scores: Scores,
    source: IRT | Calibration | ArrayLike,
    difficulty: FloatArray,
    use: NDArray[np.bool_],
    bins: Division,
    count: int,
) -> tuple[FloatArray, FloatArray]:
    """Return generality expected from the fitted curves at each agent's fitted ability, and its curve over the bins."""
    unknown, curves = np.full(len(scores.agents), np.nan), np.full((len(scores.agents), count), np.nan)
    if not isinstance(source, IRT):
        return unknown, curves
    place = {agent: k for k, agent in enumerate(source.agents)}
    rows = [k for k, agent in enumerate(scores.agents) if agent in place]
    ability = source.ability[[place[scores.agents[k]] for k in rows]]
    bank = source.calibration()
    names = [scores.tasks[k] for k in np.flatnonzero(use)]
    chance = bank.take(names).probability(np.where(np.isfinite(ability), ability, 0.0))
    share = agent_curves(chance, difficulty[use], bins).mean
    value = inverse_variance((share * (1.0 - share)).sum(axis=1))
    unknown[rows] = np.where(np.isfinite(ability), value, np.nan)
    curves[rows] = np.where(np.isfinite(ability)[:, None], share, np.nan)
    return unknown, curves
