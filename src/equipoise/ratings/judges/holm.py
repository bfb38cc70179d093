"""Several tests at once: p-values that hold for all of them together."""

import numpy as np

from equipoise.core.results import FloatArray

__all__ = ["holm"]


def holm(p: FloatArray) -> FloatArray:
    """Give p-values adjusted so that the chance of any false alarm stays below what they are compared with.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    scaled = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    out = np.empty(len(p))
    out[order] = np.minimum(scaled, 1.0)
    return out
