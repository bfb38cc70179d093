"""Scores: how each agent did on each task, with repeats and gaps."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from equipoise.core.diagnostics import Diagnostic
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.results import FloatArray, IntArray, frozen
from equipoise.core.wording import Option
from equipoise.data.encode.arrays import as_numbers
from equipoise.data.encode.labels import agent_names
from equipoise.data.types.accounts import Account, shown

RunsShared = Literal["shared", "independent"]
"""What a user says of runs that have the same label on several tasks."""
LARGEST = 1e150
"""Scores are squared; beyond this a square is no finite number."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Agent x task scores.

    Attributes
    ----------
    agents, tasks
        Names, in the data's own order.
    values
        Mean score of each cell, agents x tasks; NaN where nobody tried.
    repeats
        Single trials, agents x tasks x trials, NaN-padded; None where only means are known.
    trials
        The number of runs of each cell (0 where missing); None where nobody said. With ``trials`` and
        without ``repeats`` the values are success rates in [0, 1] of so many attempts.
    run_labels
        Names of each agent's runs, in the order of ``repeats``, where all of its tasks were played in the same runs (a
        column or the third axis of a matrix says so); None for an agent of whom nothing says it, or for all.
    account
        What became of the rows and columns of the file behind them; None where there was no file.
    testlets
        The group of items (a passage, a story) that each task belongs to; None where nothing says so.
    """

    kind: ClassVar[str] = "scores"

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    values: FloatArray
    repeats: FloatArray | None = None
    trials: IntArray | None = None
    run_labels: tuple[tuple[str, ...] | None, ...] | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    account: Account | None = None
    testlets: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        trials = None if self.repeats is None else self.repeats.shape[2]
        gaps = int(np.isnan(self.values).sum())
        facts = [f"{len(self.agents):,} agents", f"{len(self.tasks):,} tasks"]
        facts += [f"up to {trials:,} trials each"] if trials else []
        facts += [f"{gaps:,} of {self.values.size:,} cells empty"] if gaps else []
        return shown("Scores", facts, self.agents)

    @classmethod
    def from_matrix(
        cls,
        values: npt.ArrayLike,
        agents: Iterable[object] | None = None,
        tasks: Iterable[object] | None = None,
        trials: npt.ArrayLike | None = None,
    ) -> "Scores":
        """Take a matrix agents x tasks, or agents x tasks x trials; NaN marks a missing cell.

        The k-th trial of an agent is taken for the same run (seed, checkpoint) on all tasks.

        Parameters
        ----------
        values
            Scores. With ``trials`` they are successes: whole counts, or rates that are whole counts over
            ``trials``.
        trials
            Attempts behind each cell: a number, one per task, or a matrix.

        >>> Scores.from_matrix([[3, 4], [0, 5]], trials=5).values.tolist()
        [[0.6, 0.8], [0.0, 1.0]]
        """
        array = as_numbers(values, "scores")
        if array.ndim not in (2, 3):
            raise DataError(f"scores must be agents x tasks or agents x tasks x trials, not of shape {array.shape}")
        names = agent_names(agents, array.shape[0])
        columns = agent_names(tasks, array.shape[1], "task")
        _check(array, names, columns)
        if array.ndim == 3:
            if trials is not None:
                raise ParameterError(Option("trials"), " are counted from a three-dimensional table; leave them out")
            labels = tuple(str(k + 1) for k in range(array.shape[2]))
            return replace(cls._of_repeats(names, columns, array), run_labels=(labels,) * len(names))
        if trials is None:
            return cls(names, columns, frozen(array))
        rates, attempts = _success_rates(array, trials, names, columns)
        return cls(names, columns, frozen(rates), None, frozen(attempts))

    @classmethod
    def from_dict(cls, scores: Mapping[str, npt.ArrayLike], tasks: Iterable[object] | None = None) -> "Scores":
        """Take a matrix runs x tasks for each agent, the form of rliable; agents may have different numbers of runs.

        The k-th run of an agent is the same run (seed, checkpoint) on all tasks; NaN marks a missing score.

        Fails when
            there is no agent, an array has not two dimensions, or they have different numbers of tasks.

        >>> runs = {"dqn": [[1.0, 2.0], [3.0, 4.0]], "c51": [[5.0, 6.0]]}
        >>> Scores.from_dict(runs, tasks=["pong", "qbert"]).values.tolist()
        [[2.0, 3.0], [5.0, 6.0]]
        """
        arrays = {str(agent): as_numbers(values, f"scores of {agent}") for agent, values in scores.items()}
        if not arrays:
            raise DataError("there is no agent: give an array runs x tasks for each, by its name")
        for agent, array in arrays.items():
            if array.ndim != 2 or not array.size:
                raise DataError(f"scores of {agent} must be runs x tasks, not of shape {array.shape}")
        widths = {array.shape[1]: agent for agent, array in arrays.items()}
        if len(widths) > 1:
            (many, one), (few, other) = sorted(widths.items(), reverse=True)[:2]
            raise DataError(f"{one} has {many:,} tasks, but {other} has {few:,}: the arrays are runs x tasks")
        whole = np.full((len(arrays), next(iter(widths)), max(map(len, arrays.values()))), np.nan)
        for of_agent, array in zip(whole, arrays.values(), strict=True):
            of_agent[:, : len(array)] = array.T
        if whole.shape[2] == 1:
            return cls.from_matrix(whole[:, :, 0], tuple(arrays), tasks)
        labels = tuple(tuple(str(k + 1) for k in range(len(array))) for array in arrays.values())
        return replace(cls.from_matrix(whole, tuple(arrays), tasks), run_labels=labels)

    @classmethod
    def _of_repeats(cls, agents: tuple[str, ...], tasks: tuple[str, ...], array: FloatArray) -> "Scores":
        count = np.sum(~np.isnan(array), axis=2)
        total = np.where(np.isnan(array), 0.0, array).sum(axis=2)
        with np.errstate(invalid="ignore"):
            means = np.where(count > 0, total / count, np.nan)
        return cls(agents, tasks, frozen(means), frozen(array), frozen(count, np.int64))

    @classmethod
    def from_long(
        cls,
        agents: tuple[str, ...],
        tasks: tuple[str, ...],
        agent: npt.NDArray[np.integer],
        task: npt.NDArray[np.integer],
        score: FloatArray,
        diagnostics: tuple[Diagnostic, ...] = (),
        run: npt.NDArray[np.object_] | None = None,
    ) -> "Scores":
        """Take one row per agent, task and trial, as codes; a cell's trials are its rows in their order.

        ``run`` are labels of the trials (None where there is none): where all tasks of an agent have the same ones, its
        trials are in the order in which their labels first appear.
        """
        cell = agent.astype(np.int64) * len(tasks) + task
        labels, place = (
            (None, np.zeros(len(cell), np.int64))
            if run is None
            else _same_runs((len(agents), len(tasks)), agent, task.astype(np.int64), run)
        )
        order = np.lexsort((place, cell))
        counts = np.bincount(cell, minlength=len(agents) * len(tasks))
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        position = np.arange(len(cell)) - starts[cell[order]]
        array = np.full((len(agents) * len(tasks), max(int(counts.max(initial=0)), 1)), np.nan)
        array[cell[order], position] = score[order]
        table = array.reshape(len(agents), len(tasks), -1)
        _check(table, agents, tasks)
        if table.shape[2] == 1:
            return cls(agents, tasks, frozen(table[:, :, 0]), diagnostics=diagnostics)
        return replace(cls._of_repeats(agents, tasks, table), diagnostics=diagnostics, run_labels=labels)

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Which cells have no score."""
        return np.isnan(self.values)

    def take(self, agents: npt.ArrayLike | None = None, tasks: npt.ArrayLike | None = None) -> "Scores":
        """Give the scores of these agents and tasks (positions or a mask)."""
        rows = np.arange(len(self.agents)) if agents is None else np.arange(len(self.agents))[np.asarray(agents)]
        columns = np.arange(len(self.tasks)) if tasks is None else np.arange(len(self.tasks))[np.asarray(tasks)]
        cells = np.ix_(rows, columns)
        return replace(
            self,
            agents=tuple(self.agents[i] for i in rows),
            tasks=tuple(self.tasks[j] for j in columns),
            testlets=None if self.testlets is None else tuple(self.testlets[j] for j in columns),
            values=frozen(self.values[cells]),
            repeats=None if self.repeats is None else frozen(self.repeats[cells]),
            trials=None if self.trials is None else frozen(self.trials[cells]),
            run_labels=None if self.run_labels is None else tuple(self.run_labels[i] for i in rows),
        )

    def with_repeats(self, repeats: FloatArray) -> "Scores":
        """Give the same agents and tasks with other trials (a resample)."""
        others = self._of_repeats(self.agents, self.tasks, repeats)
        return replace(others, diagnostics=self.diagnostics, account=self.account, testlets=self.testlets)

    def in_testlets(self, labels: Iterable[object]) -> "Scores":
        """Say which group of items (a passage, a story) each task belongs to.

        >>> Scores.from_matrix([[1, 0, 1], [0, 0, 1]]).in_testlets(["a", "a", "b"]).testlets
        ('a', 'a', 'b')
        """
        names = tuple(str(label) for label in labels)
        if len(names) != len(self.tasks):
            raise DataError(f"{len(names):,} groups of items for {len(self.tasks):,} tasks; give one for each task")
        return replace(self, testlets=names)


