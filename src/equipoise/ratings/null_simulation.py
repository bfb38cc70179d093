"""Simulated pair tables in which ratings explain everything, and the Pearson statistics that they show."""

from dataclasses import replace

import numpy as np
import scipy

from equipoise.flows.laplacian import Solver
from equipoise.ratings.bent_fit import held_fit
from equipoise.ratings.bent_link import Curve, bent
from equipoise.ratings.bradley_terry_newton import DENSE, bradley_terry_newton
from equipoise.ratings.tie_models import Cells
from equipoise.ratings.transitive_null import (
    BEND_PRECISION,
    Noise,
    Null,
    Statistics,
    null_solver,
    pearson,
    score_variance,
    tie_rates,
)
from equipoise.results import FloatArray

__all__ = ["grouped_draws", "null_draws", "null_noise", "shrunk"]

CHUNK = 1_000_000
"""Most numbers (cells by replicates) held at once while simulating."""
SMALL_STEP = 1e-8
"""A replicate counts as fitted when one more step would gain less log-likelihood than this, per pair."""
FEW = 19
"""Simulated tables where there are too many agents for more."""
CLEARLY = 4.0
"""Standard errors by which simulated statistics must differ from df before their mean replaces it."""


def null_noise(
    null: Null,
    observed: Statistics,
    count: int,
    rng: np.random.Generator,
    groups: "scipy.sparse.csr_array | None" = None,
) -> Noise:
    """Compare the observed statistic with ``count`` simulated ones.

    With ``groups`` (what each group of matches adds to each cell's excess over the fit) games within a group need not
    be independent.

    The mean is df, unless the simulation clearly says otherwise (sparse counts). Where only few tables can be
    afforded (more than 3,000 agents: ``FEW``), the p-value takes them as normal.
    """
    few = null.model.agents > DENSE
    if groups is None:
        draws = null_draws(shrunk(null, observed), FEW if few else count, rng)
    else:
        draws = grouped_draws(null, groups, FEW if few else count, rng)
    mean, variance = float(draws.mean()), float(draws.var(ddof=1))
    error = np.sqrt(variance / len(draws))
    if few:
        distance = (observed.pearson - mean) / np.sqrt(variance * (1 + 1 / len(draws)))
        p_value = float(scipy.special.stdtr(len(draws) - 1, -distance))
    else:
        p_value = (1 + float(np.sum(draws >= observed.pearson * (1 - 1e-12)))) / (count + 1)
    as_small = 1.0 if few or groups is not None else (1 + float(np.sum(draws <= observed.pearson))) / (count + 1)
    return Noise(mean if abs(mean - observed.df) > CLEARLY * error else float(observed.df), variance, p_value, as_small)


def shrunk(null: Null, observed: Statistics) -> Null:
    """The null with ratings as spread out as the true ones must be.

    Noise makes fitted ratings spread more than true ones: the signal in the fit exceeds the true one by rating_df. With
    few games an agent, tables simulated from the fit itself would not look like the data.
    """
    true = max(0.0, observed.rating_signal - observed.rating_df)
    factor = np.sqrt(true / observed.rating_signal) if observed.rating_signal > 0 else 0.0
    n = null.model.agents
    x = np.concatenate([null.x[:n] * factor, null.x[n:]])
    chance = bent(null.model.differences(x), null.bend).chance
    # The share of ties that a pair has room for stays: nearer ratings leave more room.
    room = np.minimum(chance, 1 - chance) / np.maximum(np.minimum(null.chance, 1 - null.chance), 1e-300)
    return replace(
        null, x=x, chance=chance, tie=np.minimum(null.tie * np.minimum(room, 1e300), 2 * np.minimum(chance, 1 - chance))
    )


