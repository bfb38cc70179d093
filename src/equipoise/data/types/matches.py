"""Matches: agent against agent, in the order played; scores as matches."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError
from equipoise.core.results import FloatArray, IntArray, frozen, owned
from equipoise.data.encode.labels import Codes, Factor
from equipoise.data.encode.outcomes import Counts, OutcomeRows, check_outcomes
from equipoise.data.types.accounts import Account, shown
from equipoise.data.types.covariates import Covariates
from equipoise.data.types.orders import Ballots, Rankings
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

CLUSTERS_FOUND, FEW_CLUSTERS = "clusters-found", "few-clusters"
"""Codes of the diagnostics that say by which columns, found by name, errors are clustered, and by which not."""

RUNS = "runs of scores"
"""Name among crossed clusters of runs behind scores, whose effects are each agent's own."""


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """A log of matches, one row each, or counts of equal matches through ``weight``.

    Attributes
    ----------
    agents
        Names, in order of first appearance.
    a, b
        Codes into ``agents``; ``a`` is the first-named side (first move, home, left).
    outcome
        Score of ``a`` in [0, 1]; 1/2 is a tie.
    weight
        How often the row happened (a frequency), or None for once each.
    task, group
        What was played; who judged or when (matches of one group are not independent).
    time
        Sortable times, or None; methods in which order counts go by time where there is one.
    ordered
        False where the rows are counts, whose order says nothing.
    account
        What became of the rows and columns of the file behind them; None where there was no file.
    labels
        Further columns that were kept, by name, such as the judge or the language.
    covariates
        What else may have decided each match, such as how much longer one answer was; None where nothing was kept.
    crossed
        Further columns of clusters beside ``group``, by name, such as the prompt beside the voter.
    """

    kind: ClassVar[str] = "matches"

    agents: tuple[str, ...]
    a: Codes
    b: Codes
    outcome: FloatArray
    weight: FloatArray | None = None
    task: Factor | None = None
    group: Factor | None = None
    time: npt.NDArray[np.generic] | None = None
    ordered: bool = True
    diagnostics: tuple[Diagnostic, ...] = ()
    account: Account | None = None
    covariates: Covariates | None = None
    labels: Mapping[str, Factor] = field(default_factory=dict)
    crossed: Mapping[str, Factor] = field(default_factory=dict)

    @classmethod
    def from_columns(
        cls,
        a: Iterable[object],
        b: Iterable[object],
        outcome: Iterable[object] | None = None,
        weight: Iterable[float] | None = None,
        task: Iterable[object] | None = None,
        group: Iterable[object] | None = None,
        time: Iterable[object] | None = None,
        *,
        wins: Iterable[float] | None = None,
        losses: Iterable[float] | None = None,
        ties: Iterable[float] | None = None,
    ) -> "Matches":
        """Take columns of equal length; names are trimmed.

        Parameters
        ----------
        a, b
            Names of the two sides.
        outcome
            Numbers in [0, 1] (the score of ``a``), words, or the winner's name.
        weight
            How often each row happened.
        task, group, time
            What was played; who judged; when.
        wins, losses, ties
            Counts, in place of outcomes and weights: each row then stands for so many matches, in no order.

        >>> Matches.from_columns(["x", "y"], ["y", "z"], ["a", "draw"]).outcome.tolist()
        [1.0, 0.5]
        """
        counts = Counts(wins, losses, ties)
        rows = OutcomeRows.from_columns(a, b, outcome, weight, counts)
        beside = rows.factor(task, "task"), rows.factor(group, "group", needed=True), rows.times(time)
        check_outcomes(rows.agents, rows.first, rows.second, rows.score, rows.weight)
        weights = None if rows.weight is None else owned(rows.weight)
        return cls(
            rows.agents, owned(rows.first), owned(rows.second), owned(rows.score), weights, *beside, ordered=not counts
        )

    @classmethod
    def from_codes(
        cls,
        agents: tuple[str, ...],
        a: Codes,
        b: Codes,
        outcome: FloatArray,
        *,
        weight: FloatArray | None = None,
        task: Factor | None = None,
        group: Factor | None = None,
        time: npt.NDArray[np.generic] | None = None,
        ordered: bool = True,
        diagnostics: tuple[Diagnostic, ...] = (),
        account: Account | None = None,
        covariates: Covariates | None = None,
        labels: Mapping[str, Factor] | None = None,
    ) -> "Matches":
        """Take codes that are already known to point into ``agents``; the rest is checked."""
        check_outcomes(agents, a, b, outcome, weight)
        for name, column in (("task", task), ("group", group)):
            if column is not None and len(column.codes) != len(a):
                raise DataError(f"{name} has {len(column.codes):,} rows, the matches have {len(a):,}")
        if time is not None and len(time) != len(a):
            raise DataError(f"time has {len(time):,} rows, the matches have {len(a):,}")
        return cls(
            agents,
            frozen(a, np.int32),
            frozen(b, np.int32),
            frozen(outcome),
            None if weight is None else frozen(weight),
            task,
            group,
            time,
            ordered,
            diagnostics,
            account,
            covariates,
            dict(labels or {}),
        )

    def __len__(self) -> int:
        return len(self.a)

    def __repr__(self) -> str:
        there: dict[str, object] = {"weights": self.weight, "tasks": self.task, "groups": self.group}
        there |= {"times": self.time, "covariates": self.covariates}
        return shown("Matches", [f"{len(self):,} games", f"{len(self.agents):,} agents"], self.agents, there)

    @property
    def weights(self) -> FloatArray:
        """The weight of each row, 1 where none was given."""
        return np.ones(len(self)) if self.weight is None else self.weight

    def order(self) -> IntArray:
        """Positions of the rows in order of time (stable), or as they are."""
        if self.time is None:
            return np.arange(len(self))
        return np.argsort(self.time, kind="stable")

    def take(self, rows: IntArray) -> "Matches":
        """Give the matches at these positions (with repeats: a resample); agents stay the same."""
        return Matches(
            self.agents,
            self.a[rows],
            self.b[rows],
            self.outcome[rows],
            None if self.weight is None else self.weight[rows],
            None if self.task is None else Factor(self.task.labels, self.task.codes[rows]),
            None if self.group is None else Factor(self.group.labels, self.group.codes[rows]),
            None if self.time is None else self.time[rows],
            self.ordered,
            self.diagnostics,
            self.account,
            None if self.covariates is None else self.covariates.take(rows),
            *(
                {name: Factor(kept.labels, kept.codes[rows]) for name, kept in those.items()}
                for those in (self.labels, self.crossed)
            ),
        )

    def with_covariates(self, columns: Mapping[str, object]) -> "Matches":
        """Give the same matches with covariates, by name, in place of those that there were.

        A pair of columns holds an amount on each side, such as the lengths of two answers, and becomes a relative
        difference; one column is a difference already (positive where the first side has more).

        >>> m = Matches.from_columns(["x", "y"], ["y", "x"], [1, 0])
        >>> m.with_covariates({"length": ([300, 100], [100, 400])}).covariates.names
        ('length',)
        """
        return replace(self, covariates=Covariates.of(columns, len(self)))

    def pairs(self, by_group: bool = False) -> PairTable:
        """Count wins, losses and ties of each ordered pair (within each group if asked).

        An outcome between a win and a tie, such as 0.7, counts as 0.7 of a win and 0.3 of a loss.
        """
        group = self.group if by_group else None
        crossed = self.crossed if group is not None else {}
        finest = group if group is None or not crossed else Factor.crossed([group, *crossed.values()])
        table = PairTable.from_outcomes(
            self.agents,
            self.a,
            self.b,
            self.outcome,
            self.weight,
            group=finest,
            diagnostics=self.diagnostics,
            account=self.account,
        )
        return table.parted(crossed)


