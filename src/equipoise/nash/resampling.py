"""Bootstrap samples behind the intervals of Nash averages: how they are asked for, and where low and high are ranges.

An equilibrium jumps from one team to another with small changes of the data, and the hardest suite hangs on a suite's
extremes; percentiles of bootstrap samples then show how far, and are no confidence interval.
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
"""Who is a member in at least the first share of bootstrap samples is settled; in less than the second, hardly ever."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals are made: ``n`` bootstrap samples (0: no intervals) of a ``unit``, at a ``level``, from ``rng``.

    None draws nothing but ``only_gaps``: cells that were filled in. ``executor`` solves the bootstrap samples.
    """

    n: int | None
    unit: Unit
    level: float
    rng: int | np.random.Generator
    only_gaps: bool = False
    executor: Executor | None = None


def band_notes(mass: FloatArray, replicates: FloatArray, unit: str, level: float) -> tuple[Diagnostic, ...]:
    """Say where low and high are no confidence interval; ``replicates`` are resampled masses, one row each.

    Other teams that appear in fewer bootstrap samples than lie outside of one end of the interval cannot move it.
    """
    notes: list[Diagnostic] = []
    changed = int(((replicates > 0.0) != (mass > 0.0)).any(axis=1).sum())
    if changed >= max(1, math.floor((len(replicates) + 1) * (1.0 - level) / 2.0)):
        message = (
            f"The Nash support is unstable ({changed} of {len(replicates)} bootstrap samples have another): low and"
            " high are a bootstrap range (not a confidence interval)."
        )
        notes.append(warning("equilibrium-jumps", message))
    if unit == "tasks":
        message = (
            "Low and high are a bootstrap range over tasks (not a confidence interval). The Nash mixture of tasks is"
            " made of extremes, so other tasks may fall outside of it more often than the level says."
        )
        notes.append(info("stability-band", message))
    return tuple(notes)


def settled(members: npt.NDArray[np.bool_], share: FloatArray | None) -> bool:
    """Tell whether bootstrap samples nearly always give these members and no others; without any nothing says no."""
    return share is None or bool(np.where(members, share >= OFTEN, share < SELDOM).all())


def with_shares(names: Sequence[str], share: FloatArray, least: float, most: float = np.inf) -> list[str]:
    """Name those in at least ``least`` and less than ``most`` of the bootstrap samples, the most frequent first."""
    order = np.argsort(-share, kind="stable")
    return [f"{names[i]} ({share[i]:.0%})" for i in order if least <= share[i] < most]
