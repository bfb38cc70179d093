r"""Runs that are good or bad on every task at once: one checkpoint or seed behind all scores of a run.

A statistic is a weighted mean of influence values, so a run as a whole moves it by :math:`u_r = \sum_t w_t v_{tr}`.
Where runs are independent over tasks, such sums vary no more than what is left once a run's own level is taken out
(doubly centred, :math:`e`):

.. math:: V_1 = \frac{\operatorname{var}_r u_r}{n}, \qquad
          V_e = \frac{\sum_t w_t^2 \sum_r e_{tr}^2}{n (n - 1) (1 - 1/T')}, \qquad T' = \frac{(\sum w)^2}{\sum w^2}.

The ratio is shared by the agents, as few runs of one agent hardly show it (Smyth 2004); an F test at 20% (40% with one
or two agents) decides whether it is used, and an agent whose own ratio is far out goes by its own runs. From ten runs
on Student's t over the runs' sums costs a tenth in width, holds whatever runs share, and is always used. Nothing
changes where there is one task.

References: Satterthwaite (1946), An approximate distribution of estimates of variance components; Smyth (2004), Linear
models and empirical Bayes methods; Bancroft (1944), On biases in estimation due to the use of preliminary tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import scipy

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.results import FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.data.types.scores import RunsShared

SHARED = "shared-runs"
"""Code of the note that runs rise and fall together, or may."""
MANY = 10
"""Runs from which their sums are the sample."""
POOLED, POOLED_OF_FEW, OWN = 0.20, 0.40, 0.05
"""Levels of the tests: of all agents together, of one or two, and of an agent by itself."""
LEAST = 0.05
"""Share of the plain variance that is left at least when runs' levels are taken out."""
ALONE = 0.2
"""1 - 1/T' below which a statistic is that of one task (a sure median), whose runs show all that they share."""

UNSEEN = {2: ("Two", "four times"), 3: ("Three", "twice")}
"""Runs of one agent that tell hardly anything, and how wide intervals would have to be."""


