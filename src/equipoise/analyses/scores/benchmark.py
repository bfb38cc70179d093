"""Who is best at these tasks, and which of them count? Scores to aggregates, ranks, Nash averages and an audit."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from equipoise.analyses.analysis import Analysis, each_once
from equipoise.analyses.scores.over_runs import OverRuns, over_runs
from equipoise.analyses.scores.score_board import STATISTIC_NAMES, BoardStatistic, ScoreBoard, board_over_tasks
from equipoise.analyses.source import open_source
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import ParameterError, some_of
from equipoise.core.former import present_options
from equipoise.core.lazy import pl
from equipoise.core.options import check, choice
from equipoise.core.results import FloatArray, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source
from equipoise.data.types.normalisation import Missing, Units, is_linear, without_gaps
from equipoise.data.types.scores import RunsShared, Scores
from equipoise.flows.additivity import Additivity, additivity
from equipoise.inference.pass_fail import is_pass_fail
from equipoise.nash.audit import Audit, audit
from equipoise.nash.average import nash_average
from equipoise.nash.tasks import TaskNash

if TYPE_CHECKING:
    from equipoise.aggregates.aggregate import Aggregates
    from equipoise.aggregates.compare import Comparison
    from equipoise.aggregates.profiles import PerformanceProfile
    from equipoise.analyses.scores.learning import LearningCurves


RESAMPLED = {1500: 200, 5000: 50}
"""Replicates of a bootstrap where nobody says how many, by the most cells for which so many take a second or two."""

Gaps = Literal["error", "drop-tasks", "drop-agents", "complete", "auto"]
"""What to do with cells without a score."""
NASH_NOTES = frozenset(
    {"equilibrium-jumps", "stability-band", "few-trials", "core-agents-only", "not-certified", "agent-clones",
     "task-clones", "constant-in-resamples", "units-move", "failed-replicates", "one-task"}
)  # fmt: skip
"""Codes of notes about Nash averages."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Benchmark(Analysis):
    """What a table of scores says about agents, and about the tasks.

    Attributes
    ----------
    board
        Who is best: agents by one aggregate, the interquartile mean (IQM) where runs are repeated, else the mean.
    nash
        Nash averages of agents and tasks, with intervals unless there are too many cells.
    audit
        Which tasks have weight, which are redundant, and without which the leader changes.
    additivity
        Whether averages explain the scores; None where cells were filled in, or ranks stand for scores.
    runs
        What repeated runs say: aggregates, comparison and performance profiles, each None where there are no runs.
    run_units
        Units of what runs say: min-max, or those that scores were normalised to.
    learning
        Learning curves and the steps that a score takes; None where no training steps are given.
    """

    main: ClassVar[str] = "nash"

    board: ScoreBoard
    nash: TaskNash
    audit: Audit
    additivity: Additivity | None
    runs: OverRuns
    run_units: str
    learning: "LearningCurves | None" = None

    @property
    def aggregates(self) -> "Aggregates | None":
        """Interquartile means, medians, means and optimality gaps over repeated runs."""
        return self.runs.aggregates

    @property
    def comparison(self) -> "Comparison | None":
        """Tied groups and chances of improvement over repeated runs."""
        return self.runs.comparison

    @property
    def profile(self) -> "PerformanceProfile | None":
        """Shares of runs above every threshold."""
        return self.runs.profile

    @property
    def answer(self) -> tuple[str, ...]:
        """Who is best by the board's aggregate, and how sure that is; at which step a score is reached, with steps."""
        return (*self.board.answer, *(self.learning.answer[:1] if self.learning else ()))[:3]

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The warnings about the answer; those about Nash averages are in ``nash.warnings``."""
        return tuple(note for note in self.diagnostics if note.severity == "warning" and note.code not in NASH_NOTES)

    @property
    def nash_answer(self) -> tuple[str, ...]:
        """Which tasks have weight in the Nash mixture, who has the highest average there, and why others lead here."""
        first = self.board.agents[self.board.order[0]]
        why: tuple[str, ...] = ()
        if self.nash.frame()["agent"][0] != first:
            why = (
                f"{first} has the highest {STATISTIC_NAMES[self.board.statistic]}, which counts all tasks alike; a Nash"
                " average counts only the tasks that separate the best agents.",
            )
        return (*self.audit.findings[:-2], *why)

    @property
    def task_answer(self) -> tuple[str, ...]:
        """Which tasks are redundant, without which the Nash average has other leaders, and what averages explain."""
        redundant, depends = self.audit.findings[-2:]
        said = (redundant, f"By Nash average: {depends[0].lower()}{depends[1:]}")
        return (*said, *(self.audit.answer[-1:] if self.additivity is None else self.additivity.answer))

    @property
    def leaders(self) -> tuple[str, ...]:
        """Who cannot be ruled out as best, best first."""
        return self.board.leaders

    def frame(self) -> "pl.DataFrame":
        """Give the agents, best first by the board's aggregate, with their Nash averages; unranked ones come last."""
        board, nash = self.board.frame(), self.nash.frame()
        listed = nash.filter(~pl.col("agent").is_in(board["agent"].to_list())).select("agent")
        return pl.concat([board, listed], how="diagonal").join(nash, on="agent", how="left", maintain_order="left")

    @property
    def tables(self) -> Mapping[str, "pl.DataFrame"]:
        """All tables by name, the one of the answer first."""
        runs, improvement = self.run_frame(), self.improvement_frame()
        made = {
            "agents": self.frame(), "pairs": self.board.pair_frame(), "tasks": self.task_frame(),
            "nash": self.nash.frame(), "aggregates": runs, "improvement": improvement,
        }  # fmt: skip
        return {name: table for name, table in made.items() if table is not None}

    def task_frame(self) -> "pl.DataFrame":
        """Give the tasks, hardest first, with what the audit says of each."""
        judged = self.audit.frame().select("task", "duplicate_of", "decides_top")
        return self.nash.task_frame().join(judged, on="task", how="left", maintain_order="left").with_columns(
            pl.col("decides_top").fill_null(value=False)
        )  # fmt: skip

    def run_frame(self) -> "pl.DataFrame | None":
        """Give the aggregates over runs, best first, with ranks and tied groups; None where there are no runs."""
        if self.aggregates is None or self.comparison is None:
            return None
        standing = self.comparison.frame().select("agent", "rank_low", "rank_high", "group")
        return self.aggregates.frame().join(standing, on="agent", how="left", maintain_order="left")

    def improvement_frame(self) -> "pl.DataFrame | None":
        """Give the chance of improvement of each pair of agents, the larger difference first; None without runs."""
        return None if self.comparison is None else self.comparison.pair_frame()

    def summary(self) -> dict[str, object]:
        """Give the value of the game with its certificate, the audit, and whether averages explain the scores."""
        judged = {key: value for key, value in self.audit.summary().items() if key != "value"}
        certified = {name: getattr(self.nash, name) for name in ("value", "exploitability", "kkt", "interval")}
        verdict = {} if self.additivity is None else {"verdict": self.additivity.summary()}
        return {**certified, "audit": judged, **verdict, "board": self.board.summary()}


