"""Matches of chess engines: the state that fastchess saves, and what cutechess and fastchess print while engines play.

The state contains the results of each pair of engines, with those of pairs of games (pentanomial): games counted in
pairs are groups of two. The output lists finished games one by one, or else scores of pairs so far. Two games of an
opening (1 and 2, 3 and 4 ...) are one group. Scores are printed again after each game: only the last one of two engines
counts.

They fail when there is no such file, no game was played or finished, or both engines have one name.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError
from equipoise.data.types.matches import Matches
from equipoise.logs.files.bytes_read import is_mark, opened, refuse_conflict
from equipoise.logs.files.json_files import number_of, whole_object
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.games.matches import Games, refuse_without_games
from equipoise.logs.games.pgn_headers import ENDS
from equipoise.logs.tables.rows import short_name

MOST_GAMES = 10_000_000
"""Games of two engines: a count beyond this is a slip, and would not fit into memory game by game."""
SINGLE = {"wins": 1.0, "draws": 0.5, "losses": 0.0}
TWO_GAMES = {
    "penta_WW": (1.0, 1.0), "penta_WD": (1.0, 0.5), "penta_WL": (1.0, 0.0), "penta_DD": (0.5, 0.5),
    "penta_LD": (0.0, 0.5), "penta_LL": (0.0, 0.0),
}  # fmt: skip


def read_state(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:  # noqa: ARG001  # all readers are called so
    """Read the results; two games of one opening are a group where the file counts them so."""
    notes.mapped("stats: names (a and b)", "wins, draws, losses (outcome)", "penta_* (group)")
    games, empty, paired = Games(), 0, 0
    for path in files:
        config = whole_object(path)
        for name, stats in config["stats"].items():
            a, versus, b = name.partition(" vs ")
            if not versus or not isinstance(stats, dict):
                raise DataError(f'{path}: "{short_name(name)}" does not name two engines ("A vs B")')
            single, pairs = _counts(path, name, stats, SINGLE), _counts(path, name, stats, TWO_GAMES)
            empty += not sum(single.values())
            whole = 2 * sum(pairs.values()) == sum(single.values())
            paired += whole and bool(sum(pairs.values()))
            _add_counts(games, f"{path.name} {name}", (a, b), single, pairs if whole else {})
    notes.use(len(games.first))
    if empty:
        notes.info("pairs-without-games", f"{empty:,} pairs in the file have no games yet.")
    if paired:
        notes.info("games-in-pairs", "Two games of one opening are one group; who had White is not in the file.")
    refuse_without_games(len(games.first), "fastchess results", notes)
    return games.matches(ordered=False)


def _add_counts(
    games: Games, label: str, sides: tuple[str, str], single: Mapping[str, int], pairs: Mapping[str, int]
) -> None:
    """Take counts game by game: those of pairs of games, where there are some, in groups of two."""
    for key, count in pairs.items():
        for k in range(count):
            for score in TWO_GAMES[key]:
                games.add(*sides, score, group=f"{label} {key} {k + 1}")
    if not pairs:
        for key, count in single.items():
            for k in range(count):
                games.add(*sides, SINGLE[key], group=f"{label} {key} {k + 1}")


def _counts(path: Path, name: str, stats: Mapping[str, Any], keys: Mapping[str, object]) -> dict[str, int]:
    counts = {}
    for key in keys:
        number = number_of(stats.get(key, 0))
        if number is None or not 0 <= number <= MOST_GAMES or number % 1:
            raise DataError(f'{path}: "{name}": {key} is no count: {short_name(str(stats[key]))}')
        counts[key] = int(number)
    return counts


FINISHED = re.compile(r"Finished game (\d{1,9}) \((.+?) vs (.+)\): (1-0|0-1|1/2-1/2|\*)(?:\s+\{(.*)\})?")
SCORE = re.compile(r"Score of (.+?) vs (.+): (\d+) - (\d+) - (\d+)(?:\s|$)")
RESULTS = re.compile(r"Results of (.+?) vs (.+?)(?: \([^()]*\))?:\s*$")
GAMES = re.compile(r"Games: \d+, Wins: (\d+), Losses: (\d+), Draws: (\d+)")
PAIRS = re.compile(r"P(?:tnm|ntm)l\(0-2\): \[(\d+), (\d+), (\d+), (\d+), (\d+)\]")
BROKEN_OFF = re.compile(r"disconnect|stall|loses on time|illegal|crash", re.IGNORECASE)
RESULT = {word.decode(): score for word, score in ENDS.items()}
Engines = tuple[str, str]


@dataclass(slots=True)
class EngineOutput:
    """What one file says of its games."""

    games: list[tuple[int, Engines, float, int]] = field(default_factory=list)
    counts: dict[Engines, dict[str, int]] = field(default_factory=dict)
    pairs: dict[Engines, dict[str, int]] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    run: int = 0
    open: int = 0
    broken: int = 0
    now: Engines | None = None

    def take(self, line: str) -> None:
        """Take in a line; what says nothing of a result is passed over."""
        if match := FINISHED.search(line):
            self._finished(int(match[1]), (match[2], match[3]), match[4], match[5] or "")
        elif match := SCORE.search(line):
            self._count((match[1], match[2]), match.groups()[2:])
        elif match := RESULTS.search(line):
            self.now = (match[1], match[2])
        elif self.now and (match := GAMES.search(line)):
            self._count(self.now, match.groups())
        elif self.now and (match := PAIRS.search(line)):
            self._paired(self.now, [int(text[:9]) for text in match.groups()])

    def _finished(self, number: int, engines: Engines, result: str, reason: str) -> None:
        if number in self.seen:  # a second match in one file begins at 1 again
            self.run, self.seen = self.run + 1, set()
        self.seen.add(number)
        if result == "*":
            self.open += 1
            return
        self.broken += bool(BROKEN_OFF.search(reason))
        self.games.append((number, engines, RESULT[result], self.run))

    def _count(self, engines: Engines, texts: Iterable[str]) -> None:
        self.counts[engines] = dict(zip(("wins", "losses", "draws"), (int(text[:9]) for text in texts), strict=True))
        self.pairs.pop(engines, None)

    def _paired(self, engines: Engines, counts: Sequence[int]) -> None:
        """Part pairs of games by their points; of those with one point, the draws say which are two draws."""
        ll, ld, middle, wd, ww = counts
        dd = (self.counts.get(engines, {}).get("draws", 0) - ld - wd) // 2
        if 0 <= dd <= middle:
            parts = (ww, wd, middle - dd, dd, ld, ll)
            self.pairs[engines] = dict(zip(("WW", "WD", "WL", "DD", "LD", "LL"), parts, strict=True))


def read_output(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:  # noqa: ARG001  # all readers are called so
    """Read finished games where they are printed; of engines without such lines, the last score of the two."""
    notes.mapped("Finished game (a, b, outcome)", "games 1 and 2, 3 and 4 ... of a match (group)", "Score, Results")
    games, outputs = Games(), [_output(path) for path in files]
    for path, output in zip(files, outputs, strict=True):
        listed = Counter(frozenset(engines) for _, engines, _, _ in output.games)
        for number, engines, score, run in output.games:
            pair = f"match {run + 1}, {' and '.join(sorted(engines))}, opening {(number + 1) // 2}"
            games.add(*engines, score, group=f"{path.name}: {pair}")
        for engines, counts in output.counts.items():
            if (finished := listed[frozenset(engines)]) and finished != sum(counts.values()) and not output.run:
                sentence = "The last score is of another number of games than are listed one by one; these count"
                notes.gather("stated-score-differs", sentence, path.name, severity="warning")
            if not finished:
                _add_last_score(games, path, engines, counts, output.pairs.get(engines, {}))
                notes.gather("last-score-taken", "Games are not listed one by one: the last score counts", path.name)
    notes.use(len(games.first))
    _say_broken_off(outputs, notes)
    refuse_without_games(len(games.first), "outputs of cutechess and fastchess", notes)
    return games.matches(ordered=all(output.games for output in outputs))


def _output(path: Path) -> EngineOutput:
    output = EngineOutput()
    with opened(path) as file:
        for raw in file:
            line = raw.decode("utf-8", errors="replace").rstrip()
            if is_mark(line):
                refuse_conflict(path)
            output.take(line)
    for _, (a, b), _, _ in output.games:
        _refuse_same(path, a, b)
    return output


def _refuse_same(path: Path, a: str, b: str) -> None:
    if a == b:
        raise DataError(f'{path}: both engines are called "{a}"; give them names that differ')


def _add_last_score(games: Games, path: Path, engines: Engines, counts: dict[str, int], pairs: dict[str, int]) -> None:
    _refuse_same(path, *engines)
    if sum(counts.values()) > MOST_GAMES:
        raise DataError(f"{path}: {sum(counts.values()):,} games of {' and '.join(engines)} are more than can be")
    whole = 2 * sum(pairs.values()) == sum(counts.values())
    single = {key: counts[key] for key in SINGLE}
    _add_counts(games, f"{path.name} {engines}", engines, single, {f"penta_{k}": n for k, n in pairs.items() if whole})


def _say_broken_off(outputs: Sequence[EngineOutput], notes: Notes) -> None:
    broken, left = sum(output.broken for output in outputs), sum(output.open for output in outputs)
    if left:
        notes.drop("without a result (*)", left)
    if broken:
        notes.warning(
            "games-ended-otherwise", f"{broken:,} games counted that ended by a lost connection, on time or the like."
        )
