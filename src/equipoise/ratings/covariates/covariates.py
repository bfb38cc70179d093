"""Bradley-Terry with covariates: which were asked for, whether the data can tell their coefficients, and these.

A match's strength difference gains the covariates times their coefficients, so that matches no longer collapse to pair
counts: every row is a cell of its own. Two things stand in the way of a finite coefficient. Strengths may explain the
covariate as well (an agent's answers are always the longer ones): the information about it is nought beside that
of the others. Or covariates and strengths together may separate wins from losses: then the likelihood grows for ever
along some direction, which a linear program finds.

References
----------
Albert and Anderson (1984), On the existence of maximum likelihood estimates in logistic regression models.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

from equipoise.core.errors import ConvergenceError, DataError, ParameterError, some_of
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.types.covariates import Covariates
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.model import PairedModel
from equipoise.ratings.paired.newton import DENSE, Solution, bradley_terry_newton
from equipoise.ratings.paired.ties import PairCounts, curvature

Asked = Sequence[str] | Mapping[str, Any] | None
"""Names of the matches' own covariates, or columns by name."""
CONFOUNDED = 1e-9
"""Share of a covariate's information that strengths leave, below which it says nothing of its own."""
FAR = 25.0
"""Log-odds beyond which a fit may be on its way to infinity: whether it is gets checked."""
AT_ONCE = 20_000
"""Matches that the linear program looks at in its first round."""
ROUNDS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Coefficients:
    """What covariates are worth, in log-odds for one unit of each.

    Attributes
    ----------
    names
        Of the covariates.
    value, stderr, low, high
        Log-odds for the side that has one unit more, with an interval.
    scale
        The unit: the standard deviation of the relative difference of the sides, or 1 for a difference as given.
    covariance
        Of the values; None where games were not counted.
    degrees
        Of freedom behind the errors.
    """

    names: tuple[str, ...]
    value: FloatArray
    stderr: FloatArray
    low: FloatArray
    high: FloatArray
    scale: FloatArray
    covariance: FloatArray | None = None
    degrees: float = np.inf

    def rows(self) -> list[dict[str, object]]:
        """Give a row for each covariate, as tables and JSON show them."""
        columns = zip(self.names, self.value, self.stderr, self.low, self.high, self.scale, strict=True)
        keys = ("covariate", "coefficient", "stderr", "low", "high", "scale")
        return [dict(zip(keys, (name, *map(float, rest)), strict=True)) for name, *rest in columns]

    @property
    def words(self) -> tuple[str, ...]:
        """Say of each whether having more of it wins."""
        return tuple(map(_words, self.names, self.value, self.low, self.high))


def _words(name: str, value: float, low: float, high: float) -> str:
    says = "wins more" if low > 0 else "wins less" if high < 0 else "may win more or less"
    return f"More {name} {says}: {value:+.2f} log-odds a unit ({low:+.2f} to {high:+.2f})."


@dataclass(frozen=True, slots=True, eq=False)
class Controlled:
    """A model whose cells are single matches with covariates, its optimum, and the covariates' units."""

    model: PairedModel
    cells: PairCounts
    solution: Solution
    names: tuple[str, ...]
    scale: FloatArray


def asked_covariates(data: Matches | PairTable, asked: Asked) -> Matches | None:
    """Give the matches with the covariates that were asked for; None where none were."""
    if asked is None:
        return None
    if not isinstance(data, Matches):
        raise ParameterError(Option("covariates"), " belong to single matches: pair counts do not have them")
    if len(data.agents) > DENSE:
        raise ParameterError(Option("covariates"), f" go with up to {DENSE:,} agents, these are {len(data.agents):,}")
    if isinstance(asked, Mapping):
        return data.with_covariates(asked)
    if isinstance(asked, str) or not isinstance(asked, Sequence):
        raise ParameterError(Option("covariates"), f" are a list of names, or columns by name, not {asked!r}")
    if data.covariates is None:
        raise DataError(
            "these matches hold no covariates",
            advice=[
                Advice("read them with read_matches(..., covariates=[...])"),
                Advice("or add them with with_covariates"),
            ],
        )
    if not asked:
        raise ParameterError(Option("covariates"), " names none; leave it out, or name some")
    return replace(data, covariates=data.covariates.select(list(asked)))


def row_cells(matches: Matches) -> PairCounts:
    """Give a cell for each match; a score between a win and a tie is so much of a win and the rest of a loss."""
    score, weight = matches.outcome, matches.weights
    tied = score == 0.5
    won = np.where(tied, 0.0, weight * score)
    shared = np.where(tied, 0.0, weight * score * (1 - score))
    return PairCounts(
        won, np.where(tied, 0.0, weight - won), np.where(tied, weight, 0.0), shared if shared.any() else None
    )


