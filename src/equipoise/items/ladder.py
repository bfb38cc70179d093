"""Exponentials of lines on an equally spaced grid, most of them by multiplication.

``exp(s (t + k h)) = exp(s t) exp(s h)^k``: of every eight nodes one exponential is taken at the middle one, and the
steps from there are the same for all eights. An exponential costs as much as a dozen multiplications.
"""

from __future__ import annotations

import numpy as np

from equipoise.results import FloatArray

_BLOCK = 8
#: Largest logarithm of a factor: products of three stay far from overflow.
_REACH = 200.0


def exponential_lines(
    slope: FloatArray, base: FloatArray, nodes: FloatArray, spacing: float
) -> tuple[FloatArray, FloatArray]:
    """Return exp(s_j theta_q + base_q) with rows scaled to about 1 at their largest, and the logarithms of the scales.

    ``spacing`` is the distance of neighbouring nodes, 0 where they are not equally spaced.

    >>> nodes = np.linspace(-1.0, 1.0, 5)
    >>> table, top = exponential_lines(np.array([2.0]), np.zeros(5), nodes, 0.5)
    >>> bool(np.allclose(np.log(table) + top, 2.0 * nodes))
    True
    """
    centre = 0.5 * float(slope.max() + slope.min())
    level = base + centre * nodes
    steep = slope - centre
    blocks = -(-len(nodes) // _BLOCK)
    steps = spacing * (np.arange(_BLOCK) - _BLOCK // 2)
    padded = np.full(blocks * _BLOCK, level[-1])
    padded[: len(nodes)] = level
    ladder = padded.reshape(blocks, _BLOCK)
    middle = ladder[:, _BLOCK // 2]
    rise = ladder - middle[:, None]
    if spacing == 0.0 or max(np.abs(rise).max(), -steps[0] * np.abs(steep).max()) > _REACH:
        return _plainly(steep, level, nodes)
    at = nodes[0] + spacing * (np.arange(blocks) * _BLOCK + _BLOCK // 2)
    anchor = np.multiply.outer(at, steep)
    anchor += middle[:, None]
    top: FloatArray = anchor.max(axis=0)
    anchor -= top
    np.exp(anchor, out=anchor)
    table = anchor[:, None, :] * np.exp(np.multiply.outer(steps, steep))
    table *= np.exp(rise)[:, :, None]
    return table.reshape(len(padded), -1)[: len(nodes)].T, top


def _plainly(slope: FloatArray, base: FloatArray, nodes: FloatArray) -> tuple[FloatArray, FloatArray]:
    table = np.multiply.outer(slope, nodes)
    table += base
    top: FloatArray = table.max(axis=1)
    table -= top[:, None]
    np.exp(table, out=table)
    return table, top
