"""Two-parameter curves of many items at evenly spaced abilities, made by multiplication.

All parts of a curve are made of its odds ``e = P / (1 - P) = exp(a theta + d)``::

    P = e / (1 + e),        P (1 - P) = P / (1 + e),        log(1 - P) = -log(1 + e)

On an even grid ``exp(a (theta + k h) + d) = exp(a theta + d) exp(a h k)``: the first few nodes of a row, multiplied by
one number, are the next few, and these together the next. An exponential or a logarithm costs as much as twenty
multiplications, and one logarithm serves the product of sixteen factors ``1 + e``.

Some items are far: so steep or so hard that their odds leave the range in which such products are safe. Each of their
nodes has an exponential of its own, as all nodes have of small tables and where abilities are not evenly spaced.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.results import FloatArray
from equipoise.items.models.models import Items, log_failure, logits, steep_log_failure

#: Nodes of a row that begin with an exponential each.
_FIRST = 16
#: Log-odds that an item may have on the grid without being far: sixteen factors stay in the range of doubles.
_FAR = 40.0
_FACTORS = 16
#: Items times nodes below which as many exponentials take no longer than to prepare multiplications.
_FEW_CELLS = 10_000
#: Items times nodes handled at a time: more would not fit into the processor's caches.
_CELLS = 200_000


def chances(nodes: FloatArray, items: Items) -> FloatArray:
    """Return P, items in rows and nodes in columns.

    >>> one = Items(np.array([2.0]), np.array([-6.0]), np.zeros(1))
    >>> chances(np.array([0.0, 3.0]), one).round(4).tolist()
    [[0.0025, 0.5]]
    """
    lines = _Lines.of(nodes, items)
    if lines is None:
        return _direct_chances(nodes, items)
    p = np.empty((len(items.slope), len(nodes)))
    for part, one in lines.parts():
        lines.fill(part, p[part])
        np.add(p[part], 1.0, out=one)
        p[part] /= one
    lines.fill_far(p, _direct_chances)
    return p


def chances_and_spread(nodes: FloatArray, items: Items) -> tuple[FloatArray, FloatArray]:
    """Return P and P (1 - P), items in rows and nodes in columns."""
    lines = _Lines.of(nodes, items)
    if lines is None:
        return _direct_chances(nodes, items), _direct_spread(nodes, items)
    p, spread = np.empty((2, len(items.slope), len(nodes)))
    lines.fill(slice(None), p)
    np.add(p, 1.0, out=spread)
    p /= spread
    np.divide(p, spread, out=spread)
    lines.fill_far(p, _direct_chances)
    lines.fill_far(spread, _direct_spread)
    return p, spread


def chances_and_log_failure(nodes: FloatArray, items: Items) -> tuple[FloatArray, FloatArray]:
    """Return P, and the sum of log(1 - P) over items."""
    lines = _Lines.of(nodes, items)
    if lines is None:
        return _direct_chances(nodes, items), _direct_log_failures(nodes, items).sum(axis=0)
    p, total = np.empty((len(items.slope), len(nodes))), lines.far_log_failure()
    for part, one in lines.parts():
        lines.fill(part, p[part])
        np.add(p[part], 1.0, out=one)
        p[part] /= one
        total -= _log_of_product(one)
    lines.fill_far(p, _direct_chances)
    return p, total


def summed_log_failure(nodes: FloatArray, items: Items) -> FloatArray:
    """Return the sum of log(1 - P) over items.

    >>> two = Items(np.array([2.0, 300.0]), np.array([-6.0, 0.0]), np.zeros(2))
    >>> summed_log_failure(np.array([0.0, 3.0]), two).round(4).tolist()
    [-0.6956, -900.6931]
    """
    lines = _Lines.of(nodes, items)
    if lines is None:
        direct: FloatArray = _direct_log_failures(nodes, items).sum(axis=0)
        return direct
    total = lines.far_log_failure()
    for part, one in lines.parts():
        lines.fill(part, one)
        np.add(one, 1.0, out=one)
        total -= _log_of_product(one)
    return total


def log_failures(nodes: FloatArray, items: Items) -> FloatArray:
    """Return log(1 - P), items in rows and nodes in columns."""
    lines = _Lines.of(nodes, items)
    if lines is None:
        return _direct_log_failures(nodes, items)
    table = np.empty((len(items.slope), len(nodes)))
    lines.fill(slice(None), table)
    table += 1.0
    np.log(table, out=table)
    np.negative(table, out=table)
    lines.fill_far(table, _direct_log_failures)
    return table


def _direct_chances(nodes: FloatArray, items: Items) -> FloatArray:
    p: FloatArray = scipy.special.expit(logits(nodes, items))
    return p


def _direct_spread(nodes: FloatArray, items: Items) -> FloatArray:
    """Return P (1 - P), relatively exact: where almost nobody is between 0 and 1 it is all that moves an item."""
    e = np.exp(-np.abs(logits(nodes, items)))
    spread: FloatArray = e / (1.0 + e) ** 2
    return spread


def _direct_log_failures(nodes: FloatArray, items: Items) -> FloatArray:
    return log_failure(logits(nodes, items))


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """The odds of items at evenly spaced nodes, row by row; those of far items are 0, which no product notices."""

    nodes: FloatArray
    items: Items
    spacing: float
    far: Items | None
    where_far: NDArray[np.bool_]

    @classmethod
    def of(cls, nodes: FloatArray, items: Items) -> "_Lines | None":
        """Make ready; None where there is nothing to gain."""
        if len(nodes) * len(items.slope) < _FEW_CELLS or len(nodes) <= _FIRST:
            return None
        spacing = float(nodes[-1] - nodes[0]) / (len(nodes) - 1)
        off = np.abs(nodes - (nodes[0] + spacing * np.arange(len(nodes))))
        reach = float(np.abs(nodes).max())
        if float(off.max()) > 1e-14 * (1.0 + reach):
            return None
        far = np.abs(items.slope) * reach + np.abs(items.intercept) > _FAR
        if not far.any():
            return cls(nodes, items, spacing, None, far)
        near = Items(np.where(far, 0.0, items.slope), np.where(far, -np.inf, items.intercept), items.guessing)
        return cls(nodes, near, spacing, items.take(far), far)

    def parts(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield some rows at a time, with memory for a table of them."""
        n_items, n_nodes = len(self.items.slope), len(self.nodes)
        step = min(n_items, max(1, _CELLS // n_nodes))
        memory = np.empty((step, n_nodes))
        for start in range(0, n_items, step):
            part = slice(start, min(start + step, n_items))
            yield part, memory[: part.stop - start]

    def fill(self, part: slice, out: FloatArray) -> None:
        """Write the odds of some items."""
        slope, nodes, have = self.items.slope[part], self.nodes, _FIRST
        first = out[:, :have]
        np.multiply(slope[:, None], nodes[:have], out=first)
        first += self.items.intercept[part, None]
        np.exp(first, out=first)
        while have < len(nodes):
            more = min(have, len(nodes) - have)
            step = np.exp(slope * (self.spacing * have))
            np.multiply(out[:, :more], step[:, None], out=out[:, have : have + more])
            have += more

    def far_log_failure(self) -> FloatArray:
        """Return the sum of log(1 - P) over far items."""
        if self.far is None:
            return np.zeros(len(self.nodes))
        total: FloatArray = steep_log_failure(logits(self.nodes, self.far)).sum(axis=0)
        return total

    def fill_far(self, table: FloatArray, curves: Callable[[FloatArray, Items], FloatArray]) -> None:
        """Write the rows of far items."""
        if self.far is not None:
            table[self.where_far] = curves(self.nodes, self.far)


def _log_of_product(factors: FloatArray) -> FloatArray:
    """Return the sum over rows of the factors' logarithms. The factors are overwritten."""
    rows, each = len(factors), 1
    while rows > 1 and each < _FACTORS:  # the lower half times the upper half, until a row is the product of sixteen
        half = rows // 2
        factors[:half] *= factors[rows - half : rows]
        rows, each = rows - half, 2 * each
    total: FloatArray = np.log(factors[:rows]).sum(axis=0)
    return total
