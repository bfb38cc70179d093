"""Simulated pair tables in which ratings explain everything, and the Pearson statistics that they show."""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy

from equipoise.core.progress import counted
from equipoise.core.results import FloatArray
from equipoise.flows.laplacian import Solver
from equipoise.inference.executors import in_order, streams
from equipoise.inference.threads import one_thread
from equipoise.ratings.paired.model import PairedModel, scaled_rows
from equipoise.ratings.paired.newton import DENSE, bradley_terry_newton
from equipoise.ratings.paired.ties import PairCounts
from equipoise.ratings.transitivity.cycles import SURE
from equipoise.ratings.transitivity.null_refits import MOST_UNKNOWNS, fits_at_link, refit
from equipoise.ratings.transitivity.rating_fit import LinkPoint, fit_at_link
from equipoise.ratings.transitivity.test_statistics import (
    SHAPE_PRECISION,
    Noise,
    Null,
    ScoreCurve,
    Statistics,
    expected_score,
    null_solver,
    pearson,
    score_curve,
    score_variance,
    tie_rates,
)

_Turn = tuple[Solver, Any]
"""Solutions with the null's information, its link shape free, and the derivatives of its scores: made once."""
CHUNK = 1_000_000
"""Most numbers (cells by replicates) held at once while simulating."""
FEW = 19
"""Simulated tables where there are too many agents for more."""
NORMAL_RANGE, FAR_OFF = 1.349, 25.0
"""Interquartile range of a standard normal value, and how many times its square a variance must be to mean nothing."""
PROBED = 4
"""Tables that show whether many can be refitted at once."""
LOOK = 199
"""Fewest simulated tables before the simulation may stop early: mean and spread of chi-square come from them too."""
SMALL = 100_000
"""Numbers up to which all refits go to the last digit."""
CLOSE = 0.005
"""How near to the observed chi-square a simulated one must be, as a share of it, to be refitted to the last digit."""
CLEARLY = 4.0
"""Standard errors by which simulated statistics must differ from df before their mean replaces it."""


def null_noise(
    null: Null,
    observed: Statistics,
    count: int,
    rng: np.random.Generator,
    groups: "scipy.sparse.csc_array | None" = None,
    executor: Executor | None = None,
) -> Noise:
    """Compare the observed statistic with up to ``count`` simulated ones.

    With ``groups`` (what each group of matches adds to each cell's excess over the fit) games within a group need not
    be independent.

    The mean is df, unless the simulation clearly says otherwise (few games per pair). Where only few tables can be
    afforded (more than 3,000 agents: ``FEW``), the p-value takes them as normal.
    """
    slow = groups is None and _unsettled(shrunk(null, observed))
    few = null.model.agents > DENSE or slow
    draws = _enough_draws(null, observed, FEW if few else count, rng, groups, executor, alone=slow)
    mean, variance = _moments(draws) if few else (float(draws.mean()), float(draws.var(ddof=1)))
    error = np.sqrt(variance / len(draws))
    if few:
        distance = (observed.pearson - mean) / np.sqrt(variance * (1 + 1 / len(draws)))
        p_value = float(scipy.special.stdtr(len(draws) - 1, -distance))
    else:
        p_value = (1 + _as_large(draws, observed)) / (len(draws) + 1)
    as_small = 1.0 if few or groups is not None else (1 + _as_small(draws, observed)) / (len(draws) + 1)
    mean = mean if abs(mean - observed.df) > CLEARLY * error else float(observed.df)
    return Noise(mean, variance, p_value, as_small, not few and len(draws) < count, len(draws))


def _moments(draws: FloatArray) -> tuple[float, float]:
    """Mean and variance of simulated statistics; of the middle half where a few that have no finite fit are far off."""
    low, middle, high = np.quantile(draws, [0.25, 0.5, 0.75])
    variance, usual = float(draws.var(ddof=1)), float(((high - low) / NORMAL_RANGE) ** 2)
    if len(draws) >= FEW and variance > FAR_OFF * usual > 0.0:
        return float(middle), usual
    return float(draws.mean()), variance


def _enough_draws(
    null: Null,
    observed: Statistics,
    count: int,
    rng: np.random.Generator,
    groups: "scipy.sparse.csc_array | None",
    executor: Executor | None,
    *,
    alone: bool = False,
) -> FloatArray:
    """Simulated statistics: ``count`` of them, or fewer where they say no, clearly.

    After every part (at least ``LOOK`` tables) the simulation stops if so many tables exceed the observed one that the
    p-value of all ``count`` could not be below 5% any more: the decision is that of all tables. (r + 1)/(l + 1) of the
    l tables drawn is then a p-value at its level: it can be at most x only if at the first part where stopping would
    give at most x, r + 1 was at most x (l + 1); the chance of that is at most x, whatever comes later.
    """
    enough = math.ceil(SURE * (count + 1))
    if groups is None:
        parts = null_draws(shrunk(null, observed), count, rng, observed.pearson, executor, alone)
    else:
        parts = grouped_draws(null, groups, count, rng, executor)
    draws = np.empty(0)
    for part in parts:
        draws = np.concatenate([draws, part])
        clear = _as_large(draws, observed) >= enough and _as_small(draws, observed) > 0
        if clear and len(draws) >= LOOK:
            break
    return draws


