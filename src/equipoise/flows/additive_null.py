"""Do averages explain scores beyond noise? Kernels for a table of agents by tasks with repeated trials."""

from typing import NamedTuple

import numpy as np

from equipoise.results import FloatArray

__all__ = ["CellNoise", "additive_p_value", "doubly_centred", "expected_noise"]


class CellNoise(NamedTuple):
    """Variance of each cell's mean, and the degrees of freedom behind each task's estimate (infinite: known)."""

    variance: FloatArray
    df: FloatArray


def doubly_centred(table: FloatArray) -> FloatArray:
    """Take row and column means out of the last two axes."""
    rows, columns = table.mean(axis=-1, keepdims=True), table.mean(axis=-2, keepdims=True)
    return np.asarray(table - rows - columns + table.mean(axis=(-2, -1), keepdims=True))


def expected_noise(noise: CellNoise) -> tuple[float, float]:
    """Sum of squares that noise alone puts into the doubly centred rest and into the averages."""
    m, n = noise.variance.shape
    total = float(noise.variance.sum())
    return total * (1 - 1 / m) * (1 - 1 / n), total * (1 / m + 1 / n - 2 / (m * n))


def additive_p_value(rest: FloatArray, noise: CellNoise, draws: int, rng: np.random.Generator) -> float:
    """Chance of a rest as large as this, relative to the estimated noise, if averages explained everything.

    Simulated tables have normal noise; the variance of each task is estimated anew in each, so that few repeats do
    not make the test too sure.
    """
    if not noise.variance.any():
        return 1.0 if not np.any(np.abs(rest) > 1e-12) else 1 / (draws + 1)
    m, n = rest.shape
    observed = float(np.sum(rest**2)) / float(noise.variance.sum())
    at_least = 0
    root = np.sqrt(noise.variance)
    for _ in range(draws):
        sample = doubly_centred(root * rng.normal(size=(m, n)))
        factor = np.where(np.isfinite(noise.df), rng.chisquare(np.where(np.isfinite(noise.df), noise.df, 1.0)), 1.0)
        factor = np.where(np.isfinite(noise.df), factor / noise.df, 1.0)
        estimate = float((noise.variance * factor).sum())
        at_least += float(np.sum(sample**2)) >= observed * estimate
    return (1 + at_least) / (draws + 1)
