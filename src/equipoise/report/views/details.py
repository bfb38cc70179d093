"""Details of an agent or a cell: its games against each opponent, or its score on each task.

A page keeps this as plain numbers and opens it at a click.
"""

from collections.abc import Mapping, Sequence
from math import isnan

import numpy as np

from equipoise.core.results import FloatArray
from equipoise.data.types.pairs import PairTable
from equipoise.data.types.scores import Scores
from equipoise.inference.confidence import clopper_pearson_interval

MOST_PAIRS, MOST_CELLS = 25_000, 60_000
"""Pairs of 220 agents, or cells of 200 agents on 300 tasks: what keeps a page well under two megabytes."""


def pair_details(table: PairTable, order: Sequence[str]) -> Mapping[str, object]:
    """Give the games of each pair, agents in this order; of very many agents those of the first.

    Counted games have the exact 95% interval of the first one's share, a tie being half.
    """
    most = int(np.sqrt(2 * MOST_PAIRS)) if len(table.first) > MOST_PAIRS else len(order)
    names = list(order[:most])
    place = {name: k for k, name in enumerate(names)}
    plain = table.unordered()
    code = np.array([place.get(name, -1) for name in table.agents])
    first, second = code[plain.first], code[plain.second]
    kept = np.flatnonzero((first >= 0) & (second >= 0))
    columns = (first, second, plain.wins, plain.losses, plain.ties)
    pairs = [list(map(_short, row)) for row in np.column_stack([column[kept] for column in columns]).tolist()]
    if table.counted and pairs:
        wins, losses, ties = (column[kept] for column in columns[2:])
        ends = clopper_pearson_interval(wins + ties / 2, wins + losses + ties, 0.05)
        pairs = [[*row, *map(_share, both)] for row, both in zip(pairs, np.column_stack(ends).tolist(), strict=True)]
    return {"agents": names, "pairs": pairs, "counted": table.counted, "left": len(order) - len(names)}


def score_details(scores: Scores, order: Sequence[str]) -> Mapping[str, object]:
    """Give each agent's score on each task, agents in this order; of very large tables those of the first."""
    most = max(1, MOST_CELLS // max(1, len(scores.tasks)))
    names = list(order[:most])
    place = {name: k for k, name in enumerate(scores.agents)}
    rows = [_row(scores.values[place[name]]) if name in place else [] for name in names]
    return {"agents": names, "tasks": list(scores.tasks), "scores": rows, "left": len(order) - len(names)}


def _row(values: FloatArray) -> Sequence[float | int | None]:
    if np.array_equal(values, np.rint(values)):  # answers are right or wrong: nothing to shorten
        return [int(value) for value in values.tolist()]
    return [None if isnan(value) else _short(value) for value in values.tolist()]


def _share(value: float) -> float:
    return round(value, 3)


def _short(value: float) -> float | int:
    """Four digits are enough to read, and whole numbers need no point."""
    if value.is_integer():
        return int(value)
    shown = float(f"{value:.4g}") if abs(value) < 1000 else round(value, 1)
    return int(shown) if shown.is_integer() else shown
