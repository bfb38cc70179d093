"""What a file says besides who won: in which round, and who had which position. It is looked at without being asked."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from equipoise.analyses.boards.rating import Rating
from equipoise.analyses.source import Opened, open_source, single_games
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import EquipoiseError
from equipoise.core.results import FloatArray
from equipoise.core.units import ELO_POINT
from equipoise.core.wording import Advice, Option
from equipoise.data.files.tables import open_table
from equipoise.data.readers.columns import OUTCOMES, PAIRS, ROUNDS, SIDED, TIMES, find, find_set, plain
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.read import Source
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.flows.laplacian import laplacian_solver
from equipoise.inference.ranks import two_sided_quantile
from equipoise.ratings.paired.bradley_terry import bradley_terry
from equipoise.ratings.paired.existence import positions_alternate
from equipoise.ratings.paired.newton import DENSE
from equipoise.ratings.paired.result import BradleyTerry
from equipoise.ratings.transitivity.cycles import SURE

MOST_BYTES = 2**26
"""Files up to which single games are read to look at their rounds; longer logs are read as pair counts."""
ROUNDING = 1e-9
"""Share of a column's size below which ratings explain it."""


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
    if side is None or not (side.low > 0 or side.high < 0) or not position_stands(games):
        return rating, ()
    size, low, high = (value / ELO_POINT for value in (float(side), side.low, side.high))
    message = f"The first position has an advantage of {size:.0f} Elo ({low:.0f} to {high:.0f})"
    if sided:
        off = Advice("leave it out with ", Option("side", False))
        return asked, (info("position-modelled", f"{message}; it is in the model.", advice=[off]),)
    return rating, (
        warning("position-advantage", f"{message}.", advice=[Advice("adjust with ", Option("side", True))]),
    )


def position_stands(games: PairTable) -> bool:
    r"""Tell whether an advantage of the first position stands without what the fit assumes of link and population.

    Where stronger agents mostly are first, a link that is not logistic, or ratings drawn to their mean because pairs
    were adaptive, look like an advantage. Its score at ratings without one is therefore freed of ratings, none of them
    drawn to a mean, and of the first term of any symmetric link, :math:`d\,|d|`.
    """
    table = games if games.group is None else games.pooled()
    rating = bradley_terry(table, components="each").rating
    d = rating[games.first] - rating[games.second]
    chance = scipy.special.expit(d)
    free = _freed_of_strength(games, d, games.games * chance * (1 - chance))
    won, lost, drawn = (free * value for value in (1 - chance, -chance, 0.5 - chance))
    score = games.wins * won + games.losses * lost + games.ties * drawn
    variance = games.wins * won**2 + games.losses * lost**2 + games.ties * drawn**2
    clusters = 0.0 if games.group is None else float(np.sum(np.bincount(games.group.codes, score) ** 2))
    return bool(abs(score.sum()) > two_sided_quantile(1 - SURE) * np.sqrt(max(variance.sum(), clusters)))


def _freed_of_strength(games: PairTable, d: FloatArray, weight: FloatArray) -> FloatArray:
    """Give what is left of being first, by weighted least squares, after ratings and a bend of the link."""
    n, first, second = len(games.agents), games.first.astype(np.int64), games.second.astype(np.int64)
    columns = np.stack([np.ones(len(d)), d * abs(d)])
    flow = [np.bincount(first, weight * one, n) - np.bincount(second, weight * one, n) for one in columns]
    fitted = laplacian_solver(first, second, weight, n)(np.stack(flow, axis=1))
    position, bend = columns - (fitted[first] - fitted[second]).T
    size = float(weight @ bend**2)
    if size > ROUNDING * float(weight @ columns[1] ** 2):
        position = position - bend * float(weight @ (bend * position)) / size
    return np.asarray(position)


def games_weighted(board: BradleyTerry) -> BradleyTerry:
    """Give a board whose zero is the mean of agents weighted by their games: the average opponent in the file."""
    if not np.isfinite(board.games).all() or board.component.any():
        return board
    return board.relative_to_mean(board.games)
