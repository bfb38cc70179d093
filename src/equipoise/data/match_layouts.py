"""The forms in which match data come, told apart by their column names.

Either a row is one match with an outcome, or a row counts the results of a pair.
"""

from dataclasses import dataclass

import polars as pl

from equipoise.data.columns import (
    GAMES,
    GAMES_AS,
    LOSSES,
    OUTCOMES,
    PAIRS,
    POINTS,
    SIDED,
    TIES,
    WEIGHTS,
    WIN_COUNTS,
    WINNER_AND_LOSER,
    WINS_AS,
    MatchColumns,
    find,
    find_set,
    plain,
)
from equipoise.data.tables import Table
from equipoise.errors import ColumnError, did_you_mean, some_of
from equipoise.wording import Advice, Option

__all__ = ["CountLayout", "OutcomeLayout", "match_layout"]


@dataclass(frozen=True, slots=True)
class OutcomeLayout:
    """A row is a match: two names and what came out, as written (not yet trimmed), and how often it counts."""

    a: pl.Expr
    b: pl.Expr
    outcome: pl.Expr
    weight: pl.Expr | None
    used: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CountLayout:
    """A row counts the results of a pair; ``parts`` are ordered pairs with wins, losses and ties."""

    parts: tuple[tuple[pl.Expr, pl.Expr, pl.Expr, pl.Expr, pl.Expr], ...]
    sided: bool
    used: tuple[str, ...]


def match_layout(table: Table, given: MatchColumns) -> OutcomeLayout | CountLayout:
    """Find out in which form the matches come."""
    given.checked(table.columns)
    layout = _layout(table, given)
    twice = [
        column for column in layout.used if any(other.startswith(f"{column}_duplicated_") for other in table.columns)
    ]
    if twice:
        raise ColumnError(f"columns that appear more than once: {some_of(twice)}; rename or drop one of them")
    return layout


def _layout(table: Table, given: MatchColumns) -> OutcomeLayout | CountLayout:
    pair = _pair(table, given)
    if pair is None:
        return _winner_and_loser(table, given)
    if given.outcome is None:
        counts = _counts(table, given, pair)
        if counts is not None:
            return counts
    return _outcome(table, given, pair)


def _pair(table: Table, given: MatchColumns) -> tuple[str, str] | None:
    if given.a and given.b:
        return given.a, given.b
    usual = find_set(table.columns, PAIRS)
    if given.a or given.b:
        if usual is None:
            other = Option("b" if given.a else "a")
            raise ColumnError("name the column of the other side too, with ", other, f"; found: {_listed(table)}")
        return given.a or usual[0], given.b or usual[1]
    return (usual[0], usual[1]) if usual else None


def _winner_and_loser(table: Table, given: MatchColumns) -> OutcomeLayout:
    pair = find_set(table.columns, WINNER_AND_LOSER)
    if pair is None:
        usual = sorted({name for names in PAIRS for name in names})
        hints = [hint for column in table.columns if (hint := did_you_mean(plain(column), usual))]
        raise ColumnError(
            f"no pair of columns that names the two sides (such as model_a/model_b, white/black, player/opponent)"
            f"{hints[0] if hints else ''}; found: {_listed(table)}",
            advice=[Advice("name them with ", Option("a"), " and ", Option("b"))],
        )
    used = (*pair, *_weight_column(table, given))
    won = pl.when(table.text(pair[0]).is_not_null()).then(pl.lit("1"))
    return OutcomeLayout(table.raw(pair[0]), table.raw(pair[1]), won, _weight(table, given), used)


