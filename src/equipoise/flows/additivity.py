"""Additivity of a score table: what averages explain, and the latent abilities they hide.

Scores as skill minus difficulty plus the rest: kernels for tables of agents by tasks.

The singular values of the rest are those of proposition 2 of Balduzzi et al. (2018); how much of the rest noise alone
would leave is known where cells have repeated trials.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import scipy

from equipoise.core.declaration import method
from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.errors import DataError, ParameterError, some_of
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.results import FloatArray, Result, frozen, frozen_params
from equipoise.core.wording import Advice, Option
from equipoise.data.types.normalisation import LinearUnits, TaskScale
from equipoise.data.types.scores import Scores
from equipoise.inference.pass_fail import is_pass_fail, rasch_null
from equipoise.inference.threads import one_thread

CHUNK = 200_000
"""Numbers of simulated tables that are looked at together."""


class Centred(NamedTuple):
    """Scores split into averages and the rest, with the singular values of the rest."""

    mean: float
    skill: FloatArray
    """Average of each agent, minus the overall mean."""
    difficulty: FloatArray
    """Minus the average of each task, plus the overall mean."""
    rest: FloatArray
    """``S - mean - (skill_i - difficulty_j)``: row and column sums are zero."""
    values: FloatArray
    """Singular values of the rest, largest first."""
    abilities: FloatArray
    """Columns u_d: the latent abilities of the agents."""
    problems: FloatArray
    """Columns v_d: the latent problems posed by the tasks."""

    @property
    def rest_squares(self) -> float:
        """Sum of squares that averages do not explain."""
        return float(np.sum(self.rest**2))

    @property
    def average_squares(self) -> float:
        """Sum of squares of the averages over all cells."""
        return float(len(self.difficulty) * np.sum(self.skill**2) + len(self.skill) * np.sum(self.difficulty**2))


def centred_svd(scores: FloatArray) -> Centred:
    """Singular value decomposition of the doubly centred ``scores`` (agents by tasks).

    The largest entry of each ability vector is made positive, so signs are fixed.
    """
    mean = float(scores.mean())
    skill = scores.mean(axis=1) - mean
    difficulty = mean - scores.mean(axis=0)
    rest = scores - mean - skill[:, None] + difficulty[None, :]
    with one_thread(min(rest.shape)):
        u, d, vt = scipy.linalg.svd(rest, full_matrices=False)
    largest = max(float(d[0]), float(np.abs(scores).max())) if len(d) else 0.0
    nonzero = d > max(scores.shape) * np.finfo(float).eps * largest
    u, d, v = u[:, nonzero], d[nonzero], vt[nonzero].T
    size = np.abs(u)
    lead = np.argmax(size >= size.max(axis=0, initial=0.0) * (1 - 1e-9), axis=0)
    sign = np.sign(u[lead, np.arange(len(d))])
    return Centred(mean, skill, difficulty, rest, d, u * sign, v * sign)


class CellNoise(NamedTuple):
    """Variance of each cell's mean, and the degrees of freedom behind each task's estimate (infinite: known)."""

    variance: FloatArray
    df: FloatArray


def doubly_centred(table: FloatArray) -> FloatArray:
    """Take row and column means out of the last two axes."""
    rows, columns = table.mean(axis=-1, keepdims=True), table.mean(axis=-2, keepdims=True)
    return np.asarray(table - rows - columns + table.mean(axis=(-2, -1), keepdims=True))


def expected_noise(noise: CellNoise) -> tuple[float, float]:
    """Sum of squares that noise alone puts into the doubly centred rest and into the averages."""
    m, n = noise.variance.shape
    total = float(noise.variance.sum())
    return total * (1 - 1 / m) * (1 - 1 / n), total * (1 / m + 1 / n - 2 / (m * n))


def additive_p_value(rest: FloatArray, noise: CellNoise, n: int, rng: np.random.Generator) -> float:
    """Chance of a rest as large as this, relative to the estimated noise, if averages explained everything.

    Simulated tables have normal noise; the variance of each task is estimated anew in each, so that few repeats do
    not make the test too sure.
    """
    if not noise.variance.any():
        return 1.0 if not np.any(np.abs(rest) > 1e-12) else 1 / (n + 1)
    observed = float(np.sum(rest**2)) / float(noise.variance.sum())
    at_least = 0
    root, estimated = np.sqrt(noise.variance), np.isfinite(noise.df)
    df = np.where(estimated, noise.df, 1.0)
    by_task = noise.variance.sum(axis=0)
    some = max(1, CHUNK // rest.size)
    for start in range(0, n, some):
        drawn = [(rng.normal(size=rest.shape), rng.chisquare(df)) for _ in range(min(some, n - start))]
        samples = doubly_centred(root * np.array([normal for normal, _ in drawn]))
        factors = np.where(estimated, np.array([square for _, square in drawn]) / df, 1.0)
        at_least += int(np.sum((samples**2).sum(axis=(1, 2)) >= observed * (factors @ by_task)))
    return (1 + at_least) / (n + 1)


SURE = 0.05
"""A p-value below this says that the rest is not chance."""
FEW_AGENTS = 10
"""Agents below which a pass/fail table hardly shows a second ability (in one of five tables)."""
SMALL_SHARE, TINY_SHARE = 0.25, 0.01
"""A rest up to the first leaves averages the larger part by far; up to the second it is not worth a word."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Additivity(Result):
    """Scores as skill minus difficulty plus the rest, and the rest as latent abilities times latent problems.

    Attributes
    ----------
    skill, difficulty
        Average of each agent and minus the average of each task, both about the overall ``mean``.
    residual_share
        Share of the differences between cells that averages do not explain; corrected for noise where trials tell how
        large it is. NaN where all cells are equal (beyond noise).
    p_value
        Chance of so large a rest if averages explained everything; NaN without repeated trials. Of a pass/fail table:
        that agents go together as much as they do, if an ability each and a difficulty of each task (Rasch) explained
        everything; its ``residual_share`` says nothing, as it is the same for all tables with these averages.
    values, abilities, problems
        Singular values of the rest, strongest first, with the agents' abilities and the tasks' problems by columns.
    text
        The answer in one sentence; ``words`` holds the same.
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

    @property
    def answer(self) -> tuple[str, ...]:
        """Whether averages explain the scores, with how much they miss."""
        return (self.text,)

    def approximation(self, k: int) -> FloatArray:
        """Give mean + skill - difficulty and the first k latent abilities: the best scores of that form."""
        if not 0 <= k <= len(self.values):
            raise ParameterError(
                Option("k"), f" is between 0 and the {len(self.values)} latent abilities there are, not {k}"
            )
        rest = (self.abilities[:, :k] * self.values[:k]) @ self.problems[:, :k].T
        return frozen(self.mean + self.skill[:, None] - self.difficulty + rest)

    def frame(self) -> "pl.DataFrame":
        """Give each agent's skill and its strongest latent ability, best first."""
        first = self.abilities[:, 0] if len(self.values) else np.zeros(len(self.agents))
        table = pl.DataFrame({"agent": list(self.agents), "skill": self.skill, "ability": first})
        return table.sort("skill", descending=True, maintain_order=True)

    def task_frame(self) -> "pl.DataFrame":
        """Give each task's difficulty and its strongest latent problem, hardest first."""
        first = self.problems[:, 0] if len(self.values) else np.zeros(len(self.tasks))
        table = pl.DataFrame({"task": list(self.tasks), "difficulty": self.difficulty, "problem": first})
        return table.sort("difficulty", descending=True, maintain_order=True)

    def summary(self) -> dict[str, object]:
        """Give the share, the p-value and the answer."""
        names = ("residual_share", "p_value", "mean", "values", "text")
        return {name: getattr(self, name) for name in names}


