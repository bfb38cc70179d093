"""How fast does each agent learn? Scores by training step to learning curves, and the steps that a score takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from equipoise.aggregates.aggregate import aggregate
from equipoise.analyses.scores.normalised import normalise_scores
from equipoise.core.errors import ColumnError, DataError, did_you_mean
from equipoise.core.lazy import pl
from equipoise.core.options import check, number
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.data.readers.options import ReadOptions, former_reading
from equipoise.data.readers.read import Source, read_scores
from equipoise.data.types.normalisation import TaskScale
from equipoise.data.types.scores import RunsShared, Scores

MOST_STEPS = 25
"""Points of a curve; of more steps these many are looked at, evenly, the last among them."""
DRAWS = 200
"""Draws behind medians, which curves do not show."""
TARGET = number(strictly=True, none=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LearningCurves(Result):
    """Interquartile means by training step, and the steps that each agent needs to reach a target.

    Attributes
    ----------
    steps
        Training steps that were looked at.
    iqm, low, high
        Interquartile mean over all runs and tasks, agents x steps, with its pointwise interval.
    target
        The score to reach: what the last agent reaches in the end, unless another was named.
    reached, earliest, latest
        First step at which an agent's interquartile mean, the upper and the lower end of its interval are at the
        target; NaN where that never happens.
    """

    rows_name: ClassVar[str] = "points"
    in_summary: ClassVar[tuple[str, ...]] = ("target", "interval")
    main: ClassVar[str] = "iqm"

    agents: tuple[str, ...]
    steps: FloatArray
    iqm: FloatArray
    low: FloatArray
    high: FloatArray
    target: float
    reached: FloatArray
    earliest: FloatArray
    latest: FloatArray
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give one row for each agent and step."""
        agents = np.repeat(np.array(self.agents, dtype=object), len(self.steps)).tolist()
        columns = {name: getattr(self, name).ravel() for name in ("iqm", "low", "high")}
        return pl.DataFrame({"agent": agents, "step": np.tile(self.steps, len(self.agents))} | columns)

    def efficiency_frame(self) -> "pl.DataFrame":
        """Give the agents, those that need the fewest steps for the target first."""
        columns = {name: getattr(self, name) for name in ("reached", "earliest", "latest")}
        table = pl.DataFrame({"agent": list(self.agents)} | columns | {"final_iqm": self.iqm[:, -1]}).fill_nan(None)
        order = [pl.col("reached"), -pl.col("final_iqm")]
        return table.sort(order, nulls_last=True, maintain_order=True)

    @property
    def answer(self) -> tuple[str, ...]:
        """Who reaches the target first, and how much sooner than the last."""
        rows = self.efficiency_frame().to_dicts()
        there = [row for row in rows if row["reached"] is not None]
        if not there:
            return (f"No agent reaches {self.target:.3f}.",)
        first, last = there[0], there[-1]
        said = f"{first['agent']} is the first to reach an interquartile mean of {self.target:.3f}"
        if first["reached"] == last["reached"]:
            return (f"{said}, after {first['reached']:,.0f} steps.",)
        times = last["reached"] / first["reached"] if first["reached"] > 0 else np.inf
        more = f", {times:.3g} times as many" if np.isfinite(times) else ""
        return (f"{said}: after {first['reached']:,.0f} steps; {last['agent']} takes {last['reached']:,.0f}{more}.",)


@former_reading
def learning_curves(
    data: Source,
    *,
    step: str,
    normalise: Source | Sequence[str] | None = None,
    target: float | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    read: ReadOptions | None = None,
) -> LearningCurves:
    """How do scores grow with training, and how many steps does each agent need for the same score?

    Parameters
    ----------
    data
        A long table with a row for each agent, task, run and training step: a file or a frame.
    step
        Column of training steps (frames, iterations). Steps that every agent has on every task are looked at.
    normalise
        What counts as 0 and as 1, as in :func:`normalise_scores`; else the worst and the best agent at the last step.
    target
        Interquartile mean to reach; what the last agent reaches in the end if not given.
    level
        Of the pointwise intervals.
    rng
        Seed or generator.
    read
        Columns, rows and agents of a file.

    Fails when
        no step is there for every agent and task; as :func:`aggregate` does.

    Examples
    --------
    >>> import equipoise as eq
    >>> import polars as pl
    >>> rows = [
    ...     {"agent": a, "task": t, "seed": s, "frames": f, "score": speed * f + s + (t == "go")}
    ...     for a, speed in (("slow", 1), ("fast", 2))
    ...     for t in ("go", "pong")
    ...     for s in range(3)
    ...     for f in (10, 20, 40)
    ... ]
    >>> eq.learning_curves(pl.DataFrame(rows), step="frames").reached.tolist()
    [40.0, 20.0]
    """
    tables = scores_by_step(data, step, read or ReadOptions())
    return curves_of(tables, normalise=normalise, target=target, level=level, rng=rng)


