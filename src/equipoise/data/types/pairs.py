"""PairTable: what ratings need of a match log, however long the log was."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray, frozen, owned
from equipoise.data.encode.arrays import as_square, check_probabilities, games_behind
from equipoise.data.encode.labels import Codes, Factor, agent_names
from equipoise.data.encode.outcomes import Counts, OutcomeRows, check_outcomes
from equipoise.data.encode.pair_sums import add_up, counted_results, many_pairs, relabelled, tallied
from equipoise.data.types.accounts import Account, shown

Payoff = Literal["log-odds", "win-rate"]

COUNT_TOLERANCE = 1e-9
"""How far below 0 a count may be: games minus wins are rounded where counts are fractions."""
MOST_GAMES = 1e15
"""Above this a double cannot hold a single game."""


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Wins, losses and ties for each ordered pair that met (sparse).

    A row is an ordered pair: ``first`` had the first move, the home ground or the left side; where sides mean
    nothing the order means nothing. With ``group`` a row is a pair within a group (a voter, a session).

    Attributes
    ----------
    agents
        Names, in the data's own order.
    first, second
        Codes into ``agents``; never equal.
    wins, losses, ties
        Of ``first`` against ``second``; weighted counts.
    counted
        False for a bare table of probabilities: nothing says how many games it is computed from, so nothing that
        depends on that number (an interval, a p-value) exists.
    group
        Codes and labels of the group of each row, or None.
    diagnostics
        What happened on the way here.
    shared
        Sum of s (1 - s) over games with a score s other than 0, 1/2 and 1, or None where there are none. Such a game
        counts as s of a win and 1 - s of a loss, but varies less than games won and lost do: by so much.
    account
        What became of the rows and columns of the file behind it; None where there was no file.
    crossed
        Further columns of clusters beside ``group``, by name; a row is then a pair within a combination of them.
    """

    kind: ClassVar[str] = "pairs"

    agents: tuple[str, ...]
    first: Codes
    second: Codes
    wins: FloatArray
    losses: FloatArray
    ties: FloatArray
    counted: bool = True
    group: Factor | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    shared: FloatArray | None = None
    account: Account | None = None
    crossed: Mapping[str, Factor] = field(default_factory=dict)

    def __repr__(self) -> str:
        facts = [f"{len(self.agents):,} agents", f"{len(self.first):,} pairs"]
        facts += [f"{self.games.sum():,.0f} games"] if self.counted else ["probabilities without games"]
        return shown("PairTable", facts, self.agents, {"groups": self.group})

    @classmethod
    def from_matrix(
        cls, p: npt.ArrayLike, agents: Iterable[object] | None = None, games: npt.ArrayLike | None = None
    ) -> "PairTable":
        """Take a square table of win probabilities; ``p[i, j]`` is how often i beats j.

        Parameters
        ----------
        p
            Probabilities with ``p + p.T == 1``; NaN in both places for a pair that never met. The diagonal is
            not read.
        agents
            Names; made up if not given.
        games
            Games behind each pair (a number, or a symmetric matrix). Without it the table has no counts and
            results have no intervals.

        >>> PairTable.from_matrix([[0.5, 0.8], [0.2, 0.5]], agents=["a", "b"], games=10).wins.tolist()
        [8.0]
        """
        chance = as_square(p, "a table of win probabilities")
        names = agent_names(agents, len(chance))
        check_probabilities(chance, names)
        counts = games_behind(games, chance)
        i, j = np.nonzero(np.triu(counts > 0, 1))
        played, score = counts[i, j], chance[i, j]
        bare = info("no-counts", "A table of probabilities without games: estimates have no intervals.")
        notes, wins = (bare,) if games is None else (), played * score
        return cls.from_counts(names, i, j, wins, played * (1 - score), counted=games is not None, diagnostics=notes)

    @classmethod
    def from_wins(cls, wins: npt.ArrayLike, agents: Iterable[object] | None = None) -> "PairTable":
        """Take a square table of win counts; ``wins[i, j]`` counts the wins of i over j. The diagonal is not read."""
        counts = as_square(wins, "a table of wins")
        names = agent_names(agents, len(counts))
        off = ~np.eye(len(counts), dtype=bool)
        if not np.isfinite(counts[off]).all() or (counts[off] < 0).any():
            raise DataError("a table of wins needs finite counts of at least 0 off the diagonal")
        met = (counts > 0) | (counts.T > 0)
        i, j = np.nonzero(np.triu(met, 1))
        return cls.from_counts(names, i, j, counts[i, j], counts[j, i])

    @classmethod
    def from_columns(
        cls,
        a: Iterable[object],
        b: Iterable[object],
        outcome: Iterable[object] | None = None,
        weight: Iterable[float] | None = None,
        *,
        group: Iterable[object] | None = None,
        wins: Iterable[float] | None = None,
        losses: Iterable[float] | None = None,
        ties: Iterable[float] | None = None,
    ) -> "PairTable":
        """Take the columns that :meth:`Matches.from_columns` takes; tasks and times are not kept in a pair table.

        >>> PairTable.from_columns(["x", "y"], ["y", "z"], wins=[3, 1], losses=[1, 0], ties=[0, 2]).games.tolist()
        [4.0, 3.0]
        """
        rows = OutcomeRows.from_columns(a, b, outcome, weight, Counts(wins, losses, ties))
        check_outcomes(rows.agents, rows.first, rows.second, rows.score, rows.weight)
        grouped = rows.factor(group, "group", needed=True)
        return cls.from_outcomes(rows.agents, rows.first, rows.second, rows.score, rows.weight, group=grouped)

    @classmethod
    def from_counts(
        cls,
        agents: tuple[str, ...],
        first: npt.ArrayLike,
        second: npt.ArrayLike,
        wins: npt.ArrayLike,
        losses: npt.ArrayLike,
        ties: npt.ArrayLike | None = None,
        *,
        counted: bool = True,
        group: Factor | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        shared: npt.ArrayLike | None = None,
        account: Account | None = None,
    ) -> "PairTable":
        """Take codes into ``agents`` and counts of the first side's wins, losses and ties.

        Rows of the same ordered pair (and group) are added up, empty ones dropped. ``shared`` as in the attribute.

        >>> PairTable.from_counts(("x", "y"), [0, 0], [1, 1], [3, 1], [1, 0]).wins.tolist()
        [4.0]
        """
        won, lost = np.asarray(wins, float), np.asarray(losses, float)
        tied = np.zeros(len(won)) if ties is None else np.asarray(ties, float)
        if any(not (np.isfinite(counts).all() and (counts >= -COUNT_TOLERANCE).all()) for counts in (won, lost, tied)):
            raise DataError("counts of wins, losses and ties must be finite and at least 0")
        keys = [_whole(first), _whole(second)]
        if group is not None:
            keys.insert(0, group.codes)
        counts = [won, lost, tied] if shared is None else [won, lost, tied, np.asarray(shared, float)]
        keep = won + lost + tied > 0
        if not keep.all():
            keys, counts = [key[keep] for key in keys], [count[keep] for count in counts]
        totals, columns = add_up(keys, counts, len(agents))
        merged = None if group is None else Factor(group.labels, frozen(columns.pop(0), np.int32))
        table = cls(
            agents,
            frozen(columns[0], np.int32),
            frozen(columns[1], np.int32),
            frozen(totals[0]),
            frozen(totals[1]),
            frozen(totals[2]),
            counted,
            merged,
            diagnostics,
            frozen(totals[3]) if len(totals) > 3 and totals[3].any() else None,
            account,
        )
        return _refuse_too_little(table)

    @classmethod
    def from_outcomes(
        cls,
        agents: tuple[str, ...],
        first: Codes,
        second: Codes,
        score: FloatArray,
        weight: FloatArray | None,
        *,
        group: Factor | None = None,
        diagnostics: tuple[Diagnostic, ...] = (),
        account: Account | None = None,
    ) -> "PairTable":
        """Take codes and the first side's scores: 1/2 is a tie, 0.7 counts as 0.7 of a win and 0.3 of a loss."""
        if weight is None and group is None and (plain := counted_results(first, second, score, len(agents))):
            return cls.from_counts(agents, *plain, diagnostics=diagnostics, account=account)
        if weight is None and group is None and (many := many_pairs(first, second, score, len(agents))):
            left, right, (won, lost, tied) = many
            counted = cls(agents, owned(left), owned(right), owned(won), owned(lost), owned(tied))
            return _refuse_too_little(replace(counted, diagnostics=diagnostics, account=account))
        weight = np.ones(len(score)) if weight is None else weight
        tie = score == 0.5
        won, lost = np.where(tie, 0.0, score) * weight, np.where(tie, 0.0, 1 - score) * weight
        tied = np.where(tie, weight, 0.0)
        parted = bool((~tie & (score > 0) & (score < 1)).any())
        shared = np.where(tie, 0.0, score * (1 - score)) * weight if parted else None
        return cls.from_counts(
            agents, first, second, won, lost, tied, group=group, diagnostics=diagnostics,
            shared=shared, account=account,
        )  # fmt: skip

    @classmethod
    def merge(cls, *tables: "PairTable") -> "PairTable":
        """Add up tables of different parts of the same games: counts of files, of days, of nodes of a cluster.

        Agents and groups are the same where their names are; they stand in the order in which they first appear.

        >>> one = PairTable.from_columns(["x"], ["y"], wins=[3], losses=[1])
        >>> two = PairTable.from_columns(["z", "x"], ["x", "y"], wins=[2, 1], losses=[0, 0])
        >>> whole = PairTable.merge(one, two)
        >>> whole.agents, whole.games.tolist()
        (('x', 'y', 'z'), [5.0, 2.0])
        """
        if not tables:
            raise DataError("no tables to merge")
        if strange := [type(table).__name__ for table in tables if not isinstance(table, PairTable)]:
            raise DataError(f"pair tables are merged, not {some_of(strange)}; matches give theirs with pairs()")
        if not all(table.counted for table in tables):
            raise DataError("a table of probabilities without games cannot be merged: of how many games is it?")
        if len({table.group is None for table in tables}) > 1:
            raise DataError("some of the tables have groups and some have none; count all by group, or none")
        agents, (first, second) = relabelled([(table.agents, (table.first, table.second)) for table in tables])
        group = None
        if all(table.group is not None for table in tables):
            factors = [table.group for table in tables if table.group is not None]
            labels, (codes,) = relabelled([(factor.labels, (factor.codes,)) for factor in factors])
            group = Factor(labels, codes)
        none = [np.zeros(len(table.first)) if table.shared is None else table.shared for table in tables]
        return cls.from_counts(
            agents,
            first,
            second,
            np.concatenate([table.wins for table in tables]),
            np.concatenate([table.losses for table in tables]),
            np.concatenate([table.ties for table in tables]),
            group=group,
            diagnostics=tuple(dict.fromkeys(note for table in tables for note in table.diagnostics)),
            shared=np.concatenate(none) if any(table.shared is not None for table in tables) else None,
        )

    @property
    def games(self) -> FloatArray:
        """Games of each row."""
        return self.wins + self.losses + self.ties

    @property
    def score(self) -> FloatArray:
        """Wins of ``first`` in each row, a tie being half a win."""
        return self.wins + self.ties / 2

    def parted(self, crossed: Iterable[str]) -> "PairTable":
        """Give the same with its groups, which are combinations, parted: the first column, and these further ones."""
        if self.group is None:
            return self
        first, *others = self.group.apart()
        return replace(self, group=first, crossed=dict(zip(crossed, others, strict=True)))

    def unordered(self) -> "PairTable":
        """Forget sides and groups: one row a pair, the earlier agent first."""
        return self._merged(self.first > self.second)

    def pooled(self) -> "PairTable":
        """Forget groups: one row an ordered pair."""
        return self._merged(np.zeros(len(self.first), dtype=bool))

    def _merged(self, swap: npt.NDArray[np.bool_]) -> "PairTable":
        return PairTable.from_counts(
            self.agents,
            np.where(swap, self.second, self.first),
            np.where(swap, self.first, self.second),
            np.where(swap, self.losses, self.wins),
            np.where(swap, self.wins, self.losses),
            self.ties,
            counted=self.counted,
            diagnostics=self.diagnostics,
            shared=self.shared,
            account=self.account,
        )

    def with_counts(
        self, wins: FloatArray, losses: FloatArray, ties: FloatArray, shared: FloatArray | None = None
    ) -> "PairTable":
        """Give the same pairs with other counts (a resample); rows may become empty."""
        of_scores = None if shared is None else frozen(shared)
        return replace(self, wins=frozen(wins), losses=frozen(losses), ties=frozen(ties), shared=of_scores)

    def with_each_counts(self, drawn: Iterable[tuple[FloatArray, ...]]) -> "list[PairTable]":
        """Give the same pairs with the counts of each of some bootstrap samples: see :meth:`with_counts`."""
        return [self.with_counts(*counts) for counts in drawn]

    def variation(self) -> FloatArray:
        """Sum of squares of the scores of each row's games around their mean."""
        squares = self.wins + self.ties / 4 - (0.0 if self.shared is None else self.shared)
        games = self.games
        return np.clip(squares - self.score**2 / np.where(games > 0, games, 1.0), 0.0, None)

    def games_of_agents(self) -> FloatArray:
        """Games each agent played."""
        return self.tallies()[0]

    def scores_of_agents(self) -> FloatArray:
        """Wins of each agent, a tie being half a win."""
        return self.tallies()[1]

    def tallies(self) -> tuple[FloatArray, FloatArray]:
        """Games and wins of each agent."""
        return tallied(self.first, self.second, (self.wins, self.losses, self.ties), len(self.agents))

    def games_matrix(self) -> FloatArray:
        """Games of each pair, dense and symmetric."""
        return self._dense(self.games, self.games)

    def win_matrix(self) -> FloatArray:
        """Wins of the row's agent over the column's, a tie being half a win; dense."""
        return self._dense(self.score, self.games - self.score)

    def probabilities(self, smooth: float = 0.0) -> FloatArray:
        """Win rates, NaN where a pair never met and 1/2 on the diagonal; (w + smooth)/(n + 2 smooth)."""
        games, wins = self.games_matrix(), self.win_matrix()
        with np.errstate(invalid="ignore"):
            rates = np.where(games > 0, (wins + smooth) / (games + 2 * smooth), np.nan)
        np.fill_diagonal(rates, 0.5)
        return rates

    def log_odds(self, epsilon: float = 0.001) -> FloatArray:
        """Log-odds of each pair, NaN where it never met, 0 on the diagonal.

        Counts are smoothed by (w + 1/2)/(n + 1); a bare probability table is clipped to [epsilon, 1 - epsilon].
        """
        rates = self.probabilities(smooth=0.5 if self.counted else 0.0)
        if not self.counted:
            rates = np.clip(rates, epsilon, 1 - epsilon)
        odds = np.log(rates) - np.log1p(-rates)
        return np.asarray((odds - odds.T) / 2)

    @property
    def complete(self) -> bool:
        """Whether every pair met."""
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        met = len(np.unique(low.astype(np.int64) * len(self.agents) + high))
        return met == len(self.agents) * (len(self.agents) - 1) // 2

    def _dense(self, forward: FloatArray, backward: FloatArray) -> FloatArray:
        matrix = np.zeros((len(self.agents), len(self.agents)))
        np.add.at(matrix, (self.first, self.second), forward)
        np.add.at(matrix, (self.second, self.first), backward)
        return matrix


