"""Who is better in each category? Games to boards by category."""

from functools import partial

import numpy as np

from equipoise.analyses.source import open_source, single_games
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.ratings.categories.boards_by import boards_by
from equipoise.ratings.categories.result import CategoryBoards

__all__ = ["rank_by_category"]


@former_reading
def rank_by_category(
    data: Source,
    by: str,
    *,
    side: bool = False,
    prior: float | None = None,
    tau: float | None = None,
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
    side, prior, tau, level, rng
        As in :func:`boards_by`.
    read
        Columns, rows and agents of a file.

    Fails when
        as :func:`boards_by` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("xxyxxy" * 9, "yyxyyx" * 9, [1, 1, 0, 0, 1, 1] * 9, task=["s"] * 27 + ["t"] * 27)
    >>> eq.rank_by_category(m, "task").categories
    ('s', 't')
    """
    opened = open_source(
        data, ("matches",), read, asked_by="rank_by_category", reader=partial(single_games, labels=(by,)),
        scores_as_matches=True,
    )  # fmt: skip
    return opened.behind(boards_by(opened.data, by=by, side=side, prior=prior, tau=tau, level=level, rng=rng))