@present_options
@former_reading
def tasks(
    data: Source,
    *,
    units: Units | None = None,
    normalise: Source | Sequence[str] | None = None,
    missing: Gaps = "error",
    n: int | None = None,
    over: Literal["runs", "tasks"] | None = None,
    similarity: float = 0.99,
    aggregates: bool | None = None,
    statistic: BoardStatistic | None = None,
    runs: RunsShared | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
    step: str | None = None,
    executor: Executor | None = None,
) -> Benchmark:
    """Who is best at these tasks, how sure is that, and which tasks count?

    With repeated runs agents are ranked by their interquartile mean (IQM), with intervals over runs, performance
    profiles and probabilities of improvement; with one score a cell by the mean, with intervals over tasks. Differences
    are paired, and ranks hold for all agents together. Nash averages, which copies and easy tasks cannot bend, say
    which tasks separate the best agents.

    One policy for the command, reports and notebooks. A gap is an error unless something is chosen: a filled cell is no
    score. ``missing="auto"``, which reports use, drops the tasks with gaps where most tasks have none, and otherwise
    fills gaps in from averages; either is said. Intervals come by themselves where a bootstrap takes seconds (up to
    5,000 cells): over runs where cells have several, else over tasks. A headline is what bootstrap samples repeat.
    Aggregates are made where there are repeated runs, min-max normalised or as given. Whether averages explain the
    scores is asked of real scores only: not of filled cells, nor of ranks.

    Parameters
    ----------
    data
        A file, a log or several, a frame, a bundled set's name, or scores.
    units
        Common units of the tasks, as in :func:`nash_average`; ``min-max`` by default, ``none`` with ``normalise``.
    normalise
        What counts as 0 and as 1 on each task, as in :func:`normalise_scores`: a table with columns such as ``random``
        and ``human``, or agents of the same table (``"random,human"``).
    missing
        Cells without a score: ``error``, ``drop-tasks``, ``drop-agents``, ``complete`` or ``auto``.
    n
        Bootstrap replicates for intervals; 0 for none, None for 200 up to 1,500 cells and 50 up to 5,000.
    over
        What the bootstrap draws: ``runs`` (the default where cells have several) or ``tasks``.
    similarity
        Correlation from which tasks count as duplicates.
    aggregates
        Whether to aggregate over runs; None where there are repeated runs, and not too many.
    statistic
        What agents are ranked by: ``iqm`` (the default where runs are repeated), ``mean`` (otherwise) or ``median``.
    runs
        Whether runs of the same name on several tasks are one: ``shared`` or ``independent``, as in :func:`aggregate`;
        by default the scores say.
    level
        Of the intervals.
    rng
        Seed or generator.
    read
        Columns, rows and agents of a file.
    step
        Column of training steps: the last one is evaluated, and all give learning curves (:func:`learning_curves`).
    executor
        Who solves the bootstrap samples, as in :func:`bootstrap`; the answer is the same.

    Returns
    -------
    Benchmark
        The ranked agents, aggregates over runs, Nash averages, the audit, what averages explain.

    Fails when
        there are gaps and nothing is chosen; one agent only, or nothing separates agents.

    Examples
    --------
    >>> import equipoise as eq
    >>> s = eq.Scores.from_matrix([[89, 93, 76], [85, 85, 85], [79, 74, 99]], agents="ABC")
    >>> eq.tasks(s, n=0).audit.core_agents
    ('A', 'C')
    """
    check(choice(*get_args(Gaps)), "missing", missing)
    check(choice("runs", "tasks", none=True), "over", over)
    by_step: dict[float, Scores] = {}

    def last_step(source: Source, how: ReadOptions) -> Scores:
        from equipoise.analyses.scores.learning import scores_by_step

        by_step.update(scores_by_step(source, str(step), how))
        return by_step[max(by_step)]

    opened = open_source(
        data, ("scores",), read, asked_by="tasks", reader=None if step is None else last_step,
        also=() if step is None else ("step",),
    )  # fmt: skip
    scores, origin = opened.data, opened.origin
    if normalise is not None:
        if units not in (None, "none"):
            raise ParameterError(Option("normalise"), " gives units of its own; leave ", Option("units"), " out")
        from equipoise.analyses.scores.normalised import normalise_scores

        scores = normalise_scores(scores, normalise)
    in_units: Units = units or ("min-max" if normalise is None else "none")
    gaps = _gaps(scores, missing)
    drawn = over or ("runs" if _repeated(scores) else "tasks")
    replicates = n if n is not None else _replicates(scores, drawn)
    nash: Any = nash_average(
        scores, units=in_units, missing=gaps, n=replicates, over=drawn, level=level, rng=rng, executor=executor
    )  # fmt: skip
    judged = replace(audit(scores, units=in_units, missing=gaps, similarity=similarity), nash=nash)
    check(choice(*get_args(RunsShared), none=True), "runs", runs)
    check(choice(*get_args(BoardStatistic), none=True), "statistic", statistic)
    repeated = over_runs(
        scores, gaps, aggregates, level, rng, "min-max" if normalise is None else "none", runs, statistic or "iqm"
    )
    board, notes = repeated.board, repeated.diagnostics
    if board is None:
        board, few = board_over_tasks(
            *_table(scores, gaps, in_units, nash), statistic or "mean", level=level, rng=rng,
            intervals=not (gaps == "complete" and scores.missing.any()),
        )  # fmt: skip
        notes = (*notes, *few, *_single_scores(scores, board))
    notes = (*notes, *_own_scale(scores, normalise is None and in_units == "min-max"))
    explained = _explained(scores, gaps, in_units, rng)
    learning = None
    if len(by_step) > 1:
        from equipoise.analyses.scores.learning import curves_of

        learning = curves_of(by_step, normalise=normalise, target=None, level=level, rng=rng, runs=runs)
    return Benchmark(
        data=scores, origin=origin, board=board, nash=nash, audit=judged, additivity=explained, runs=repeated,
        run_units="min-max" if normalise is None else "normalised", learning=learning, fit=nash.fit,
        diagnostics=_all_tasks(each_once(nash.diagnostics, judged.diagnostics, notes), board),
        params=frozen_params(**nash.params),
    )  # fmt: skip


