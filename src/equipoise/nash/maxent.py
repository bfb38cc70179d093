"""The maximum-entropy Nash equilibrium of an antisymmetric game, with its certificate."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.results import Fit, FloatArray, IntArray, Result, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.data.encode.labels import agent_names
from equipoise.nash.kernels import asymmetry, maxent_skew
from equipoise.nash.reduction import magnitude, rounding
from equipoise.nash.solve import Equilibrium


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class MaxentNash(Result):
    """The team of agents that no agent beats on average, as even as can be.

    Attributes
    ----------
    p
        Mass of each agent.
    average
        Nash average ``A p`` of each agent: 0 for the agents in play, at most 0 for all.
    support
        Positions of the agents with positive mass.
    exploitability
        Certificate: what the best reply gains, ``max(A p)``, in the units of the payoffs; 0 up to rounding.
    kkt
        Certificate: the error of the optimality conditions of maximum entropy on the face of equilibria.
    dimension
        Of the face of equilibria; 0 where the equilibrium is unique.
    clones
        Number of each agent's class of agents that nobody can tell apart.
    """

    main: ClassVar[str] = "p"
    in_summary: ClassVar[tuple[str, ...]] = ("exploitability", "kkt", "dimension")

    agents: tuple[str, ...]
    p: FloatArray
    average: FloatArray
    support: IntArray
    exploitability: float
    kkt: float
    dimension: int
    clones: IntArray

    def frame(self) -> "pl.DataFrame":
        """Give masses and averages, the best average first and the largest mass first among equals."""
        table = pl.DataFrame({"agent": list(self.agents), "p": self.p, "average": self.average})
        return table.sort("p", "average", descending=True, maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is in the Nash support."""
        return team_words(self.agents, self.p)


@method(
    takes="array",
    answers="Which team of agents cannot be beaten on average, and is the most even of all such teams?",
    reference="Balduzzi, Tuyls, Perolat and Graepel (2018), proposition 4",
    resampled="a table of payoffs holds no games to draw anew; give the matches to nash_average",
)
def maxent_nash(
    payoff: npt.ArrayLike, *, agents: Iterable[object] | None = None, merge_clones: bool = True
) -> MaxentNash:
    r"""Which team of agents cannot be beaten on average, without picking one of many at will?

    .. math:: p^* = \arg\max_p -\sum_i p_i \log p_i \quad\text{subject to}\quad A p \le 0,\ p \ge 0,\ \sum_i p_i = 1

    Parameters
    ----------
    payoff
        Antisymmetric matrix A; ``A[i, j]`` is what i gains from j: log-odds, or payoff differences.
    agents
        Names; made up if not given.
    merge_clones
        Agents with equal rows count as one and share its mass equally, which keeps the answer the same however
        many copies there are. False gives the paper's literal definition: entropy over single agents.

    Returns
    -------
    MaxentNash
        Masses, averages and certificate.

    Fails when
        the matrix is not square, has a missing or infinite entry, or is not antisymmetric beyond rounding
        (:class:`DataError`).

    Notes
    -----
    Exact, not regularised: an interior-point method ends at a strictly complementary equilibrium, which tells the
    agents that some equilibrium plays from those that none does; on that face entropy is maximised by Newton's
    method. Large games are solved on a small set of agents that grows until nobody outside could gain or join.

    References
    ----------
    Balduzzi, Tuyls, Perolat and Graepel (2018), Re-evaluating Evaluation, proposition 4.

    Examples
    --------
    >>> import equipoise as eq
    >>> eq.maxent_nash([[0, 4.6, -4.6, -4.6], [-4.6, 0, 4.6, 4.6], [4.6, -4.6, 0, 0], [4.6, -4.6, 0, 0]]).p.round(
    ...     4
    ... ).tolist()
    [0.3333, 0.3333, 0.1667, 0.1667]
    """
    matrix = as_payoffs(payoff)
    if agents is not None and not isinstance(agents, Iterable):
        raise ParameterError(Option("agents"), " is a list of names")
    names = agent_names(agents, len(matrix))
    check_antisymmetric(matrix, names)
    solution = maxent_skew(matrix, merge_clones=merge_clones)
    return MaxentNash(
        agents=names, p=frozen(solution.p), average=frozen(solution.average),
        support=frozen(np.flatnonzero(solution.p), np.int64), exploitability=solution.exploitability,
        kkt=solution.equilibrium.kkt, dimension=solution.equilibrium.dimension, clones=frozen(solution.classes),
        params=frozen_params(merge_clones=merge_clones), fit=fit_of(solution.equilibrium),
        diagnostics=(*clone_notes("agent", names, solution.classes), *accuracy_note(solution.equilibrium)),
    )  # fmt: skip


