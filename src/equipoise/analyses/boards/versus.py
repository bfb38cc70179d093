"""Which of two agents is better? Games to a comparison of the two."""

import numpy as np

from equipoise.analyses.source import open_source
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.ratings.paired.bradley_terry import Pairing
from equipoise.schedule.compare_pair import PairComparison, compare_pair

__all__ = ["compare_agents"]


@former_reading
def compare_agents(
    data: Source,
    first: str,
    second: str,
    *,
    side: bool = False,
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
    first, second, side, pairing, level, rng
        As in :func:`compare_pair`.
    read
        Columns, rows and agents of a file.

    Fails when
        as :func:`compare_pair` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> games = eq.Matches.from_columns(["a"] * 30, ["b"] * 30, [1.0] * 24 + [0.0] * 6)
    >>> bool(eq.compare_agents(games, "a", "b").chance[-1] > 0.99)
    True
    """
    opened = open_source(data, ("matches", "pairs"), read, asked_by="compare_agents", scores_as_matches=True)
    return opened.behind(compare_pair(opened.data, first, second, side=side, pairing=pairing, level=level, rng=rng))
