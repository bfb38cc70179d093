"""Headers of chess games (PGN), a block of bytes at a time: moves are passed over, and no chess library is needed."""

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import isnan
from pathlib import Path
from typing import IO

import numpy as np

from equipoise.data.labels import Factor
from equipoise.data.matches import Matches
from equipoise.errors import some_of
from equipoise.logs.bytes_read import opened
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.games import Games, refuse_without_games
from equipoise.logs.peek import refuse_conflict

__all__ = ["headers_of", "read"]

BLOCK = 1 << 23
HEADERS = re.compile(rb"\n\[[A-Za-z][^\n]*(?:\n\[[A-Za-z][^\n]*)+")
"""Lines of headers after each other: the beginning of a game. The first two characters make the search fast."""
USUAL = re.compile(rb'\[White "([^"\\\n]*)"\][ \t\r]*\n\[Black "([^"\\\n]*)"\][ \t\r]*\n\[Result "([^"\\\n]*)"')
"""The three that matter, in their usual order: one search in place of three."""
RESULTS = {b"1-0": 1.0, b"0-1": 0.0, b"1/2-1/2": 0.5}
UNKNOWN = (b"", b"?", b"??", b"-")
PLAYED = frozenset(["", "normal", "adjudication", "unterminated", "-", "?"])
"""Terminations that need no word: a game without a result is counted by that."""
NEEDED = (b'[White "', b'[Black "', b'[Result "')


@dataclass(slots=True)
class Seen:
    """What is met on the way through the games."""

    codes: dict[bytes, int] = field(default_factory=dict)
    times: dict[bytes, float] = field(default_factory=dict)
    endings: Counter[bytes] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    without_token: int = 0
    rounds: dict[tuple[bytes, bytes, int, int], int] = field(default_factory=dict)
    round: "array[int]" = field(default_factory=lambda: array("i"))


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:  # noqa: ARG001  # all readers are called so
    """Read the players, the result, the round and the date of each game; White is the first side."""
    notes.mapped("White (a)", "Black (b)", "Result (outcome)", "Event and Round (group)", "UTCDate or Date (time)")
    games, seen = Games(), Seen()
    for path in files:
        for headers, last in headers_of(path):
            _take(headers, last, games, seen)
    notes.use(len(games.first))
    for reason, count in seen.lost.items():
        notes.drop(reason, count)
    _say(seen, notes)
    if not games.first:
        for path in files:
            refuse_conflict(path)
    refuse_without_games(len(games.first), "chess games", notes)
    return replace(games.matches(), group=_groups(seen))


def headers_of(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Give the lines of headers of each game, and the last word of what follows them."""
    with opened(path) as file:
        yield from _sections(file)


def _sections(file: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    data = b"\n" + file.read(BLOCK).removeprefix(b"\xef\xbb\xbf")
    while True:
        block = file.read(BLOCK)
        before: re.Match[bytes] | None = None
        for match in HEADERS.finditer(data):
            if before is not None:
                yield before[0], _last_word(data, before.end(), match.start())
            before = match
        if not block:
            if before is not None:
                yield before[0], _last_word(data, before.end(), len(data))
            return
        data = data[before.start() if before else 0 :] + block  # the last game may go on in the next block


def _last_word(data: bytes, start: int, end: int) -> bytes:
    words = data[max(start, end - 40) : end].split()
    return words[-1] if words else b""


def _value(headers: bytes, tag: bytes) -> bytes:
    """Give what a header says; empty where there is none."""
    start = headers.find(tag)
    if start < 0:
        return b""
    start += len(tag)
    end = headers.find(b'"', start)
    while end > 0 and headers[end - 1] == 92:  # a quotation mark behind a backslash belongs to the text
        end = headers.find(b'"', end + 1)
    return headers[start:end]


def _take(headers: bytes, last: bytes, games: Games, seen: Seen) -> None:
    usual = USUAL.search(headers)
    white, black, result = usual.groups() if usual else tuple(_value(headers, tag) for tag in NEEDED)
    if white in UNKNOWN or black in UNKNOWN:
        seen.lost["without two players"] += 1
        return
    score = RESULTS.get(result)
    if score is None:
        score = RESULTS.get(last)
        if score is None:
            seen.lost["without a result (*)"] += 1
            return
    elif last not in RESULTS:
        seen.without_token += 1
    a, b = seen.codes.get(white), seen.codes.get(black)
    if a is None:
        a = seen.codes[white] = games.agents.setdefault(_text(white), len(games.agents))
    if b is None:
        b = seen.codes[black] = games.agents.setdefault(_text(black), len(games.agents))
    if a == b:
        seen.lost["of a player against itself"] += 1
        return
    seen.endings[_value(headers, b'[Termination "')] += 1
    games.first.append(a)
    games.second.append(b)
    games.outcome.append(score)
    date = _value(headers, b'[UTCDate "') or _value(headers, b'[Date "')
    games.time.append(_moment(date, _value(headers, b'[UTCTime "'), seen.times))
    number = _value(headers, b'[Round "')
    if number in UNKNOWN:
        seen.round.append(-1)
        return
    key = (_value(headers, b'[Event "'), number, min(a, b), max(a, b))
    seen.round.append(seen.rounds.setdefault(key, len(seen.rounds)))


def _text(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = value.decode("latin-1")
    return text.replace('\\"', '"').replace("\\\\", "\\").strip()


def _moment(date: bytes, time: bytes, known: dict[bytes, float]) -> float:
    """Give the moment in seconds; NaN where the date is not known."""
    day = known.get(date)
    if day is None:
        day = known[date] = _seconds(date, "%Y.%m.%d")
    if not time:
        return day
    clock = known.get(time)
    if clock is None:
        clock = known[time] = _seconds(b"1970 " + time, "%Y %H:%M:%S")
    return day if isnan(clock) else day + clock


def _seconds(text: bytes, form: str) -> float:
    try:
        return datetime.strptime(text.decode(), form).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return float("nan")


def _groups(seen: Seen) -> Factor | None:
    """Put the two games of a round with colours swapped into one group, where there are such."""
    codes = np.frombuffer(seen.round, np.intc).astype(np.int64)
    if np.bincount(codes + 1)[1:].max(initial=0) != 2:
        return None
    labels = [f"{_text(event)} round {_text(number)}: {i + 1}-{j + 1}" for event, number, i, j in seen.rounds]
    alone = np.flatnonzero(codes < 0)
    codes[alone] = len(labels) + np.arange(len(alone))
    labels += [f"game {row + 1}" for row in alone]
    return Factor(tuple(labels), codes.astype(np.int32))


def _say(seen: Seen, notes: Notes) -> None:
    open_games = notes.dropped.get("without a result (*)", 0)
    if open_games:
        notes.warning("games-without-result", f"{_count(open_games)} without a result: not counted.")
    endings = {_text(ending): count for ending, count in seen.endings.most_common()}
    odd = {ending: count for ending, count in endings.items() if ending.lower() not in PLAYED}
    if odd:
        listed = [f"{count:,} {ending}" for ending, count in odd.items()]
        notes.warning(
            "games-ended-otherwise",
            f"{_count(sum(odd.values()))} counted that did not end by play or adjudication: {some_of(listed)}.",
            odd,
        )
    if seen.without_token:
        notes.info(
            "games-without-last-word",
            f"{_count(seen.without_token)} without the result behind the moves: the header's result was taken.",
        )


def _count(games: int) -> str:
    return "1 game" if games == 1 else f"{games:,} games"
