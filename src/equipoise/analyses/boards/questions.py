"""Questions beside the board: which of two agents is better, who is better in each category, who at equal length?"""

from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from equipoise.analyses.source import open_source, single_games
from equipoise.core.errors import ReadError
from equipoise.core.former import present_options, warn_former_call
from equipoise.core.lazy import pl
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.scores import Scores
from equipoise.ratings.categories import boards_by
from equipoise.ratings.categories.result import CategoryBoards
from equipoise.ratings.length import length_controlled
from equipoise.ratings.length.model import Difficulty
from equipoise.ratings.length.result import LengthControlled
from equipoise.ratings.paired.bradley_terry import Pairing
from equipoise.schedule.compare_pair import PairComparison, compare_pair

_Asking = TypeVar("_Asking", bound=Callable[..., Any])


def _former_comparison(function: _Asking) -> _Asking:
    """Let ``compare(scores)`` be for one more version what it was: :func:`probability_of_improvement`."""

    @wraps(function)
    def run(*args: Any, **given: Any) -> Any:
        if "first" not in given and len(args) == 1 and isinstance(args[0], Scores):
            from equipoise.aggregates.compare import probability_of_improvement

            warn_former_call("compare(scores)", 3)
            return probability_of_improvement(*args, **given)
        return function(*args, **given)

    return run  # type: ignore[return-value]  # same signature, and the former one


@_former_comparison
@present_options
@former_reading
def compare(
    data: Source,
    first: str,
    second: str,
    *,
    position: bool = False,
    pairing: Pairing = "fixed",
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> PairComparison:
    """How likely is one agent of a log better than another?

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, matches or pair counts; of scores, the higher one on a
        task wins a match.
    first, second, pairing, level, rng
        As in :func:`compare_pair`.
    position
        Take the advantage of the first-named out (``side`` is taken too).
    read
        Columns, rows and agents of a file.

    Fails when
        as :func:`compare_pair` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> games = eq.Matches.from_columns(["a"] * 30, ["b"] * 30, [1.0] * 24 + [0.0] * 6)
    >>> bool(eq.compare(games, "a", "b").chance[-1] > 0.99)
    True
    """
    opened = open_source(data, ("matches", "pairs"), read, asked_by="compare", scores_as_matches=True)
    return opened.behind(compare_pair(opened.data, first, second, side=position, pairing=pairing, level=level, rng=rng))


@present_options
@former_reading
def categories(
    data: Source,
    by: str = "task",
    *,
    position: bool = False,
    prior: float | None = None,
    between_sd: float | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> CategoryBoards:
    """Who is better in each category of a log, and who is special where?

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name or matches; of scores, the higher one on a task wins a
        match, and ``by`` is ``task``.
    by
        Column of the categories: a language, a topic, a turn, a month.
    position
        Estimate the advantage of the first-named, the same in all categories (``side`` is taken too).
    prior, level, rng
        As in :func:`equipoise.methods.categories`.
    between_sd
        Standard deviation between categories, in log-odds, where it is known; None estimates it.
    read
        Columns, rows and agents of a file.

    Fails when
        as :func:`equipoise.methods.categories` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("xxyxxy" * 9, "yyxyyx" * 9, [1, 1, 0, 0, 1, 1] * 9, task=["s"] * 27 + ["t"] * 27)
    >>> eq.categories(m, "task").categories
    ('s', 't')
    """
    opened = open_source(
        data, ("matches",), read, asked_by="categories", reader=partial(single_games, labels=(by,)),
        scores_as_matches=True,
    )  # fmt: skip
    return opened.behind(
        boards_by.categories(opened.data, by=by, side=position, prior=prior, tau=between_sd, level=level, rng=rng)
    )


@former_reading
def length_control(
    data: Source,
    *,
    baseline: str | None = None,
    length: str = "length",
    difficulty: Difficulty | Path = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> LengthControlled:
    """What would models win against a baseline, had both answers always been equally long?

    Parameters
    ----------
    data
        A file, a frame, or matches that hold lengths; a file has the lengths of both answers as two columns.
    baseline, length, level, rng
        As in :func:`equipoise.methods.length_control`. ``length`` is found by its usual names
        (``length_a`` and ``length_b``, ``len_a`` ...).
    difficulty
        As in :func:`equipoise.methods.length_control`: None, ``estimated``, numbers by question, or a column of the
        file; a path is a file whose first two columns are questions and their difficulties.
    read
        Columns, rows and agents of a file.

    Fails when
        as :func:`equipoise.methods.length_control` does.

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
    >>> eq.length_control(log, baseline="old").win_rate.round(1).tolist()
    [33.3]
    """
    by_question = _difficulties(difficulty)
    label = by_question if isinstance(by_question, str) and by_question != "estimated" else None
    reader = partial(single_games, labels=() if label is None else (label,), covariates=(length,))
    opened = open_source(data, ("matches",), read, asked_by="length_control", reader=reader)
    return opened.behind(
        length_controlled.length_control(
            opened.data, baseline=baseline, length=length, difficulty=by_question, level=level, rng=rng
        )
    )


def _difficulties(difficulty: Difficulty | Path) -> Difficulty:
    """Give difficulties by question where a file was named, and all else as it is."""
    if not isinstance(difficulty, Path):
        return difficulty
    try:
        table = pl.read_csv(difficulty, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0]
        raise ReadError(Option("difficulty"), f": {difficulty} cannot be read: {reason}") from None
    if table.width < 2:
        raise ReadError(Option("difficulty"), f": {difficulty} needs a column of questions and one of difficulties")
    return dict(table.select(table.columns[:2]).iter_rows())
