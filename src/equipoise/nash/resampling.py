"""Resamples behind the intervals of Nash averages: what is drawn anew, and where low and high are bands.

An equilibrium jumps from one team to another with small changes of the data, and the hardest suite hangs on a suite's
extremes; percentiles of resamples then show how far, and are no confidence interval.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from equipoise.data.scores import Scores
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.results import FloatArray

__all__ = ["Resampling", "Unit", "band_notes", "drawn_trials"]

Unit = Literal["match", "group", "task", "trial"]


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: ``n`` resamples (0 for no intervals) of a ``unit``, at a ``level``, from ``rng``."""

    n: int
    unit: Unit
    level: float
    rng: int | np.random.Generator


def drawn_trials(scores: Scores, rng: np.random.Generator) -> FloatArray:
    """Mean scores after drawing each cell's trials anew, with replacement."""
    assert scores.repeats is not None
    assert scores.trials is not None
    count = scores.trials[:, :, None]
    # A cell's trials are not always its first places: sort them to the front.
    front = np.take_along_axis(scores.repeats, np.argsort(np.isnan(scores.repeats), axis=2, kind="stable"), axis=2)
    width = front.shape[2]
    pick = (rng.random(front.shape) * count).astype(np.int64)
    drawn = np.take_along_axis(front, np.minimum(pick, np.maximum(count - 1, 0)), axis=2)
    inside = np.arange(width) < count
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(inside, drawn, 0.0).sum(axis=2) / scores.trials)


def band_notes(mass: FloatArray, replicates: FloatArray, unit: str, level: float) -> tuple[Diagnostic, ...]:
    """Say where low and high are no confidence interval; ``replicates`` are resampled masses, one row each.

    Other teams that appear in fewer resamples than lie outside of one end of the interval cannot move it.
    """
    notes: list[Diagnostic] = []
    changed = int(((replicates > 0.0) != (mass > 0.0)).any(axis=1).sum())
    if changed >= max(1, math.floor((len(replicates) + 1) * (1.0 - level) / 2.0)):
        message = (
            f"The equilibrium has other members in {changed} of {len(replicates)} resamples: it jumps with small"
            " changes of the data, so low and high are a stability band, which shows how far, and no confidence"
            " interval."
        )
        notes.append(warning("equilibrium-jumps", message))
    if unit == "task":
        message = (
            "Low and high over tasks are a stability band: what these tasks would say, drawn again. The hardest suite"
            " is made of extremes, so other suites may fall outside of it more often than the level says."
        )
        notes.append(info("stability-band", message))
    return tuple(notes)
