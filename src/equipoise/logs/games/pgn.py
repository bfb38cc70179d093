"""Chess games (PGN) by their headers: moves are passed over, and no chess library is needed.

Two games of a round between the same players are one group. Games without a result or without players are left out, and
games that ended otherwise than by play are named. Games with the same headers and moves are counted and named; ``keep``
may be ``first``, which takes one of them, or ``all``. Reading fails when no game has a result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.core.errors import some_of
from equipoise.core.options import check, choice
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.logs.files.bytes_read import opened, refuse_conflict
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.games.matches import refuse_without_games
from equipoise.logs.games.pgn_headers import ENDS, TAGS, HeaderBatch, MergeError, batches, mixed

UNKNOWN = frozenset([None, b"", b"?", b"??", b"-"])
PLAYED = frozenset(["", "normal", "adjudication", "unterminated", "-", "?"])
"""Terminations that need no word: a game without a result is counted by that."""
LOST = ("without two players", "without a result (*)", "of a player against itself")
Codes = npt.NDArray[np.int32]
Column = Sequence[bytes | None]


@dataclass(slots=True)
class HeaderValues:
    """What a header said in all games: each text once, with what it means."""

    means: Callable[[bytes | None], Any]
    codes: dict[bytes | None, int] = field(default_factory=dict)
    values: list[Any] = field(default_factory=list)
    numbers: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def take(self, column: Column) -> Codes:
        """Give the number of each text."""
        different = dict.fromkeys(column)
        for text in different:
            if text not in self.codes:
                self.codes[text] = len(self.values)
                self.values.append(self.means(text))
        if len(different) == 1:
            return np.full(len(column), self.codes[column[0]], np.int32)
        return np.fromiter(map(self.codes.__getitem__, column), np.int32, len(column))

    def meant(self, column: Column) -> npt.NDArray[np.float64]:
        """Give what each text means, where that is a number."""
        codes = self.take(column)
        if len(self.numbers) < len(self.values):
            self.numbers = np.asarray(self.values, np.float64)
        return self.numbers[codes]


@dataclass(slots=True)
class ChessGames:
    """The games that count, in pieces, and what is met on the way to them."""

    names: dict[str, int] = field(default_factory=dict)
    pieces: list[tuple[Any, ...]] = field(default_factory=list)
    lost: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LOST, 0))
    without_token: int = 0
    player: HeaderValues = field(init=False)
    result: HeaderValues = field(default_factory=lambda: HeaderValues(lambda text: ENDS.get(text or b"", np.nan)))
    day: HeaderValues = field(default_factory=lambda: HeaderValues(lambda text: _seconds(text, "%Y.%m.%d")))
    clock: HeaderValues = field(
        default_factory=lambda: HeaderValues(lambda text: _seconds(text, "%Y.%m.%d %H:%M:%S", b"1970.01.01 "))
    )
    event: HeaderValues = field(default_factory=lambda: HeaderValues(_text))
    round: HeaderValues = field(default_factory=lambda: HeaderValues(_text))
    ending: HeaderValues = field(default_factory=lambda: HeaderValues(_text))

    def __post_init__(self) -> None:
        self.player = HeaderValues(self._number)

    def _number(self, text: bytes | None) -> int:
        return -1 if text in UNKNOWN else self.names.setdefault(_text(text), len(self.names))

    def take(self, batch: HeaderBatch) -> None:
        """Take in some games: columns at a time, for there may be millions."""
        nothing: Column = (None,) * len(batch)
        white, black, result, event, number, utc, date, time, ending = (
            batch.columns.get(name, nothing) for name in TAGS
        )
        first, second = self.player.meant(white).astype(np.int32), self.player.meant(black).astype(np.int32)
        stated = self.result.meant(result)
        score = np.where(np.isnan(stated), batch.last, stated)
        faults = ((first < 0) | (second < 0), np.isnan(score), first == second)
        good = np.ones(len(batch), bool)
        for reason, fault in zip(LOST, faults, strict=True):
            self.lost[reason] += int((good & fault).sum())
            good &= ~fault
        self.without_token += int((good & np.isnan(batch.last)).sum())
        day, clock = self.day.meant(utc), self.clock.meant(time)
        if np.isnan(day).any():
            day = np.where(np.isnan(day), self.day.meant(date), day)
        moment = day + np.where(np.isnan(clock), 0.0, clock)
        rounds, known = self.round.take(number), np.array([text in UNKNOWN for text in self.round.codes])
        rounds = np.where(known[rounds], -1, rounds)
        events = self.event.take(event) if (rounds >= 0).any() else np.zeros(len(batch), np.int32)
        columns = (first, second, score, moment, rounds, events, self.ending.take(ending), batch.signs)
        self.pieces.append(tuple(column[good] for column in columns))

    def columns(self) -> list[Any]:
        """Give the columns whole; their pieces are forgotten one after the other."""
        parts = list(zip(*self.pieces, strict=True))
        self.pieces = []
        return [np.concatenate(parts.pop(0)) for _ in range(len(parts))]


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:
    """Read the players, the result, the round and the date of each game; White is the first side."""
    notes.mapped("White (a)", "Black (b)", "Result (outcome)", "Event and Round (group)", "UTCDate or Date (time)")
    table = ChessGames()
    for path in files:
        try:
            with opened(path) as file:
                for batch in batches(file):
                    table.take(batch)
        except MergeError:
            refuse_conflict(path)
            raise
    keep = str(how.more.get("keep", "all"))
    check(choice("all", "first"), "keep", keep)
    columns: list[Any] = _copies_settled(table.columns(), keep == "first", notes) if table.pieces else [()]
    notes.use(len(columns[0]))
    for reason, count in table.lost.items():
        if count:
            notes.drop(reason, count)
    refuse_without_games(len(columns[0]), "chess games", notes)
    first, second, score, moment, rounds, events, endings = columns
    _say(table, endings, notes)
    names, first, second = _by_appearance(tuple(table.names), first, second)
    timed = not np.isnan(moment).any()
    group = _groups(table, rounds, events, first, second)
    return Matches.from_codes(names, first, second, score, group=group, time=moment if timed else None)


def _copies_settled(columns: list[Any], first_only: bool, notes: Notes) -> list[Any]:
    """Count games with the headers and moves of an earlier one, and leave them out where that is wanted."""
    *columns, signs = columns
    said_of_them = [column.view(np.uint64) if column.dtype == np.float64 else column for column in columns]
    moved = np.flatnonzero(signs)
    first = moved[np.unique(mixed([signs, *said_of_them])[moved], return_index=True)[1]]
    copies = len(moved) - len(first)
    if not copies:
        return columns
    said = f"{copies:,} of {_count(len(signs))} repeat an earlier one in headers and moves"
    if not first_only:
        advice = [Advice("count each once with ", Option("keep", "first"))]
        notes.info("repeated-games", f"{said}; all of them count.", advice=advice)
        return columns
    notes.info("repeated-games", f"{said}; each was counted once.")
    notes.drop("that repeat an earlier game", copies)
    keep = signs == 0
    keep[first] = True
    return [column[keep] for column in columns]


def _by_appearance(names: Sequence[str], first: Codes, second: Codes) -> tuple[tuple[str, ...], Codes, Codes]:
    """Number players in the order in which they come; those whose games do not count have none."""
    both = np.column_stack([first, second]).ravel()
    there, at = np.unique(both, return_index=True)
    order = there[np.argsort(at)]
    new = np.zeros(len(names), np.int32)
    new[order] = np.arange(len(order))
    return tuple(names[k] for k in order), new[first], new[second]


def _text(value: bytes | None) -> str:
    value = value or b""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = value.decode("latin-1")
    return text.replace('\\"', '"').replace("\\\\", "\\").strip()


def _seconds(text: bytes | None, form: str, before: bytes = b"") -> float:
    """Give a moment in seconds; NaN where it is not known."""
    try:
        return datetime.strptime((before + (text or b"")).decode(), form).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return float("nan")


def _groups(table: ChessGames, rounds: Codes, events: Codes, first: Codes, second: Codes) -> Factor | None:
    """Put the two games of a round with colours swapped into one group, where there are such."""
    known = np.flatnonzero(rounds >= 0)
    if not len(known):
        return None
    low, high = np.minimum(first, second)[known].astype(np.int64), np.maximum(first, second)[known]
    of_round, of_pair = (
        _distinct(events[known] * np.int64(len(table.round.values)) + rounds[known]),
        _distinct(low * (high.max() + 1) + high),
    )
    codes = _distinct(of_round * (of_pair.max() + 1) + of_pair)
    if np.bincount(codes).max() != 2:
        return None
    at = np.unique(codes, return_index=True)[1]
    labels = [
        f"{table.event.values[events[row]]} round {table.round.values[rounds[row]]}: {i + 1}-{j + 1}"
        for row, i, j in zip(known[at].tolist(), low[at].tolist(), high[at].tolist(), strict=True)
    ]
    whole = np.full(len(rounds), -1)
    whole[known] = codes
    alone = np.flatnonzero(rounds < 0)
    whole[alone] = len(labels) + np.arange(len(alone))
    labels += [f"game {row + 1}" for row in alone]
    return Factor(tuple(labels), whole.astype(np.int32))


def _distinct(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Number keys in the order in which they come."""
    _, at, codes = np.unique(keys, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(at))[codes]


def _say(table: ChessGames, codes: Codes, notes: Notes) -> None:
    open_games = notes.dropped.get("without a result (*)", 0)
    if open_games:
        notes.warning("games-without-result", f"{_count(open_games)} without a result: not counted.")
    counts = np.bincount(codes, minlength=len(table.ending.values)).tolist()
    endings = sorted(zip(table.ending.values, counts, strict=True), key=lambda ending: -ending[1])
    odd = {ending: count for ending, count in endings if count and ending.lower() not in PLAYED}
    if odd:
        listed = [f"{count:,} {ending}" for ending, count in odd.items()]
        notes.warning(
            "games-ended-otherwise",
            f"{_count(sum(odd.values()))} counted that did not end by play or adjudication: {some_of(listed)}.",
            odd,
        )
    if table.without_token:
        notes.info(
            "games-without-last-word",
            f"{_count(table.without_token)} without the result behind the moves: the header's result was taken.",
        )


def _count(games: int) -> str:
    return "1 game" if games == 1 else f"{games:,} games"
