"""Places of several players in one game, and ranked ballots: recognised by their columns, and read.

A long table has a row for each player of a game, or for each agent that a voter names. A wide table of ballots has a
row for each voter and columns in order of preference. PrefLib files hold orders as text.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ColumnError, DataError, ParameterError, ReadError
from equipoise.core.wording import Advice, Option, counted
from equipoise.data.encode.labels import odd_names
from equipoise.data.files.formats import BALLOTS as PREFLIB
from equipoise.data.files.tables import Table, collect, factor, reading
from equipoise.data.readers.bad_rows import Reason, open_rows, refuse_no_rows, sift, without_blank
from equipoise.data.readers.columns import AGENTS, SCORES, TASKS, MergeNames, OnError, find, named, plain
from equipoise.data.readers.options import ReadOptions
from equipoise.data.readers.similar_names import joined_names, names_joined_note, similar_names, with_names_joined
from equipoise.data.types.orders import Ballots, Rankings, Unnamed

PLACES = [
    "place", "placement", "position", "rank", "ranking", "finishing_position", "finish", "finish_position",
    "final_position", "position_order", "positionorder", "standing",
]  # fmt: skip
"""Columns that say who came first, second, third."""
OF_BOARDS = {"rank", "ranking", "position", "standing"}
"""Those that stand on leaderboards, too."""
SHARED_GAMES = [
    "game", "game_id", "match", "match_id", "race", "race_id", "raceid", "event", "event_id", "contest", "heat",
    "lobby", "tournament", "tournament_id", "round", "voter", "voter_id", "ballot", "ballot_id", "session",
    "session_id",
]  # fmt: skip
"""Columns that say in what."""
VOTED = ("voter", "voter_id", "ballot", "ballot_id")
"""Those that say that it was a vote."""
PLAYERS = [
    *AGENTS, "driver", "competitor", "contestant", "participant", "runner", "rider", "horse", "athlete", "skater",
    "candidate", "alternative", "option", "item", "driver_id", "driverid", "player_id", "candidate_id",
]  # fmt: skip
"""Columns that say who."""
CHOICE = re.compile(
    r"(?:rank|choice|pref|preference|place|vote)_?([1-9]\d?)|(1)st(?:_choice)?|(2)nd(?:_choice)?|(3)rd(?:_choice)?|(\d)th(?:_choice)?"
)
"""Columns of a ballot, in order of preference."""
NUMBERED = re.compile(r"(.*?)(_?)(1|a)((?:_name)?)")
NEXT = {"1": "3", "a": "c"}
WEIGHTED = ["weight", "count", "votes", "n", "voters", "multiplicity"]
"""How many voters cast a ballot of a wide table."""
OF_ORDERS = ("agent", "task", "score", "table", "where", "since", "until", "time", "merge_names", "on_error")
"""Options of reading that concern places and ballots: their player, game and place are agent, task and score."""
SIDES = "give a row for each player of a game, with its place (columns game, player, place)"


@dataclass(frozen=True, slots=True)
class OrderColumns:
    """Where a table says who came first, second, third.

    Attributes
    ----------
    game, player, place
        Columns of a long table.
    choices
        Columns of a wide one, the first choice first.
    voted
        Whether these are ballots.
    """

    game: str | None = None
    player: str | None = None
    place: str | None = None
    choices: tuple[str, ...] = ()
    voted: bool = False


@dataclass(frozen=True, slots=True)
class OrderReading:
    """How to read orders: what a user said of columns, bad rows and names."""

    columns: OrderColumns
    on_error: OnError
    merge_names: MergeNames | None = None


def reading_of(how: ReadOptions) -> OrderReading:
    """Give what options of reading say of places and ballots.

    Fails when
        an option was set that does not concern places and ballots.
    """
    for name in how.given:
        if name not in OF_ORDERS:
            raise ParameterError(Option(name), " has no effect: the file was taken for places or ballots")
    return OrderReading(OrderColumns(how.task, how.agent, how.score), how.on_error, how.merge_names)


def find_orders(table: Table) -> OrderColumns | None:
    """Tell by its columns whether a table puts more than two in order; None where it does not."""
    names = [plain(column) for column in table.columns]
    numbers = {}
    for column, name in zip(table.columns, names, strict=True):
        if known := CHOICE.fullmatch(name):
            numbers[int(next(filter(None, known.groups())))] = column
    if {"first", "second", "third"} <= set(names):
        numbers = {k: table.columns[names.index(word)] for k, word in enumerate(("first", "second", "third"))}
    if len(numbers) > 2 and _holds_names(table, numbers[min(numbers)]):
        return OrderColumns(choices=tuple(numbers[k] for k in sorted(numbers)), voted=True)
    place, game = find(table.columns, PLACES), find(table.columns, SHARED_GAMES)
    if place is None or game is None or _of_scores(table, place):
        return None
    sizes = collect(table.rows.group_by(table.text(game).alias("game")).agg(pl.len().alias("n")), table.name)["n"]
    if not (sizes > 2).any():
        return None
    player = find([column for column in table.columns if column not in (game, place)], PLAYERS)
    return OrderColumns(game, player, place, voted=plain(game) in VOTED)


def _of_scores(table: Table, place: str) -> bool:
    """Tell whether a column of places only says how high a score is that stands beside it, of an agent on a task."""
    return plain(place) in OF_BOARDS and bool(find(table.columns, SCORES)) and bool(find(table.columns, TASKS))


def refuse_orders(table: Table) -> None:
    """Refuse a table in which a column says who came first, second, third in each game, or on each ballot.

    Fails when
        it is one.
    """
    found = find_orders(table)
    if found is None:
        return
    if found.choices:
        raise DataError(f"{table.name}: each row puts several in order: ranked ballots, which {TAKEN_BALLOTS}")
    what = f"ranked ballots, which {TAKEN_BALLOTS}" if found.voted else f"games of several players, which {TAKEN_GAMES}"
    raise DataError(f'{table.name}: column "{found.place}" says who came first in each "{found.game}": {what}')


TAKEN_BALLOTS = "`equipoise choose` and read_ballots take"
TAKEN_GAMES = "`equipoise rank`, `equipoise choose` and read_rankings take"


def _holds_names(table: Table, column: str) -> bool:
    """Say whether a column holds texts: numbers in columns of such names are scores."""
    first = collect(table.rows.select(text=table.text(column), number=table.number(column)).head(100), table.name)
    return bool((first["text"].is_not_null() & first["number"].is_null()).any())


def refuse_crowds(table: Table, pair: tuple[str, str]) -> None:
    """Refuse a log of games with a third side.

    Fails when
        there is a column for it beside the pair.
    """
    known = NUMBERED.fullmatch(plain(pair[0]))
    if known is not None and known[1]:  # columns a, b and c may hold anything
        third = f"{known[1]}{known[2]}{NEXT[known[3]]}{known[4]}"
    else:
        third = "third" if plain(pair[0]) == "first" else ""
    column = next((name for name in table.columns if third and plain(name) == third), None)
    if column is not None:
        raise DataError(f'{table.name}: "{pair[0]}", "{pair[1]}" and "{column}" are sides of a game: {SIDES}')


def orders_from(
    source: Any, how: OrderReading, unnamed: Unnamed = "apart", *, ballots: bool | None = None
) -> Rankings | Ballots:
    """Read orders: games of several players, or ballots; what they are is seen where nobody says."""
    where = getattr(source, "source", source)
    if isinstance(where, str | Path) and Path(where).suffix.lower() in PREFLIB:
        made = preflib_ballots(Path(where), unnamed, how.merge_names)
        return made if ballots is not False else _as_games(made)
    table = open_rows(source, how.on_error)
    found = _columns(table, how.columns)
    table = with_names_joined(table, found.choices or [str(found.player)], how.merge_names)
    if found.choices:
        made = _wide(table, found, unnamed)
        return made if ballots is not False else _as_games(made)
    return _long(table, found, how.on_error, unnamed, found.voted if ballots is None else ballots)


def _columns(table: Table, given: OrderColumns) -> OrderColumns:
    """Take the columns that are named, and those with usual names for the others."""
    for role in ("game", "player", "place"):
        if (column := getattr(given, role)) is not None:
            named(table.columns, column, role)
    found = find_orders(table)
    if found is not None and found.choices and given == OrderColumns():
        return found
    usual = {"game": SHARED_GAMES, "player": PLAYERS, "place": PLACES}
    taken = {getattr(given, role) for role in usual} - {None}
    columns: dict[str, Any] = {}
    for role, names in usual.items():
        rest = [column for column in table.columns if column not in taken | set(columns.values())]
        column = getattr(given, role) or find(rest, names)
        if column is None:
            raise ColumnError(
                f"{table.name}: no column says the {role}; found: {', '.join(table.columns)}",
                advice=[Advice("name it with ", Option(role))],
            )
        columns[role] = column
    return OrderColumns(**columns, voted=plain(columns["game"]) in VOTED)


def _long(
    table: Table, columns: OrderColumns, on_error: OnError, unnamed: Unnamed, ballots: bool
) -> Rankings | Ballots:  # fmt: skip
    assert columns.game
    assert columns.player
    assert columns.place
    rows = collect(
        table.rows.select(
            game=table.text(columns.game), player=table.text(columns.player), place=table.number(columns.place)
        ).with_row_index("row"),
        table.name,
    ).with_columns(n=pl.lit(1))
    refuse_no_rows(rows, table.name)
    rows, blank, passed = without_blank(rows, ["game", "player", "place"])
    reasons = [
        Reason(pl.col("game").is_null(), f"no {columns.game}"),
        Reason(pl.col("player").is_null(), f"no {columns.player}"),
        Reason(~pl.col("place").is_finite(), f"a {columns.place} that is missing or not a finite number"),
    ]
    rows, notes, bad = sift(rows, reasons, on_error, table.name)
    before = len(rows) + sum(passed.values()) + sum(bad.values())
    games, players = factor(rows["game"]), factor(rows["player"])
    account = table.account(before, passed | bad, [columns.game, columns.player, columns.place])
    notes = table.diagnostics + blank + notes + odd_names(players.labels) + similar_names(players.labels)
    made = Rankings.from_factors(games, players, rows["place"].to_numpy())
    if not ballots:
        return replace(made, diagnostics=notes, account=account)
    votes = Ballots(made.agents, made.start, made.who, made.place, made.weight, notes, account, unnamed)
    return replace(votes, diagnostics=(*notes, *_partial(votes)))


def _wide(table: Table, columns: OrderColumns, unnamed: Unnamed) -> Ballots:
    """Read a row a voter, or a row a kind of ballot with how many cast it."""
    weight = find([column for column in table.columns if column not in columns.choices], WEIGHTED)
    chosen = {f"choice {k}": table.text(column) for k, column in enumerate(columns.choices)}
    if weight is not None:
        chosen["weight"] = table.number(weight)
    rows = collect(table.rows.select(**chosen), table.name)
    refuse_no_rows(rows, table.name)
    listed = rows.select([f"choice {k}" for k in range(len(columns.choices))]).rows()
    orders = [[name for name in row if name is not None] for row in listed]
    there = np.array([bool(order) for order in orders])
    weights = np.ones(len(orders)) if weight is None else rows["weight"].fill_null(float("nan")).to_numpy()
    votes = Ballots.from_orders([order for order in orders if order], weights[there], unnamed=unnamed)
    account = table.account(len(rows), {"blank": int((~there).sum())}, [*columns.choices, weight])
    votes = replace(
        votes, diagnostics=table.diagnostics + odd_names(votes.agents) + similar_names(votes.agents), account=account
    )
    said = () if weight is None else (info("weights", f'Column "{weight}" says how many cast each ballot.'),)
    return replace(votes, diagnostics=(*votes.diagnostics, *said, *_partial(votes)))


def _partial(ballots: Ballots) -> tuple[Diagnostic, ...]:
    """Say what agents mean that ballots do not name."""
    short = int(ballots.weight[ballots.sizes < len(ballots.agents)].sum())
    if not short:
        return ()
    if ballots.unnamed == "last":
        return (info("partial-ballots", f"{counted(short, 'ballot')} leave agents out, who count as below all named."),)
    text = f"{counted(short, 'ballot')} leave agents out, who are not compared there."
    advice = [Advice("put them below all that are named with ", Option("unnamed", "last"))]
    return (info("partial-ballots", text, advice=advice),)


def _as_games(ballots: Ballots) -> Rankings:
    """Take each ballot for a race; one that was cast several times is as many races."""
    names = tuple(f"ballot {k + 1}" for k in range(len(ballots)))
    return Rankings(
        ballots.agents, ballots.start, ballots.who, ballots.place, ballots.weight, ballots.diagnostics, ballots.account,
        names,
    )  # fmt: skip


NAMED = re.compile(r"#\s*ALTERNATIVE NAME (\d+):\s*(.*)")
GROUP = re.compile(r"\{([^}]*)\}|([^,{}]+)")


def preflib_ballots(path: Path, unnamed: Unnamed, merge: MergeNames | None = None) -> Ballots:
    """Read a PrefLib file of orders: ``3: 1,2,{4,5}`` are three ballots; names stand in comments, or before (old form).

    Fails when
        a line is no order, or names an alternative that the file does not.
    """
    with reading(str(path)):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    names = {int(known[1]): known[2].strip() for line in lines if (known := NAMED.match(line))}
    body = [(k, line.strip()) for k, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    old = not names and bool(body) and body[0][1].isdigit()
    if old:
        count = int(body[0][1])
        names = {
            int(number): name.strip() for _, line in body[1 : count + 1] for number, _, name in [line.partition(",")]
        }
        body = body[count + 2 :]  # behind the names a line of totals
    joined = joined_names(names.values(), merge)
    names = {number: joined.get(name, name) for number, name in names.items()}
    orders, weights = [], []
    for k, line in body:
        many, mark, rest = line.partition("," if old else ":")
        groups = [[part.strip() for part in (a or b).split(",") if part.strip()] for a, b in GROUP.findall(rest)]
        try:
            weights.append(float(many))
            orders.append([[names[int(one)] for one in group] for group in groups if group])
        except (KeyError, ValueError):
            raise ReadError(f'{path}: line {k:,} is no order of named alternatives: "{line[:60]}"') from None
        if not mark or not orders[-1]:
            raise ReadError(f'{path}: line {k:,} is no order of named alternatives: "{line[:60]}"')
    if not orders:
        raise ReadError(f"{path} holds no ballots")
    agents = tuple(dict.fromkeys(names.values()))
    votes = Ballots.from_orders(orders, weights, agents=agents, unnamed=unnamed)
    return replace(votes, diagnostics=names_joined_note(joined) + similar_names(agents) + _partial(votes))
