"""Data like the data at hand: matches, clusters of matches, tasks or runs drawn with replacement."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np

from equipoise.core.errors import DataError, ParameterError
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.encode.labels import Codes
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores

FEW_GAMES = 4
"""Games for each count up to which drawing game by game is quicker than drawing all counts; both are the same law."""
Unit = Literal["matches", "clusters", "tasks", "runs"]
Data = Matches | PairTable | Scores


def unit_drawn(data: Data, unit: Unit | None) -> Unit:
    """Give what is drawn: what was asked for, if it fits the data; else single matches, or tasks of scores."""
    what, fitting = ("scores", ("tasks", "runs")) if isinstance(data, Scores) else ("matches", ("matches", "clusters"))
    if unit is None:
        return "tasks" if isinstance(data, Scores) else "matches"
    if unit not in fitting:
        one, other = (Option("over", word) for word in fitting)
        raise ParameterError(f"{what} are resampled by ", one, " or ", other, f', not "{unit}"')
    return unit


def refuse_resampling(data: Data, unit: Unit, *, counts: bool) -> None:
    """Refuse data that cannot be drawn from, before anything is fitted to them."""
    if unit == "clusters" and not isinstance(data, Scores):
        _check_grouped(data)
    if isinstance(data, PairTable) and not counts:
        raise DataError("this method needs matches, not pair counts")
    if isinstance(data, PairTable) and not data.counted:
        raise DataError("a table of probabilities without games cannot be resampled: of how many games is it?")


def resamples(
    data: Data, unit: Unit, *, counts: bool, unordered: bool = False
) -> Callable[[int, np.random.Generator], Sequence[Data]]:
    """Give what draws so many data like these; matches as ``counts`` of pairs, or row by row in their order.

    Where the two ways round of a pair are one to a method, counts may be of ``unordered`` pairs, from the same draws.
    """
    refuse_resampling(data, unit, counts=counts)
    if isinstance(data, Scores):
        return partial(_by_task if unit == "tasks" else _by_run, data)
    if isinstance(data, Matches) and not counts:
        return partial(_by_row if unit == "matches" else _by_group_of_rows, data)
    table = data.pairs(by_group=unit == "clusters") if isinstance(data, Matches) else data
    if unit == "clusters":
        return partial(_by_group, table)
    if not unordered or table.shared is not None:
        return partial(_by_match, table, _Games.of(table, np.arange(3 * len(table.first), dtype=np.int32)))
    pairs, place = _without_sides(table)
    return partial(_by_match, pairs, _Games.of(table, place))


@dataclass(frozen=True, slots=True, eq=False)
class _Games:
    """The games of a table, made ready to be drawn from.

    Attributes
    ----------
    counts
        Wins, losses and ties that are there.
    place
        Where each of these is counted.
    of_game
        The same of each game, where they are drawn one by one; else None.
    """

    counts: FloatArray
    place: Codes
    of_game: Codes | None

    @classmethod
    def of(cls, table: PairTable, place: Codes) -> "_Games":
        """Take the games of a table, whose wins, then losses, then ties are counted at these places."""
        counts = np.concatenate([table.wins, table.losses, table.ties])
        seen = np.flatnonzero(counts)
        there, total = counts[seen], counts.sum()
        one_by_one = 1 <= total < FEW_GAMES * len(seen) and bool((there == np.floor(there)).all())
        place = place[seen]
        return cls(there, place, np.repeat(place, there.astype(np.int64)) if one_by_one else None)

    def draw(self, rng: np.random.Generator, places: int) -> FloatArray:
        """Draw as many games as there are, and count them at their places."""
        total = self.counts.sum()
        games = max(round(float(total)), 1)
        if self.of_game is None:
            drawn = rng.multinomial(games, self.counts / total) * (total / games)
            return np.bincount(self.place, drawn, places).astype(np.float64)
        return np.bincount(self.of_game.take(rng.integers(games, size=games)), minlength=places).astype(np.float64)


def _by_match(table: PairTable, games: _Games, size: int, rng: np.random.Generator) -> list[PairTable]:
    drawn = [games.draw(rng, 3 * len(table.first)).reshape(3, -1) for _ in range(size)]
    if table.shared is None:
        return table.with_each_counts([tuple(counts) for counts in drawn])
    return table.with_each_counts([_shared(table, *counts) for counts in drawn])


def _without_sides(table: PairTable) -> tuple[PairTable, Codes]:
    """Give the table of unordered pairs, and where each count (wins, then losses, then ties) has its place in it."""
    one, swap = table.unordered(), table.first > table.second
    low, high = np.minimum(table.first, table.second), np.maximum(table.first, table.second)
    known, key = ((i.astype(np.int64) * len(table.agents) + j) for i, j in ((one.first, one.second), (low, high)))
    row, rows = np.searchsorted(known, key).astype(np.int32), np.int32(len(known))
    return one, np.concatenate([row + rows * swap, row + rows * ~swap, row + 2 * rows])


def _shared(table: PairTable, wins: FloatArray, losses: FloatArray, ties: FloatArray) -> tuple[FloatArray, ...]:
    """Let drawn wins deviate from their mean by as much as fractional scores do, which is less than games won do.

    n games with scores of mean m and variance v: draws of n m wins have the variance n m (1 - m), and are brought
    nearer to n m by the square root of v / (m (1 - m)).
    """
    assert table.shared is not None
    decided = table.wins + table.losses
    share = table.wins / np.where(decided > 0, decided, 1.0)
    spread = decided * share * (1 - share)
    narrower = np.sqrt(np.clip(1 - table.shared / np.where(spread > 0, spread, np.inf), 0.0, 1.0))
    games = wins + losses
    won = games * share + narrower * (wins - games * share)
    kept = table.shared * games / np.where(decided > 0, decided, 1.0)
    return won, games - won, ties, kept


def _by_group(table: PairTable, size: int, rng: np.random.Generator) -> list[PairTable]:
    assert table.group is not None
    groups = len(table.group.labels)
    counts = [part for part in (table.wins, table.losses, table.ties, table.shared) if part is not None]
    drawn = []
    for _ in range(size):
        times = rng.multinomial(groups, np.full(groups, 1 / groups))[table.group.codes].astype(float)
        drawn.append(tuple(part * times for part in counts))
    return table.with_each_counts(drawn)


def _by_row(matches: Matches, size: int, rng: np.random.Generator) -> list[Matches]:
    ordered, rows = matches.order(), len(matches)
    return [matches.take(ordered[np.sort(rng.integers(rows, size=rows))]) for _ in range(size)]


def _by_group_of_rows(matches: Matches, size: int, rng: np.random.Generator) -> list[Matches]:
    assert matches.group is not None
    ordered = matches.order()
    groups, codes = len(matches.group.labels), matches.group.codes
    drawn = (rng.multinomial(groups, np.full(groups, 1 / groups))[codes] for _ in range(size))
    return [matches.take(np.repeat(ordered, times[ordered])) for times in drawn]


def _check_grouped(data: Matches | PairTable) -> None:
    if data.group is None:
        advice = Advice("name its column with ", Option("group"))
        raise DataError(Option("over", "clusters"), " needs matches with a group", advice=[advice])


def _by_task(scores: Scores, size: int, rng: np.random.Generator) -> list[Scores]:
    tasks, samples = len(scores.tasks), []
    for _ in range(size):
        sample = scores.take(tasks=np.sort(rng.integers(tasks, size=tasks)))
        # The same task drawn twice is two tasks to the method: names must stay unique.
        samples.append(replace(sample, tasks=tuple(f"{name} #{k}" for k, name in enumerate(sample.tasks))))
    return samples


def _by_run(scores: Scores, size: int, rng: np.random.Generator) -> list[Scores]:
    """Draw the runs of each cell anew: single scores, or successes of so many attempts."""
    if scores.trials is None or scores.trials.max() < 2:
        advice = Advice("draw tasks with ", Option("over", "tasks"))
        raise DataError(Option("over", "runs"), " needs repeated runs of agents on tasks", advice=[advice])
    if scores.repeats is not None:
        return [scores.with_repeats(_drawn(scores.repeats, rng)) for _ in range(size)]
    rates, trials = np.where(scores.missing, 0.0, scores.values), np.maximum(scores.trials, 1)
    drawn = (rng.binomial(scores.trials, rates) / trials for _ in range(size))
    return [replace(scores, values=np.where(scores.missing, np.nan, values)) for values in drawn]


def _drawn(repeats: FloatArray, rng: np.random.Generator) -> FloatArray:
    # A cell's runs are not always its first places: sort them to the front.
    front = np.take_along_axis(repeats, np.argsort(np.isnan(repeats), axis=2, kind="stable"), axis=2)
    count = np.sum(~np.isnan(front), axis=2)[:, :, None]
    pick = (rng.random(front.shape) * count).astype(np.int64)
    return np.where(np.arange(front.shape[2]) < count, np.take_along_axis(front, pick, axis=2), np.nan)
