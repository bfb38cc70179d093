"""Mean scores of clusters of games, such as the votes of one voter, which are not independent of each other.

Games of a cluster share what the voter likes, so that each of them alone would take one taste for the evidence of many
games. Means of different clusters are independent, and within [0, 1] as single scores are: bets and bounds on scores
are valid with one of them a cluster.
"""

from typing import NamedTuple, Self

import numpy as np

from equipoise.core.results import FloatArray, IntArray
from equipoise.data.types.pairs import PairTable


class ClusterScores(NamedTuple):
    """For each pair and cluster the mean ``score`` of the earlier agent, and in how many ``games``.

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
        r"""Estimate what a further game adds to the log capital of bets on each pair, agents by agents.

        A bet adds :math:`\delta^2 / (2 (v + \delta^2))`, with :math:`\delta` the distance of the mean score from one
        half and v the variance of scores; games come in clusters as they have so far.
        """
        off = self.score - 0.5
        clusters, games, total, squares = (
            self._summed(agents, part) for part in (np.ones(len(off)), self.games, off, off**2)
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.nan_to_num((total / clusters) ** 2 / (2 * squares / clusters) * clusters / games)

    def means(self, agents: int) -> tuple[FloatArray, FloatArray]:
        """Give the mean over clusters of each agent's score against each other, and how many clusters there are."""
        clusters, total = (self._summed(agents, part) for part in (np.ones(len(self.score)), self.score))
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.nan_to_num(total / clusters)
        return mean + np.where(clusters.T > 0, 1 - mean.T, 0), clusters + clusters.T

    def _summed(self, agents: int, part: FloatArray) -> FloatArray:
        """Sum over the clusters of each pair, agents by agents."""
        pair = self.first * agents + self.second
        return np.bincount(pair, part, agents**2).astype(float, copy=False).reshape(agents, agents)
