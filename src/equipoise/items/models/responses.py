"""Answers as the kernels want them: counts of successes and of trials, small integers, no labels."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from equipoise.core.results import FloatArray

#: Above this many items the number of distinct answer rows is close to the number of agents.
_COLLAPSE_ITEMS = 16
#: Cells turned into floating point at a time; bounds the working memory whatever the table's size.
_CHUNK_CELLS = 2_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Responses:
    """Successes and trials of agents (rows) on items (columns).

    Parameters
    ----------
    successes
        Counts, 0 where missing.
    trials
        Counts, 0 where missing; ``None`` when every cell is one trial.
    weight
        How many agents each row stands for.
    """

    successes: NDArray[np.generic]
    trials: NDArray[np.generic] | None
    weight: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Rows (agents) and columns (items)."""
        rows, columns = self.successes.shape
        return rows, columns

    def chunks(self, columns: int) -> Iterator[tuple[slice, FloatArray, FloatArray | None]]:
        """Yield (rows, successes, trials) as floats, few enough rows for ``columns`` numbers each."""
        rows = self.shape[0]
        step = max(1, _CHUNK_CELLS // max(1, columns, self.shape[1]))
        for start in range(0, rows, step):
            part = slice(start, min(start + step, rows))
            trials = None if self.trials is None else self.trials[part].astype(np.float64)
            yield part, self.successes[part].astype(np.float64), trials

    def item_totals(self) -> tuple[FloatArray, FloatArray]:
        """Return weighted successes and trials of each item."""
        won = np.zeros(self.shape[1])
        tried = np.zeros(self.shape[1])
        for part, successes, trials in self.chunks(1):
            won += self.weight[part] @ successes
            tried += self.weight[part].sum() if trials is None else self.weight[part] @ trials
        return won, tried

    def agent_totals(self) -> tuple[FloatArray, FloatArray]:
        """Return successes and trials of each row."""
        won = np.empty(self.shape[0])
        tried = np.full(self.shape[0], float(self.shape[1]))
        for part, successes, trials in self.chunks(1):
            won[part] = successes.sum(axis=1)
            if trials is not None:
                tried[part] = trials.sum(axis=1)
        return won, tried

    def columns(self, keep: NDArray[np.bool_]) -> "Responses":
        """Return the answers to some items only."""
        trials = None if self.trials is None else self.trials[:, keep]
        return Responses(self.successes[:, keep], trials, self.weight)

    def rows(self, keep: NDArray[np.bool_] | NDArray[np.intp]) -> "Responses":
        """Return the answers of some agents only."""
        trials = None if self.trials is None else self.trials[keep]
        return Responses(self.successes[keep], trials, self.weight[keep])


def from_counts(
    successes: NDArray[np.generic], trials: NDArray[np.generic] | None = None, weight: FloatArray | None = None
) -> Responses:
    """Pack counts into the smallest integers that hold them.

    ``trials`` of ``None`` means one trial in every cell. Missing cells are those with no trial.
    """
    if trials is not None and bool((trials == 1).all()):
        trials = None
    one = np.ones(successes.shape[0]) if weight is None else np.asarray(weight, dtype=np.float64)
    packed = None if trials is None else _smallest(trials)
    return Responses(_smallest(successes), packed, one)


def _smallest(counts: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return counts in one byte where they fit, else as they are (fractions, large counts)."""
    if counts.dtype == np.uint8:
        return counts
    top = counts.max(initial=0.0)
    if top <= np.iinfo(np.uint8).max:
        small = counts.astype(np.uint8)
        if bool((small == counts).all()):
            return small
    return counts


def collapse(responses: Responses) -> tuple[Responses, NDArray[np.intp]]:
    """Merge equal rows, adding their weights; also return each old row's new place.

    A short test has few distinct answer rows (five binary items: 32), and the likelihood needs each once.
    """
    rows, columns = responses.shape
    if columns > _COLLAPSE_ITEMS or rows < 2:
        return responses, np.arange(rows)
    table = responses.successes if responses.trials is None else np.hstack([responses.successes, responses.trials])
    _, first, place = np.unique(table, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    if len(first) == rows:
        return responses, np.arange(rows)
    weight = np.bincount(place, weights=responses.weight, minlength=len(first)).astype(np.float64)
    picked = responses.rows(first)
    return Responses(picked.successes, picked.trials, weight), place
