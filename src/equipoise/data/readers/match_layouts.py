"""The forms in which match data come, told apart by their column names.

Either a row is one match with an outcome, or a row counts the results of a pair.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ColumnError, some_of
from equipoise.core.wording import Advice, Option
from equipoise.data.files.tables import Table, collect
from equipoise.data.readers.columns import (
    GAMES,
    GAMES_AS,
    JUDGED_TWICE,
    LIKE_COUNTS,
    LOSSES,
    NONE,
    OUTCOMES,
    PAIRS,
    POINTS,
    ROW_COUNTS,
    ROW_WINS,
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
from equipoise.data.readers.orders import refuse_crowds, refuse_orders

SAMPLE = 10_000
"""Rows that are looked at to tell whether a column holds counts."""
SHOWN = 30
"""Columns that are looked at for a mistyped name."""
ALIKE = 0.8
"""How much a name must be like a usual one."""


@dataclass(frozen=True, slots=True)
class OutcomeLayout:
    """A row is a match: two names and what came out, as written (not yet trimmed), and how often it counts.

    ``pair`` and ``column`` are the columns of the sides and of the outcome (None where no single column says it).
    """

    a: pl.Expr
    b: pl.Expr
    outcome: pl.Expr
    weight: pl.Expr | None
    used: tuple[str, ...]
    pair: tuple[str, str]
    column: str | None = None
    notes: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class CountLayout:
    """A row counts the results of a pair; ``parts`` are ordered pairs with wins, losses and ties."""

    parts: tuple[tuple[pl.Expr, pl.Expr, pl.Expr, pl.Expr, pl.Expr], ...]
    sided: bool
    used: tuple[str, ...]


def match_layout(table: Table, given: MatchColumns) -> OutcomeLayout | CountLayout:
    """Find out in which form the matches come; ask where a column may be a count and has no place in that form."""
    given.checked(table.columns)
    layout = _layout(table, given)
    twice = [
        column for column in layout.used if any(other.startswith(f"{column}_duplicated_") for other in table.columns)
    ]
    if twice:
        raise ColumnError(f"columns that appear more than once: {some_of(twice)}; rename or drop one of them")
    _refuse_idle(given, layout)
    _ask_about_counts(table, given, layout)
    return layout


def _refuse_idle(given: MatchColumns, layout: OutcomeLayout | CountLayout) -> None:
    """Refuse a column that was named and is not used in this form."""
    for role in ("outcome", "wins", "losses", "games", "ties", "weight"):
        name = getattr(given, role)
        if name is None or name in layout.used or (role == "weight" and name == NONE):
            continue
        needs = " and losses or games" if role == "wins" else ""
        raise ColumnError(
            Option(role, name),
            f" has no effect beside {some_of(layout.used, 12)}: give either an outcome, or wins{needs}",
        )


def _ask_about_counts(table: Table, given: MatchColumns, layout: OutcomeLayout | CountLayout) -> None:
    """Stop where a column looks like a count and is not used: each row would silently count once."""
    if given.unweighted(table.columns):
        return
    named_by_user = {given.task, *given.given_clusters(table.columns), given.time}
    rest = [column for column in table.columns if column not in layout.used and column not in named_by_user]
    left = [column for column in rest if LIKE_COUNTS.fullmatch(plain(column)) and _counts_something(table, column)]
    if isinstance(layout, CountLayout):
        left = [column for column in left if not _repeats_counts(table, layout, column)]
    if not left:
        return
    weighted = isinstance(layout, CountLayout) or layout.weight is not None
    advice = [Advice("say that it is none with ", Option("weight", NONE))]
    if not weighted:
        advice.insert(0, Advice("say that rows happened so often with ", Option("weight", left[0])))
        advice += [Advice("or name ", Option("wins"), " and ", Option("games"))]
    raise ColumnError(
        f'{table.name}: column "{left[0]}" looks like a count and is not used beside {some_of(layout.used, 12)}',
        advice=advice,
    )


def _repeats_counts(table: Table, layout: CountLayout, column: str) -> bool:
    """Tell whether a column only adds up what is used: all games of a row, or the wins of one side."""
    wins, losses, ties = layout.parts[0][2:]
    if len(layout.parts) > 1:
        # The second part looks at the same two from the other side.
        wins, losses, ties = wins + layout.parts[1][3], losses + layout.parts[1][2], ties + layout.parts[1][4]
    number = table.number(column)
    sums = (wins + losses + ties, wins + losses, wins, losses)
    equal = [((number - total).abs() <= 1e-9).fill_null(total.is_null()).all() for total in sums]
    return any(collect(table.rows.select(**{f"sum {k}": each for k, each in enumerate(equal)}), table.name).row(0))


def _counts_something(table: Table, column: str) -> bool:
    """Tell whether a column holds numbers of which some are not 1."""
    numbers = collect(table.rows.select(number=table.number(column)).head(SAMPLE), table.name)["number"].drop_nulls()
    return len(numbers) > 0 and not (numbers == 1).all()


def _runs_through(table: Table, column: str) -> bool:
    """Tell whether a column only numbers the rows."""
    numbers = collect(table.rows.select(number=table.number(column)).head(SAMPLE), table.name)["number"]
    return len(numbers) >= 10 and bool((numbers.diff().drop_nulls() == 1).all())


def _layout(table: Table, given: MatchColumns) -> OutcomeLayout | CountLayout:
    pair = _pair(table, given)
    if pair is None:
        return _winner_and_loser(table, given)
    if given.outcome is None:
        counts = _counts(table, given, pair)
        if counts is not None:
            _ask_which(table, given, counts)
            return counts
    return _outcome(table, given, pair)


def _ask_which(table: Table, given: MatchColumns, counts: CountLayout) -> None:
    """Stop where counts and an outcome are both there, and nobody said which to go by."""
    other = find([column for column in table.columns if column not in counts.used], OUTCOMES)
    if other is None or given.wins or given.games:
        return
    wins = counts.used[2]
    raise ColumnError(
        f'{table.name}: both "{wins}" and "{other}" may say what came out',
        advice=[
            Advice("go by the counts with ", Option("wins", wins), " (and losses or games)"),
            Advice("or by the outcome with ", Option("outcome", other)),
        ],
    )


def _pair(table: Table, given: MatchColumns) -> tuple[str, str] | None:
    if given.a and given.b:
        return given.a, given.b
    usual = find_set(table.columns, PAIRS)
    if given.a or given.b:
        if usual is None:
            other = Option("b" if given.a else "a")
            raise ColumnError("name the column of the other side too, with ", other, f"; found: {_listed(table)}")
        return given.a or usual[0], given.b or usual[1]
    if usual is not None:
        refuse_crowds(table, (usual[0], usual[1]))
    return (usual[0], usual[1]) if usual else None


def _winner_and_loser(table: Table, given: MatchColumns) -> OutcomeLayout | CountLayout:
    pair = find_set(table.columns, WINNER_AND_LOSER)
    if pair is None:
        refuse_orders(table)
        usual = sorted({name for names in PAIRS for name in names})
        raise ColumnError(
            f"no pair of columns that names the two sides (such as model_a/model_b, white/black, player/opponent)"
            f"{_mistyped(table, usual)}; found: {_listed(table)}",
            advice=[Advice("name them with ", Option("a"), " and ", Option("b"))],
        )
    first, second = pair[0], pair[1]
    if given.outcome is None and (counts := _counts(table, given, (first, second))) is not None:
        return counts
    _ask_about_ties(table, pair)
    weight = _weight_column(table, given, (*pair,), (*ROW_WINS, *ROW_COUNTS))
    won = pl.when(table.text(first).is_not_null()).then(pl.lit("1"))
    notes = _count_notes(table, given, weight, None)
    used = (*pair, *weight)
    return OutcomeLayout(
        table.raw(first), table.raw(second), won, _weight(table, weight), used, (first, second), notes=notes
    )


def _ask_about_ties(table: Table, pair: tuple[str, ...]) -> None:
    """Stop where rows that name a winner may be ties."""
    column = find(table.columns, TIES)
    if column is None:
        return
    texts = collect(table.rows.select(text=table.text(column).str.to_lowercase()).unique(), table.name)["text"]
    said = set(texts.drop_nulls()) - {"0", "0.0", "false", "no", "n", "f"}
    if said:
        raise ColumnError(
            f'{table.name}: rows name a "{pair[0]}" and a "{pair[1]}", and column "{column}" says that some are ties;'
            " write a column of outcomes instead (1, 0.5 or 0 for the first side)"
        )


def _outcome(table: Table, given: MatchColumns, pair: tuple[str, str]) -> OutcomeLayout:
    a, b = table.raw(pair[0]), table.raw(pair[1])
    column = given.outcome or find(table.columns, OUTCOMES)
    if column is not None:
        written = table.raw(column)
        if table.decimal_comma:
            # In numbers only: an outcome may be the winner's name, and names have commas, too.
            written = written.str.replace(r"^(\s*[+-]?[0-9]*),([0-9]+\s*)$", "${1}.${2}")
        weight = _weight_column(table, given, (*pair, column), ROW_COUNTS)
        notes = _count_notes(table, given, weight, column)
        return OutcomeLayout(a, b, written, _weight(table, weight), (*pair, column, *weight), pair, column, notes)
    word, columns, notes = _outcome_of_two(table)
    if word is not None:
        weight = _weight_column(table, given, (*pair, *columns), ROW_COUNTS)
        notes += _count_notes(table, given, weight, None)
        return OutcomeLayout(a, b, word, _weight(table, weight), (*pair, *columns, *weight), pair, None, notes)
    raise ColumnError(
        f"no column with the outcome (such as outcome, winner, result, or wins and games)"
        f"{_mistyped(table, OUTCOMES)}; found: {_listed(table)}",
        advice=[Advice("name it with ", Option("outcome"))],
    )


def _outcome_of_two(table: Table) -> tuple[pl.Expr | None, tuple[str, ...], tuple[Diagnostic, ...]]:
    """Take the outcome from two columns: the points of each side, or judgments in both orders."""
    points = find_set(table.columns, POINTS)
    if points is not None:
        ahead = table.number(points[0]) - table.number(points[1])
        word = (
            pl.when(ahead > 0).then(pl.lit("1")).when(ahead < 0).then(pl.lit("0")).when(ahead == 0).then(pl.lit("tie"))
        )
        return word, points, ()
    twice = find_set(table.columns, JUDGED_TWICE)
    if twice is not None:
        one, two = table.text(twice[0]), table.text(twice[1])
        known = pl.all_horizontal(each.str.to_lowercase() != "error" for each in (one, two))
        verdict = pl.when(known.not_()).then(pl.lit("error")).when(one == two).then(one).otherwise(pl.lit("tie"))
        both = pl.when(one.is_not_null() & two.is_not_null()).then(verdict)
        note_text = "Each row was judged in both orders; judgments that disagree count as ties."
        return both, twice, (info("judged-twice", note_text, twice),)
    return None, (), ()


def _counts(table: Table, given: MatchColumns, pair: tuple[str, str]) -> CountLayout | None:
    a, b = table.text(pair[0]), table.text(pair[1])
    sided = plain(pair[0]) in SIDED
    ties_column = given.ties or find(table.columns, TIES)
    ties = table.number(ties_column) if ties_column else pl.lit(0.0)
    extra: tuple[str, ...] = (ties_column,) if ties_column else ()
    games = _games_columns(table, given)
    by_side = _by_side(table) if given.games is None and given.wins is None else None
    if by_side is not None:
        (won1, played1), (won2, played2) = by_side
        first = (a, b, table.number(won1), table.number(played1) - table.number(won1), pl.lit(0.0))
        second = (b, a, table.number(played2) - table.number(won2), table.number(won2), pl.lit(0.0))
        return CountLayout((first, second), False, (*pair, won1, played1, won2, played2))
    if games is not None:
        losses = given.losses or find(table.columns, LOSSES)
        lost, drawn = _rest_of_games(table, games, losses, ties if ties_column else None)
        extra += (losses,) if losses else ()
        return CountLayout(((a, b, table.number(games[0]), lost, drawn),), sided, (*pair, *games, *extra))
    wins = (given.wins, given.losses) if given.wins and given.losses else find_set(table.columns, WIN_COUNTS)
    if wins is None:
        return None
    return CountLayout(((a, b, table.number(wins[0]), table.number(wins[1]), ties),), sided, (*pair, *wins, *extra))


def _rest_of_games(
    table: Table, games: tuple[str, str], losses: str | None, ties: pl.Expr | None
) -> tuple[pl.Expr, pl.Expr]:
    """Losses and ties of a row that counts wins and games; what does not add up becomes a negative count."""
    won, played = table.number(games[0]), table.number(games[1])
    if losses is None:
        return played - won - (0.0 if ties is None else ties), pl.lit(0.0) if ties is None else ties
    lost = table.number(losses)
    rest = played - won - lost
    if ties is None:
        return lost, rest
    return lost, pl.when((rest - ties).abs() <= 1e-9).then(ties).otherwise(pl.lit(-1.0))


def _games_columns(table: Table, given: MatchColumns) -> tuple[str, str] | None:
    if given.losses is not None and given.games is None:
        return None
    usual = find_set(table.columns, GAMES)
    wins = given.wins or (usual[0] if usual else None)
    games = given.games or (usual[1] if usual else None)
    if given.wins and games is None:
        games = find([column for column in table.columns if column != given.wins], ROW_COUNTS)
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


def _weight_column(table: Table, given: MatchColumns, used: tuple[str, ...], usual: Sequence[str]) -> tuple[str, ...]:
    """Find the column that says how often each row happened."""
    if given.unweighted(table.columns):
        return ()
    if given.weight:
        return (given.weight,)
    rest = [
        column
        for column in table.columns
        if column not in (*used, given.task, *given.given_clusters(table.columns), given.time)
    ]
    column = find(rest, WEIGHTS)
    if column is None:
        column = find(rest, usual)
        if column is None or not _counts_something(table, column) or _runs_through(table, column):
            return ()
    return (column,)


def _weight(table: Table, column: tuple[str, ...]) -> pl.Expr | None:
    return table.number(column[0]) if column else None


def _count_notes(
    table: Table, given: MatchColumns, column: tuple[str, ...], outcome: str | None
) -> tuple[Diagnostic, ...]:
    """Say that a column was taken for a count; one that is called a weight, or was named by the user, is one."""
    if not column or given.weight or plain(column[0]) in WEIGHTS:
        return ()
    note_text = f'Column "{column[0]}" of {table.name} says how many games a row stands for'
    note_text += f'; "{outcome}" is then the outcome of each, or their mean.' if outcome else "."
    advice = Advice("count every row once with ", Option("weight", NONE))
    return (info("counted-rows", note_text, column, advice=[advice]),)


def _mistyped(table: Table, usual: Sequence[str]) -> str:
    """Give a hint with the column that is nearly a usual name, or an empty text."""
    for column in table.columns[:SHOWN]:
        near = get_close_matches(plain(column), usual, n=1, cutoff=ALIKE)
        if near and near[0] != plain(column):
            return f' (column "{column}": did you mean "{near[0]}"?)'
    return ""


def _listed(table: Table) -> str:
    return some_of(table.columns, most=12)
