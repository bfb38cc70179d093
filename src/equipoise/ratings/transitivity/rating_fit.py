"""The ratings behind the answer: fitted, or taken from a fit made before, with what was done for them.

Ratings and the shape of the link (see :mod:`~equipoise.ratings.transitivity.test_statistics`) are fitted together, by
weighted least squares on the scores of pairs.

The estimating equations are those of a quasi-likelihood: without ties they are Bradley-Terry's. Weights follow from the
current fit, and a Gauss-Newton step is halved until the weighted squares fall. Where ratings can make up for most of
a shape, its own step is far too long: once the shape is known to lie between two values, it goes by the secant between.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import ParameterError
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Option
from equipoise.data.encode.labels import Codes
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.existence import Connections, connections
from equipoise.ratings.paired.ill_posed import WEAK_PRIOR
from equipoise.ratings.paired.model import Matrix, PairedModel, pairs_of_cells
from equipoise.ratings.paired.newton import DIRECT, bradley_terry_newton
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.paired.ties import PairCounts
from equipoise.ratings.transitivity.test_statistics import (
    LEAST_SHAPE,
    MOST_SHAPE,
    SHAPE_PRECISION,
    Null,
    null_solver,
    score_curve,
)

STARTS = (0.8,)
"""Link shapes to start from beside none: below 1/3 a curve straightens towards 0, above towards 1."""
TOLERANCE = 1e-7
"""What the last step may have changed the chi-square by."""
SAME_SHAPE = 1e-9
"""Shapes that are no further apart are one."""
STEPS = 12
"""Most steps of a fit at a given link shape."""
HALVINGS = 12
"""Times that a step is halved before it is given up."""


class LinkPoint(NamedTuple):
    """Where a fit stands: ratings (and side), and the link's shape."""

    x: FloatArray
    link_shape: float


def null_with_link(model: PairedModel, cells: PairCounts, x: FloatArray) -> Null:
    """The null at its best fit, from ratings ``x`` on the logistic curve; without ties that is the fit itself."""
    plain = Null.of(model, x, cells)
    if not cells.ties.any():
        return plain
    starts = [_settle(model, cells, LinkPoint(x, link_shape), 3, fixed=True) for link_shape in STARTS]
    ends = [_settle(model, cells, start, 60, fixed=False) for start in [LinkPoint(x, 0.0), *starts]]
    at = min(ends, key=lambda end: _squares(model, cells, end, plain.spread))
    return Null.of(
        model, at.x, cells, at.link_shape, shape_fitted=not _at_an_end(model, cells, at, plain.pairs), pairs=plain.pairs
    )


def fit_at_link(model: PairedModel, cells: PairCounts, x: FloatArray, link_shape: float) -> FloatArray:
    """Ratings (and side) at a given link shape."""
    return _settle(model, cells, LinkPoint(x, link_shape), STEPS, fixed=True).x


def _settle(model: PairedModel, cells: PairCounts, at: LinkPoint, most: int, *, fixed: bool) -> LinkPoint:
    between, pairs = _Between(), pairs_of_cells(model)
    for _ in range(most):
        shape_fixed = fixed or _at_an_end(model, cells, at, pairs)
        null = Null.of(model, at.x, cells, at.link_shape, shape_fitted=not shape_fixed, pairs=pairs)
        gradient, solve = _gradient(null, cells), null_solver(null, DIRECT, 1e-10)
        step = solve(gradient)
        small = float(gradient @ step) <= TOLERANCE
        if not shape_fixed and not small:
            by_shape = solve(np.eye(1, len(step), len(step) - 1)[0])
            wanted = between.step(at.link_shape, step[-1], step[-1] / by_shape[-1])
            step = step + (wanted - step[-1]) / by_shape[-1] * by_shape
        better = _halved(model, cells, at, step, null.spread)
        if better is None:
            return at
        at = better
        if small:
            return at
    return at


