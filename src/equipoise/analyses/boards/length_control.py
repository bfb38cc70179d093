"""Who wins at equal length? A log of judged answers to length-controlled win rates."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from equipoise.analyses.analysis import Analysis, opened
from equipoise.analyses.game_columns import GameColumns
from equipoise.core.errors import ReadError
from equipoise.core.results import frozen_params
from equipoise.core.wording import Option
from equipoise.data.readers.read import Duplicates, OnError, OutcomeMeans, Source, read_matches
from equipoise.data.select.selection import Choice, Moment
from equipoise.data.types.matches import Matches
from equipoise.ratings.length.length_controlled import length_controlled
from equipoise.ratings.length.model import Difficulty
from equipoise.ratings.length.result import LengthControlled

if TYPE_CHECKING:
    import polars as pl

__all__ = ["RatesAtEqualLength", "control_length"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class RatesAtEqualLength(Analysis):
    """Length-controlled win rates of a log.

    Attributes
    ----------
    controlled
        The rates.
    """

    main: ClassVar[str] = "controlled"

    controlled: LengthControlled

    @property
    def units(self) -> Mapping[str, str]:  # type: ignore[override]  # those of the rates
        """Units of the columns."""
        return self.controlled.units

    @property
    def words(self) -> tuple[str, ...]:
        """Who leads at equal length, and what length was worth."""
        return self.controlled.words

    def frame(self) -> "pl.DataFrame":
        """Give the models, highest controlled rate first."""
        return self.controlled.frame()

    def summary(self) -> dict[str, object]:
        """Give the baseline, the interval's kind, and difficulties where they were estimated."""
        return self.controlled.summary()


def control_length(
    data: Source,
    *,
    baseline: str | None = None,
    length: str = "length",
    difficulty: Difficulty | Path = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    a: str | None = None,
    b: str | None = None,
    outcome: str | None = None,
    weight: str | None = None,
    outcome_means: OutcomeMeans | None = None,
    duplicates: Duplicates | None = None,
    group: str | None = None,
    time: str | None = None,
    table: str | None = None,
    where: str | None = None,
    since: Moment | None = None,
    until: Moment | None = None,
    min_games: int | None = None,
    on_error: OnError = "raise",
) -> RatesAtEqualLength:
    """What would models win against a baseline, had both answers always been equally long?

    Parameters
    ----------
    data
        A file, a frame, or matches that hold lengths; a file has the lengths of both answers as two columns.
    baseline, length, level, rng
        As in :func:`length_controlled`. ``length`` is found by its usual names (``length_a`` and ``length_b``,
        ``len_a`` ...).
    difficulty
        As in :func:`length_controlled`: None, ``estimated``, numbers by question, or a column of the file; a path is a
        file whose first two columns are questions and their difficulties.
    group
        The column of questions, by which errors are clustered.
    a, b, outcome, weight, outcome_means, duplicates
        How to read a file, as in :func:`read_matches`; a column of probabilities is an outcome.
    time, table, where, since, until, min_games
        Which table, rows and agents of a file are wanted, as in :func:`read_matches`.
    on_error
        ``raise`` on a bad row, or ``skip`` and count.

    Fails when
        as :func:`length_controlled` does.

    Examples
    --------
    >>> import equipoise as eq, polars as pl
    >>> log = pl.DataFrame(
    ...     {
    ...         "model_a": ["new"] * 60,
    ...         "model_b": ["old"] * 60,
    ...         "winner": ["a", "b", "b"] * 20,
    ...         "length_a": [300 + 40 * (k % 7) for k in range(60)],
    ...         "length_b": [400] * 60,
    ...     }
    ... )
    >>> eq.control_length(log, baseline="old").controlled.win_rate.round(1).tolist()
    [33.3]
    """
    by_question = _difficulties(difficulty)
    label = by_question if isinstance(by_question, str) and by_question != "estimated" else None
    choice = Choice(table, where, since, until, None, min_games, None)
    columns = GameColumns(
        a, b, outcome, weight, group, time, on_error, choice, outcome_means=outcome_means, duplicates=duplicates
    )
    read = partial(_read, named=columns.named(), length=length, label=label, on_error=on_error)
    played, origin = opened(data, ("matches",), read, asked_by="control_length", columns=columns.named())
    found = length_controlled(played, baseline=baseline, length=length, difficulty=by_question, level=level, rng=rng)
    return RatesAtEqualLength(
        data=played, origin=origin, controlled=found, diagnostics=found.diagnostics, fit=found.fit,
        params=frozen_params(**found.params),
    )  # fmt: skip


def _read(source: Source, *, named: Mapping[str, object], length: str, label: str | None, on_error: OnError) -> Matches:
    options: dict[str, object] = {**named, "covariates": [length], "labels": None if label is None else [label]}
    return read_matches(source, on_error=on_error, **options)  # type: ignore[arg-type]  # as its own names say


def _difficulties(difficulty: Difficulty | Path) -> Difficulty:
    """Give difficulties by question where a file was named, and all else as it is."""
    if not isinstance(difficulty, Path):
        return difficulty
    import polars as pl

    try:
        table = pl.read_csv(difficulty, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise ReadError(Option("difficulty"), f": {difficulty} cannot be read: {reason}") from None
    if table.width < 2:
        raise ReadError(Option("difficulty"), f": {difficulty} needs a column of questions and one of difficulties")
    return dict(table.select(table.columns[:2]).iter_rows())
