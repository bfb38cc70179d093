"""Averages of a score table: what they explain, and the latent abilities they hide."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from equipoise.data.scores import Scores
from equipoise.data.units import LinearUnits, TaskScale
from equipoise.declaration import method
from equipoise.diagnostics import Diagnostic, info, warning
from equipoise.errors import DataError, ParameterError, some_of
from equipoise.flows.additive_null import CellNoise, additive_p_value, expected_noise
from equipoise.flows.schur_form import Centred, centred_svd
from equipoise.results import FloatArray, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Averages", "averages"]

SURE = 0.05
SMALL_SHARE = 0.25


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Averages(Result):
    """Scores as skill minus difficulty plus the rest, and the rest as latent abilities times latent problems.

    Attributes
    ----------
    skill, difficulty
        Average of each agent and minus the average of each task, both about the overall ``mean``.
    residual_share
        Share of the differences between cells that averages do not explain; corrected for noise where trials tell how
        large it is. NaN where all cells are equal (beyond noise).
    p_value
        Chance of so large a rest if averages explained everything; NaN without repeated trials.
    values, abilities, problems
        Singular values of the rest, strongest first, with the agents' abilities and the tasks' problems by columns.
    text
        The verdict in one sentence.
    """

    main: ClassVar[str] = "skill"

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    mean: float
    skill: FloatArray
    difficulty: FloatArray
    residual_share: float
    p_value: float
    values: FloatArray
    abilities: FloatArray
    problems: FloatArray
    text: str

    def approximation(self, k: int) -> FloatArray:
        """Give mean + skill - difficulty and the first k latent abilities: the best scores of that form."""
        if not 0 <= k <= len(self.values):
            raise ParameterError(f"k is between 0 and the {len(self.values)} latent abilities there are, not {k}")
        rest = (self.abilities[:, :k] * self.values[:k]) @ self.problems[:, :k].T
        return frozen(self.mean + self.skill[:, None] - self.difficulty + rest)

    def frame(self) -> "pl.DataFrame":
        """Give each agent's skill and its strongest latent ability, best first."""
        import polars as pl

        first = self.abilities[:, 0] if len(self.values) else np.zeros(len(self.agents))
        table = pl.DataFrame({"agent": list(self.agents), "skill": self.skill, "ability": first})
        return table.sort("skill", descending=True, maintain_order=True)

    def task_frame(self) -> "pl.DataFrame":
        """Give each task's difficulty and its strongest latent problem, hardest first."""
        import polars as pl

        first = self.problems[:, 0] if len(self.values) else np.zeros(len(self.tasks))
        table = pl.DataFrame({"task": list(self.tasks), "difficulty": self.difficulty, "problem": first})
        return table.sort("difficulty", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the share, the p-value and the verdict."""
        names = ("residual_share", "p_value", "mean", "values", "text")
        return {name: getattr(self, name) for name in names}


@method(
    takes="scores",
    answers="Do averages explain the scores, or do agents have talents that averages hide?",
    reference="Balduzzi et al. (2018), section 3.3",
)
def averages(
    data: Scores, *, units: LinearUnits = "none", n: int = 999, rng: int | np.random.Generator = 0
) -> Averages:
    r"""Do averages explain the scores, or do agents have talents that averages hide?

    .. math:: S_{ij} = \mu + s_i - d_j + \sum_d \sigma_d u_{id} v_{jd}

    s is the average skill of each agent, d the average difficulty of each task; the singular vectors of the doubly
    centred rest are latent abilities and latent problems. Averages explain the data iff the rest is zero: for score
    tables the same question as :func:`transitivity` asks of games.

    Parameters
    ----------
    data
        Complete scores. With repeated trials, or success counts, noise is corrected for and a p-value is given.
    units
        Bring tasks to common units: ``none`` (scores are comparable as they are), ``min-max`` or ``z`` per task.
    n
        Simulated tables for the p-value.
    rng
        Seed or generator of the simulation.

    Returns
    -------
    Averages
        Skills, difficulties, latent abilities and problems, the verdict.

    Fails when
        cells are missing, or there are not two agents and two tasks. Without trials nothing tells noise from talent
        (``no-trials``).

    References
    ----------
    Balduzzi, Tuyls, Perolat, Graepel (2018), Re-evaluating Evaluation, section 3.3 and proposition 2.

    Examples
    --------
    >>> import equipoise as eq
    >>> additive = eq.Scores.from_matrix([[3, 5, 1], [2, 4, 0]])
    >>> eq.averages(additive).residual_share
    0.0
    """
    if not isinstance(data, Scores):
        raise DataError(f"averages take scores of agents on tasks, not {type(data).__name__}")
    _check(data, n)
    scale, constant = _scale(data.values, units)
    found = centred_svd(data.values / scale)
    noise = _noise(data, scale)
    rest, main = float(np.sum(found.rest**2)), _main(found)
    by_chance = expected_noise(noise) if noise else (0.0, 0.0)
    residual, explained = max(0.0, rest - by_chance[0]), max(0.0, main - by_chance[1])
    total = residual + explained
    tiny = total <= 1e-24 * float(np.sum((data.values / scale) ** 2))
    share = float("nan") if tiny else residual / total
    p_value = additive_p_value(found.rest, noise, n, np.random.default_rng(rng)) if noise else float("nan")
    return Averages(
        agents=data.agents, tasks=data.tasks, mean=found.mean, skill=frozen(found.skill),
        difficulty=frozen(found.difficulty), residual_share=share, p_value=p_value, values=frozen(found.values),
        abilities=frozen(found.abilities), problems=frozen(found.problems),
        text=_text(data, found, share, p_value, n),
        params=frozen_params(units=units, n=n),
        diagnostics=(*data.diagnostics, *_notes(data, units, constant, noise)),
    )  # fmt: skip


def _check(data: Scores, n: int) -> None:
    if n < 19:
        raise ParameterError(f"n is at least 19, not {n}")
    if min(data.values.shape) < 2:
        raise DataError("averages are compared over at least two agents and two tasks")
    if data.missing.any():
        gaps = np.argwhere(data.missing)
        where = some_of(f"{data.agents[i]} on {data.tasks[j]}" for i, j in gaps)
        raise DataError(f"{len(gaps)} scores are missing ({where}); drop these agents or tasks, or fill them first")


def _scale(values: FloatArray, units: LinearUnits) -> tuple[FloatArray, FloatArray]:
    """Size of one common unit on each task, and which tasks are constant."""
    scale = TaskScale.of(values, units)
    return np.where(scale.without_unit, 1.0, scale.size), np.ptp(values, axis=0) == 0


def _main(found: Centred) -> float:
    """Sum of squares of the averages over all cells."""
    return float(len(found.difficulty) * np.sum(found.skill**2) + len(found.skill) * np.sum(found.difficulty**2))


def _noise(data: Scores, scale: FloatArray) -> CellNoise | None:
    """Variance of each cell's mean: from repeats, pooled by task; from counts of successes, binomial; else None."""
    if data.trials is None:
        return None
    if data.repeats is None:
        rate = (data.values * data.trials + 0.5) / (data.trials + 1)
        return CellNoise(rate * (1 - rate) / data.trials / scale**2, np.full(len(data.tasks), np.inf))
    df = (data.trials - 1).sum(axis=0).astype(float)
    if (df < 1).any():
        return None
    squares = np.nansum((data.repeats - data.values[:, :, None]) ** 2, axis=(0, 2))
    return CellNoise(squares / df / data.trials / scale**2, df)


def _notes(data: Scores, units: str, constant: FloatArray, noise: CellNoise | None) -> list[Diagnostic]:
    notes = []
    if noise is None:
        notes.append(info("no-trials", "Without repeated trials nothing tells noise from talent: no p-value."))
    if constant.any():
        names = [task for task, same in zip(data.tasks, constant, strict=True) if same]
        notes.append(info("constant-task", f"Everybody has the same score on {some_of(names)}.", names))
    spread = data.values.std(axis=0)
    spread = spread[spread > 0]
    if units == "none" and len(spread) > 1 and spread.max() > 20 * spread.min():
        message = "Tasks differ more than twentyfold in spread, so a few decide everything; consider units=min-max."
        notes.append(warning("mixed-units", message))
    return notes


def _text(data: Scores, found: Centred, share: float, p_value: float, n: int) -> str:
    if np.isnan(share):
        return "Averages explain these scores: agents and tasks differ by no more than noise."
    odds = (
        ""
        if np.isnan(p_value)
        else f", p ≤ {1 / (n + 1):.3g}"
        if p_value <= 1.0001 / (n + 1)
        else f", p = {p_value:.2g}"
    )
    noise = " beyond noise" if not np.isnan(p_value) else ", noise and all"
    if p_value >= SURE or share <= 0.01:
        return f"Averages explain these scores: {share:.0%} of the differences{noise} is left over{odds}."
    amount = f"{share:.0%} of the differences{noise}{odds}"
    if share <= SMALL_SHARE:
        return f"Averages explain most of these scores, but not {amount}: {_example(data, found)}."
    return f"Do not trust averages alone: they miss {amount}; {_example(data, found)}."


def _example(data: Scores, found: Centred) -> str:
    """The agent with the strongest talent: a task on which it does better than its average says, and one worse."""
    i = int(np.argmax(np.sum(found.rest**2, axis=1)))
    up, down = int(np.argmax(found.rest[i])), int(np.argmin(found.rest[i]))
    return f"{data.agents[i]} does better on {data.tasks[up]} and worse on {data.tasks[down]} than its average says"
