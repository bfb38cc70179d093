"""Hands of poker: files of the poker hand history (PHH) with final stacks, and logs of the ACPC's dealer.

ACPC matches with one seed share their deals. Reading fails where a line is no hand, unless ``on_error`` is ``skip``,
and when no hand says what its players won.
"""

import tomllib
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError, ReadError, some_of
from equipoise.data.types.episodes import Episodes
from equipoise.logs.files.bytes_read import is_mark, opened, refuse_conflict
from equipoise.logs.files.json_files import number_of
from equipoise.logs.files.peek import Peek
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.tables.rows import short_name

Row = tuple[str, str, str, int, float]
"""Agent, deal, hand, seat and what was won."""
PLAY_OUT = "that must be played out to know who won"
INSTALL = ' (pip install "equipoise[poker]" does it)'
DUPLICATE = "name/game/hands/seed"


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Episodes:
    """Read hands: a row for each player of each; names are taken hand by hand, for seats rotate."""
    rows: list[Row] = []
    left: list[Path] = []
    for path in files:
        dealer = Peek.at(path).text.startswith(("#", "STATE:")) and b"STATE:" in Peek.at(path).start
        hands = list(_dealer(path, how, notes) if dealer else _histories(path, notes))
        rows += hands
        if not hands:
            left.append(path)
    notes.leave_out(left, f"hands without final stacks must be played out to know who won{INSTALL}")
    if not rows:
        raise DataError(
            f"no hand says what its players won (finishing_stacks): {some_of(path.name for path in files)}{INSTALL}"
        )
    agent, deal, hand, seat, won = zip(*rows, strict=True)
    return Episodes.from_columns(agent, deal, list(won), seat=seat, hand=hand)


def _histories(path: Path, notes: Notes) -> Iterator[Row]:
    notes.mapped("players (agent)", "position (seat)", "finishing_stacks less starting_stacks (utility)")
    try:
        with opened(path) as file:
            text = file.read().decode()
        whole = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        refuse_conflict(path)
        raise ReadError(f"{path}: cannot be read: {error}") from error
    several = {key: value for key, value in whole.items() if isinstance(value, dict)}
    for key, hand in (several if several and "variant" not in whole else {"": whole}).items():
        label = f"{path.parent.name}/{path.name}" + (f" {key}" if key else "")
        starts, ends = hand.get("starting_stacks"), hand.get("finishing_stacks")
        if ends is None and not key:
            ends = _played_out(path, text)
        if ends is None:
            notes.drop(PLAY_OUT)
            continue
        yield from _players(path, label, hand, starts, ends)
        notes.use(1)


def _played_out(path: Path, text: str) -> list[Any] | None:
    """Give the final stacks of a hand by playing its actions; None without the library that knows the rules."""
    try:
        pokerkit = import_module("pokerkit")
    except ImportError:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fields of one's own, of which pokerkit warns, do not say who won
            *_, end = pokerkit.HandHistory.loads(text)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: the hand cannot be played out: {error}") from error
    return None if end.status else list(end.stacks)


def _players(path: Path, label: str, hand: Mapping[str, Any], starts: Any, ends: Any) -> Iterator[Row]:
    names = hand.get("players") or []
    if not isinstance(starts, list) or not isinstance(ends, list) or not len(starts) == len(ends) == len(names):
        raise DataError(f"{path}: players, starting_stacks and finishing_stacks must be as long as each other")
    for seat, (name, start, end) in enumerate(zip(names, starts, ends, strict=True), 1):
        before, after = number_of(start), number_of(end)
        if before is None or after is None:
            raise DataError(f"{path}: the stacks of {short_name(str(name))} are no numbers")
        yield str(name), label, label, seat, after - before


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