def scores_by_step(source: Source, step: str, options: ReadOptions) -> dict[float, Scores]:
    """Read the scores at every step that all agents have on all tasks, in the order of the steps."""
    from equipoise.data.files.tables import collect, open_table

    table = open_table(source)
    if step not in table.columns:
        hint = did_you_mean(step, table.columns)
        raise ColumnError(Option("step"), f': no column "{step}"{hint}')
    rows = collect(table.rows, table.name).with_columns(pl.col(step).cast(pl.Float64, strict=False).alias(step))
    if rows[step].null_count():
        raise ColumnError(Option("step"), f': column "{step}" holds something that is no number')
    found: dict[float, Scores] = {}
    for value in _some(sorted(rows[step].unique().to_list())):
        scores = read_scores(rows.filter(pl.col(step) == value).drop(step), read=options)
        found[value] = scores
    last = found[max(found)]
    whole = {at: same for at, scores in found.items() if (same := _alike(scores, last)) is not None}
    if not whole:
        raise DataError("no training step is there for every agent on every task")
    return whole


def _alike(scores: Scores, last: Scores) -> Scores | None:
    """Give scores in the order of others, or None where an agent or task is not there."""
    if set(scores.agents) != set(last.agents) or set(scores.tasks) != set(last.tasks) or scores.missing.any():
        return None
    rows = [scores.agents.index(name) for name in last.agents]
    return scores.take(agents=rows, tasks=[scores.tasks.index(name) for name in last.tasks])


def _some(steps: list[float]) -> list[float]:
    if len(steps) <= MOST_STEPS:
        return steps
    return [steps[k] for k in sorted({round(k) for k in np.linspace(0, len(steps) - 1, MOST_STEPS)})]


def curves_of(
    tables: Mapping[float, Scores],
    *,
    normalise: Source | Sequence[str] | None,
    target: float | None,
    level: float,
    rng: int | np.random.Generator,
    runs: RunsShared | None = None,
) -> LearningCurves:
    """Aggregate the scores of each step, all in the units of the last one."""
    check(TARGET, "target", target)
    steps = sorted(tables)
    scale = TaskScale.of(tables[steps[-1]].values, "min-max") if normalise is None else None
    if scale is not None and scale.without_unit.any():
        raise DataError("all agents end alike on a task, which gives no common units")
    parts = []
    for at in steps:
        here = tables[at]
        scaled = normalise_scores(here, normalise) if normalise is not None else _in_scale(here, scale)
        parts.append(aggregate(scaled, runs=runs, level=level, rng=rng, n=DRAWS))
    iqm, low, high = (
        np.stack([getattr(part, name) for part in parts], axis=1) for name in ("iqm", "iqm_low", "iqm_high")
    )
    units = "min-max" if normalise is None else "normalised"
    aim = float(iqm[:, -1].min()) if target is None else target
    where = np.array(steps)
    notes = tuple(note for note in parts[-1].diagnostics if note.code != "raw-units")
    return LearningCurves(
        agents=parts[-1].agents, steps=frozen(where), iqm=frozen(iqm), low=frozen(low), high=frozen(high), target=aim,
        reached=_first(where, iqm >= aim), earliest=_first(where, high >= aim), latest=_first(where, low >= aim),
        interval=parts[-1].interval, diagnostics=notes, params=frozen_params(target=target, level=level, units=units),
    )  # fmt: skip


def _in_scale(scores: Scores, scale: Any) -> Scores:
    repeats = None if scores.repeats is None else frozen(scale.scaled(np.array(scores.repeats)))
    return replace(scores, values=frozen(scale.scaled(scores.values)), repeats=repeats)


def _first(steps: FloatArray, there: Any) -> FloatArray:
    """The first step at which something holds, for each row; NaN where it never does."""
    return frozen(np.where(there.any(axis=1), steps[np.argmax(there, axis=1)], np.nan))