def null_draws(null: Null, count: int, rng: np.random.Generator) -> FloatArray:
    """Pearson statistics of ``count`` tables drawn from the null, each refitted."""
    solve = null_solver(replace(null, bendable=False))
    size = max(1, CHUNK // len(null.games))
    parts = [min(size, count - done) for done in range(0, count, size)]
    return np.concatenate([_chunk(null, solve, part, rng) for part in parts])


def grouped_draws(null: Null, groups: "scipy.sparse.csr_array", count: int, rng: np.random.Generator) -> FloatArray:
    """Pearson statistics when whole groups of matches deviate together (wild cluster bootstrap).

    Each group keeps its own deviations from the fit, with a random sign for all of them; the fit is repeated by one
    Newton step.
    """
    solve, by_unknown = null_solver(null), null.derivatives()
    moves = scipy.sparse.diags_array(null.games) @ by_unknown
    size = max(1, CHUNK // len(null.games))
    draws = []
    for done in range(0, count, size):
        signs = rng.choice([-1.0, 1.0], size=(groups.shape[1], min(size, count - done)))
        excess = groups @ signs
        step = solve(by_unknown.T @ (excess / null.spread[:, None]))
        rest = null.pairs @ (excess - moves @ step)
        draws.append(np.sum(rest**2 / null.variance[:, None], axis=0))
    return np.concatenate(draws)


def _chunk(null: Null, solve: Solver, count: int, rng: np.random.Generator) -> FloatArray:
    wins, ties = _simulate(null, count, rng)
    x, unfinished = _refit(null, solve, wins, ties)
    for column in np.flatnonzero(unfinished):
        tied = ties[:, column]
        x[:, column] = _alone(null, Cells(wins[:, column], null.games - wins[:, column] - tied, tied))
    curve = bent(null.model.differences(x), null.bend)
    shift = _turned(null, wins, ties, curve) if null.bendable else 0.0
    return pearson(null, wins, ties, curve.chance, shift)


def _turned(null: Null, wins: FloatArray, ties: FloatArray, curve: Curve) -> FloatArray:
    """How one more step, with a free bend, would move the expected scores of refitted replicates."""
    games = null.games[:, None]
    excess = wins + ties / 2 - games * curve.chance
    excess /= score_variance(curve.chance, tie_rates(games, ties, curve.chance))
    gradient = np.zeros((len(null.x) + 1, excess.shape[1]))
    gradient[-1] = np.sum(curve.by_bend * excess, axis=0) - BEND_PRECISION * null.bend
    return np.asarray(null.derivatives() @ null_solver(null)(gradient))


def _simulate(null: Null, count: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Wins and ties; where weights make games fractional the nearest whole number is drawn and rescaled."""
    whole = np.maximum(1, np.rint(null.games)).astype(np.int64)[:, None]
    scale = (null.games / whole[:, 0])[:, None]
    shape = (len(whole), count)
    ties = rng.binomial(whole, null.tie[:, None], size=shape) if null.tied else np.zeros(shape, dtype=np.int64)
    decided = np.where(null.tie < 1, (null.chance - null.tie / 2) / np.maximum(1 - null.tie, 1e-300), 0.0)
    wins = rng.binomial(whole - ties, np.clip(decided, 0, 1)[:, None])
    return wins * scale, ties * scale


def _refit(null: Null, solve: Solver, wins: FloatArray, ties: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Fit all replicates together with the one information matrix of the null; say which did not settle.

    Replicates lie close to the null, so its matrix serves them all; the few that need their own (an agent that
    happened to win everything) are left to be fitted one by one. The bend stays as it is.
    """
    model, count, games = null.model, wins.shape[1], null.games[:, None]
    x = np.repeat(null.x[:, None], count, axis=1)
    incidence = model.incidence().T.tocsr()
    open_columns = np.arange(count)
    for _ in range(20):
        curve = bent(model.differences(x[:, open_columns]), null.bend)
        tied = ties[:, open_columns]
        excess = wins[:, open_columns] + tied / 2 - games * curve.chance
        if null.tied:  # without ties, slope and variance are the same
            excess *= curve.slope / score_variance(curve.chance, tie_rates(games, tied, curve.chance))
        gradient = incidence @ excess
        gradient[: model.agents] -= model.precision * x[: model.agents, open_columns]
        step = solve(gradient)
        x[:, open_columns] += step
        gain = np.einsum("ij,ij->j", gradient, step)
        open_columns = open_columns[~(gain <= SMALL_STEP * len(null.games))]
        if len(open_columns) == 0:
            break
    unfinished = np.zeros(count, dtype=bool)
    unfinished[open_columns] = True
    return x, unfinished


def _alone(null: Null, cells: Cells) -> FloatArray:
    """Fit one replicate by itself; a tiny prior keeps one without finite estimate at its limit."""
    model = null.model if null.model.precision else replace(null.model, precision=1e-4)
    if null.tied:
        return held_fit(model, cells, null.x, null.bend)
    return bradley_terry_newton(model, cells, start=null.x).x
