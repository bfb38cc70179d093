"""Resamples behind the intervals of Nash averages: how they are asked for, and where low and high are bands.

An equilibrium jumps from one team to another with small changes of the data, and the hardest suite hangs on a suite's
extremes; percentiles of resamples then show how far, and are no confidence interval.
"""

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.results import FloatArray
from equipoise.inference.resampling import Unit

OFTEN, SELDOM = 0.9, 0.1
"""Who belongs in at least the first share of resamples surely does; who does in less than the second hardly ever."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: ``n`` resamples (0 for no intervals) of a ``unit``, at a ``level``, from ``rng``.

    None resamples nothing but ``only_gaps``: cells that were filled in. ``executor`` solves the resamples.
    """

    n: int | None
    unit: Unit
    level: float
    rng: int | np.random.Generator
    only_gaps: bool = False
    executor: Executor | None = None


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


def settled(members: npt.NDArray[np.bool_], share: FloatArray | None) -> bool:
    """Tell whether resamples nearly always give these members and no others; without resamples nothing says no."""
    return share is None or bool(np.where(members, share >= OFTEN, share < SELDOM).all())


def with_shares(names: Sequence[str], share: FloatArray, least: float, most: float = np.inf) -> list[str]:
    """Name those in at least ``least`` and less than ``most`` of the resamples, most often first, with their shares."""
    order = np.argsort(-share, kind="stable")
    return [f"{names[i]} ({share[i]:.0%})" for i in order if least <= share[i] < most]
