"""Counts of results, kept as they come in: all that ratings need of a million games.

Scores between a win and a tie count as parts of a win and of a loss. Parts are kept as whole numbers of a fixed unit,
so that the order in which results arrive does not change a single bit of the sums.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Self

import numpy as np

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.types.pairs import PairTable

UNIT = 2**32
"""Parts of a win."""


class Tally:
    """Wins, losses and ties of ordered pairs, and sums of scores of players.

    Attributes
    ----------
    names
        Of the players.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._at = {name: at for at, name in enumerate(self.names)}
        self._pairs = np.zeros((len(self.names), len(self.names), 3), dtype=np.int64)
        self._players = np.zeros((len(self.names), 2), dtype=np.int64)
        self._games = np.zeros((len(self.names), len(self.names), 2), dtype=np.int64)

    def add_player(self, name: str) -> None:
        """Make room for one more."""
        self._at[name] = len(self.names)
        self.names.append(name)
        self._pairs = np.pad(self._pairs, ((0, 1), (0, 1), (0, 0)))
        self._players = np.pad(self._players, ((0, 1), (0, 0)))
        self._games = np.pad(self._games, ((0, 1), (0, 1), (0, 0)))

    def add_pair(self, first: str, second: str, score: float, times: int = 1) -> None:
        """Count a game between two by the first's score in [0, 1]; ``times=-1`` takes it back."""
        cell = self._pairs[self._at[first], self._at[second]]
        if score == 0.5:
            cell[2] += times * UNIT
        else:
            won = round(score * UNIT)
            cell[0] += times * won
            cell[1] += times * (UNIT - won)

    def add_game(self, players: Sequence[str], scores: Sequence[float], times: int = 1) -> None:
        """Count for each two of those who played together who scored more, or that they drew."""
        seats = [self._at[player] for player in players]
        for (i, score), (j, other) in combinations(zip(seats, scores, strict=True), 2):
            at = (i, j, 1) if score == other else (i, j, 0) if score > other else (j, i, 0)
            self._games[at] += times

    def add_score(self, player: str, score: float, times: int = 1) -> None:
        """Count a player's normalised score in one trial."""
        row = self._players[self._at[player]]
        row[0] += times
        row[1] += times * round(score * UNIT)

    @property
    def trials(self) -> IntArray:
        """Trials of each player."""
        return self._players[:, 0].copy()

    @property
    def mean_scores(self) -> FloatArray:
        """Mean normalised score of each player; NaN before its first trial."""
        trials = self._players[:, 0]
        return np.where(trials > 0, self._players[:, 1] / (UNIT * np.maximum(trials, 1)), np.nan)

    def pairs(self) -> PairTable | None:
        """Give the counts of ordered pairs; None before anybody met."""
        first, second = np.nonzero(self._pairs.any(axis=2))
        if not len(first):
            return None
        counts = self._pairs[first, second] / UNIT
        return PairTable.from_counts(tuple(self.names), first, second, *np.ascontiguousarray(counts.T))

    @property
    def won(self) -> IntArray:
        """Games in which each player (by row) scored more than another (by column)."""
        return self._games[:, :, 0].copy()

    @property
    def drawn(self) -> IntArray:
        """Games of each pair in which both scored the same."""
        drawn: IntArray = self._games[:, :, 1] + self._games[:, :, 1].T
        return drawn

    def points(self) -> IntArray:
        """Parts of wins, losses and ties of each pair, both orders together: the first's, by the lower number."""
        turned = self._pairs[:, :, [1, 0, 2]].transpose(1, 0, 2)
        both: IntArray = self._pairs + turned
        return both

    def games(self) -> FloatArray:
        """Games of each pair, both orders together."""
        games: FloatArray = self._pairs.sum(axis=2) / UNIT
        return games + games.T

    def state(self) -> dict[str, Any]:
        """Give the counts as JSON, without the pairs that never met."""
        first, second = np.nonzero(self._pairs.any(axis=2))
        cells = np.column_stack([first, second, self._pairs[first, second]]).tolist()
        at = np.nonzero(self._games.any(axis=2))
        games = np.column_stack([*at, self._games[at]]).tolist()
        return {"names": list(self.names), "pairs": cells, "players": self._players.tolist(), "games": games}

    @classmethod
    def from_state(cls, saved: dict[str, Any]) -> Self:
        """Read what :meth:`state` wrote."""
        new = cls(saved["names"])
        for i, j, *counts in saved["pairs"]:
            new._pairs[i, j] = counts
        for i, j, *counts in saved["games"]:
            new._games[i, j] = counts
        new._players = np.array(saved["players"], dtype=np.int64).reshape(len(new.names), 2)
        return new