def matches_from_scores(scores: Scores, *, higher_is_better: bool = True) -> Matches:
    """Make a match of every two agents on every task (and trial) that both have a score for.

    The higher score wins, equal scores tie. Matches on one task are not independent: the task is their group. What
    is lost is by how much; what is won is that no two tasks' units need to be compared.

    Fails when
        no two agents share a task.

    Examples
    --------
    >>> import equipoise as eq
    >>> s = eq.Scores.from_matrix([[3, 1], [2, 1]], agents=["x", "y"], tasks=["sum", "sort"])
    >>> eq.methods.matches_from_scores(s).outcome.tolist()
    [1.0, 0.5]
    """
    if not isinstance(scores, Scores):
        raise DataError(f"matches_from_scores takes scores of agents on tasks, not {type(scores).__name__}")
    values = scores.values[:, :, None] if scores.repeats is None else scores.repeats
    i, j = np.triu_indices(len(scores.agents), 1)
    gap = values[i] - values[j] if higher_is_better else values[j] - values[i]
    pair, task, _ = np.nonzero(~np.isnan(gap))
    if len(pair) == 0:
        raise DataError("no two agents have a score on the same task: there is nothing to compare")
    outcome = (np.sign(gap[~np.isnan(gap)]) + 1) / 2
    played = Factor(scores.tasks, task.astype(np.int32))
    note = info("scores-as-matches", "A match is two agents on one task: the higher score wins; tasks are the groups.")
    return Matches.from_codes(
        scores.agents,
        i[pair].astype(np.int32),
        j[pair].astype(np.int32),
        outcome,
        task=played,
        group=played,
        ordered=False,
        diagnostics=(*scores.diagnostics, note),
        account=scores.account,
    )


