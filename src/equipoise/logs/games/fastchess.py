"""The state that fastchess saves: results of each pair of engines, with those of pairs of games (pentanomial)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from equipoise.core.errors import DataError
from equipoise.data.types.matches import Matches
from equipoise.logs.files.json_files import number_of, whole_object
from equipoise.logs.format import LogReading, Notes
from equipoise.logs.games.matches import Games, refuse_without_games
from equipoise.logs.tables.names import short_name

__all__ = ["MOST", "SINGLE", "add_counts", "read"]

MOST = 10_000_000
"""Games of two engines: a count beyond this is a slip, and would not fit into memory game by game."""
SINGLE = {"wins": 1.0, "draws": 0.5, "losses": 0.0}
TWO_GAMES = {
    "penta_WW": (1.0, 1.0), "penta_WD": (1.0, 0.5), "penta_WL": (1.0, 0.0), "penta_DD": (0.5, 0.5),
    "penta_LD": (0.0, 0.5), "penta_LL": (0.0, 0.0),
}  # fmt: skip


def read(files: Sequence[Path], how: LogReading, notes: Notes) -> Matches:  # noqa: ARG001  # all readers are called so
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
            add_counts(games, f"{path.name} {name}", (a, b), single, pairs if whole else {})
    notes.use(len(games.first))
    if empty:
        notes.info("pairs-without-games", f"{empty:,} pairs in the file have no games yet.")
    if paired:
        notes.info("games-in-pairs", "Two games of one opening are one group; who had White is not in the file.")
    refuse_without_games(len(games.first), "fastchess results", notes)
    return games.matches(ordered=False)


def add_counts(
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
    found = {}
    for key in keys:
        number = number_of(stats.get(key, 0))
        if number is None or not 0 <= number <= MOST or number % 1:
            raise DataError(f'{path}: "{name}": {key} is no count: {short_name(str(stats[key]))}')
        found[key] = int(number)
    return found