def fit_with_covariates(matches: Matches, plain: PairedModel, start: FloatArray, prior: float | None) -> Controlled:
    """Fit ratings and coefficients together, from the ratings of the plain model.

    Fails when
        strengths explain a covariate as well, or covariates and strengths separate wins from losses.
    """
    columns = matches.covariates
    if columns is None:
        raise AssertionError("matches without covariates")  # callers put them there
    cells, scale = row_cells(matches), columns.scales(matches.weights)
    model = replace(
        plain,
        first=matches.a,
        second=matches.b,
        covariates=columns.values / scale,
        coefficient_precision=0.0 if prior is None else 1 / prior**2,
    )
    here = model.coefficients
    start = np.concatenate([start[: here.start], np.zeros(len(columns)), start[here.start :]])
    if prior is None:
        _refuse_confounded(model, cells, start, columns)
    try:
        solution = bradley_terry_newton(model, cells, start)
        far = float(np.abs(model.differences(solution.x)).max()) > FAR or not solution.fit.converged
    except (ConvergenceError, DataError):
        _refuse_separated(model, cells, columns)
        raise
    if far and prior is None:
        _refuse_separated(model, cells, columns)
    return Controlled(model, cells, solution, columns.names, scale)


def _refuse_confounded(model: PairedModel, cells: PairCounts, x: FloatArray, columns: Covariates) -> None:
    """Refuse covariates about which nothing is left once strengths, sides and each other are accounted for."""
    weight = curvature(model.differences(x), model.tie(x), cells, model.ties).dd
    information = model.products(weight)[: model.coefficients.stop, : model.coefficients.stop]
    own = np.sqrt(np.diag(information))
    scaled = information / np.outer(np.where(own > 0, own, 1.0), np.where(own > 0, own, 1.0))
    before = model.coefficients.start
    for k, name in enumerate(columns.names, start=before):
        left = 1 - scaled[k, :k] @ np.linalg.pinv(scaled[:k, :k], rcond=1e-10, hermitian=True) @ scaled[:k, k]
        if left < CONFOUNDED:
            others = f" and {some_of(columns.names[: k - before])}" if k > before else ""
            raise DataError(
                f'the covariate "{name}" cannot be told from strength{others}: nothing is left of it once these are'
                " accounted for",
                advice=[Advice("leave it out of ", Option("covariates"))],
            )


def _refuse_separated(model: PairedModel, cells: PairCounts, columns: Covariates) -> None:
    """Refuse covariates which, with strengths, fit the results ever better as they grow: name them."""
    direction = _separating(model, cells)
    if direction is None:
        return
    moves = np.flatnonzero(np.abs(direction[model.coefficients]) > 1e-7)
    if not len(moves):
        return
    needed = [k for k in moves if _separating(model, cells, without=int(k)) is None]
    named = [columns.names[k] for k in (needed or moves)]
    raise DataError(
        f"no finite coefficient exists: {some_of(named)}, with strengths, fits the results ever better as it grows",
        advice=[Advice("leave it out of ", Option("covariates")), Advice("or give a ", Option("covariate_prior"))],
    )


def _separating(model: PairedModel, cells: PairCounts, without: int | None = None) -> FloatArray | None:
    """Find a direction along which no match gets less likely and some get more likely, if there is one.

    ``without`` names a covariate whose coefficient stays.

    Wins may only move up, losses down, all else must stay. Only those matches are constraints that the last direction
    found would break, and a few to begin with; the gain counts all, so that no gain under some of the constraints is
    none under all.
    """
    won = (cells.wins > 0) & (cells.losses == 0) & (cells.ties == 0)
    lost = (cells.losses > 0) & (cells.wins == 0) & (cells.ties == 0)
    free = PairedModel.incidence(model)
    rows = scipy.sparse.csr_array(scipy.sparse.hstack([free, scipy.sparse.csr_array(model.covariates)]))
    sign = np.where(won, 1.0, np.where(lost, -1.0, 0.0))
    gain = rows.T @ sign
    most = np.ones(rows.shape[1])
    if without is not None:
        most[model.coefficients.start + without] = 0.0
    chosen = np.zeros(len(sign), dtype=bool)
    chosen[:: max(1, len(sign) // AT_ONCE)] = True
    for _ in range(ROUNDS):
        decided, even = chosen & (sign != 0), chosen & (sign == 0)
        program = scipy.optimize.linprog(
            -gain / max(np.abs(gain).max(), 1.0),
            A_ub=-(scipy.sparse.diags_array(sign[decided]) @ rows[decided]) if decided.any() else None,
            b_ub=np.zeros(int(decided.sum())) if decided.any() else None,
            A_eq=rows[even] if even.any() else None,
            b_eq=np.zeros(int(even.sum())) if even.any() else None,
            bounds=np.column_stack([-most, most]),
        )
        if not program.success or -program.fun < 1e-7:
            return None
        moved = rows @ program.x
        broken = np.where(sign == 0, np.abs(moved) > 1e-7, sign * moved < -1e-7) & ~chosen
        if not broken.any():
            return np.asarray(program.x)
        chosen |= broken
    return None
