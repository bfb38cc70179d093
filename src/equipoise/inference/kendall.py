"""Distance between two rankings that may contain ties."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from equipoise.core.declaration import method
from equipoise.core.errors import DataError, some_of
from equipoise.core.options import number
from equipoise.core.results import FloatArray
from equipoise.data.encode.arrays import as_numbers

_ROWS = 512


@method(
    takes="array",
    answers="How far apart are two rankings that may contain ties?",
    reference="Fagin et al. (2006)",
    checks={"p": number(0, 1)},
    resampled="it compares two rankings and sees no data",
)
def kendall_distance(
    r1: ArrayLike | Mapping[str, float], r2: ArrayLike | Mapping[str, float], *, p: float = 0.5
) -> float:
    r"""Kendall distance of two partial rankings: reversed pairs count 1, pairs tied in only one ranking count ``p``.

    .. math:: K(r, r'; p) = \#\{\text{pairs in opposite order}\} + p\, \#\{\text{pairs tied in exactly one}\}

    A metric for ``p`` in [1/2, 1]; the distance of a ranking to itself is 0.

    Parameters
    ----------
    r1, r2 : sequences, or mappings from label to value
        Ranks or scores. Only their order counts, and both must point the same way.
    p : float
        Penalty of a pair that is tied in one ranking and not in the other.

    Fails when
        The rankings cover different items, hold NaN, or ``p`` lies outside [0, 1].

    References
    ----------
    Fagin, Kumar, Mahdian, Sivakumar, Vee (2006), Comparing partial rankings; Rowland et al. (2019), appendix H.4.

    Examples
    --------
    >>> kendall_distance([1, 2, 3], [3, 2, 1])
    3.0
    >>> kendall_distance([1, 2, 3], [1, 1, 2])
    0.5
    >>> kendall_distance({"a": 1, "b": 2}, {"b": 5, "a": 4})
    0.0
    """
    first, second = _aligned(r1, r2)
    reversed_pairs, half_ties = _disagreements(first, second)
    return reversed_pairs + p * half_ties


def _aligned(r1: ArrayLike | Mapping[str, float], r2: ArrayLike | Mapping[str, float]) -> tuple[FloatArray, FloatArray]:
    if isinstance(r1, Mapping) and isinstance(r2, Mapping):
        if r1.keys() != r2.keys():
            odd = sorted(map(str, r1.keys() ^ r2.keys()))
            raise DataError(f"the rankings cover different items: {some_of(odd)} in only one of them")
        first, second = _ranking(list(r1.values()), "r1"), _ranking([r2[key] for key in r1], "r2")
    elif isinstance(r1, Mapping) or isinstance(r2, Mapping):
        raise DataError("give both rankings as mappings or both as sequences")
    else:
        first, second = _ranking(r1, "r1"), _ranking(r2, "r2")
    if first.shape != second.shape:
        raise DataError(f"the rankings have different lengths: {len(first)} and {len(second)}")
    return first, second


def _ranking(values: ArrayLike, name: str) -> FloatArray:
    ranking = as_numbers(values, name)
    if ranking.ndim != 1:
        raise DataError(f"{name} is a list of ranks or scores, not an array of shape {ranking.shape}")
    if np.isnan(ranking).any():
        raise DataError(f"{name} holds NaN at position {int(np.isnan(ranking).argmax())}; a ranking needs every item")
    # Only the order counts, and between infinite scores no difference can be taken.
    return np.unique(ranking, return_inverse=True)[1].astype(np.float64)


def _disagreements(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """Pairs in opposite order, and pairs tied in exactly one ranking; rows in slices to bound memory."""
    reversed_pairs = half_ties = 0
    for start in range(0, first.size, _ROWS):
        rows = slice(start, start + _ROWS)
        a = np.sign(first[rows, None] - first[None, :])
        b = np.sign(second[rows, None] - second[None, :])
        reversed_pairs += int(np.count_nonzero(a * b < 0))
        half_ties += int(np.count_nonzero((a == 0) != (b == 0)))
    return reversed_pairs / 2, half_ties / 2