def _same_runs(
    shape: tuple[int, int], agent: npt.NDArray[np.integer], task: npt.NDArray[np.int64], run: npt.NDArray[np.object_]
) -> tuple[tuple[tuple[str, ...] | None, ...], npt.NDArray[np.int64]]:
    """Labels of the runs of agents that have the same ones in all of their cells, and each row's place among them."""
    agents, tasks = shape
    labels: list[tuple[str, ...] | None] = []
    place = np.zeros(len(task), np.int64)
    every, coded = _coded(run)
    order = np.argsort(agent, kind="stable")
    ends = np.searchsorted(agent[order], np.arange(agents + 1))
    for first, last in pairwise(ends):
        rows = order[first:last]
        there, at, inverse = np.unique(coded[rows], return_index=True, return_inverse=True)
        by_appearance = np.argsort(at)
        names = tuple(every[code] for code in there[by_appearance])
        codes = np.argsort(by_appearance)[inverse]
        cells = np.count_nonzero(np.bincount(task[rows], minlength=tasks))
        # As many rows as cells and runs make, none of them twice: every cell has every run.
        whole = len(rows) == cells * len(names)
        same = whole and cells > 1 and None not in names
        same = same and int(np.bincount(task[rows] * len(names) + codes).max()) == 1
        labels.append(names if same else None)
        place[rows] = codes if same else 0
    return tuple(labels), place


