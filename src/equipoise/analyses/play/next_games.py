"""What to play next? Games so far to a plan."""

import numpy as np

from equipoise.analyses.source import Opened, open_source
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.matches import Matches
from equipoise.schedule import plan as planning
from equipoise.schedule.plan import Plan


@former_reading
def plan(
    data: Source,
    *,
    budget: int = 100,
    goal: str = "best",
    delta: float = 0.05,
    epsilon: float = 0.1,
    gap: float = 0.1,
    alpha: float = 1.0,
    margin: float | None = None,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> Plan:
    """Which pairs should be played next, which are decided already, and how many games would be enough?

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, matches or pair counts.
    budget, goal, delta, epsilon, gap, alpha, margin, rng
        As in :func:`plan`.
    read
        Columns, rows and agents of a file.

    Fails when
        nobody counted the games; as :func:`plan` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> m = eq.Matches.from_columns("aaabbbccc", "bbbcccaaa", [1, 1, 0, 1, 0, 1, 0, 0, 1])
    >>> int(eq.plan(m, budget=12).play.sum())
    12
    """
    opened = open_source(data, ("matches", "pairs"), read, asked_by="plan")
    pairs = opened.data.pairs() if isinstance(opened.data, Matches) else opened.data
    games = pairs if opened.data.group is None else opened.data
    planned = planning.plan(
        games, budget=budget, goal=goal, delta=delta, epsilon=epsilon, gap=gap, alpha=alpha, margin=margin, rng=rng
    )
    return Opened(pairs, opened.origin).behind(planned)