@method(
    takes="scores",
    answers="Do averages explain the scores, or are there residual interactions of agents with tasks?",
    reference="Balduzzi et al. (2018), section 3.3",
    checks={"n": whole(19)},
)
def additivity(
    data: Scores, *, units: LinearUnits = "none", n: int = 999, rng: int | np.random.Generator = 0
) -> Additivity:
    r"""Do averages explain the scores, or are there residual interactions of agents with tasks?

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
    Additivity
        Skills, difficulties, latent abilities and problems, the answer.

    Fails when
        cells are missing, or there are not two agents and two tasks. Without runs nothing tells noise from interaction
        (``no-trials``), except in pass/fail tables, which are held against others with the same margins.

    References
    ----------
    Balduzzi, Tuyls, Perolat, Graepel (2018), Re-evaluating Evaluation, section 3.3 and proposition 2.

    Examples
    --------
    >>> import equipoise as eq
    >>> additive = eq.Scores.from_matrix([[3, 5, 1], [2, 4, 0]])
    >>> eq.methods.additivity(additive).residual_share
    0.0
    """
    _refuse_gaps(data)
    scale, constant = _scale(data.values, units)
    split = centred_svd(data.values / scale)
    noise = _noise(data, scale)
    share = _residual_share(split, noise)
    rasch = noise is None and is_pass_fail(data.values)
    if rasch:
        null = rasch_null(data.values, generator(rng))
        p_value = float("nan") if null is None else null.p_value
    else:
        p_value = additive_p_value(split.rest, noise, n, generator(rng)) if noise else float("nan")
    return Additivity(
        agents=data.agents, tasks=data.tasks, mean=split.mean, skill=frozen(split.skill),
        difficulty=frozen(split.difficulty), residual_share=share, p_value=p_value, values=frozen(split.values),
        abilities=frozen(split.abilities), problems=frozen(split.problems),
        text=_rasch_text(data, split, p_value) if rasch else _text(data, split, share, p_value, n),
        params=frozen_params(units=units, n=n),
        diagnostics=(*data.diagnostics, *_notes(data, units, constant, noise is None and not rasch)),
    )  # fmt: skip


