"""Weighted graph Laplacians and how to solve them.

A Laplacian ``L = D - W`` of a connected graph is singular along the constant vector only. Here the
constant is taken out by adding a multiple of ``1 1^T``, so that the solution of ``L x = b`` with
``sum(b) = 0`` is the one with ``sum(x) = 0`` on every connected component.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.types.graph import connected_components
from equipoise.inference.threads import one_thread

DENSE_LIMIT = 3000
"""Largest number of vertices for which one dense factorisation is used."""

Solver = Callable[[FloatArray], FloatArray]
Vertices = npt.NDArray[np.signedinteger[Any]]


def components(first: IntArray, second: IntArray, n: int) -> IntArray:
    """Label the connected components of the graph with edges ``(first, second)``."""
    return connected_components(n, first, second)


def centre(values: FloatArray, labels: IntArray) -> FloatArray:
    """Subtract from each column its mean over every component."""
    size = np.bincount(labels).astype(float)
    columns = values.reshape(len(labels), -1)
    means = np.stack([np.bincount(labels, c) / size for c in columns.T], axis=1)
    return np.asarray((columns - means[labels]).reshape(values.shape))


def laplacian_matrix(first: Vertices, second: Vertices, weight: FloatArray, n: int) -> Any:
    """Sparse ``L`` with ``L[i, j] = -w_ij`` off the diagonal and zero row sums."""
    own = np.arange(n, dtype=first.dtype)
    degree = np.bincount(first, weight, n) + np.bincount(second, weight, n)
    rows, columns = np.concatenate([first, second, own]), np.concatenate([second, first, own])
    entries = np.concatenate([-weight, -weight, degree])
    return scipy.sparse.coo_array((entries, (rows, columns)), shape=(n, n)).tocsr()


def laplacian_solver(
    first: IntArray,
    second: IntArray,
    weight: FloatArray,
    n: int,
    *,
    dense_limit: int = DENSE_LIMIT,
    ridge: float = 0.0,
    tol: float = 1e-12,
) -> Solver:
    """Return ``solve(b)`` with ``(L + ridge) solve(b) = b``; without a ridge zero sums on every component.

    ``b`` may have several columns. Small graphs are factorised once; large ones are solved by
    conjugate gradients with the diagonal as preconditioner, all columns together, down to a
    relative residual of ``tol``.
    """
    labels = components(first, second, n)
    matrix = laplacian_matrix(first, second, weight, n)
    if ridge > 0:
        matrix = (matrix + ridge * scipy.sparse.eye_array(n)).tocsr()
        return lambda b: _conjugate_gradients(matrix, b.reshape(n, -1), tol).reshape(b.shape)
    if n <= dense_limit:
        return _dense_solver(matrix, labels)

    def solve(b: FloatArray) -> FloatArray:
        columns = centre(b, labels).reshape(n, -1)
        return centre(_conjugate_gradients(matrix, columns, tol).reshape(b.shape), labels)

    return solve


def _dense_solver(matrix: Any, labels: IntArray) -> Solver:
    dense = matrix.toarray()
    scale = float(np.mean(np.diag(dense))) or 1.0
    size = np.bincount(labels)
    dense += scale * (labels[:, None] == labels) / size[labels][:, None]
    with one_thread(len(dense)):
        factor = scipy.linalg.cho_factor(dense, lower=True, overwrite_a=True, check_finite=False)

    def solve(b: FloatArray) -> FloatArray:
        x = scipy.linalg.cho_solve(factor, centre(b, labels), check_finite=False)
        return centre(np.asarray(x), labels)

    return solve


def _conjugate_gradients(matrix: Any, b: FloatArray, tol: float) -> FloatArray:
    diagonal = matrix.diagonal()[:, None]
    # A vertex without edges has b = 0 after centring; any positive pivot leaves it at zero.
    pivot = np.where(diagonal > 0, diagonal, 1.0)
    x = np.zeros_like(b)
    residual = b.copy()
    z = residual / pivot
    direction = z
    rho = np.einsum("ij,ij->j", residual, z)
    goal = tol * np.linalg.norm(b, axis=0)
    for _ in range(10 * len(b)):
        active = np.linalg.norm(residual, axis=0) > goal
        if not active.any():
            break
        image = matrix @ direction
        curvature = np.einsum("ij,ij->j", direction, image)
        step = np.where(active, rho / np.where(curvature > 0, curvature, 1.0), 0.0)
        x += step * direction
        residual -= step * image
        z = residual / pivot
        previous, rho = rho, np.einsum("ij,ij->j", residual, z)
        direction = z + np.where(active, rho / np.where(previous > 0, previous, 1.0), 0.0) * direction
    return x
