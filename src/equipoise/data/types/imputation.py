r"""Cells without a score, filled in from averages, and how sure that is.

A missing cell is expected to be what its agent's and its task's averages lead to,

.. math:: y_{ij} = m + a_i + b_j + \varepsilon_{ij},

fitted by least squares to the cells that are there. What it might have been is drawn with the uncertainty of the
averages *and* the spread of single cells about them (multiple imputation: Rubin 1987); every draw is one completion.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.diagnostics import Diagnostic, warning
from equipoise.core.errors import DataError, some_of
from equipoise.core.results import FloatArray
from equipoise.data.types.gaps import TAKE, few_scores, shared
from equipoise.data.types.scores import Scores


def with_enough_scores(scores: Scores) -> tuple[Scores, tuple[str, ...], tuple[Diagnostic, ...]]:
    """Set aside the agents with too few scores of their own to be filled in: they are listed, and not ranked."""
    own = (~scores.missing).sum(axis=1)
    tasks = len(scores.tasks)
    few = few_scores(scores)
    if not few.any():
        return scores, (), ()
    names = tuple(scores.agents[i] for i in np.flatnonzero(few))
    listed = some_of(f"{scores.agents[i]} ({own[i]} of {tasks})" for i in np.flatnonzero(few))
    rule = "an agent is ranked with scores of its own on at least half of the tasks, and on two"
    if (~few).sum() < 2:
        raise DataError(f"too few scores to fill in the others: {listed}; {rule}; {shared(scores)}", advice=TAKE)
    message = f"Too few scores of their own to be ranked: {listed}. Where cells are filled in, {rule}."
    notes = [warning("too-few-scores", message, names)]
    ranked = scores.take(agents=~few)
    empty = ranked.missing.all(axis=0)
    if empty.any():
        left = [ranked.tasks[j] for j in np.flatnonzero(empty)]
        counted = "1 task that no ranked agent tried was" if len(left) == 1 else (
            f"{len(left):,} tasks that no ranked agent tried were")  # fmt: skip
        notes.append(warning("tasks-of-others", f"{counted} left out: {some_of(left)}.", left))
        ranked = ranked.take(tasks=~empty)
    return ranked, names, tuple(notes)


@dataclass(frozen=True, eq=False)
class Filling:
    """A table with gaps, and the additive fit that fills them in.

    What is expected stays within the range seen on its task; what might have been, within 0 and 1 where scores are
    ``bounded`` there.
    """

    values: FloatArray
    bounded: bool = False

    @cached_property
    def gaps(self) -> npt.NDArray[np.bool_]:
        """Which cells have no score."""
        return np.isnan(self.values)

    @cached_property
    def table(self) -> FloatArray:
        """The table with its gaps filled in by what is expected."""
        effect, middle = self._effects, self._middle
        agents = len(self.values)
        expected = middle + effect[:agents, None] + effect[agents:]
        inside = np.clip(expected, np.nanmin(self.values, axis=0), np.nanmax(self.values, axis=0))
        return np.where(self.gaps, inside, self.values)

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Fill the gaps in with what might have been there."""
        root, spread, degrees = self._spread
        agents, scale = len(self.values), spread * np.sqrt(degrees / rng.chisquare(degrees))
        effect = self._effects + scale * (root @ rng.standard_normal(root.shape[1]))
        noise = scale * rng.standard_normal(self.values.shape)
        drawn = self._middle + effect[:agents, None] + effect[agents:] + noise
        return np.where(self.gaps, np.clip(drawn, 0.0, 1.0) if self.bounded else drawn, self.values)

    @cached_property
    def _known(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], FloatArray]:
        i, j = np.nonzero(~self.gaps)
        return i, j, self.values[i, j]

    @cached_property
    def _middle(self) -> float:
        return float(self._known[2].mean())

    @cached_property
    def _effects(self) -> FloatArray:
        """Effects of agents, then of tasks (the least ones, should the table not be connected)."""
        i, j, known = self._known
        agents, tasks = self.values.shape
        cells = np.arange(len(i))
        design = scipy.sparse.csr_array(
            (np.ones(2 * len(i)), (np.concatenate([cells, cells]), np.concatenate([i, agents + j]))),
            shape=(len(i), agents + tasks),
        )
        return np.asarray(
            scipy.sparse.linalg.lsqr(design, known - self._middle, atol=1e-12, btol=1e-12, iter_lim=10_000)[0]
        )

    @cached_property
    def _spread(self) -> tuple[FloatArray, float, float]:
        """A root of the effects' covariance in units of the cells' variance, the cells' spread, and its degrees."""
        i, j, known = self._known
        agents = len(self.values)
        there = (~self.gaps).astype(float)
        normal = np.block([[np.diag(there.sum(axis=1)), there], [there.T, np.diag(there.sum(axis=0))]])
        size, vectors = np.linalg.eigh(normal)
        sure = size > 1e-9 * size.max()
        degrees = len(known) - int(sure.sum())
        rest = known - (self._middle + self._effects[i] + self._effects[agents + j])
        if degrees < 1:  # as many effects as scores: the cells spread as the scores do, as far as anybody knows
            return vectors[:, sure] / np.sqrt(size[sure]), float(known.std(ddof=1)) if len(known) > 1 else 0.0, 1.0
        return vectors[:, sure] / np.sqrt(size[sure]), float(np.sqrt((rest**2).sum() / degrees)), float(degrees)


def completed(values: FloatArray, scores: Scores) -> tuple[FloatArray, tuple[Diagnostic, ...]]:
    """Fill gaps with what the agent's and the task's averages lead one to expect, and say so."""
    filling = Filling(values)
    if not filling.gaps.any():
        return values, ()
    where = [f"{scores.agents[i]} on {scores.tasks[j]}" for i, j in np.argwhere(filling.gaps)]
    cells = "1 missing cell was" if len(where) == 1 else f"{len(where):,} missing cells were"
    averages = "its agent and task" if len(where) == 1 else "their agents and tasks"
    message = f"{cells} filled in from the averages of {averages}: {some_of(where)}."
    return filling.table, (warning("completed-cells", message, where),)
