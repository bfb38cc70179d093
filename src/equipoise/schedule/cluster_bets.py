"""Bets on games that are not independent, such as the votes of one voter: one on the mean score of each cluster.

Games of a cluster share what the voter likes, so that a bet a game would take one taste for the evidence of many games.
Means of different clusters are independent, and within [0, 1] as single scores are: the same capital is then valid.
"""

from typing import NamedTuple, Self

import numpy as np

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.types.pairs import PairTable


class ClusterBets(NamedTuple):
    """One bet for each pair and cluster: on the mean ``score`` of the earlier agent in so many ``games``.

    ``first`` and ``second`` are codes of agents, the earlier one first.
    """

    first: IntArray
    second: IntArray
    score: FloatArray
    games: FloatArray

    @classmethod
    def of(cls, table: PairTable) -> Self | None:
        """Take the column with the fewest clusters; None where games are not clustered."""
        if table.group is None:
            return None
        columns = (table.group, *table.crossed.values())
        cluster = min((column.codes for column in columns), key=lambda codes: len(np.unique(codes))).astype(np.int64)
        swapped = table.first > table.second
        one, other = np.where(swapped, table.second, table.first), np.where(swapped, table.first, table.second)
        n, width = len(table.agents), int(cluster.max(initial=0)) + 1
        keys, at = np.unique((one.astype(np.int64) * n + other) * width + cluster, return_inverse=True)
        points = np.bincount(at, np.where(swapped, table.losses, table.wins) + table.ties / 2, len(keys))
        games = np.bincount(at, table.games, len(keys)).astype(float, copy=False)
        played, pair = games > 0, keys // width
        return cls(pair[played] // n, pair[played] % n, points[played] / games[played], games[played])

    def growth_of_a_game(self, agents: int) -> FloatArray:
        r"""Estimate what a further game adds to the log capital of each pair, agents by agents.

        A bet adds :math:`\delta^2 / (2 (v + \delta^2))`, with :math:`\delta` the distance of the mean score from one
        half and v the variance of scores; games come in clusters as they have so far.
        """
        pair = self.first * agents + self.second
        bets, games, total, squares = (
            np.bincount(pair, part, agents**2)
            for part in (np.ones(len(pair)), self.games, self.score - 0.5, (self.score - 0.5) ** 2)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            growth = (total / bets) ** 2 / (2 * squares / bets) * bets / games
        return np.nan_to_num(growth).reshape(agents, agents)