def _outcome(table: Table, given: MatchColumns, pair: tuple[str, str]) -> OutcomeLayout:
    weight, a, b = _weight(table, given), table.raw(pair[0]), table.raw(pair[1])
    column = given.outcome or find(table.columns, OUTCOMES)
    if column is not None:
        word = table.raw(column)
        if table.decimal_comma:
            word = word.str.replace(",", ".", literal=True)
        return OutcomeLayout(a, b, word, weight, (*pair, column, *_weight_column(table, given)))
    points = find_set(table.columns, POINTS)
    if points is not None:
        ahead = table.number(points[0]) - table.number(points[1])
        word = (
            pl.when(ahead > 0).then(pl.lit("1")).when(ahead < 0).then(pl.lit("0")).when(ahead == 0).then(pl.lit("tie"))
        )
        return OutcomeLayout(a, b, word, weight, (*pair, *points, *_weight_column(table, given)))
    hints = [hint for column in table.columns if (hint := did_you_mean(plain(column), OUTCOMES))]
    raise ColumnError(
        f"no column with the outcome (such as outcome, winner, result, or wins and games)"
        f"{hints[0] if hints else ''}; found: {_listed(table)}",
        advice=[Advice("name it with ", Option("outcome"))],
    )


def _counts(table: Table, given: MatchColumns, pair: tuple[str, str]) -> CountLayout | None:
    a, b = table.text(pair[0]), table.text(pair[1])
    sided = plain(pair[0]) in SIDED
    ties_column = given.ties or find(table.columns, TIES)
    ties = table.number(ties_column) if ties_column else pl.lit(0.0)
    extra = (ties_column,) if ties_column else ()
    games = _games_columns(table, given)
    by_side = _by_side(table) if given.games is None and given.wins is None else None
    if by_side is not None:
        (won1, played1), (won2, played2) = by_side
        first = (a, b, table.number(won1), table.number(played1) - table.number(won1), pl.lit(0.0))
        second = (b, a, table.number(played2) - table.number(won2), table.number(won2), pl.lit(0.0))
        return CountLayout((first, second), False, (*pair, won1, played1, won2, played2))
    if games is not None:
        lost, drawn = _rest_of_games(table, games, ties if ties_column else None)
        return CountLayout(((a, b, table.number(games[0]), lost, drawn),), sided, (*pair, *games, *extra))
    wins = (given.wins, given.losses) if given.wins and given.losses else find_set(table.columns, WIN_COUNTS)
    if wins is None:
        return None
    return CountLayout(((a, b, table.number(wins[0]), table.number(wins[1]), ties),), sided, (*pair, *wins, *extra))


def _rest_of_games(table: Table, games: tuple[str, str], ties: pl.Expr | None) -> tuple[pl.Expr, pl.Expr]:
    """Losses and ties of a row that counts wins and games; what does not add up becomes a negative count."""
    won, played = table.number(games[0]), table.number(games[1])
    losses = find(table.columns, LOSSES)
    if losses is None:
        return played - won - (0.0 if ties is None else ties), pl.lit(0.0) if ties is None else ties
    lost = table.number(losses)
    rest = played - won - lost
    if ties is None:
        return lost, rest
    return lost, pl.when((rest - ties).abs() <= 1e-9).then(ties).otherwise(pl.lit(-1.0))


def _games_columns(table: Table, given: MatchColumns) -> tuple[str, str] | None:
    if given.losses is not None:
        return None
    usual = find_set(table.columns, GAMES)
    wins = given.wins or (usual[0] if usual else None)
    games = given.games or (usual[1] if usual else None)
    return (wins, games) if wins and games else None


def _by_side(table: Table) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """Find wins_as_X/games_as_X for two sides X; the side named first in the file is the first side."""
    by_name = {plain(column): column for column in table.columns}
    sides = [name.removeprefix(WINS_AS) for name in by_name if name.startswith(WINS_AS)]
    sides = [side for side in sides if GAMES_AS + side in by_name]
    if len(sides) != 2:
        return None
    one, two = ((by_name[WINS_AS + side], by_name[GAMES_AS + side]) for side in sides)
    return one, two


def _weight_column(table: Table, given: MatchColumns) -> tuple[str, ...]:
    column = given.weight or find(table.columns, WEIGHTS)
    return (column,) if column else ()


def _weight(table: Table, given: MatchColumns) -> pl.Expr | None:
    column = _weight_column(table, given)
    return table.number(column[0]) if column else None


def _listed(table: Table) -> str:
    return some_of(table.columns, most=12)
