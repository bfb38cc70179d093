"""Canonical real Schur form of antisymmetric matrices.

``A = sum_d s_d (x_d y_d^T - y_d x_d^T)``: each *disc* is a plane with orthonormal axes ``x_d, y_d``
and a strength ``s_d > 0``. The plane is unique where strengths differ, but the axes may be turned
within it. Here they are turned so that the same matrix always gives the same vectors.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.results import FloatArray
from equipoise.inference.threads import one_thread

__all__ = ["Discs", "bipartite_discs", "from_discs", "leading_discs", "low_rank_discs", "schur_discs"]

ComplexArray = NDArray[np.complex128]


class Discs(NamedTuple):
    """Discs of an antisymmetric matrix, strongest first."""

    values: FloatArray
    """Strengths, shape (discs,)."""
    vectors: FloatArray
    """Axes, shape (n, 2 * discs): columns 2d and 2d + 1 span disc d."""


def schur_discs(flow: FloatArray, *, tol: float | None = None) -> Discs:
    """Discs of the antisymmetric matrix ``flow``.

    Strengths at or below ``tol`` (default ``n * eps * largest``) count as zero and are left out.
    Within each disc the axes are turned so that the agent farthest from the origin lies on the
    positive first axis (of several, the one with the largest row sum, then the first). Equal strengths share one larger
    space; it is divided by the same rule, so the answer never depends on the eigensolver.
    """
    n = len(flow)
    # -i A is Hermitian: its eigenvalues are +-s and its eigenvectors (x + i y) / sqrt(2).
    with one_thread(n):
        values, vectors = np.linalg.eigh(-1j * (flow - flow.T) / 2)
    largest = float(values[-1]) if n else 0.0
    cut = n * np.finfo(float).eps * largest if tol is None else tol
    nonzero = values[::-1] > cut
    values, vectors = values[::-1][nonzero], vectors[:, ::-1][:, nonzero]
    return _as_discs(values, _fixed(values, vectors, flow.sum(axis=1)))


def _as_discs(values: FloatArray, vectors: ComplexArray) -> Discs:
    """Real axes of the complex eigenvectors."""
    axes = np.empty((len(vectors), 2 * len(values)))
    axes[:, 0::2], axes[:, 1::2] = vectors.real * np.sqrt(2.0), vectors.imag * np.sqrt(2.0)
    return Discs(values, axes)


def _fixed(values: FloatArray, vectors: ComplexArray, strength: FloatArray) -> ComplexArray:
    """Choose the eigenvectors by the data alone, also where strengths are equal.

    Each group of equal strengths has one projector, whatever basis the eigensolver took. Its
    longest column is the next vector, whose own entry is then real and positive; that vector is
    taken out of the projector and the next one chosen.
    """
    fixed = np.empty_like(vectors)
    new_group = np.diff(values) < -1e-9 * values[:-1]
    for group in np.split(np.arange(len(values)), np.flatnonzero(new_group) + 1):
        basis = vectors[:, group]
        for d in group:
            radius = np.linalg.norm(basis, axis=1)
            longest = radius >= radius.max() * (1 - 1e-9)
            lead = int(np.argmax(np.where(longest, strength, -np.inf)))
            fixed[:, d] = basis @ basis[lead].conj() / radius[lead]
            basis = basis - np.outer(fixed[:, d], fixed[:, d].conj() @ basis)
    return fixed


def leading_discs(flow: Any, k: int) -> Discs:
    """Strongest ``k`` discs of a sparse antisymmetric matrix."""
    n = flow.shape[0]
    if n <= 500:
        discs = schur_discs(flow.toarray())
        return Discs(discs.values[:k], discs.vectors[:, : 2 * k])
    # A fixed first vector: the Lanczos iteration is the same from run to run.
    first = np.exp(1j * np.arange(n))
    values, vectors = scipy.sparse.linalg.eigsh(-1j * flow, k=k, which="LA", v0=first)
    order = np.argsort(-values)
    strength = np.asarray(flow.sum(axis=1))
    return _as_discs(values[order], _fixed(values[order], vectors[:, order], strength))


def low_rank_discs(left: FloatArray) -> Discs:
    """Discs of ``C Omega C^T`` for an ``n`` by ``2k`` matrix ``C``, without forming the product.

    ``Omega`` has blocks ``[[0, 1], [-1, 0]]``, so columns 2d and 2d + 1 of ``C`` belong together.
    """
    q, r = np.linalg.qr(left)
    half = r[:, 0::2] @ r[:, 1::2].T
    small = schur_discs(half - half.T)
    vectors = q @ (small.vectors[:, 0::2] + 1j * small.vectors[:, 1::2]) / np.sqrt(2.0)
    total = left.sum(axis=0)
    row_sums = left[:, 0::2] @ total[1::2] - left[:, 1::2] @ total[0::2]
    return _as_discs(small.values, _fixed(small.values, vectors, row_sums))


def from_discs(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """Antisymmetric matrix with the given discs (fewer discs: a low-rank approximation)."""
    x, y = vectors[:, 0 : 2 * len(values) : 2], vectors[:, 1 : 2 * len(values) : 2]
    half = (x * values) @ y.T
    return np.asarray(half - half.T)


def bipartite_discs(values: FloatArray, abilities: FloatArray, problems: FloatArray) -> Discs:
    """Schur discs of ``[[0, S], [-S^T, 0]]`` from the singular values of ``S`` (Proposition 2)."""
    m, n, count = len(abilities), len(problems), len(values)
    vectors = np.zeros((m + n, 2 * count))
    vectors[:m, 0::2] = abilities
    vectors[m:, 1::2] = problems
    return Discs(values, vectors)
