"""Gradient, divergence, curl and rotation of flows on a complete graph.

A *flow* is an antisymmetric matrix: ``A[i, j]`` runs from ``j`` to ``i``, and back with the other
sign. The log-odds of a complete table of games are a flow. The operators and the identities that
connect them are those of the reference.

References
----------
Balduzzi, Tuyls, Perolat, Graepel (2018), "Re-evaluating Evaluation", section 2.2.
Jiang, Lim, Yao, Ye (2011), "Statistical ranking and combinatorial Hodge theory".
"""

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray


def grad(rating: npt.ArrayLike) -> FloatArray:
    """Flow of rating differences, ``grad(r)[i, j] = r[i] - r[j]``.

    Examples
    --------
    >>> grad([1.0, -1.0]).tolist()
    [[0.0, 2.0], [-2.0, 0.0]]
    """
    r = np.asarray(rating, dtype=float)
    return np.asarray(r[:, None] - r[None, :])


def div(flow: npt.ArrayLike) -> FloatArray:
    """Mean flow of each vertex, ``div(A)[i] = (1/n) sum_j A[i, j]``.

    Examples
    --------
    >>> div([[0.0, 2.0], [-2.0, 0.0]]).tolist()
    [1.0, -1.0]
    """
    return np.asarray(np.asarray(flow, dtype=float).mean(axis=1))


def curl(flow: npt.ArrayLike) -> FloatArray:
    """Flow around every triangle, ``curl(A)[i, j, k] = A[i, j] + A[j, k] - A[i, k]``.

    The result has ``n**3`` entries; ask for single triangles where the table is large.

    Examples
    --------
    >>> rps = [[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]]
    >>> float(curl(rps)[0, 1, 2])
    3.0
    """
    a = np.asarray(flow, dtype=float)
    return np.asarray(a[:, :, None] + a[None, :, :] - a[:, None, :])


def rot(flow: npt.ArrayLike) -> FloatArray:
    """Mean curl of the triangles on each edge, ``rot(A)[i, j] = (1/n) sum_k curl(A)[i, j, k]``.

    It equals ``A - grad(div(A))``: the cyclic part, which no rating explains.

    Examples
    --------
    >>> rot(grad([2.0, 0.5, -2.5])).round(12).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return np.asarray(flow, dtype=float) - grad(div(flow))