def _as_large(draws: FloatArray, observed: Statistics) -> int:
    return int(np.sum(draws >= observed.pearson * (1 - 1e-12)))


def _as_small(draws: FloatArray, observed: Statistics) -> int:
    return int(np.sum(draws <= observed.pearson))


def shrunk(null: Null, observed: Statistics) -> Null:
    """The null with ratings as spread out as the true ones must be.

    Noise makes fitted ratings spread more than true ones: the signal in the fit exceeds the true one by rating_df. With
    few games an agent, tables simulated from the fit itself would not look like the data.
    """
    true = max(0.0, observed.rating_signal - observed.rating_df)
    factor = np.sqrt(true / observed.rating_signal) if observed.rating_signal > 0 else 0.0
    n = null.model.agents
    x = np.concatenate([null.x[:n] * factor, null.x[n:]])
    chance = score_curve(null.model.differences(x), null.link_shape).chance
    # The share of ties that a pair has room for stays: nearer ratings leave more room.
    room = np.minimum(chance, 1 - chance) / np.maximum(np.minimum(null.chance, 1 - null.chance), 1e-300)
    return replace(
        null, x=x, chance=chance, tie=np.minimum(null.tie * np.minimum(room, 1e300), 2 * np.minimum(chance, 1 - chance))
    )


def _unsettled(null: Null) -> bool:
    """Whether refits of many tables at once do not settle, which a few of them show: each is then fitted by itself.

    So it is where most pairs of very unequal agents met once or twice and tied games are many. It depends on the games
    alone, not on the machine.
    """
    if not null.tied or len(null.x) <= MOST_UNKNOWNS or null.model.agents > DENSE:
        return False
    with one_thread(_rows(null)):
        solve = null_solver(replace(null, shape_fitted=False))
        unfinished = refit(null, solve, *_simulate(null, PROBED, np.random.default_rng(0)), rough=True)[1]
    return bool(2 * unfinished.sum() > PROBED)


def null_draws(
    null: Null,
    count: int,
    rng: np.random.Generator,
    observed: float,
    executor: Executor | None = None,
    alone: bool = False,
) -> Iterator[FloatArray]:
    """Pearson statistics of ``count`` tables drawn from the null, each refitted, part by part.

    Tables whose statistic is near the ``observed`` one are refitted to the last digit, the others roughly; with
    ``alone`` each is fitted by itself from the start.
    """
    return _in_parts(_Simulated(null, observed, alone=alone), null, count, rng, executor)


def grouped_draws(
    null: Null,
    groups: "scipy.sparse.csc_array",
    count: int,
    rng: np.random.Generator,
    executor: Executor | None = None,
) -> Iterator[FloatArray]:
    """Pearson statistics when whole groups of matches deviate together (wild cluster bootstrap), part by part.

    Each group keeps its own deviations from the fit, with a random sign for all of them; the fit is repeated by one
    Newton step.
    """
    return _in_parts(_Turned(null, groups), null, count, rng, executor)


