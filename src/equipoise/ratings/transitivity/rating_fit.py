"""The ratings behind the verdict: fitted, or taken from a fit made before, with what was done for them."""

from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import ParameterError
from equipoise.core.results import FloatArray, IntArray
from equipoise.core.wording import Option
from equipoise.data.encode.labels import Codes
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.bradley_terry import WEAK_PRIOR, BradleyTerry
from equipoise.ratings.paired.existence import Connections, connections
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import bradley_terry_newton
from equipoise.ratings.paired.ties import Cells
from equipoise.ratings.transitivity.link_fit import bent_null
from equipoise.ratings.transitivity.test_statistics import Null

__all__ = ["TransitiveFit", "group_excess", "sided", "transitive_fit"]

SAME_FIT = 1e-6
"""Largest unexplained score per game at which given ratings count as fitted to the data."""


@dataclass(frozen=True, slots=True, eq=False)
class TransitiveFit:
    """The null at its fit, the counts it was fitted to, and what was done for it."""

    null: Null
    rating: FloatArray
    """Of Bradley-Terry with ties as half wins."""
    cells: Cells
    notes: tuple[Diagnostic, ...]


def sided(table: PairTable) -> PairTable:
    """One row an ordered pair: sides matter, groups do not."""
    return PairTable.from_counts(table.agents, table.first, table.second, table.wins, table.losses, table.ties)


def transitive_fit(table: PairTable, side: bool, fit: BradleyTerry | None) -> TransitiveFit:
    """Fit a table of one row a pair (with a ``side``: an ordered pair), or take ``fit`` where it is of that model."""
    cells = Cells(table.wins, table.losses, table.ties)
    met = connections(len(table.agents), table.first, table.second, cells)
    prior = None if met.finite else WEAK_PRIOR
    precision = 0.0 if prior is None else 1 / prior**2
    model = PairedModel(len(table.agents), table.first, table.second, "half", side, met.islands, precision)
    x = None if fit is None else _given(fit, table, model, cells, prior)
    if x is None:
        x = bradley_terry_newton(model, cells).x
    return TransitiveFit(bent_null(model, cells, x), x[: len(table.agents)], cells, tuple(_notes(table, met)))


def _given(
    fit: BradleyTerry, table: PairTable, model: PairedModel, cells: Cells, prior: float | None
) -> FloatArray | None:
    """Unknowns of a fit made before, if it is of the same model; refused if it is of other data."""
    if fit.agents != table.agents:
        raise ParameterError(Option("fit"), " is of other agents than the data")
    plain = fit.params["ties"] == "half" and fit.params["pairing"] == "fixed" and fit.coefficients is None
    same = plain and (fit.side is not None) == model.side and fit.params["prior"] == prior
    if not same or fit.fit is None or not fit.fit.converged:
        return None
    mean = np.bincount(model.islands, fit.rating) / np.bincount(model.islands)  # an anchor may have moved them
    x = np.concatenate([fit.rating - mean[model.islands], [] if fit.side is None else [float(fit.side)]])
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
        count = int(met.islands.max()) + 1
        notes.append(warning("islands", f"{count} groups of agents never met; only cycles within a group can show."))
    if not met.finite:
        who = [table.agents[i] for i in sorted({*met.unbeaten.tolist(), *met.winless.tolist()})]
        message = f"No finite ratings exist; the fit behind the verdict has a weak prior (sd {WEAK_PRIOR:g})."
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
