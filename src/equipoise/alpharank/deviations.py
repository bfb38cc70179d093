"""Profiles, the single-player deviations between them, and what each deviation gains.

A profile has the same number of neighbours everywhere, so a game is two rectangular arrays: row ``s`` lists the
profiles one deviation away from profile ``s`` and the gain of whoever deviates. One population with ``n`` strategies
has ``n`` profiles with ``n - 1`` neighbours each; ``K`` populations have ``prod n_k`` profiles (numbered in C order)
with ``sum (n_k - 1)`` neighbours each.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.core.results import FloatArray

IndexArray = NDArray[np.int32]

# Payoffs that agree to a few units in the last place are equal: a table written as P and 1 - P differs by that much.
TIE_ULPS = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Deviations:
    """Neighbours of every profile and the gain of moving there.

    Attributes
    ----------
    neighbours : (S, D) int array
        ``neighbours[s, c]`` is the profile reached from ``s`` by deviation ``c``.
    gaps : (S, D) float array
        What the deviating player gains; exactly 0 for a tie.
    """

    neighbours: IndexArray
    gaps: FloatArray

    @property
    def profiles(self) -> int:
        """Number of profiles."""
        return int(self.neighbours.shape[0])

    @property
    def degree(self) -> int:
        """Number of deviations from a profile."""
        return int(self.neighbours.shape[1])

    @property
    def complete(self) -> bool:
        """Whether every profile is one deviation away from every other: one population."""
        return self.degree == self.profiles - 1

    def dense(self, values: FloatArray, fill: float = 0.0) -> FloatArray:
        """Spread a (S, D) array of edge values over a full (S, S) matrix."""
        matrix = np.full((self.profiles, self.profiles), fill)
        for row, to, value in zip(matrix, self.neighbours, values, strict=True):
            row[to] = value
        return matrix


def neighbour_table(shape: Sequence[int]) -> IndexArray:
    """Neighbours of each profile of a game with ``shape[k]`` strategies in population ``k``.

    A shape of length one means a single population.
    """
    if len(shape) == 1:
        around = np.concatenate([np.arange(shape[0]), np.arange(shape[0] - 1)]).astype(np.int32)
        return np.lib.stride_tricks.sliding_window_view(around[1:], shape[0] - 1)[: shape[0]].copy()
    profiles = int(np.prod(shape))
    index = np.arange(profiles, dtype=np.int32)
    blocks = [_moves_of_one_player(index, shape, k) for k in range(len(shape))]
    return np.concatenate(blocks, axis=1)


def _moves_of_one_player(index: IndexArray, shape: Sequence[int], player: int) -> IndexArray:
    size, stride = int(shape[player]), int(np.prod(shape[player + 1 :]))
    own = (index // stride) % size
    moved = (own[:, None] + np.arange(1, size, dtype=np.int32)) % size
    return np.asarray(index[:, None] + (moved - own[:, None]) * stride, dtype=np.int32)


def deviations(payoffs: Sequence[FloatArray]) -> Deviations:
    """Deviations of a game given by one square matrix (one population) or ``K`` tensors."""
    gaps, neighbours = _gaps(payoffs, payoffs)
    tolerance = TIE_ULPS * np.finfo(float).eps * max(float(np.max(np.abs(table))) for table in payoffs)
    gaps[np.abs(gaps) <= tolerance] = 0.0
    for array in (neighbours, gaps):
        array.setflags(write=False)
    return Deviations(neighbours, gaps)


def gap_bounds(low: Sequence[FloatArray], high: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray, IndexArray]:
    """Least and greatest gain of every deviation when each payoff lies in its own interval."""
    least, neighbours = _gaps(low, high)
    greatest, _ = _gaps(high, low)
    return least, greatest, neighbours


def _gaps(after: Sequence[FloatArray], before: Sequence[FloatArray]) -> tuple[FloatArray, IndexArray]:
    """Payoff after the move, read in ``after``, less the payoff given up, read in ``before``."""
    if len(after) == 1:
        return _gaps_of_one_population(after[0], before[0])
    shape = after[0].shape
    neighbours = neighbour_table(shape)
    gaps = np.empty(neighbours.shape)
    start = 0
    for k, size in enumerate(shape):
        columns = slice(start, start + size - 1)
        gaps[:, columns] = after[k].ravel()[neighbours[:, columns]] - before[k].ravel()[:, None]
        start += size - 1
    return gaps, neighbours


def _gaps_of_one_population(after: FloatArray, before: FloatArray) -> tuple[FloatArray, IndexArray]:
    """Row i, read from its diagonal onwards around the corner, is the order of ``neighbour_table``."""
    n = after.shape[0]
    difference = after.T - before
    gaps = np.empty((n, n - 1))
    for i, row in enumerate(difference):
        gaps[i, : n - 1 - i] = row[i + 1 :]
        gaps[i, n - 1 - i :] = row[:i]
    return gaps, neighbour_table((n,))