def _in_parts(
    draw: Callable[[int, np.random.Generator], FloatArray],
    null: Null,
    count: int,
    rng: np.random.Generator,
    executor: Executor | None,
) -> Iterator[FloatArray]:
    """Draw part by part, each from a generator of its own: whoever draws which, the parts come in the same order."""
    size = max(1, CHUNK // len(null.games))
    sizes = [min(size, count - done) for done in range(0, count, size)]
    generators = [rng] if len(sizes) == 1 else streams(rng, len(sizes))
    return counted(in_order(draw, zip(sizes, generators, strict=True), executor), "simulated tables", sizes)


class _Simulated:
    """Statistics of tables drawn from the null and refitted."""

    def __init__(self, null: Null, observed: float, alone: bool = False) -> None:
        self.null, self.observed, self.alone = null, observed, alone

    def __reduce__(self) -> tuple[type, tuple[Null, float, bool]]:
        return type(self), (self.null, self.observed, self.alone)  # the solver cannot be sent, and is made anew

    @cached_property
    def _solve(self) -> Solver:
        return null_solver(replace(self.null, shape_fitted=False))

    @cached_property
    def _turn(self) -> _Turn | None:
        return (null_solver(self.null), self.null.derivatives()) if self.null.shape_fitted else None

    def __call__(self, count: int, rng: np.random.Generator) -> FloatArray:
        null = self.null
        with one_thread(_rows(null)):
            wins, ties = _simulate(null, count, rng)
            large = wins.size > SMALL and not self.alone
            draws = _refitted(null, None if self.alone else self._solve, wins, ties, self._turn, rough=large)
            close = np.flatnonzero(large & (np.abs(draws - self.observed) <= CLOSE * self.observed))
            if len(close):
                draws[close] = _refitted(null, self._solve, wins[:, close], ties[:, close], self._turn)
        return draws


class _Turned:
    """Statistics of the data with the deviations of whole groups turned at random."""

    def __init__(self, null: Null, groups: "scipy.sparse.csc_array") -> None:
        self.null, self.groups = null, groups

    def __reduce__(self) -> tuple[type, tuple[Null, Any]]:
        return type(self), (self.null, self.groups)  # the solver cannot be sent, and is made anew

    @cached_property
    def _fitted(self) -> tuple[Solver, Any, Any]:
        by_unknown = self.null.derivatives()
        return null_solver(self.null), by_unknown, scaled_rows(self.null.games, by_unknown)

    def __call__(self, count: int, rng: np.random.Generator) -> FloatArray:
        null = self.null
        with one_thread(_rows(null)):
            solve, by_unknown, moves = self._fitted
            excess = _with_signs(self.groups, count, rng)
            step = solve(by_unknown.T @ (excess / null.spread[:, None]))
            rest = null.pairs @ (excess - moves @ step)
            return np.asarray(np.sum(rest**2 / null.variance[:, None], axis=0))


def _rows(null: Null) -> int:
    return int(np.bincount(null.model.components).max())


def _with_signs(groups: "scipy.sparse.csc_array", count: int, rng: np.random.Generator) -> FloatArray:
    """Excess of each cell when every group has a random sign, ``count`` times; the signs of some groups at a time."""
    excess, size = np.zeros((groups.shape[0], count)), max(1, CHUNK // count)
    for start in range(0, groups.shape[1], size):
        ends = groups.indptr[start : start + size + 1]
        entries = slice(ends[0], ends[-1])
        signs = 2.0 * rng.integers(2, size=(len(ends) - 1, count)) - 1.0
        some = (groups.data[entries], groups.indices[entries], ends - ends[0])
        excess += scipy.sparse.csc_array(some, shape=(groups.shape[0], len(ends) - 1)) @ signs
    return excess


def _refitted(
    null: Null, solve: Solver | None, wins: FloatArray, ties: FloatArray, turn: _Turn | None, *, rough: bool = False
) -> FloatArray:
    """Pearson statistics of replicates; ``turn`` is what frees the shape of the link, where it was fitted.

    Without ``solve`` each is fitted by itself.
    """
    if solve is None:
        x, unfinished = np.repeat(null.x[:, None], wins.shape[1], axis=1), np.ones(wins.shape[1])
    else:
        x, unfinished = refit(null, solve, wins, ties, rough=rough)
    left = np.flatnonzero(unfinished)
    if null.tied and len(left) and len(null.x) <= MOST_UNKNOWNS:
        tied, start = ties[:, left], LinkPoint(null.x, null.link_shape)
        x[:, left] = fits_at_link(_with_prior(null.model), null.games, wins[:, left] + tied / 2, tied, start)
        left = left[:0]
    for column in left:
        tied = ties[:, column]
        x[:, column] = _alone(null, PairCounts(wins[:, column], null.games - wins[:, column] - tied, tied))
    differences = null.model.differences(x)
    if turn is None:
        return pearson(null, wins, ties, expected_score(differences, null.link_shape))
    curve = score_curve(differences, null.link_shape)
    return pearson(null, wins, ties, curve.chance, _turned(null, wins, ties, curve, turn))


def _turned(null: Null, wins: FloatArray, ties: FloatArray, curve: ScoreCurve, turn: _Turn) -> FloatArray:
    """How one more step, with a free link shape, would move the expected scores of refitted replicates."""
    games = null.games[:, None]
    excess = wins + ties / 2 - games * curve.chance
    excess /= score_variance(curve.chance, tie_rates(games, ties, curve.chance))
    gradient = np.zeros((len(null.x) + 1, excess.shape[1]))
    gradient[-1] = np.sum(curve.by_shape * excess, axis=0) - SHAPE_PRECISION * null.link_shape
    solve, derivatives = turn
    return np.asarray(derivatives @ solve(gradient))


def _simulate(null: Null, count: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Wins and ties; where weights make games fractional the nearest whole number is drawn and rescaled."""
    whole = np.maximum(1, np.rint(null.games)).astype(np.int64)[:, None]
    scale = (null.games / whole[:, 0])[:, None]
    shape = (len(whole), count)
    ties = rng.binomial(whole, null.tie[:, None], size=shape) if null.tied else np.zeros(shape, dtype=np.int64)
    decided = np.where(null.tie < 1, (null.chance - null.tie / 2) / np.maximum(1 - null.tie, 1e-300), 0.0)
    wins = rng.binomial(whole - ties, np.clip(decided, 0, 1)[:, None])
    if (scale == 1).all():
        return wins.astype(float), ties.astype(float)
    return wins * scale, ties * scale


def _alone(null: Null, cells: PairCounts) -> FloatArray:
    """Fit one replicate by itself."""
    model = _with_prior(null.model)
    if null.tied:
        return fit_at_link(model, cells, null.x, null.link_shape)
    return bradley_terry_newton(model, cells, start=null.x).x


def _with_prior(model: PairedModel) -> PairedModel:
    """A tiny prior keeps a replicate without finite estimate at its limit."""
    return model if model.precision else replace(model, precision=1e-4)
