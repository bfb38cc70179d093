"""Who is better in each category? Games to boards by category."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from equipoise.analyses.analysis import Analysis, opened
from equipoise.analyses.from_logs import log_options
from equipoise.analyses.game_columns import GameColumns
from equipoise.core.results import frozen_params
from equipoise.data.readers.read import Duplicates, OnError, OutcomeMeans, Source
from equipoise.data.select.selection import Choice, Islands, Moment
from equipoise.ratings.categories.boards_by import boards_by
from equipoise.ratings.categories.result import CategoryBoards

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RankedByCategory", "rank_by_category"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RankedByCategory(Analysis):
    """Boards by category of a log.

    Attributes
    ----------
    boards
        The boards.
    """

    rows_name: ClassVar[str] = "boards"
    main: ClassVar[str] = "boards"

    boards: CategoryBoards

    @property
    def words(self) -> tuple[str, ...]:
        """Who leads, how far categories move ratings, who is special where."""
        return self.boards.words

    def frame(self) -> "pl.DataFrame":
        """Give all boards one below the other."""
        return self.boards.frame()

    def summary(self) -> dict[str, object]:
        """Give the overall board, and how far categories move ratings."""
        return self.boards.summary()


def rank_by_category(
    data: Source,
    by: str,
    *,
    side: bool = False,
    prior: float | None = None,
    tau: float | None = None,
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
) -> RankedByCategory:
    """Who is better in each category of a log, and who is special where?

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name or matches; of scores, the higher one on a task wins a
        match, and ``by`` is ``task``.
    by
        Column of the categories: a language, a topic, a turn, a month.
    side, prior, tau, level, rng
        As in :func:`boards_by`.
    a, b, outcome, weight, group, wins, losses, games, outcome_means, duplicates
        How to read a file, as in :func:`read_matches`.
    time, table, where, since, until, min_games, islands
        Which table, rows and agents of a file are wanted, as in :func:`read_matches`.
    metric, reading
        Of logs: which metric is taken where there are several, and other options of their readers by name, as in
        :func:`read`.
    on_error
        ``raise`` on a bad row, or ``skip`` and count.

    Fails when
        as :func:`boards_by` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("xxyxxy" * 9, "yyxyyx" * 9, [1, 1, 0, 0, 1, 1] * 9, task=["s"] * 27 + ["t"] * 27)
    >>> eq.rank_by_category(m, "task").boards.categories
    ('s', 't')
    """
    choice = Choice(table, where, since, until, None, min_games, islands)
    columns = GameColumns(
        a, b, outcome, weight, group, time, on_error, choice,
        wins=wins, losses=losses, games=games, outcome_means=outcome_means, duplicates=duplicates,
    )  # fmt: skip
    played, origin = opened(
        data, ("matches",), partial(columns.matches, labels=(by,)), asked_by="rank_by_category",
        columns=columns.named(), scores_as_matches=True, logs=log_options(metric, reading, on_error),
    )  # fmt: skip
    found = boards_by(played, by=by, side=side, prior=prior, tau=tau, level=level, rng=rng)
    return RankedByCategory(
        data=played, origin=origin, boards=found, diagnostics=found.diagnostics, fit=found.fit,
        params=frozen_params(**found.params),
    )  # fmt: skip