def _table(
    scores: Scores, gaps: Missing, units: Units, nash: TaskNash
) -> tuple[tuple[str, ...], tuple[str, ...], FloatArray]:
    """Give the agents, tasks and scores that a mean is over: what everybody passes or fails counts in a pass rate.

    Units that agents set have no value for a task on which all score the same; passes and failures, and scores that are
    taken as they are, do.
    """
    if gaps != "complete" or not scores.missing.any():
        whole, _ = without_gaps(scores, gaps)
        if units == "none" or (units == "min-max" and is_pass_fail(whole.values)):
            return whole.agents, whole.tasks, whole.values
    return nash.agents, nash.tasks, nash.scores


def _all_tasks(notes: tuple[Diagnostic, ...], board: ScoreBoard) -> tuple[Diagnostic, ...]:
    """Say of tasks on which all score the same that they count on this board, where they do."""

    def said(note: Diagnostic) -> Diagnostic:
        if note.code != "constant-task" or not {*note.subjects} <= {*board.tasks}:
            return note
        which = f"All agents score the same on {some_of(note.subjects)}"
        return info(note.code, f"{which}: they count in the mean, and Nash averages leave them out.", note.subjects)

    return tuple(map(said, notes))


def _single_scores(scores: Scores, board: ScoreBoard) -> tuple[Diagnostic, ...]:
    """Say that nothing is known of runs where each cell has one score."""
    if board.over is None or scores.trials is not None:
        return ()
    message = "One score per cell: how much runs vary is unknown, and intervals are over tasks like these."
    return (warning("one-score", message, advice=[Advice("give repeated runs, or say so when you quote them")]),)


