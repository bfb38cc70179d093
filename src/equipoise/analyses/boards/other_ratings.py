"""Who is better over time, and in games of several players? What no board of pairs answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.analyses.analysis import Origin, refuse_idle
from equipoise.analyses.boards.rating import RankOptions
from equipoise.analyses.boards.recognised import found_rounds
from equipoise.analyses.source import Opened, is_data, open_source, single_games
from equipoise.core.errors import DataError
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.recognise import several_in_order
from equipoise.ratings.history.whole_history import WholeHistory, whole_history
from equipoise.ratings.places.plackett_luce import PlackettLuce, plackett_luce


def rated_over_time(
    data: Any,
    options: RankOptions,
    how: ReadOptions,
    given: Mapping[str, tuple[object, object]],
    *,
    position: bool | None,
    anchor: str | None,
    level: float,
) -> WholeHistory:
    """Rate agents by period; the column of times is found by its usual names.

    Fails when
        options are ``given`` (each with its default) that ratings over time do not have, or there are no times.
    """
    unit = options.over_time
    assert unit is not None
    refuse_idle(given, Option("over_time", unit))
    if not is_data(data) and how.time is None:
        how = how.also(time=found_rounds(data, how))
        if how.time is None:
            raise DataError(
                "no column is called after time (date, played_at, round ...)",
                advice=[Advice("name it with ", Option("time"))],
            )
    opened = open_source(data, ("matches",), how, asked_by="rank", reader=single_games, in_order=True)
    rated = whole_history(
        opened.data, unit=unit, side=bool(position), anchor=anchor, releases=options.releases, level=level
    )  # fmt: skip
    return opened.behind(rated)


def rated_races(
    data: Any,
    read: ReadOptions | None,
    given: Mapping[str, tuple[object, object]],
    *,
    prior: float | None,
    level: float,
    rng: int | np.random.Generator,
) -> PlackettLuce | None:
    """Rate players by the places they took; None where the data are no games of several players.

    Fails when
        options are ``given`` (each with its default) that only make sense for games of two.
    """
    if getattr(data, "kind", None) not in ("rankings", "ballots") and not isinstance(data, str | Path):
        return None
    races = several_in_order(data, read or ReadOptions())
    if races is None:
        return None
    refuse_idle(given, "games of several players")
    path = Path(data) if isinstance(data, str | Path) else None
    opened = Opened(races, Origin(path.name if path else None, path))
    return opened.behind(plackett_luce(races, prior=prior, level=level, rng=rng))