def _coded(run: npt.NDArray[np.object_]) -> tuple[list[str], IntArray]:
    """Give the labels of runs, each once, and codes into them: millions of rows have few labels."""
    written = run.tolist()
    names = list(dict.fromkeys(written))
    codes = {name: code for code, name in enumerate(names)}
    return names, np.fromiter(map(codes.__getitem__, written), np.int64, len(written))


def _check(array: FloatArray, agents: tuple[str, ...], tasks: tuple[str, ...]) -> None:
    if array.size == 0:
        raise DataError("no scores: the table is empty")
    infinite = np.isinf(array).any(axis=2) if array.ndim == 3 else np.isinf(array)
    if infinite.any():
        where = some_of(f"{agents[i]} on {tasks[j]}" for i, j in np.argwhere(infinite))
        raise DataError(f"infinite scores for {where}; leave a cell empty where there is no score")
    if np.isnan(array).all():
        raise DataError("no scores: every cell is missing")
    if np.nanmax(np.abs(array)) > LARGEST:
        raise DataError(f"scores beyond {LARGEST:g} are too large to be squared; give them in another unit")


def _success_rates(
    values: FloatArray, trials: npt.ArrayLike, agents: tuple[str, ...], tasks: tuple[str, ...]
) -> tuple[FloatArray, IntArray]:
    given = as_numbers(trials, "trials")
    try:
        attempts = np.array(np.broadcast_to(given, values.shape))
    except ValueError as error:
        raise DataError(f"trials of shape {given.shape} do not fit scores of shape {values.shape}") from error
    known = ~np.isnan(values)
    attempts[~known] = 0
    if not np.isfinite(attempts).all() or (attempts[known] < 1).any() or (attempts != np.round(attempts)).any():
        raise DataError("trials must be whole numbers of at least 1 wherever there is a score")
    counts = values if (values[known] == np.round(values[known])).all() else values * attempts
    wrong = known & ((counts < 0) | (counts > attempts + 1e-9))
    if wrong.any():
        where = some_of(f"{agents[i]} on {tasks[j]}" for i, j in np.argwhere(wrong))
        raise DataError(f"more successes than trials, or fewer than none, for {where}")
    if (np.abs(counts - np.round(counts))[known] > 1e-6).any():
        raise DataError("with trials, scores must be whole counts of successes or rates that come from such counts")
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = np.where(known, np.round(counts) / attempts, np.nan)
    return rates, attempts.astype(np.int64)