def _own_scale(scores: Scores, min_max: bool) -> tuple[Diagnostic, ...]:
    """Say that agents make their own scale, where scores do not have one."""
    if not min_max or is_pass_fail(scores.values):
        return ()
    message = "0 and 1 are the worst and the best agent of a task here, so every number changes with the agents."
    fixed = Advice("give a fixed scale with ", Option("normalise", "FILE"))
    return (warning("own-scale", message, advice=[fixed]),)


def _repeated(scores: Scores) -> bool:
    """Whether every cell with a score has several trials behind it."""
    return scores.trials is not None and int(scores.trials[scores.trials > 0].min(initial=2)) >= 2


def _replicates(scores: Scores, unit: str) -> int:
    """As many replicates as take a second or two; none of one task alone, which says nothing of other tasks."""
    if unit == "tasks" and len(scores.tasks) < 2:
        return 0
    return next((count for cells, count in RESAMPLED.items() if scores.values.size <= cells), 0)


def _gaps(scores: Scores, missing: Gaps) -> Missing:
    """Decide what ``auto`` means for these scores."""
    if missing != "auto":
        return missing
    tasks = scores.missing.any(axis=0)
    return "error" if not tasks.any() else "drop-tasks" if tasks.mean() < 0.5 else "complete"


def _explained(scores: Scores, missing: Missing, units: Units, rng: int | np.random.Generator) -> Additivity | None:
    """Ask whether averages explain the scores, where every cell has one and units leave scores as they are in kind."""
    if not is_linear(units) or (missing == "complete" and scores.missing.any()):
        return None
    whole, _ = without_gaps(scores, missing)
    return additivity(whole, units=units, rng=rng) if min(whole.values.shape) >= 2 else None
