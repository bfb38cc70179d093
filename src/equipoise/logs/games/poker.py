"""Hands of poker: files of the poker hand history (PHH), of one hand or of several, and logs of the ACPC's dealer.

What players won is the difference of final stacks, or follows from the actions; hands that are not finished are left
out and counted. ACPC matches with one seed share their deals. Reading fails where a line or a table is no hand, unless
``on_error`` is ``skip``, and when no hand says what its players won.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, ReadError, some_of
from equipoise.data.types.episodes import Episodes
from equipoise.logs.files.bytes_read import is_mark, opened, refuse_conflict
from equipoise.logs.files.json_files import number_of
from equipoise.logs.files.peek import Peek
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.games.poker_results import can_play_out, hands_of, net_of
from equipoise.logs.tables.rows import short_name

Row = tuple[str, str, str, int, float]
"""Agent, deal, hand, seat and what was won."""
PLAY_OUT = "that must be played out to know who won"
NOT_FINISHED = "that are not finished"
INSTALL = ' (pokerkit plays them out: pip install "equipoise[poker]")'
SAME_LENGTH = "players, starting_stacks and finishing_stacks must be as long as each other"
DUPLICATE = "name/game/hands/seed"


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Episodes:
    """Read hands: a row for each player of each; names are taken hand by hand, for seats rotate."""
    rows: list[Row] = []
    left: list[Path] = []
    for path in files:
        dealer = Peek.at(path).text.startswith(("#", "STATE:")) and b"STATE:" in Peek.at(path).start
        hands = list(_dealer(path, how, notes) if dealer else _histories(path, how, notes))
        rows += hands
        if not hands:
            left.append(path)
    notes.leave_out(left, f"no hand in it says who won{'' if can_play_out() else INSTALL}")
    _say_unsettled(notes)
    if not rows:
        names = some_of(path.name for path in files)
        if can_play_out():
            raise DataError(f"no hand is played to its end, so that nobody knows who won: {names}")
        raise DataError(f"no hand says what its players won (finishing_stacks): {names}{INSTALL}")
    agent, deal, hand, seat, won = zip(*rows, strict=True)
    return Episodes.from_columns(agent, deal, list(won), seat=seat, hand=hand)


def _say_unsettled(notes: Notes) -> None:
    """Say how many hands are left out, and why."""
    for reason, what in ((NOT_FINISHED, "are not played to their end"), (PLAY_OUT, f"end in a showdown{INSTALL}")):
        if count := notes.dropped.get(reason):
            notes.warning("hands-left-out", f"{count:,} hands {what}, so that nobody knows who won; they are left out.")


def _histories(path: Path, how: LogReading, notes: Notes) -> Iterator[Row]:
    """Read the hands of a file; what somebody won is stated by final stacks, or follows from the actions."""
    notes.mapped("players (agent)", "position (seat)", "finishing_stacks or actions (utility)")
    try:
        with opened(path) as file:
            whole = tomllib.loads(file.read().decode(), parse_float=Decimal)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        refuse_conflict(path)
        raise ReadError(f"{path}: cannot be read: {error}") from error
    for key, hand in hands_of(whole):
        label = f"{path.parent.name}/{path.name}" + (f" {key}" if key else "")
        where = f"{path}: hand {key}" if key else str(path)
        try:
            won = _net(where, hand)
        except DataError:
            if how.on_error == "raise":
                raise
            notes.drop("that cannot be understood")
            continue
        if won is None:
            notes.drop(NOT_FINISHED if can_play_out() else PLAY_OUT)
            continue
        if "winnings" in hand:
            notes.left("winnings")
        yield from _players(where, label, hand, won)
        notes.use(1)


def _net(where: str, hand: Mapping[str, Any]) -> list[float] | None:
    """Give what each player won; None where the hand does not say it."""
    starts, ends = hand.get("starting_stacks"), hand.get("finishing_stacks")
    if ends is None:
        return net_of(hand, where)
    if not isinstance(starts, list) or not isinstance(ends, list) or len(starts) != len(ends):
        raise DataError(f"{where}: {SAME_LENGTH}")
    return [_difference(where, start, end) for start, end in zip(starts, ends, strict=True)]


def _difference(where: str, start: object, end: object) -> float:
    before, after = (Decimal(str(each)) if _is_number(each) else None for each in (start, end))
    if before is None or after is None:
        raise DataError(f"{where}: stacks must be numbers, not {short_name(str(start))} and {short_name(str(end))}")
    return float(after - before)


def _is_number(value: object) -> bool:
    return number_of(float(value) if isinstance(value, Decimal) else value) is not None


def _players(where: str, label: str, hand: Mapping[str, Any], won: Sequence[float]) -> Iterator[Row]:
    names = hand.get("players") or []
    if not isinstance(names, list) or len(names) != len(won):
        raise DataError(f"{where}: {SAME_LENGTH}")
    for seat, (name, chips) in enumerate(zip(names, won, strict=True), 1):
        yield str(name), label, label, seat, chips


def _stated(line: str) -> dict[str, float]:
    """Give the totals of a last line, ``SCORE:won|won:name|name``; none where it is not so."""
    parts = line.split(":")
    won, names = (parts[1].split("|"), parts[2].split("|")) if len(parts) == 3 else ([], [])
    stated = {name: number for name, text in zip(names, won, strict=False) if (number := number_of(text)) is not None}
    return stated if len(stated) == len(names) == len(won) else {}


def _dealer(path: Path, how: LogReading, notes: Notes) -> Iterator[Row]:
    """Read ``STATE:hand:betting:cards:won|won:name|name``; matches with one seed were dealt the same hands."""
    notes.mapped("names (agent)", "hand number and seed (deal)", "position (seat)", "chips won (utility)")
    notes.left("betting", "cards")
    match, totals, stated = path.name, defaultdict(float), {}  # type: ignore[var-annotated]
    with opened(path) as file:
        for number, raw in enumerate(file, 1):
            line = raw.decode("utf-8", errors="replace").strip()
            if DUPLICATE in line:
                fields = line.partition(DUPLICATE)[2].split()
                match = f"{fields[1].rpartition('/')[2]} seed {fields[-1]}" if len(fields) == 4 else match
            if line.startswith("SCORE:"):
                stated = _stated(line)
            if not line.startswith("STATE:"):
                if is_mark(line):
                    refuse_conflict(path)
                continue
            parts = line.split(":")
            chips = [number_of(part) for part in parts[-2].split("|")] if len(parts) == 6 else [None]
            players = parts[-1].split("|")
            if None in chips or len(chips) != len(players):
                if how.on_error == "raise":
                    raise DataError(f"{path}: line {number:,} is no hand: {line[:60]}")
                notes.drop("that cannot be understood")
                continue
            notes.use(1)
            for seat, (name, won_here) in enumerate(zip(players, chips, strict=True), 1):
                totals[name] += won_here or 0.0
                yield name, f"{match} hand {parts[1]}", f"{path.name} {parts[1]}", seat, won_here or 0.0
    other = [f"{name} {totals[name]:g} instead of {total:g}" for name, total in stated.items() if totals[name] != total]
    if other:
        notes.warning("stated-total-differs", f"{path.name}: hands give other totals than SCORE: {some_of(other)}.")
