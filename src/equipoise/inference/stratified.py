r"""Whether groups have the same mean within strata: the exact moments of handing the values out anew.

If the groups of a stratum differ by nothing but chance, its N values could as well stand in any other
way. A group that has n of them then has the sum :math:`n \bar x` on average, with variance
:math:`n (N - n) S^2 / N`, where :math:`S^2` is the variance of the stratum's values (denominator N - 1). Strata add up.
"""

from typing import NamedTuple

import numpy as np

from equipoise.core.results import FloatArray


class GroupDifferences(NamedTuple):
    """By group: the sum of values less what is expected, its variance, and the number of its comparisons."""

    excess: FloatArray
    variance: FloatArray
    information: FloatArray


def group_differences(counts: FloatArray, sums: FloatArray, squares: FloatArray) -> GroupDifferences:
    """Compare groups (columns) within strata (rows).

    Parameters
    ----------
    counts, sums
        Values of each group in each stratum: how many, and their sum.
    squares
        Sum of the squares of all values of each stratum.

    Examples
    --------
    >>> found = group_differences(np.array([[2.0, 2.0]]), np.array([[2.0, 0.0]]), np.array([2.0]))
    >>> found.excess.tolist(), found.variance.round(3).tolist()
    ([1.0, -1.0], [0.333, 0.333])
    """
    size = counts.sum(axis=1)
    kept = size > 1
    counts, sums, squares, size = counts[kept], sums[kept], squares[kept], size[kept]
    total = sums.sum(axis=1)
    spread = np.maximum(squares - total**2 / size, 0.0) / (size - 1.0)
    shared = counts * (size[:, None] - counts) / size[:, None]
    excess = sums - counts * (total / size)[:, None]
    return GroupDifferences(excess.sum(axis=0), (shared * spread[:, None]).sum(axis=0), shared.sum(axis=0))
