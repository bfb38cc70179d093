"""Scores as skill minus difficulty plus the rest: kernels for tables of agents by tasks.

The singular values of the rest are those of proposition 2 of Balduzzi et al. (2018); how much of the rest noise alone
would leave is known where cells have repeated trials.
"""

from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.results import FloatArray
from equipoise.inference.threads import one_thread

__all__ = ["CellNoise", "Centred", "additive_p_value", "centred_svd", "doubly_centred", "expected_noise"]

CHUNK = 200_000
"""Numbers of simulated tables that are looked at together."""


class Centred(NamedTuple):
    """Scores split into averages and the rest, with the singular values of the rest."""

    mean: float
    skill: FloatArray
    """Average of each agent, minus the overall mean."""
    difficulty: FloatArray
    """Minus the average of each task, plus the overall mean."""
    rest: FloatArray
    """``S - mean - (skill_i - difficulty_j)``: row and column sums are zero."""
    values: FloatArray
    """Singular values of the rest, largest first."""
    abilities: FloatArray
    """Columns u_d: the latent abilities of the agents."""
    problems: FloatArray
    """Columns v_d: the latent problems posed by the tasks."""

    @property
    def rest_squares(self) -> float:
        """Sum of squares that averages do not explain."""
        return float(np.sum(self.rest**2))

    @property
    def average_squares(self) -> float:
        """Sum of squares of the averages over all cells."""
        return float(len(self.difficulty) * np.sum(self.skill**2) + len(self.skill) * np.sum(self.difficulty**2))


def centred_svd(scores: FloatArray) -> Centred:
    """Singular value decomposition of the doubly centred ``scores`` (agents by tasks).

    The largest entry of each ability vector is made positive, so signs are fixed.
    """
    mean = float(scores.mean())
    skill = scores.mean(axis=1) - mean
    difficulty = mean - scores.mean(axis=0)
    rest = scores - mean - skill[:, None] + difficulty[None, :]
    with one_thread(min(rest.shape)):
        u, d, vt = scipy.linalg.svd(rest, full_matrices=False)
    largest = max(float(d[0]), float(np.abs(scores).max())) if len(d) else 0.0
    nonzero = d > max(scores.shape) * np.finfo(float).eps * largest
    u, d, v = u[:, nonzero], d[nonzero], vt[nonzero].T
    size = np.abs(u)
    lead = np.argmax(size >= size.max(axis=0, initial=0.0) * (1 - 1e-9), axis=0)
    sign = np.sign(u[lead, np.arange(len(d))])
    return Centred(mean, skill, difficulty, rest, d, u * sign, v * sign)


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


def additive_p_value(rest: FloatArray, noise: CellNoise, n: int, rng: np.random.Generator) -> float:
    """Chance of a rest as large as this, relative to the estimated noise, if averages explained everything.

    Simulated tables have normal noise; the variance of each task is estimated anew in each, so that few repeats do
    not make the test too sure.
    """
    if not noise.variance.any():
        return 1.0 if not np.any(np.abs(rest) > 1e-12) else 1 / (n + 1)
    observed = float(np.sum(rest**2)) / float(noise.variance.sum())
    at_least = 0
    root, estimated = np.sqrt(noise.variance), np.isfinite(noise.df)
    df = np.where(estimated, noise.df, 1.0)
    by_task = noise.variance.sum(axis=0)
    some = max(1, CHUNK // rest.size)
    for start in range(0, n, some):
        drawn = [(rng.normal(size=rest.shape), rng.chisquare(df)) for _ in range(min(some, n - start))]
        samples = doubly_centred(root * np.array([normal for normal, _ in drawn]))
        factors = np.where(estimated, np.array([square for _, square in drawn]) / df, 1.0)
        at_least += int(np.sum((samples**2).sum(axis=(1, 2)) >= observed * (factors @ by_task)))
    return (1 + at_least) / (n + 1)