def payoff_matrices(tables: Iterable[PairTable], unit: Payoff, epsilon: float) -> list[FloatArray]:
    """Antisymmetric payoffs of each table, NaN where a pair never met: log-odds, or ``2 p - 1``.

    ``epsilon`` is where probabilities of 0 and 1 are clipped before logarithms are taken.
    """
    if unit == "log-odds":
        return [table.log_odds(epsilon) for table in tables]
    return [np.asarray(rates - rates.T) for rates in (table.probabilities() for table in tables)]


def _refuse_too_little(table: PairTable) -> PairTable:
    if not table.wins.sum() + table.losses.sum() + table.ties.sum() <= MOST_GAMES:
        raise DataError(
            f"more than {MOST_GAMES:.0e} games in all: counts so large cannot be told apart; scale them down"
        )
    if len(table.first) == 0:
        raise DataError("no games: nothing can be rated")
    if (table.first == table.second).any():
        who = {table.agents[code] for code in table.first[table.first == table.second]}
        raise DataError(f"{some_of(sorted(who))} played against itself; drop such rows")
    return table


def _whole(codes: npt.ArrayLike) -> npt.NDArray[np.signedinteger]:
    """Codes as they are; lists as long integers."""
    return codes if isinstance(codes, np.ndarray) and codes.dtype == np.int32 else np.asarray(codes, np.int64)