def matches_from_rankings(orders: Rankings | Ballots) -> Matches:
    """Make a match of every two agents that a game of several (or a ballot) compares: the better place wins.

    What asks about games of two, such as :func:`transitivity`, can be asked so: under Plackett and Luce's model, each
    pair of a game is decided by the difference of two ratings. Pairs of one game are not independent: the game, or the
    cluster it belongs to, is their group.

    Fails when
        no game has two agents.

    Examples
    --------
    >>> import equipoise as eq
    >>> races = eq.Rankings.from_columns(["r1", "r1", "r1"], ["x", "y", "z"], [1, 2, 2])
    >>> eq.methods.matches_from_rankings(races).outcome.tolist()
    [1.0, 1.0, 0.5]
    """
    if not isinstance(orders, Rankings | Ballots):
        raise DataError(f"matches_from_rankings takes rankings or ballots, not {type(orders).__name__}")
    rows, longest = orders.rows, int(np.diff(orders.start).max())
    parts = []
    for gap in range(1, longest):
        at = np.flatnonzero(rows[gap:] == rows[:-gap])
        parts.append(np.stack([at, at + gap]))
    upper, lower = np.concatenate(parts, axis=1) if parts else np.zeros((2, 0), dtype=np.int64)
    if not len(upper):
        raise DataError("no game has two agents: there is nothing to compare")
    order = np.lexsort((lower, upper))
    upper, lower = upper[order], lower[order]
    turned = orders.who[upper] > orders.who[lower]  # who comes first says nothing
    upper, lower = np.where(turned, lower, upper), np.where(turned, upper, lower)
    outcome = (np.sign(orders.place[lower] - orders.place[upper]) + 1) / 2
    names = orders.games if isinstance(orders, Rankings) else tuple(f"ballot {k + 1}" for k in range(len(orders)))
    group = Factor(tuple(names), np.arange(len(orders), dtype=np.int32))
    if isinstance(orders, Rankings) and orders.group is not None:
        group = orders.group
    weight = orders.weight[rows[upper]]
    note = info("places-as-matches", "A match is two agents in one game: the better place wins; games are the groups.")
    return Matches.from_codes(
        orders.agents, orders.who[upper].astype(np.int32), orders.who[lower].astype(np.int32), outcome,
        weight=None if (weight == 1).all() else weight, group=Factor(group.labels, group.codes[rows[upper]]),
        ordered=False, diagnostics=(*orders.diagnostics, note), account=orders.account,
    )  # fmt: skip
