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

from equipoise.results import FloatArray

__all__ = ["curl", "div", "grad", "rot"]


def grad(rating: FloatArray) -> FloatArray:
    """Flow of rating differences, ``grad(r)[i, j] = r[i] - r[j]``.

    Examples
    --------
    >>> grad(np.array([1.0, -1.0])).tolist()
    [[0.0, 2.0], [-2.0, 0.0]]
    """
    return np.asarray(rating[:, None] - rating[None, :])


def div(flow: FloatArray) -> FloatArray:
    """Mean flow of each vertex, ``div(A)[i] = (1/n) sum_j A[i, j]``.

    Examples
    --------
    >>> div(np.array([[0.0, 2.0], [-2.0, 0.0]])).tolist()
    [1.0, -1.0]
    """
    return np.asarray(flow.mean(axis=1))


def curl(flow: FloatArray) -> FloatArray:
    """Flow around every triangle, ``curl(A)[i, j, k] = A[i, j] + A[j, k] - A[i, k]``.

    The result has ``n**3`` entries; ask for single triangles where the table is large.

    Examples
    --------
    >>> rps = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
    >>> float(curl(rps)[0, 1, 2])
    3.0
    """
    return np.asarray(flow[:, :, None] + flow[None, :, :] - flow[:, None, :])


def rot(flow: FloatArray) -> FloatArray:
    """Mean curl of the triangles on each edge, ``rot(A)[i, j] = (1/n) sum_k curl(A)[i, j, k]``.

    It equals ``A - grad(div(A))``: what is left when the ratings have explained what they can.

    Examples
    --------
    >>> rot(grad(np.array([2.0, 0.5, -2.5]))).round(12).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    return np.asarray(flow - grad(div(flow)))
