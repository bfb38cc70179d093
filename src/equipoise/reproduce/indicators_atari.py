"""The Arcade Learning Environment as Martinez-Plumed and Hernandez-Orallo (2018) used it, and their fit of it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from equipoise.data.readers.read import read_scores
from equipoise.data.types.scores import Scores
from equipoise.items.fit import IRT, irt

__all__ = ["BINARY", "Atari", "atari", "items", "plotted"]

BINARY = "ale/ale_binary_techniques_x_games.csv"
COPIES = {
    "Schaul_DQN.baseline",
    "vanHasselt.Humanstarts_DQN",
    "vanHasselt.Humanstarts_Double.DQN..tuned.",
    "Wang.Humanstarts_DUEL",
    "Wang.Humanstarts_PRIOR.",
}
"""Techniques that are left out: all but copies of others."""
FROM_PLOTS = "ale_ability_regularity_reference_from_plots.csv"
PARAMETERS = "ale_irt2pl_params_reference.csv"


@dataclass(frozen=True, slots=True)
class Atari:
    """The Arcade Learning Environment: binary results, raw results, the techniques of the fit, and the fit."""

    binary: Scores
    raw: Scores
    chosen: np.ndarray
    fit: IRT


@cache
def atari(folder: Path) -> Atari:
    """Read the results, leave out the copies, and fit a 2PL."""
    binary = read_scores(folder / BINARY)
    chosen = np.array([agent not in COPIES for agent in binary.agents])
    binary = binary.take(agents=chosen)
    raw = read_scores(folder / "ale" / "ale_scores_games_x_techniques.csv", transpose=True)
    return Atari(binary, raw, chosen, irt(binary, model="2pl"))


def _reference(folder: Path, file: str, key: str, value: str) -> dict[str, float]:
    import polars as pl

    return dict(pl.read_csv(folder / "ale" / file).select(key, value).iter_rows())


@cache
def _parameters(folder: Path) -> dict[str, tuple[float, float]]:
    """Discrimination and difficulty of each game, as published."""
    slopes, places = (_reference(folder, PARAMETERS, "item", name) for name in ("discrimination", "difficulty"))
    return {name: (slopes[name], places[name]) for name in slopes}


def items(folder: Path, published: bool) -> dict[str, tuple[float, float]]:
    """Discrimination and difficulty of each game that has them, published or ours."""
    if published:
        return _parameters(folder)
    fit = atari(folder).fit
    every = zip(fit.items, fit.discrimination, fit.difficulty, strict=True)
    return {task: (float(a), float(b)) for task, a, b in every if not np.isnan(b)}


@cache
def plotted(folder: Path, what: str) -> np.ndarray:
    """Give numbers read off the authors' own plots, for each technique of the fit."""
    known = _reference(folder, FROM_PLOTS, "system", what)
    return np.array([known[agent] for agent in atari(folder).fit.agents])
