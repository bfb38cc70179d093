"""The section on style of a report: both boards, where a log has columns of style for each side."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.analyses.everything import Section
from equipoise.data.covariate_columns import usual_style
from equipoise.data.pairs import PairTable
from equipoise.data.read import read_matches
from equipoise.data.reading import Reading
from equipoise.data.wanted import Choice
from equipoise.errors import DataError, EquipoiseError
from equipoise.ratings.style_control import style_control

__all__ = ["style_section"]

MOST_GAMES = 300_000
"""Games up to which two fits to single matches keep a report quick; the command ``rank`` goes further."""


def style_section(
    file: str | Path,
    data: object,
    choice: Choice,
    reading: Mapping[str, object],
    *,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> tuple[Section, ...]:
    """Rate with and without control for the style that a log's columns tell; nothing where there are none.

    ``data`` is what the file was taken for: only games have sides.
    """
    from equipoise.data.tables import open_table

    if not isinstance(data, PairTable) or not Path(file).is_file() or float(data.games.sum()) > MOST_GAMES:
        return ()
    try:
        names = usual_style(open_table(choice.of(str(file))).columns)
        if not names:
            return ()
        options: dict[str, Any] = {**Reading(reading).of("games"), **choice.named()}
        matches = read_matches(file, covariates=names, **options)
    except EquipoiseError as error:
        return (Section("Style", None, error),) if isinstance(error, DataError) else ()
    try:
        return (Section("Style", style_control(matches, islands="separate", level=level, rng=rng)),)
    except EquipoiseError as error:
        return (Section("Style", None, error),)