def as_payoffs(payoff: npt.ArrayLike) -> npt.NDArray[np.floating[Any]]:
    """The payoffs as they are if they are floats, so that a large matrix is not copied."""
    try:
        matrix = np.asarray(payoff)
        if matrix.dtype.kind in "cmM":
            raise TypeError("complex numbers and dates are no payoffs")
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("payoffs must be a square table of numbers") from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"payoffs must be a square matrix, not of shape {matrix.shape}")
    if matrix.size == 0:
        raise DataError("payoffs without agents: the matrix is empty")
    return matrix


def check_antisymmetric(matrix: npt.NDArray[np.floating[Any]], agents: tuple[str, ...]) -> None:
    """Refuse missing or infinite entries, and asymmetry beyond rounding."""
    if not np.isfinite(magnitude(matrix)):
        cells = np.argwhere(~np.isfinite(matrix))
        raise DataError(f"payoffs missing or infinite for {some_of(f'{agents[i]} vs {agents[j]}' for i, j in cells)}")
    worst, row, column = asymmetry(matrix)
    if worst > rounding(matrix):
        raise DataError(
            f"payoffs are not antisymmetric: {agents[row]} vs {agents[column]} is {matrix[row, column]:.6g} one way and"
            f" {matrix[column, row]:.6g} the other; they must be opposite (payoffs M of any kind: use (M - M.T) / 2)"
        )


def team_words(agents: tuple[str, ...], mass: FloatArray) -> tuple[str, ...]:
    """Say who is in the Nash support, the largest mass first; nothing where masses are undefined."""
    order = np.argsort(-mass.round(9), kind="stable")  # equal masses, up to rounding, in the data's order
    team = [agents[i] for i in order if mass[i] > 0]
    if not team:
        return ()
    if len(team) == 1:
        return (f"The Nash equilibrium is {some_of(team)} alone: no agent beats it.",)
    return (f"The Nash support has {len(team)} agents, which no agent beats on average: {some_of(team, 6)}.",)


def fit_of(equilibrium: Equilibrium) -> Fit:
    """How the solver ended."""
    return Fit(converged=equilibrium.converged, iterations=equilibrium.steps, residual=equilibrium.kkt)


def clone_notes(kind: str, names: tuple[str, ...], classes: IntArray) -> tuple[Diagnostic, ...]:
    """Say which of the names are copies of each other."""
    sizes = np.bincount(classes)
    if not (sizes > 1).any():
        return ()
    groups = [[names[i] for i in np.flatnonzero(classes == c)] for c in np.flatnonzero(sizes > 1)]
    listed = some_of((" = ".join(group[:3]) + (" = ..." if len(group) > 3 else "") for group in groups), most=3)
    who = [name for group in groups for name in group]
    message = f"Copies of each other, counted as one {kind} that shares its mass equally: {listed}."
    return (info(f"{kind}-clones", message, who),)


def accuracy_note(equilibrium: Equilibrium) -> tuple[Diagnostic, ...]:
    """Warn where the certificate is not what it should be."""
    if equilibrium.converged:
        return ()
    message = (
        "The equilibrium is exact only up to rounding at this table's scales: its exploitability is right,"
        " but it may not be the most even one, and masses that rest on far smaller payoffs than others may be wrong."
    )
    return (warning("not-certified", message),)
