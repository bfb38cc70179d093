"""Columns of codes and counts, joined and added up."""

import numpy as np
import numpy.typing as npt

from equipoise.core.results import FloatArray
from equipoise.data.encode.labels import Codes

LONG = 2_000_000
"""Rows from which pairs are sorted by compiled loops, which are quicker but take their time to load."""
PIECE = 2**18
"""Rows that are counted together, so that what is made of them stays in the processor's cache."""


def relabelled(parts: list[tuple[tuple[str, ...], tuple[Codes, ...]]]) -> tuple[tuple[str, ...], list[Codes]]:
    """Join columns of codes, each with labels of its own, into columns with one set of labels."""
    place: dict[str, int] = {}
    columns = []
    for labels, codes in parts:
        where = np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int32)
        columns.append([where[column] for column in codes])
    return tuple(place), [np.concatenate(column) for column in zip(*columns, strict=True)]


def sums(codes: npt.NDArray[np.integer], values: FloatArray, count: int) -> FloatArray:
    """Add up the values of each code."""
    return np.bincount(codes, values, count).astype(np.float64)


def counted_results(first: Codes, second: Codes, score: FloatArray, agents: int) -> list[npt.NDArray[np.int64]] | None:
    """Count plain results of ordered pairs: both codes, wins, losses and ties of each pair that met.

    None where a score is none of 0, 1/2 and 1, or where rows are not many times as many as pairs.
    """
    if len(score) < 4 * agents**2:
        return None
    total = np.zeros(3 * agents**2, dtype=np.int64)
    for start in range(0, len(score), PIECE):
        rows = slice(start, start + PIECE)
        twice = 2 * score[rows]
        result = twice.astype(np.int64)  # 0 is a loss, 1 a tie, 2 a win
        if not (result == twice).all():
            return None
        key = first[rows].astype(np.int64)
        key *= agents
        key += second[rows]
        key *= 3
        key += result
        total += np.bincount(key, minlength=len(total))
    losses, ties, wins = total.reshape(-1, 3).T
    met = np.flatnonzero(losses + ties + wins)
    return [*np.divmod(met, agents), wins[met], losses[met], ties[met]]


def many_pairs(first: Codes, second: Codes, score: FloatArray, agents: int) -> tuple[Codes, Codes, FloatArray] | None:
    """Count plain results of many pairs: both codes, and a row each of wins, losses and ties; keys come back sorted.

    None where a score is none of 0, 1/2 and 1, or where rows are too few to load compiled loops for.
    """
    if not LONG < len(score) < 2**31 or agents >= 2**29:
        return None
    from equipoise.data.encode._pair_kernels import plain_counts

    plain, left, right, counts = plain_counts(first, second, score, agents)
    return (left, right, counts) if plain else None


def tallied(
    first: Codes, second: Codes, counts: tuple[FloatArray, FloatArray, FloatArray], agents: int
) -> tuple[FloatArray, FloatArray]:
    """Games and score of each agent, from wins, losses and ties of pairs."""
    wins, losses, ties = counts
    played, won = wins + losses + ties, wins + ties / 2
    games = sums(first, played, agents) + sums(second, played, agents)
    return games, sums(first, won, agents) + sums(second, played - won, agents)


def add_up(
    keys: list[npt.NDArray[np.signedinteger]], values: list[FloatArray], agents: int
) -> tuple[list[FloatArray], list[npt.NDArray[np.signedinteger]]]:
    """Sum the values of equal keys: two agents, or a group and two agents. Keys come back sorted."""
    dense = len(keys) == 2 and agents**2 <= 4 * len(keys[0])
    key = keys[0].astype(np.int64)
    for more in keys[1:]:
        key = key * agents + more
    if dense:
        # Most pairs met, and often: a counter for each possible pair is cheaper than sorting the rows.
        met = np.flatnonzero(np.bincount(key, minlength=agents**2))
        totals = [sums(key, value, agents**2)[met] for value in values]
        return totals, list(np.divmod(met, agents))
    order = np.argsort(key, kind="stable")
    in_order = key[order]
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(key), 1), dtype=bool), in_order[1:] != in_order[:-1]]))
    totals = [np.add.reduceat(value[order], starts) if len(starts) else value for value in values]
    return totals, [column[order[starts]] for column in keys]
