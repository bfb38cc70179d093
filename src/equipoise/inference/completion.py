"""Filling in pairs that never met: low-rank completion of a win-rate table in payoff, logit or odds space."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import positive, whole
from equipoise.core.results import Fit, FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable

Space = Literal["payoff", "logit", "odds"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Completion(Result):
    """A pair table without holes.

    Attributes
    ----------
    probabilities
        Win rates: as observed where pairs met, filled in where they did not.
    low_rank
        The low-rank table itself, which also moves observed cells.
    observed
        Which cells were observed.
    error
        Root mean square difference of the two on observed pairs, in win rate.
    """

    rows_name: ClassVar[str] = "pairs"
    in_summary: ClassVar[tuple[str, ...]] = ("error",)

    agents: tuple[str, ...]
    probabilities: FloatArray
    low_rank: FloatArray
    observed: NDArray[np.bool_]
    error: float

    def frame(self) -> "pl.DataFrame":
        """Give the pairs that were filled in, most lopsided first."""
        i, j = np.nonzero(np.triu(~self.observed, 1))
        names = np.array(self.agents, dtype=object)
        rows = {"first": names[i].tolist(), "second": names[j].tolist(), "win_rate": self.probabilities[i, j]}
        table = pl.DataFrame(rows, schema={"first": pl.String, "second": pl.String, "win_rate": pl.Float64})
        return table.sort((pl.col("win_rate") - 0.5).abs(), descending=True, maintain_order=True)

    def table(self) -> PairTable:  # type: ignore[override]  # the completed table, which others had no name for
        """Give the completed table as win rates without counts."""
        return PairTable.from_matrix(self.probabilities, self.agents)


@method(
    takes=("matches", "pairs"),
    answers="What would pairs that never met have scored, if the table has low rank?",
    reference="Jain, Netrapalli and Sanghavi (2013); Rowland et al. (2019), appendix H.5",
    checks={"rank": whole(1), "ridge": positive(), "iterations": whole(1)},
    resampled="it fills in single pairs and estimates nothing of agents",
)
def complete(
    data: Matches | PairTable, *, rank: int = 2, space: Space = "logit", ridge: float = 1e-2, iterations: int = 1000
) -> Completion:
    r"""What would pairs that never met have scored, if the table has low rank?

    Alternating least squares finds U and V of the given rank that minimise, over observed cells,

    .. math:: \sum (X_{ij} - U_i \cdot V_j)^2 + \lambda s (\|U\|^2 + \|V\|^2)

    with X the payoffs p, their logits, or their odds p/(1 - p), and s the mean square of observed X.

    Parameters
    ----------
    data
        Matches or a pair table with holes.
    rank
        Of the table in that space. Ratings alone have rank 2 in logit space.
    space
        ``logit``, ``payoff`` or ``odds``.
    ridge
        The penalty :math:`\lambda`; it keeps cells that the data do not determine near neutral.
    iterations
        Most sweeps.

    Fails when
        an agent met nobody, or the rank is not between 1 and the number of agents.

    References
    ----------
    Jain, Netrapalli, Sanghavi (2013), Low-rank matrix completion using alternating minimization; Rowland et al. (2019),
    appendix H.5.

    Examples
    --------
    >>> import numpy as np
    >>> import equipoise as eq
    >>> r = np.array([1.5, 0.5, -0.5, -1.5])
    >>> p = 1 / (1 + np.exp(r[None, :] - r[:, None]))
    >>> p[0, 3] = p[3, 0] = np.nan  # was 0.95
    >>> round(float(eq.complete(eq.PairTable.from_matrix(p)).probabilities[0, 3]), 2)
    0.94
    """
    table = data.pairs() if isinstance(data, Matches) else data
    if rank > len(table.agents):
        raise ParameterError(Option("rank"), f" is at most the number of agents, {len(table.agents)}, not {rank}")
    rates = table.probabilities()
    observed = ~np.isnan(rates)
    lonely = [table.agents[i] for i in np.flatnonzero(observed.sum(axis=1) < 2)]
    if lonely:
        raise DataError(f"{some_of(lonely)} met nobody, so nothing can be filled in; drop them")
    values = _into(table, space)
    factorised, fit = complete_matrix(values, observed, rank, ridge=ridge, iterations=iterations)
    low_rank = _out_of(factorised, space)
    filled = np.where(observed, rates, low_rank)
    error = float(np.sqrt(np.mean((low_rank - rates)[observed & ~np.eye(len(rates), dtype=bool)] ** 2)))
    return Completion(
        agents=table.agents, probabilities=frozen(filled), low_rank=frozen(low_rank), observed=frozen(observed),
        error=error, params=frozen_params(rank=rank, space=space, ridge=ridge), fit=fit,
        diagnostics=table.diagnostics + _thin(table, observed, rank) + _unsettled(fit),
    )  # fmt: skip


def complete_matrix(
    values: FloatArray, observed: NDArray[np.bool_], rank: int, *, ridge: float = 1e-2, iterations: int = 1000
) -> tuple[FloatArray, Fit]:
    """Low-rank matrix nearest to the observed cells, by alternating least squares from the leading singular vectors."""
    known = np.where(observed, values, 0.0)
    penalty = ridge * float(np.mean(known[observed] ** 2)) if known.any() else ridge
    u, s, vt = np.linalg.svd(known / observed.mean())
    left, right = u[:, :rank] * np.sqrt(s[:rank]), vt[:rank].T * np.sqrt(s[:rank])
    before = np.inf
    for sweep in range(1, iterations + 1):
        left = _ridge_rows(known, observed, right, penalty)
        right = _ridge_rows(known.T, observed.T, left, penalty)
        loss = float(np.sum((known - left @ right.T)[observed] ** 2) + penalty * (np.sum(left**2) + np.sum(right**2)))
        change = (before - loss) / max(loss, 1e-300)
        if change < 1e-7 or loss < 1e-18:
            return left @ right.T, Fit(True, sweep, max(change, 0.0))
        before = loss
    return left @ right.T, Fit(False, iterations, change)


def _ridge_rows(known: FloatArray, observed: NDArray[np.bool_], basis: FloatArray, penalty: float) -> FloatArray:
    """Best coefficients of each row on the basis, over its own observed cells."""
    weight = observed.astype(float)
    gram = np.einsum("ij,jk,jl->ikl", weight, basis, basis) + penalty * np.eye(basis.shape[1])
    return np.asarray(np.linalg.solve(gram, (known @ basis)[:, :, None])[:, :, 0])


def _into(table: PairTable, space: Space) -> FloatArray:
    if space == "payoff":
        return table.probabilities()
    log_odds = table.log_odds()
    return log_odds if space == "logit" else np.exp(log_odds)


def _out_of(values: FloatArray, space: Space) -> FloatArray:
    """Back to win rates with P + P^T = 1: the two guesses of a pair are averaged."""
    if space == "logit":
        values = scipy.special.expit(values)
    elif space == "odds":
        odds = np.maximum(values, 0.0)
        values = odds / (1.0 + odds)
    bounded = np.clip(values, 0.0, 1.0)
    return np.asarray((bounded + 1.0 - bounded.T) / 2.0)


def _thin(table: PairTable, observed: NDArray[np.bool_], rank: int) -> tuple[Diagnostic, ...]:
    few = [table.agents[i] for i in np.flatnonzero(observed.sum(axis=1) - 1 < rank)]
    if not few:
        return ()
    message = f"{some_of(few)} met fewer than {rank} others: at rank {rank} their filled cells rest on the ridge."
    return (warning("thin-rows", message, few),)


def _unsettled(fit: Fit) -> tuple[Diagnostic, ...]:
    if fit.converged:
        return ()
    message = f"The completion still moved after {fit.iterations} sweeps."
    return (warning("not-converged", message, advice=[Advice("a larger ", Option("ridge"), " settles sooner")]),)
