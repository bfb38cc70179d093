"""Aggregates of agents over tasks and runs, with intervals."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.aggregates.kernels import STATISTICS
from equipoise.aggregates.precision import few_runs_notes, precision
from equipoise.aggregates.runs import Anchors, RunUnit, runs_of
from equipoise.core.declaration import method
from equipoise.core.errors import some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.data.types.normalisation import Units
from equipoise.data.types.scores import RunsShared, Scores


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Aggregates(Result):
    """Four aggregates of each agent.

    Attributes
    ----------
    iqm
        Mean of the middle half of all runs on all tasks.
    median, mean
        Over tasks, of the mean over runs.
    optimality_gap
        How far runs fall short of 1 on average; smaller is better.
    iqm_low ... optimality_gap_high
        Their intervals, described by ``interval``; NaN where one task is all that could be drawn.
    """

    main: ClassVar[str] = "iqm"

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    iqm: FloatArray
    iqm_low: FloatArray
    iqm_high: FloatArray
    median: FloatArray
    median_low: FloatArray
    median_high: FloatArray
    mean: FloatArray
    mean_low: FloatArray
    mean_high: FloatArray
    optimality_gap: FloatArray
    optimality_gap_low: FloatArray
    optimality_gap_high: FloatArray
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the table, best interquartile mean first."""
        names = [
            f"{name}{end}" for name in ("iqm", "median", "mean", "optimality_gap") for end in ("", "_low", "_high")
        ]
        table = pl.DataFrame({"agent": list(self.agents)} | {name: getattr(self, name) for name in names})
        return table.sort("iqm", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the kind of the intervals and the tasks."""
        return {"interval": self.interval, "tasks": list(self.tasks)}

    @property
    def answer(self) -> tuple[str, ...]:
        """Who has the best interquartile mean, and how sure that number is."""
        best = np.flatnonzero(self.iqm == self.iqm.max())
        i = int(best[0])
        level = f"{100 * self.interval.level:g}% interval"
        sure = "" if np.isnan(self.iqm_low[i]) else f" ({level} {self.iqm_low[i]:.3f} to {self.iqm_high[i]:.3f})"
        number = f"{self.iqm[i]:.3f}{sure}"
        if len(self.agents) == 1:
            return (f"The interquartile mean of {self.agents[i]} is {number}.",)
        if len(best) > 1:
            names = some_of(self.agents[k] for k in best)
            return (f"{len(best)} agents share the highest interquartile mean, {self.iqm[i]:.3f}: {names}.",)
        return (f"{self.agents[i]} has the highest interquartile mean, {number}.",)


@method(
    takes="scores",
    answers="How good is each agent over all tasks, and how much of that is the luck of a few runs?",
    reference="Agarwal et al. (2021)",
    checks={"n": whole(2)},
    renamed={"resample": "over"},
)
def aggregate(
    data: Scores,
    *,
    units: Units = "none",
    anchors: Anchors | None = None,
    over: RunUnit | None = None,
    runs: RunsShared | None = None,
    n: int = 2000,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Aggregates:
    """How good is each agent over all tasks, and how much of that is the luck of a few runs?

    Parameters
    ----------
    data
        Scores, best with several runs (trials) of each agent on each task.
    units
        ``none`` (default): the scores are already comparable across tasks (normalised); ``min-max``, or another of
        :data:`equipoise.data.types.normalisation.Units`, by each agent's mean on the task.
    anchors
        Scores on each task that count as 0 and as 1 (random play and a human, say), instead of ``units``.
    over
        What might have been otherwise: each agent's ``runs`` on each task (the default where there are several), or the
        ``tasks``.
    runs
        Whether runs of the same name on several tasks are one: ``shared`` (a checkpoint or seed behind them all; the
        runs as wholes are the sample) or ``independent``. None (default) lets the scores say, where a column of the
        file or the third axis of a matrix names runs; without names runs are independent.
    n
        Number of draws behind the interval of the median.
    level
        Of the intervals.
    rng
        Seed or generator.

    Returns
    -------
    Aggregates
        Interquartile mean, median, mean and optimality gap, with intervals.

    Fails when
        cells are missing; a task has no units (its zero equals its one); runs are to be drawn where there is one only;
        runs are said to be shared and an agent does not have the same ones on every task.

    Notes
    -----
    Student's t with Satterthwaite's degrees of freedom: variances add up over tasks, each known from its few runs only
    (:mod:`equipoise.aggregates.precision`). The interquartile mean goes by winsorised runs, as Yuen (1974) has it. A
    diagnostic says what few runs cost in width. What runs share over tasks is in the intervals where a test notices it
    (:mod:`equipoise.aggregates.shared_runs`); one or two agents with two or three runs hardly show it, and an agent who
    is alone in it may be missed: ``runs="shared"`` holds in all cases, at two to five times the width for so few runs.

    References
    ----------
    Agarwal, Schwarzer, Castro, Courville and Bellemare (2021), Deep reinforcement learning at the edge of the
    statistical precipice. Satterthwaite (1946), An approximate distribution of estimates of variance components. Yuen
    (1974), The two-sample trimmed t for unequal population variances.

    Examples
    --------
    >>> import equipoise as eq
    >>> runs = [[[0.1, 0.2, 0.3], [0.9, 1.0, 1.4]], [[0.5, 0.5, 0.6], [0.8, 0.8, 0.9]]]
    >>> result = eq.aggregate(eq.Scores.from_matrix(runs, agents=["daring", "steady"]))
    >>> result.iqm.tolist(), result.optimality_gap.round(3).tolist()
    ([0.6, 0.675], [0.417, 0.317])
    """
    drawn = runs_of(data, units, anchors, over, runs)
    stream = generator(rng)
    parts = {name: precision(drawn, name, n, stream) for name in STATISTICS}
    estimates: dict[str, FloatArray] = {}
    for name, part in parts.items():
        least, most = (0.0, drawn.limits[1]) if name == "optimality_gap" else drawn.limits
        low, high = part.ends(level)
        ends = {f"{name}_low": frozen(np.maximum(low, least)), f"{name}_high": frozen(np.minimum(high, most))}
        estimates |= {name: frozen(part.estimate), **ends}
    return Aggregates(
        agents=drawn.agents, tasks=drawn.tasks, interval=drawn.interval(level),
        diagnostics=(*drawn.diagnostics, *few_runs_notes(drawn, parts.values())),
        params=frozen_params(units=units, over=drawn.unit, runs=runs, n=n, level=level),
        **estimates,  # type: ignore[arg-type]  # the statistics and the ends of their intervals, by name
    )  # fmt: skip
