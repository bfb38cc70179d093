"""What to play next? Games so far to a plan."""

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
from equipoise.data.types.matches import Matches
from equipoise.schedule.plan import Goal, Plan, plan

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PlannedGames", "plan_games"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class PlannedGames(Analysis):
    """Which pairs to play, and which are decided.

    Attributes
    ----------
    plan
        The plan.
    """

    rows_name: ClassVar[str] = "pairs"
    main: ClassVar[str] = "plan"

    plan: Plan

    @property
    def words(self) -> tuple[str, ...]:
        """What is decided, and how many games would be enough."""
        return self.plan.words

    def frame(self) -> "pl.DataFrame":
        """Give the pairs, those to play most first."""
        return self.plan.frame()

    def summary(self) -> dict[str, object]:
        """Give the goal, the budget and the sample sizes."""
        return self.plan.summary()


def plan_games(
    data: Source,
    *,
    budget: int = 100,
    goal: Goal = "ranking",
    delta: float = 0.05,
    epsilon: float = 0.1,
    gap: float = 0.1,
    alpha: float = 1.0,
    margin: float | None = None,
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
    table: str | None = None,
    where: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    time: str | None = None,
    min_games: int | None = None,
    islands: Islands | None = None,
    metric: str | None = None,
    reading: Mapping[str, object] | None = None,
    on_error: OnError = "raise",
) -> PlannedGames:
    """Which pairs should be played next, which are decided already, and how many games would be enough?

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, matches or pair counts.
    budget, goal, delta, epsilon, gap, alpha, margin, rng
        As in :func:`plan`.
    a, b, outcome, weight, wins, losses, games, outcome_means, duplicates
        How to read a file, as in :func:`read_matches`.
    table, where, since, until, time, min_games, islands
        Which table, rows and agents of a file are wanted, as in :func:`read_pairs`.
    metric, reading
        Of logs: which metric is taken where there are several, and other options of their readers by name, as in
        :func:`read`.
    on_error
        ``raise`` on a bad row, or ``skip`` and count.

    Fails when
        nobody counted the games; as :func:`plan` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("aaabbbccc", "bbbcccaaa", [1, 1, 0, 1, 0, 1, 0, 0, 1])
    >>> int(eq.plan_games(m, budget=12).plan.play.sum())
    12
    """
    choice = Choice(table, where, since, until, None, min_games, islands)
    columns = GameColumns(
        a, b, outcome, weight, time=time, on_error=on_error, choice=choice,
        wins=wins, losses=losses, games=games, outcome_means=outcome_means, duplicates=duplicates,
    )  # fmt: skip
    played, origin = opened(
        data, ("matches", "pairs"), columns.pairs, asked_by="plan_games", columns=columns.named(),
        logs=log_options(metric, reading, on_error),
    )  # fmt: skip
    pairs = played.pairs() if isinstance(played, Matches) else played
    planned = plan(
        pairs, budget=budget, goal=goal, delta=delta, epsilon=epsilon, gap=gap, alpha=alpha, margin=margin, rng=rng
    )  # fmt: skip
    return PlannedGames(
        data=pairs, origin=origin, plan=planned, diagnostics=planned.diagnostics, fit=planned.fit,
        params=frozen_params(**planned.params),
    )  # fmt: skip