@dataclass(frozen=True, slots=True, eq=False)
class RunSums:
    """What runs as wholes say of weighted means, row by row (a row is an agent, or one side of a comparison).

    Attributes
    ----------
    plain
        Variance if runs are independent over tasks.
    whole, rest, degrees
        Variance from the runs' sums, and from what is left without their levels, with its degrees of freedom.
    count
        Runs.
    linked
        Where every task was played in the same runs.
    """

    plain: FloatArray
    whole: FloatArray
    rest: FloatArray
    degrees: FloatArray
    count: FloatArray
    linked: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, values: FloatArray, weight: FloatArray, parts: FloatArray, linked: npt.NDArray[np.bool_]) -> "RunSums":
        """Take influence values, rows x tasks x runs, their weights, and each task's part of the plain variance."""
        there = ~np.isnan(values)
        count = there.any(axis=1).sum(axis=1).astype(float)
        linked = linked & (count > 1) & (there == there.any(axis=1, keepdims=True)).all(axis=(1, 2))
        free = np.maximum(count - 1.0, 1.0)
        away = np.where(there & linked[:, None, None], values, 0.0)
        away = np.where(there, away - away.sum(axis=2, keepdims=True) / count[:, None, None], 0.0)
        total = weight.sum(axis=1)
        sums = (weight[:, :, None] * away).sum(axis=1)
        whole = (sums**2).sum(axis=1) / (count * free)
        level = sums / np.where(total == 0.0, 1.0, total)[:, None]
        squares = weight**2 * (np.where(there, away - level[:, None, :], 0.0) ** 2).sum(axis=2)
        # Runs' own levels take a share of what tasks of these weights vary by themselves.
        kept = 1.0 - np.minimum((weight**2).sum(axis=1) / np.where(total == 0.0, 1.0, total) ** 2, 1.0)
        linked = linked & (kept >= ALONE)
        safe = np.where(linked, kept, 1.0)
        plain = parts.sum(axis=1)
        rest = np.maximum(squares.sum(axis=1) / (count * free * safe), LEAST * plain)
        with np.errstate(divide="ignore", invalid="ignore"):
            degrees = safe * free * squares.sum(axis=1) ** 2 / (squares**2).sum(axis=1)
        return cls(plain, whole, rest, np.where(np.isfinite(degrees), degrees, 1.0), count, linked & (plain > 0.0))

    @classmethod
    def joined(cls, parts: "Sequence[RunSums]") -> "RunSums":
        """All rows of several, one after the other."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))

    @property
    def ratio(self) -> FloatArray:
        """How many times as much runs vary as wholes, without the bias of so few degrees of freedom."""
        shrink = np.where(self.degrees > 4.0, (self.degrees - 2.0) / self.degrees, 0.5)
        return np.asarray(self.whole / np.where(self.linked, self.rest, 1.0) * shrink)


@dataclass(frozen=True, slots=True, eq=False)
class RunComponent:
    """Variances and degrees of freedom with what runs share; ``p`` of the test that they share nothing, if made."""

    variance: FloatArray
    degrees: FloatArray
    p: float = np.nan
    used: bool = False


def run_component(
    sums: RunSums, degrees: FloatArray, how: RunsShared | None, agents: int | None = None
) -> RunComponent:
    """Decide by the rule, or as the user says, what each row's variance is.

    Parameters
    ----------
    sums
        Of all rows.
    degrees
        Of freedom of the plain variances.
    how
        What the user says of the runs; None to go by the test.
    agents
        Independent agents behind the rows, where these are not one each.
    """
    own, linked = sums.count - 1.0, sums.linked
    if how == "independent" or not linked.any():
        return RunComponent(sums.plain, degrees)
    seen = linked & (sums.whole > 0.0)
    if how == "shared":
        return RunComponent(np.where(seen, sums.whole, sums.plain), np.where(seen, own, degrees), used=True)
    k = min(int(linked.sum()), agents or len(linked))
    ratio, first = float(sums.ratio[linked].mean()), float(own[linked].mean()) * k
    p = float(scipy.special.fdtrc(first, sums.degrees[linked].sum() * k / linked.sum(), ratio))
    variance, freedom, used = sums.plain, degrees, p < (POOLED_OF_FEW if k <= 2 else POOLED)
    if used:
        variance = np.where(linked, sums.rest * ratio, variance)
        freedom = np.where(linked, 1.0 / (1.0 / first + (1.0 - 1.0 / k) / sums.degrees), freedom)
    odd = scipy.special.fdtrc(np.maximum(own, 1.0), sums.degrees, sums.whole / np.where(linked, sums.rest, 1.0)) < OWN
    wider = _width(sums.whole, own) > _width(variance, freedom)
    alone = seen & (((sums.count >= 3.0) & odd & wider) | (sums.count >= MANY))
    return RunComponent(np.where(alone, sums.whole, variance), np.where(alone, own, freedom), p, used)


def _width(variance: FloatArray, degrees: FloatArray) -> FloatArray:
    return np.asarray(scipy.special.stdtrit(np.maximum(degrees, 1e-3), 0.975) * np.sqrt(variance))


def run_notes(
    agents: Sequence[str], labels: Sequence[Sequence[str] | None], values: FloatArray, parts: Sequence[RunComponent]
) -> tuple[Diagnostic, ...]:
    """Say that runs rise and fall together, or that so few of one agent cannot tell; runs are agents x tasks x runs."""
    tested = min(parts, key=lambda part: np.nan_to_num(part.p, nan=2.0))
    if np.isnan(tested.p):
        return ()
    used = [part for part in parts if part.used]
    if tested.p < OWN:
        together = f"Runs rise and fall together over tasks ({_example(agents, labels, values)})"
        return (info(SHARED, f"{together}: intervals take whole runs as the sample."),)
    if used:
        message = f"Runs may rise and fall together over tasks (p = {tested.p:.2f}): intervals allow for it."
        advice = [Advice("if they do not, say so with ", Option("runs", "independent"))]
        return (info(SHARED, message, advice=advice),)
    count = int((~np.isnan(values[0, 0])).sum())
    if len(agents) > 1 or count not in UNSEEN:
        return ()
    number, wide = UNSEEN[count]
    message = (
        f"{number} runs cannot tell whether a run is good or bad on all tasks at once; if so, intervals would be about"
        f" {wide} as wide."
    )
    return (
        info("few-shared-runs", message, advice=[Advice("if it may be so, say so with ", Option("runs", "shared"))]),
    )


def _example(agents: Sequence[str], labels: Sequence[Sequence[str] | None], values: FloatArray) -> str:
    """Name the run that is furthest from its agent's others on all tasks together."""
    rows = [i for i, names in enumerate(labels) if names is not None]
    away = values[rows] - np.nanmean(values[rows], axis=2, keepdims=True)
    size = np.sqrt(np.nanmean(away**2, axis=(1, 2), keepdims=True))
    level = (away / np.where(size > 0.0, size, 1.0)).mean(axis=1)
    row, run = (int(at) for at in np.unravel_index(np.nanargmax(np.abs(level)), level.shape))
    sign = 1.0 if level[row, run] > 0.0 else -1.0
    same, tasks = int((sign * away[row, :, run] > 0.0).sum()), away.shape[1]
    name = f"run {(labels[rows[row]] or ())[run]} of {agents[rows[row]]}"
    if same == tasks:
        return f"{name} is {'high' if sign > 0.0 else 'low'} everywhere"
    return f"{name} is {'above' if sign > 0.0 else 'below'} the agent's mean on {same} of {tasks} tasks"
