"""Who is better in games of several players? Their places to ratings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.analyses.analysis import Origin, refuse_idle
from equipoise.analyses.source import Opened
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.recognise import several_in_order
from equipoise.ratings.places.plackett_luce import PlackettLuce, plackett_luce


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