class _Between:
    """Link shapes on both sides of the best one, with the push towards it that remains once ratings have followed."""

    def __init__(self) -> None:
        self.below: tuple[float, float] | None = None
        self.above: tuple[float, float] | None = None
        self.last = np.inf

    def step(self, link_shape: float, own: float, push: float) -> float:
        """Give the step to take: ``own``, that of Gauss and Newton, while it falls fast or only one side is known."""
        if push > 0:
            self.below = (link_shape, push)
        else:
            self.above = (link_shape, push)
        if self.below is not None and self.above is not None and abs(own) > self.last / 4:
            (low, up), (high, down) = self.below, self.above
            own = low + (high - low) * float(np.clip(up / (up - down), 0.05, 0.95)) - link_shape
            if not low < high or abs(own) < SAME_SHAPE:
                self.below = self.above = None  # ratings were still on their way when the sides were found
        self.last = abs(own)
        return own


def _gradient(null: Null, cells: PairCounts) -> FloatArray:
    excess = cells.wins + cells.ties / 2 - null.games * null.chance
    gradient = np.asarray(null.derivatives().T @ (excess / null.spread))
    gradient[: null.model.agents] -= null.model.precision * null.x[: null.model.agents]
    if null.shape_fitted:
        gradient[-1] -= SHAPE_PRECISION * null.link_shape
    return gradient


def _halved(
    model: PairedModel, cells: PairCounts, at: LinkPoint, step: FloatArray, spread: FloatArray
) -> LinkPoint | None:
    """The next point; None where no part of the step is any better."""
    now = _squares(model, cells, at, spread)
    size = len(at.x)
    for _ in range(HALVINGS):
        link_shape = (
            at.link_shape if len(step) == size else float(np.clip(at.link_shape + step[-1], LEAST_SHAPE, MOST_SHAPE))
        )
        trial = LinkPoint(at.x + step[:size], link_shape)
        if _squares(model, cells, trial, spread) <= now * (1 + 1e-12):
            return trial
        step = step / 2
    return None


def _squares(model: PairedModel, cells: PairCounts, at: LinkPoint, spread: FloatArray) -> float:
    games = cells.wins + cells.losses + cells.ties
    excess = cells.wins + cells.ties / 2 - games * score_curve(model.differences(at.x), at.link_shape).chance
    prior = model.precision * float(at.x[: model.agents] @ at.x[: model.agents]) + SHAPE_PRECISION * at.link_shape**2
    return float(np.sum(excess**2 / (games * spread))) + prior


def _at_an_end(model: PairedModel, cells: PairCounts, at: LinkPoint, pairs: Matrix) -> bool:
    """Whether the link's shape stands at an end of its range and would go beyond."""
    if LEAST_SHAPE < at.link_shape < MOST_SHAPE:
        return False
    push = _gradient(Null.of(model, at.x, cells, at.link_shape, shape_fitted=True, pairs=pairs), cells)[-1]
    return bool(push <= 0 if at.link_shape <= LEAST_SHAPE else push >= 0)


SAME_FIT = 1e-6
"""Largest unexplained score per game at which given ratings count as fitted to the data."""


@dataclass(frozen=True, slots=True, eq=False)
class TransitiveFit:
    """The null at its fit, the counts it was fitted to, and what was done for it."""

    null: Null
    rating: FloatArray
    """Of Bradley-Terry with ties as half wins."""
    cells: PairCounts
    notes: tuple[Diagnostic, ...]


def sided(table: PairTable) -> PairTable:
    """One row an ordered pair: sides matter, groups do not."""
    return PairTable.from_counts(table.agents, table.first, table.second, table.wins, table.losses, table.ties)


