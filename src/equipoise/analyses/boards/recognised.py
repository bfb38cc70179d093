"""What a file says besides who won: in which round, and who had which position. It is looked at without being asked."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.analyses.boards.rating import Rating
from equipoise.analyses.source import Opened, open_source, single_games
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import EquipoiseError
from equipoise.core.units import ELO_POINT
from equipoise.core.wording import Advice, Option
from equipoise.data.files.tables import open_table
from equipoise.data.readers.columns import OUTCOMES, PAIRS, ROUNDS, SIDED, TIMES, find, find_set, plain
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import Source
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.ratings.paired.existence import positions_alternate
from equipoise.ratings.paired.newton import DENSE
from equipoise.ratings.paired.result import BradleyTerry

MOST_BYTES = 2**26
"""Files up to which single games are read to look at their rounds; longer logs are read as pair counts."""


def found_rounds(source: Any, how: ReadOptions) -> str | None:
    """Give the column of rounds or times of a file or frame, by its name; None where there is none."""
    if isinstance(source, str | Path) and not (Path(source).is_file() and Path(source).stat().st_size <= MOST_BYTES):
        return None
    if hasattr(source, "read"):
        return None  # a stream is read once
    try:
        columns = open_table(how.selection.of(source)).columns
    except (EquipoiseError, TypeError):
        return None  # no table: what reads it says so
    return find(columns, [*ROUNDS, *TIMES]) if find_set(columns, PAIRS) else None


def open_games(data: Source, rating: Rating, how: ReadOptions, covariates: Sequence[str]) -> Opened:
    """Open games: single ones where the method looks at each, or at their order."""
    in_order = not rating.takes_pairs or how.time is not None
    return open_source(
        data, ("pairs", "matches") if in_order else ("matches", "pairs"), how, asked_by="rank",
        reader=partial(single_games, covariates=tuple(covariates)) if in_order else None,
        scores_as_matches=True, in_order=in_order,
    )  # fmt: skip


def with_rounds(data: Source, rating: Rating, how: ReadOptions) -> Opened | None:
    """Open single games with their rounds or times, found by name; None where there are none to be looked at.

    Votes of known voters are none: their pairs do not follow a tournament.
    """
    when = found_rounds(data, how) if rating.looks_at_pairing and rating.takes_pairs and how.time is None else None
    if when is None:
        return None
    try:
        opened = open_games(data, rating, replace(how, time=when), ())
    except EquipoiseError:
        return None  # no times after all, or what reading without them says as well
    if isinstance(opened.data, Matches) and opened.data.group is not None:
        return replace(opened, data=replace(opened.data, time=None))
    return opened


def with_position(rating: Rating, games: PairTable) -> tuple[Rating, tuple[Diagnostic, ...]]:
    """Look whether the first position has an advantage, where nobody said.

    Where columns name the positions (white and black, home and away) the advantage is put into the model; otherwise it
    is said.
    """
    named = () if games.account is None else games.account.columns
    sided = any(plain(column) in SIDED for column in named)
    ordered = sided or bool(find_set(named, PAIRS) and find(named, OUTCOMES))
    ordered = ordered and positions_alternate(games.first, games.second, games.games)
    if not ordered or not rating.may_have_position or not games.counted or len(games.agents) > DENSE:
        return rating, ()
    asked = rating.also(side=True)
    try:
        fit = asked(games)
    except EquipoiseError:
        return rating, ()  # strength explains it as well
    side = fit.side if isinstance(fit, BradleyTerry) else None
    if side is None or not (side.low > 0 or side.high < 0):
        return rating, ()
    size, low, high = (value / ELO_POINT for value in (float(side), side.low, side.high))
    message = f"The first position has an advantage of {size:.0f} Elo ({low:.0f} to {high:.0f})"
    if sided:
        off = Advice("leave it out with ", Option("side", False))
        return asked, (info("position-modelled", f"{message}; it is in the model.", advice=[off]),)
    return rating, (
        warning("position-advantage", f"{message}.", advice=[Advice("adjust with ", Option("side", True))]),
    )


def games_weighted(board: BradleyTerry) -> BradleyTerry:
    """Give a board whose zero is the mean of agents weighted by their games: the average opponent in the file."""
    if not np.isfinite(board.games).all() or board.component.any():
        return board
    return board.relative_to_mean(board.games)
