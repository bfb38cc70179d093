"""What cutechess and fastchess print while engines play: finished games one by one, and scores of pairs so far."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from equipoise.core.errors import DataError
from equipoise.data.types.matches import Matches
from equipoise.logs.files.bytes_read import opened
from equipoise.logs.files.merge_conflicts import is_mark, refuse_conflict
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.games.fastchess import MOST, SINGLE, add_counts
from equipoise.logs.games.matches import Games, refuse_without_games
from equipoise.logs.games.pgn_headers import ENDS

__all__ = ["read"]

FINISHED = re.compile(r"Finished game (\d{1,9}) \((.+?) vs (.+)\): (1-0|0-1|1/2-1/2|\*)(?:\s+\{(.*)\})?")
SCORE = re.compile(r"Score of (.+?) vs (.+): (\d+) - (\d+) - (\d+)(?:\s|$)")
RESULTS = re.compile(r"Results of (.+?) vs (.+?)(?: \([^()]*\))?:\s*$")
GAMES = re.compile(r"Games: \d+, Wins: (\d+), Losses: (\d+), Draws: (\d+)")
PAIRS = re.compile(r"P(?:tnm|ntm)l\(0-2\): \[(\d+), (\d+), (\d+), (\d+), (\d+)\]")
BROKEN_OFF = re.compile(r"disconnect|stall|loses on time|illegal|crash", re.IGNORECASE)
RESULT = {word.decode(): score for word, score in ENDS.items()}
Engines = tuple[str, str]


@dataclass(slots=True)
class Output:
    """What one file tells of its games."""

    games: list[tuple[int, Engines, float, int]] = field(default_factory=list)
    counts: dict[Engines, dict[str, int]] = field(default_factory=dict)
    pairs: dict[Engines, dict[str, int]] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    run: int = 0
    open: int = 0
    broken: int = 0
    now: Engines | None = None

    def take(self, line: str) -> None:
        """Take in a line; what tells nothing of a result is passed over."""
        if found := FINISHED.search(line):
            self._finished(int(found[1]), (found[2], found[3]), found[4], found[5] or "")
        elif found := SCORE.search(line):
            self._count((found[1], found[2]), found.groups()[2:])
        elif found := RESULTS.search(line):
            self.now = (found[1], found[2])
        elif self.now and (found := GAMES.search(line)):
            self._count(self.now, found.groups())
        elif self.now and (found := PAIRS.search(line)):
            self._paired(self.now, [int(text[:9]) for text in found.groups()])

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
        """Part pairs of games by their points; of those with one point, the draws tell which are two draws."""
        ll, ld, middle, wd, ww = counts
        dd = (self.counts.get(engines, {}).get("draws", 0) - ld - wd) // 2
        if 0 <= dd <= middle:
            parts = (ww, wd, middle - dd, dd, ld, ll)
            self.pairs[engines] = dict(zip(("WW", "WD", "WL", "DD", "LD", "LL"), parts, strict=True))


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:  # noqa: ARG001  # all readers are called so
    """Read finished games where they are printed; of engines without such lines, the last score of the two."""
    notes.mapped("Finished game (a, b, outcome)", "games 1 and 2, 3 and 4 ... of a match (group)", "Score, Results")
    games, outputs = Games(), [_output(path) for path in files]
    for path, output in zip(files, outputs, strict=True):
        told = Counter(frozenset(engines) for _, engines, _, _ in output.games)
        for number, engines, score, run in output.games:
            pair = f"match {run + 1}, {' and '.join(sorted(engines))}, opening {(number + 1) // 2}"
            games.add(*engines, score, group=f"{path.name}: {pair}")
        for engines, counts in output.counts.items():
            if (finished := told[frozenset(engines)]) and finished != sum(counts.values()) and not output.run:
                sentence = "The last score is of another number of games than were told one by one, which count"
                notes.gather("stated-score-differs", sentence, path.name, severity="warning")
            if not finished:
                _add(games, path, engines, counts, output.pairs.get(engines, {}))
                notes.gather("last-score-taken", "Games are not told one by one: the last score counts", path.name)
    notes.use(len(games.first))
    _say(outputs, notes)
    refuse_without_games(len(games.first), "outputs of cutechess and fastchess", notes)
    return games.matches(ordered=all(output.games for output in outputs))


def _output(path: Path) -> Output:
    output = Output()
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


def _add(games: Games, path: Path, engines: Engines, counts: dict[str, int], pairs: dict[str, int]) -> None:
    _refuse_same(path, *engines)
    if sum(counts.values()) > MOST:
        raise DataError(f"{path}: {sum(counts.values()):,} games of {' and '.join(engines)} are more than can be")
    whole = 2 * sum(pairs.values()) == sum(counts.values())
    single = {key: counts[key] for key in SINGLE}
    add_counts(games, f"{path.name} {engines}", engines, single, {f"penta_{k}": n for k, n in pairs.items() if whole})


def _say(outputs: Sequence[Output], notes: Notes) -> None:
    broken, left = sum(output.broken for output in outputs), sum(output.open for output in outputs)
    if left:
        notes.drop("without a result (*)", left)
    if broken:
        notes.warning(
            "games-ended-otherwise", f"{broken:,} games counted that ended by a lost connection, on time or the like."
        )
