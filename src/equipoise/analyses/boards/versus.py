"""Which of two agents is better? Games to a comparison of the two."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from equipoise.analyses.analysis import Analysis, opened
from equipoise.analyses.from_logs import log_options
from equipoise.analyses.game_columns import GameColumns
from equipoise.core.results import frozen_params
from equipoise.data.readers.read import Duplicates, OnError, OutcomeMeans, Source
from equipoise.data.select.selection import Choice, Islands, Moment
from equipoise.ratings.paired.bradley_terry import Pairing
from equipoise.schedule.compare_pair import PairComparison, compare_pair

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TwoAgents", "compare_agents"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class TwoAgents(Analysis):
    """Two agents of a log compared.

    Attributes
    ----------
    comparison
        How they compare.
    """

    rows_name: ClassVar[str] = "evidence"
    main: ClassVar[str] = "comparison"

    comparison: PairComparison

    @property
    def words(self) -> tuple[str, ...]:
        """How likely one is better than the other, and by what."""
        return self.comparison.words

    def frame(self) -> "pl.DataFrame":
        """Give a row for each kind of evidence."""
        return self.comparison.frame()

    def summary(self) -> dict[str, object]:
        """Give the anytime-valid evidence."""
        return self.comparison.summary()


def compare_agents(
    data: Source,
    first: str,
    second: str,
    *,
    side: bool = False,
    pairing: Pairing = "fixed",
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    a: str | None = None,
    b: str | None = None,
    outcome: str | None = None,
    weight: str | None = None,
    wins: str | None = None,
    losses: str | None = None,
    games: str | None = None,
    outcome_means: OutcomeMeans | None = None,
    duplicates: Duplicates | None = None,
    group: str | None = None,
    time: str | None = None,
    table: str | None = None,
    where: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    min_games: int | None = None,
    islands: Islands | None = None,
    metric: str | None = None,
    reading: Mapping[str, object] | None = None,
    on_error: OnError = "raise",
) -> TwoAgents:
    """How likely is one agent of a log better than another?

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, matches or pair counts; of scores, the higher one on a
        task wins a match.
    first, second, side, pairing, level, rng
        As in :func:`compare_pair`.
    a, b, outcome, weight, group, wins, losses, games, outcome_means, duplicates
        How to read a file, as in :func:`read_matches`.
    time, table, where, since, until, min_games, islands
        Which table, rows and agents of a file are wanted, as in :func:`read_pairs`.
    metric, reading
        Of logs: which metric is taken where there are several, and other options of their readers by name, as in
        :func:`read`.
    on_error
        ``raise`` on a bad row, or ``skip`` and count.

    Fails when
        as :func:`compare_pair` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> games = eq.Matches.from_columns(["a"] * 30, ["b"] * 30, [1.0] * 24 + [0.0] * 6)
    >>> bool(eq.compare_agents(games, "a", "b").comparison.chance[-1] > 0.99)
    True
    """
    choice = Choice(table, where, since, until, None, min_games, islands)
    columns = GameColumns(
        a, b, outcome, weight, group, time, on_error, choice,
        wins=wins, losses=losses, games=games, outcome_means=outcome_means, duplicates=duplicates,
    )  # fmt: skip
    played, origin = opened(
        data, ("matches", "pairs"), columns.pairs, asked_by="compare_agents", columns=columns.named(),
        scores_as_matches=True,
        logs=log_options(metric, reading, on_error),
    )  # fmt: skip
    found = compare_pair(played, first, second, side=side, pairing=pairing, level=level, rng=rng)
    return TwoAgents(
        data=played, origin=origin, comparison=found, diagnostics=found.diagnostics, fit=found.fit,
        params=frozen_params(**found.params),
    )  # fmt: skip
