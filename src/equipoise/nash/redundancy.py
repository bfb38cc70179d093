"""Tasks that repeat each other."""

from dataclasses import dataclass

import numpy as np

from equipoise.results import FloatArray

__all__ = ["Redundancy", "redundant_pairs"]

BLOCK = 1024  # tasks compared together


@dataclass(frozen=True, slots=True)
class Redundancy:
    """``other`` says what ``one``, which stands before it, has said: their scores correlate over the agents."""

    one: str
    other: str
    correlation: float


def redundant_pairs(tasks: tuple[str, ...], values: FloatArray, similarity: float) -> tuple[Redundancy, ...]:
    """For each task the earlier task it is most like, where the correlation reaches ``similarity``.

    Two agents correlate any two tasks perfectly, so that nothing is said about fewer than three.
    """
    if len(values) < 3:
        return ()
    unit = values - values.mean(axis=0)
    unit = unit / np.linalg.norm(unit, axis=0)
    found = []
    for start in range(0, len(tasks), BLOCK):
        alike = unit[:, start : start + BLOCK].T @ unit
        for k, row in enumerate(alike):
            j = start + k
            if j and row[:j].max() >= similarity - 1e-12:
                i = int(row[:j].argmax())
                found.append(Redundancy(tasks[i], tasks[j], float(min(row[i], 1.0))))
    return tuple(found)
