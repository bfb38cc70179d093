"""How sure a choice is: a test of the Condorcet winner, sign tests of pairs, and how often a choice comes out again.

An order jumps with small changes of the votes, so that what resampling gives is a bootstrap range and no confidence
interval. Whether an agent beats every other one has a proper test all the same: it is wrongly called the winner only if
one single duel misleads, so the largest of its one-sided p-values needs no correction over opponents.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy

from equipoise.choice.tally import DuelTally, reweighted
from equipoise.core.results import FloatArray, IntArray
from equipoise.data.encode.labels import Factor
from equipoise.data.types.matches import Matches
from equipoise.data.types.pairs import PairTable

Outcome = tuple[FloatArray, IntArray]
"""The mean place of each agent, and the positions of the Smith set."""


def independent_votes(tally: DuelTally, data: object) -> bool:
    """Tell whether votes are whole numbers, each of them drawn for itself: what sign tests take for granted."""
    grouped = isinstance(data, Matches | PairTable) and data.group is not None
    counted = not isinstance(data, PairTable) or data.counted
    return counted and not grouped and bool((tally.above == np.rint(tally.above)).all())


def winner_p_values(above: FloatArray) -> FloatArray:
    """Give each agent's p-value of "it beats every other one": the largest of its sign tests, times all agents."""
    n = len(above)
    one_sided = scipy.stats.binom.sf(above - 1, above + above.T, 0.5)
    one_sided[np.diag_indices(n)] = 0.0
    return np.asarray(np.minimum(one_sided.max(axis=1) * n, 1.0))


def pair_p_values(above: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give two-sided sign tests of all pairs (upper triangle, row by row), and the same adjusted by Holm's method."""
    i, j = np.triu_indices(len(above), 1)
    more, less = np.maximum(above[i, j], above[j, i]), np.minimum(above[i, j], above[j, i])
    p = np.minimum(2 * scipy.stats.binom.sf(more - 1, more + less, 0.5), 1.0)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return p, adjusted


@dataclass(frozen=True, slots=True)
class Stability:
    """What comes out of bootstrap samples of the votes.

    Attributes
    ----------
    samples
        How many there were.
    first
        Share of them in which each agent is first; agents that tie share.
    in_smith
        Share in which it is in the Smith set.
    low, high
        Band of the places of each agent.
    """

    samples: int
    first: FloatArray
    in_smith: FloatArray
    low: FloatArray
    high: FloatArray


def stability(
    tallies: Iterator[DuelTally], choose: Callable[[DuelTally], Outcome], agents: int, level: float
) -> Stability:  # fmt: skip
    """Choose again in each bootstrap sample."""
    places, inside = [], np.zeros(agents)
    for tally in tallies:
        place, smith = choose(tally)
        places.append(place)
        inside[smith] += 1
    table = np.array(places)
    best = table == table.min(axis=1, keepdims=True)
    tail = (1 - level) / 2
    low, high = np.quantile(table, [tail, 1 - tail], axis=0, method="inverted_cdf")
    return Stability(len(table), (best / best.sum(axis=1, keepdims=True)).mean(axis=0), inside / len(table), low, high)


def resampled(tally: DuelTally, data: object, n: int, rng: np.random.Generator) -> Iterator[DuelTally]:
    """Draw the votes again: ballots (tasks, races), clusters of games, or the games of each pair."""
    if tally.ballots is not None:
        weight = tally.ballots.weight
        total = round(weight.sum()) if (weight == np.rint(weight)).all() else len(weight)
        for _ in range(n):
            yield reweighted(tally, rng.multinomial(total, weight / weight.sum()).astype(float))
        return
    assert isinstance(data, Matches | PairTable)
    grouped = data.group is not None
    table = data.pairs(by_group=grouped) if isinstance(data, Matches) else data
    for _ in range(n):
        yield _drawn_pairs(tally, table, rng)


def _drawn_pairs(tally: DuelTally, table: PairTable, rng: np.random.Generator) -> DuelTally:
    counts = np.column_stack([table.wins, table.losses, table.ties])
    if table.group is not None:
        crossed: Factor = table.group
        times = rng.multinomial(len(crossed.labels), np.full(len(crossed.labels), 1 / len(crossed.labels)))
        counts = counts * times[crossed.codes][:, None]
    else:
        games = np.rint(counts.sum(axis=1)).astype(np.int64)
        counts = rng.multinomial(games, counts / counts.sum(axis=1, keepdims=True)).astype(float)
    above, tied = np.zeros_like(tally.above), np.zeros_like(tally.tied)
    np.add.at(above, (table.first, table.second), counts[:, 0])
    np.add.at(above, (table.second, table.first), counts[:, 1])
    np.add.at(tied, (table.first, table.second), counts[:, 2])
    return DuelTally(tally.agents, above, tied + tied.T)