def transitive_fit(table: PairTable, side: bool, fit: BradleyTerry | None) -> TransitiveFit:
    """Fit a table of one row a pair (with a ``side``: an ordered pair), or take ``fit`` where it is of that model."""
    cells = PairCounts(table.wins, table.losses, table.ties)
    met = connections(len(table.agents), table.first, table.second, cells)
    prior = None if met.finite else WEAK_PRIOR
    precision = 0.0 if prior is None else 1 / prior**2
    model = PairedModel(len(table.agents), table.first, table.second, "half", side, met.components, precision)
    x = None if fit is None else _given(fit, table, model, cells, prior)
    if x is None:
        x = bradley_terry_newton(model, cells).x
    return TransitiveFit(null_with_link(model, cells, x), x[: len(table.agents)], cells, tuple(_notes(table, met)))


def _given(
    fit: BradleyTerry, table: PairTable, model: PairedModel, cells: PairCounts, prior: float | None
) -> FloatArray | None:
    """Unknowns of a fit made before, if it is of the same model; refused if it is of other data."""
    if fit.agents != table.agents:
        raise ParameterError(Option("fit"), " is of other agents than the data")
    plain = fit.params["ties"] == "half" and fit.params["pairing"] == "fixed" and fit.coefficients is None
    same = plain and (fit.side is not None) == model.side and fit.params["prior"] == prior
    if not same or fit.fit is None or not fit.fit.converged:
        return None
    mean = np.bincount(model.components, fit.rating) / np.bincount(model.components)  # an anchor may have moved them
    x = np.concatenate([fit.rating - mean[model.components], [] if fit.side is None else [float(fit.side)]])
    games = cells.wins + cells.losses + cells.ties
    excess = cells.wins + cells.ties / 2 - games * scipy.special.expit(model.differences(x))
    gradient = model.gather(excess, 0.0)
    gradient[: model.agents] -= model.precision * x[: model.agents]
    if np.abs(gradient).max() > SAME_FIT * float(games.sum()):
        raise ParameterError(Option("fit"), " is of other games than the data")
    return x


def _notes(table: PairTable, met: Connections) -> list[Diagnostic]:
    notes = []
    if not met.connected:
        count = int(met.components.max()) + 1
        message = f"{count} groups of agents never met; only cycles within a group can show."
        notes.append(warning("not-connected", message))
    if not met.finite:
        who = [table.agents[i] for i in sorted({*met.unbeaten.tolist(), *met.winless.tolist()})]
        message = f"No finite ratings exist; the fit behind the answer has a weak prior (sd {WEAK_PRIOR:g})."
        notes.append(info("weak-prior", message, who))
    return notes


def group_excess(table: PairTable, fitted: TransitiveFit) -> "scipy.sparse.csc_array | None":
    """Excess of each group's score over the fit, cells by groups; None where matches have no groups."""
    if table.group is None:
        return None
    model, codes = fitted.null.model, table.group.codes
    swap = (table.first > table.second) & (not model.side)
    cell = _cells_of_rows(model, np.where(swap, table.second, table.first), np.where(swap, table.first, table.second))
    excess = np.where(swap, table.losses, table.wins) + table.ties / 2 - table.games * fitted.null.chance[cell]
    groups = len(table.group.labels)
    if (codes[1:] < codes[:-1]).any():
        return scipy.sparse.coo_array((excess, (cell, codes)), shape=(len(model.first), groups)).tocsc()
    ends = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=groups))])
    return scipy.sparse.csc_array((excess, cell, ends), shape=(len(model.first), groups))


def _cells_of_rows(model: PairedModel, first: Codes, second: Codes) -> IntArray:
    """Give the cell of the model that each row of the same pair belongs to."""
    n = model.agents
    keys, wanted = model.first.astype(np.int64) * n + model.second, first.astype(np.int64) * n + second
    if n**2 <= 4 * len(first):
        place = np.empty(n**2, dtype=np.int64)
        place[keys] = np.arange(len(keys))
        return np.asarray(place[wanted])
    order = np.argsort(keys)
    return np.asarray(order[np.searchsorted(keys, wanted, sorter=order)])
