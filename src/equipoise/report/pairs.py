"""Views of a pair table."""

from collections.abc import Sequence

import numpy as np

from equipoise.data.pairs import PairTable
from equipoise.report.charts.head_to_head import MOST_AGENTS, HeadToHead

__all__ = ["head_to_head"]


def head_to_head(table: PairTable, order: Sequence[str]) -> HeadToHead:
    """Give the win rates between agents in this order; only those that a chart has room for are looked at."""
    top = list(order[:MOST_AGENTS])
    place = np.full(len(table.agents), -1)
    codes = {name: code for code, name in enumerate(table.agents)}
    place[[codes[name] for name in top]] = np.arange(len(top))
    first, second = place[table.first], place[table.second]
    kept = (first >= 0) & (second >= 0)
    wins, games = np.zeros((2, len(top), len(top)))
    for i, j, won, played in zip(first[kept], second[kept], table.score[kept], table.games[kept], strict=True):
        wins[i, j] += won
        wins[j, i] += played - won
        games[i, j] += played
        games[j, i] += played
    rates = [[w / g if g > 0 else None for w, g in zip(*pair, strict=True)] for pair in zip(wins, games, strict=True)]
    return HeadToHead(tuple(order), rates, games.tolist() if table.counted else None)
