"""Where intervals of an equilibrium are bands: it jumps from one team to another, or hangs on a suite's extremes."""

import math

from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.results import FloatArray

__all__ = ["band_notes"]


def band_notes(mass: FloatArray, draws: FloatArray, unit: str, level: float) -> tuple[Diagnostic, ...]:
    """Say where low and high are no confidence interval; ``draws`` are resampled masses, one row each.

    Other teams that appear in fewer resamples than lie outside of one end of the interval cannot move it.
    """
    notes: list[Diagnostic] = []
    changed = int(((draws > 0.0) != (mass > 0.0)).any(axis=1).sum())
    if changed >= max(1, math.floor((len(draws) + 1) * (1.0 - level) / 2.0)):
        message = (
            f"The equilibrium has other members in {changed} of {len(draws)} resamples: it jumps with small changes of"
            " the data, so low and high are a stability band, which shows how far, and no confidence interval."
        )
        notes.append(warning("equilibrium-jumps", message))
    if unit == "task":
        message = (
            "Low and high over tasks are a stability band: what these tasks would say, drawn again. The hardest suite"
            " is made of extremes, so other suites may fall outside of it more often than the level says."
        )
        notes.append(info("stability-band", message))
    return tuple(notes)