def _refuse_gaps(data: Scores) -> None:
    if min(data.values.shape) < 2:
        raise DataError("averages are compared over at least two agents and two tasks")
    if data.missing.any():
        gaps = np.argwhere(data.missing)
        where = some_of(f"{data.agents[i]} on {data.tasks[j]}" for i, j in gaps)
        count = "1 score is" if len(gaps) == 1 else f"{len(gaps):,} scores are"
        raise DataError(f"{count} missing ({where}); drop these agents or tasks, or fill them first")


def _scale(values: FloatArray, units: LinearUnits) -> tuple[FloatArray, FloatArray]:
    """Size of one common unit on each task, and which tasks are constant."""
    scale = TaskScale.of(values, units)
    return np.where(scale.without_unit, 1.0, scale.size), np.ptp(values, axis=0) == 0


def _residual_share(split: Centred, noise: CellNoise | None) -> float:
    """Share of the squared differences between cells, noise taken out, that averages miss; NaN without differences."""
    rest_noise, average_noise = expected_noise(noise) if noise else (0.0, 0.0)
    rest, explained = max(0.0, split.rest_squares - rest_noise), max(0.0, split.average_squares - average_noise)
    squares = split.rest_squares + split.average_squares + split.rest.size * split.mean**2
    return float("nan") if rest + explained <= 1e-24 * squares else rest / (rest + explained)


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


def _notes(data: Scores, units: str, constant: FloatArray, untested: bool) -> list[Diagnostic]:
    notes = []
    if untested:
        notes.append(info("no-trials", "Without repeated runs nothing tells noise from interaction: no p-value."))
    if constant.any():
        names = [task for task, same in zip(data.tasks, constant, strict=True) if same]
        notes.append(info("constant-task", f"Everybody has the same score on {some_of(names)}.", names))
    spread = data.values.std(axis=0)
    spread = spread[spread > 0]
    if units == "none" and len(spread) > 1 and spread.max() > 20 * spread.min():
        message = "Tasks differ more than twentyfold in spread, so a few decide everything."
        notes.append(warning("mixed-units", message, advice=[Advice("consider ", Option("units", "min-max"))]))
    return notes


def _rasch_text(data: Scores, split: Centred, p_value: float) -> str:
    """What tables with the same margins say of a pass/fail table."""
    model = "an ability for each agent and a difficulty for each task (Rasch)"
    if np.isnan(p_value):
        return f"Whether {model} explain this pass/fail table was not tested: it is too large."
    chance = f"p = {p_value:.2g}"
    if p_value >= SURE:
        few = f"; {len(data.agents)} agents would seldom show a second ability" if len(data.agents) < FEW_AGENTS else ""
        return f"Averages explain this pass/fail table as far as it shows: {model} fit it ({chance}){few}."
    high, low = (_most(data.tasks, sign * split.problems[:, 0]) for sign in (1.0, -1.0))
    return (
        f"More than averages is in this pass/fail table: {model} do not fit it ({chance}). Agents differ most in"
        f" {high} against {low}, or tasks separate agents unequally."
    )


def _most(names: tuple[str, ...], loads: FloatArray) -> str:
    return some_of(names[j] for j in np.argsort(-loads, kind="stable")[:2] if loads[j] > 0)


def _text(data: Scores, split: Centred, share: float, p_value: float, n: int) -> str:
    if np.isnan(share):
        return "Averages explain these scores: agents and tasks differ by no more than noise."
    chance = "" if np.isnan(p_value) else f" ({_p(p_value, n)})"
    missed = f"{_percent(share)} of the differences between scores{' beyond noise' if chance else ', noise and all'}"
    if p_value >= SURE and share > SMALL_SHARE:
        unsure = f"interaction explains {missed}, which can be chance{chance}"
        return f"These scores cannot tell whether averages explain them: {unsure}."
    if p_value >= SURE or share <= TINY_SHARE:
        return f"Averages explain these scores: interaction explains {missed}{chance}."
    if share <= SMALL_SHARE:
        return f"Averages explain most of these scores; interaction explains {missed}{chance}: {_example(data, split)}."
    return (
        f"Do not rank these agents by averages alone: interaction explains {missed}{chance}; {_example(data, split)}."
    )


def _p(p_value: float, n: int) -> str:
    least = 1 / (n + 1)
    return f"p ≤ {least:.3g}" if p_value <= 1.0001 * least else f"p = {p_value:.2g}"


def _percent(share: float) -> str:
    return "less than 1%" if 1e-9 < share < 0.005 else f"{share:.0%}"


def _example(data: Scores, split: Centred) -> str:
    """The agent with the largest residual interactions: a task on which it does better than its average, one worse."""
    i = int(np.argmax(np.sum(split.rest**2, axis=1)))
    up, down = int(np.argmax(split.rest[i])), int(np.argmin(split.rest[i]))
    who, better, worse = some_of([data.agents[i]]), some_of([data.tasks[up]]), some_of([data.tasks[down]])
    return f"{who} does better on {better} and worse on {worse} than its average says"
