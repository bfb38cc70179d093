"""How did strength change over time? Games with times to ratings by period."""

from collections.abc import Mapping
from typing import Any

from equipoise.analyses.analysis import refuse_idle
from equipoise.analyses.boards.rating import RankOptions
from equipoise.analyses.boards.recognised import found_rounds
from equipoise.analyses.source import is_data, open_source, single_games
from equipoise.core.errors import DataError
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions
from equipoise.ratings.history.whole_history import WholeHistory, whole_history


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
