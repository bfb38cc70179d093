"""Item response models: how hard is each item, how well does it tell agents apart, how able is each agent?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import scipy

from equipoise.data.scores import Scores
from equipoise.declaration import method
from equipoise.diagnostics import Diagnostic, warning
from equipoise.errors import ParameterError, did_you_mean, some_of
from equipoise.items.ability import ESTIMATORS, Estimator
from equipoise.items.calibration import Calibration, Scored
from equipoise.items.item_fit import AgentFit, ItemFit
from equipoise.items.item_step import WEAK_PRIOR, Bounds, ItemPrior
from equipoise.items.models import FLAT, MODELS, Items, Model
from equipoise.items.prepare import prepare
from equipoise.items.solve import Solved, solve_joint, solve_marginal
from equipoise.results import FloatArray, FrozenMap, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["IRT", "irt"]

#: The fewest items with which each model is determined by binary answers.
LEAST_ITEMS: dict[Model, int] = {"rasch": 2, "1pl": 2, "2pl": 3, "3pl": 4}


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class IRT(Result):
    """Items and agents on one scale.

    Arrays follow the data's own order of tasks and agents; items and agents that could not be used hold NaN.

    Attributes
    ----------
    difficulty, discrimination, guessing
        b, a and c of each item, with ``_se``, ``_low`` and ``_high``. Discrimination keeps its sign.
    slope
        Slope of the curve at its location, a (1 - c) / 4.
    ability
        Of each agent, with ``ability_se``, ``ability_low``, ``ability_high``.
    log_likelihood, aic, bic
        Of the fit (marginal over ability, or joint for ``method="jml"``).
    points
        Quadrature points in the end: enough that doubling them moves the log-likelihood by less than 0.001.
    starts
        Objective that each start came to on the first grid.
    flags
        Item name to its flags, for flagged items only.
    negative_p
        p-value of each negative discrimination against a flat curve.
    item_fit, agent_fit
        S-X2, infit, outfit of items; infit, outfit and z of agents.
    """

    main: ClassVar[str] = "ability"

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    model: Model
    ability: FloatArray
    ability_se: FloatArray
    ability_low: FloatArray
    ability_high: FloatArray
    difficulty: FloatArray
    difficulty_se: FloatArray
    difficulty_low: FloatArray
    difficulty_high: FloatArray
    discrimination: FloatArray
    discrimination_se: FloatArray
    discrimination_low: FloatArray
    discrimination_high: FloatArray
    guessing: FloatArray
    guessing_se: FloatArray
    slope: FloatArray
    share: FloatArray
    log_likelihood: float
    aic: float
    bic: float
    points: int
    starts: tuple[float, ...]
    flags: Mapping[str, tuple[str, ...]]
    negative_p: FloatArray
    item_fit: ItemFit
    agent_fit: AgentFit
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the agents, ablest first."""
        import polars as pl

        columns = {
            "agent": list(self.agents),
            "ability": self.ability,
            "stderr": self.ability_se,
            "low": self.ability_low,
            "high": self.ability_high,
            "share": self.share,
            "infit": self.agent_fit.infit,
            "outfit": self.agent_fit.outfit,
            "z": self.agent_fit.z,
        }
        return _sorted(pl.DataFrame(columns), "ability")

    def item_frame(self) -> "pl.DataFrame":
        """Give the items, hardest first, with their flags."""
        import polars as pl

        columns: dict[str, object] = {"item": list(self.tasks)}
        for name in ("difficulty", "discrimination"):
            columns |= {name + end: getattr(self, name + end) for end in ("", "_se", "_low", "_high")}
        columns |= {"guessing": self.guessing, "slope": self.slope}
        columns |= {
            "s_x2_p": self.item_fit.p_value,
            "infit": self.item_fit.infit,
            "outfit": self.item_fit.outfit,
            "flags": [list(self.flags.get(task, ())) for task in self.tasks],
        }
        table = pl.DataFrame(columns, schema_overrides={"flags": pl.List(pl.String)})
        return _sorted(table, "difficulty")

    def summary(self) -> dict[str, object]:
        """Give the items and the fit's own numbers."""
        return {
            "items": self.item_frame().to_dicts(),
            "model": self.model,
            "log_likelihood": self.log_likelihood,
            "aic": self.aic,
            "bic": self.bic,
            "points": self.points,
            "starts": self.starts,
            "interval": self.interval,
        }

    def calibration(self) -> Calibration:
        """Give the items alone, to save, to score new agents with, or to test adaptively."""
        used = ~np.isnan(self.difficulty)  # a flat item has no difficulty and measures nothing
        names = tuple(task for task, kept in zip(self.tasks, used, strict=True) if kept)
        return Calibration(
            tasks=names,
            model=self.model,
            difficulty=frozen(self.difficulty[used]),
            discrimination=frozen(self.discrimination[used]),
            guessing=frozen(self.guessing[used]),
            difficulty_se=frozen(self.difficulty_se[used]),
            discrimination_se=frozen(self.discrimination_se[used]),
            threshold=_number(self.params["threshold"]),
        )

    def score(
        self, scores: Scores, *, estimator: Estimator = "eap", threshold: float | None = None, level: float = 0.95
    ) -> Scored:
        """Give abilities of new agents with the items fixed (see :meth:`Calibration.score`)."""
        return self.calibration().score(scores, estimator=estimator, threshold=threshold, level=level)


def _sorted(table: "pl.DataFrame", by: str) -> "pl.DataFrame":
    import polars as pl

    return table.sort(pl.col(by).fill_nan(None), descending=True, nulls_last=True, maintain_order=True)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


@method(
    takes="scores",
    answers="How hard is each item, how well does it tell agents apart, and how able is each agent?",
    reference="Birnbaum (1968); Bock and Aitkin (1981); Martinez-Plumed and Hernandez-Orallo (2018)",
)
def irt(
    scores: Scores,
    *,
    model: Model = "2pl",
    method: Literal["mml", "jml"] = "mml",
    prior: Literal["weak"] | ItemPrior | None = None,
    threshold: float | None = None,
    estimator: Estimator = "eap",
    starts: int | None = None,
    max_discrimination: float = 100.0,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> IRT:
    r"""How hard is each item, how sharply does it separate agents, and how able is each agent?

    .. math:: P(\text{agent } j \text{ solves item } i) = c_i + (1 - c_i)\, \sigma(a_i (\theta_j - b_i)),
              \qquad \theta \sim N(0, 1)

    Parameters
    ----------
    scores
        Right (1) or wrong (0); or any scores with a ``threshold``; or success rates with trials, which are
        fitted as binomial counts. Missing cells are left out of the likelihood.
    model
        ``rasch`` (a = 1), ``1pl`` (one a), ``2pl`` (a signed a for each item), ``3pl`` (and a lower asymptote c).
    method
        ``mml``: abilities integrated out. ``jml``: items and abilities in turn (Birnbaum), which is biased.
    prior
        None; ``"weak"``: a ~ N(0, 3), d = -a b ~ N(0, 5), c ~ Beta(2, 8); or an :class:`ItemPrior`.
    threshold
        Scores of at least this are successes.
    estimator
        Of abilities: ``eap``, ``map``, ``mle`` or ``wle``.
    starts
        How many places to start from; by default 4 for small tables and 1 for large ones.
    max_discrimination
        Bound on the size of a; items that reach it are flagged ``quasi-separated``.
    level
        Of the intervals.
    rng
        Seed or generator for the starts.

    Returns
    -------
    IRT
        Items and agents with standard errors, fit statistics, flags and diagnostics.

    Fails when
        values are neither 0 nor 1 and no threshold is given; fewer than two agents, or too few items on which
        agents differ, are left.

    Notes
    -----
    The sign of the scale is settled by a positive correlation of ability with the share of successes. Standard
    errors of items come from the observed information; a difficulty's by the delta method.

    References
    ----------
    Bock and Aitkin (1981), Psychometrika 46; Martinez-Plumed and Hernandez-Orallo (2018), Analysing results from
    AI benchmarks.

    Examples
    --------
    >>> import equipoise as eq
    >>> fit = eq.irt(eq.load("lsat"), model="rasch")
    >>> fit.difficulty.round(3).tolist()
    [-2.872, -1.063, -0.258, -1.388, -2.219]
    """
    _check_options(model, method, estimator, starts, max_discrimination, level)
    chosen = _prior(prior)
    bounds = Bounds(slope=float(max_discrimination))
    ready = prepare(scores, threshold=threshold, least_items=LEAST_ITEMS[model])
    count = starts or (4 if ready.responses.successes.size <= 100_000 else 1)
    if method == "mml":
        solved = solve_marginal(ready.responses, model, chosen, bounds, estimator, count, np.random.default_rng(rng))
    else:
        solved = solve_joint(ready.responses, model, chosen, bounds)
    names = [task for task, kept in zip(scores.tasks, ready.tasks, strict=True) if kept]
    notes = [*scores.diagnostics, *ready.diagnostics, *solved.notes(names)]
    people = [agent for agent, kept in zip(scores.agents, ready.agents, strict=True) if kept]
    notes += _ability_notes(people, solved.ability)
    params = frozen_params(
        model=model, method=method, prior=chosen, threshold=threshold, estimator=estimator, starts=count,
        max_discrimination=bounds.slope, max_guessing=bounds.guessing, level=level,
    )  # fmt: skip
    return _result(scores, ready.agents, ready.tasks, ready.constant, solved, names, level, params, tuple(notes))


def _result(
    scores: Scores,
    agents: np.ndarray[tuple[int], np.dtype[np.bool_]],
    tasks: np.ndarray[tuple[int], np.dtype[np.bool_]],
    constant: np.ndarray[tuple[int], np.dtype[np.bool_]],
    solved: Solved,
    names: list[str],
    level: float,
    params: Mapping[str, object],
    notes: tuple[Diagnostic, ...],
) -> IRT:
    def items(values: FloatArray) -> FloatArray:
        return _spread(values, tasks)

    def people(values: FloatArray) -> FloatArray:
        return _spread(values, agents)

    z = float(scipy.special.ndtri(0.5 + level / 2))
    with np.errstate(invalid="ignore"):  # an infinite ability has an infinite error and no interval
        ability_low, ability_high = (solved.ability + side * z * solved.ability_se for side in (-1.0, 1.0))
    found, se = solved.items, solved.stderr
    b, b_se = found.difficulty, difficulty_stderr(found, solved.covariance)
    n_agents = float(solved.agents)
    flags = _flag_table(scores.tasks, names, solved, constant)
    return IRT(
        agents=scores.agents, tasks=scores.tasks, model=solved.model,
        ability=people(solved.ability), ability_se=people(solved.ability_se),
        ability_low=people(ability_low),
        ability_high=people(ability_high),
        difficulty=items(b), difficulty_se=items(b_se),
        difficulty_low=items(b - z * b_se), difficulty_high=items(b + z * b_se),
        discrimination=items(found.slope), discrimination_se=items(se[0]),
        discrimination_low=items(found.slope - z * se[0]), discrimination_high=items(found.slope + z * se[0]),
        guessing=items(found.guessing), guessing_se=items(se[2]),
        slope=items(found.slope * (1.0 - found.guessing) / 4.0), share=people(solved.share),
        log_likelihood=solved.log_likelihood,
        aic=2.0 * solved.n_parameters - 2.0 * solved.log_likelihood,
        bic=np.log(n_agents) * solved.n_parameters - 2.0 * solved.log_likelihood,
        points=solved.points, starts=solved.starts, flags=flags, negative_p=items(solved.negative.p_value),
        item_fit=ItemFit(*(items(part) for part in solved.item_fit)),
        agent_fit=AgentFit(*(people(part) for part in solved.agent_fit)),
        interval=Interval(solved.interval_kind, level), params=params, fit=solved.fit, diagnostics=notes,
    )  # fmt: skip


def difficulty_stderr(items: Items, covariance: FloatArray) -> FloatArray:
    """Return the delta-method standard error of b = -d / a; NaN where a is 0 or its error unknown."""
    flat = np.abs(items.slope) < FLAT
    slope = np.where(flat, 1.0, items.slope)
    by_a, by_d = items.intercept / slope**2, -1.0 / slope
    variance = by_a**2 * covariance[0, 0] + by_d**2 * covariance[1, 1] + 2 * by_a * by_d * covariance[0, 1]
    return np.where(flat, np.nan, np.sqrt(np.maximum(variance, 0.0)))


def _spread(values: FloatArray, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> FloatArray:
    if len(values) == len(kept):
        return frozen(values)
    out = np.full(len(kept), np.nan)
    out[kept] = values
    return frozen(out)


def _flag_table(
    tasks: tuple[str, ...],
    names: list[str],
    solved: Solved,
    constant: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> Mapping[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {tasks[i]: ("constant",) for i in np.flatnonzero(constant)}
    for k, name in enumerate(names):
        mine = tuple(flag for flag, where in solved.flagged.items() if where[k])
        if mine:
            table[name] = mine
    return FrozenMap({task: table[task] for task in tasks if task in table})


def _ability_notes(people: list[str], ability: FloatArray) -> list[Diagnostic]:
    endless = [people[i] for i in np.flatnonzero(np.isinf(ability))]
    if not endless:
        return []
    text = f"No finite ability for {some_of(endless)}: every answer points one way. EAP, MAP and WLE are finite."
    return [warning("no-finite-ability", text, endless)]


def _prior(prior: object) -> ItemPrior:
    if prior is None:
        return ItemPrior()
    if prior == "weak":
        return WEAK_PRIOR
    if isinstance(prior, ItemPrior):
        return prior
    raise ParameterError(f'prior is None, "weak" or an ItemPrior, not {prior!r}')


def _check_options(
    model: str, method: str, estimator: str, starts: int | None, max_discrimination: float, level: float
) -> None:
    for name, value, known in (
        ("model", model, MODELS),
        ("method", method, ("mml", "jml")),
        ("estimator", estimator, ESTIMATORS),
    ):
        if value not in known:
            raise ParameterError(f'{name} is one of {", ".join(known)}, not "{value}"{did_you_mean(value, known)}')
    if starts is not None and starts < 1:
        raise ParameterError(f"starts is at least 1, not {starts}")
    if not (np.isfinite(max_discrimination) and max_discrimination > 0):
        raise ParameterError(f"max_discrimination is a number above 0, not {max_discrimination}")
    if not 0 < level < 1:
        raise ParameterError(f"level is between 0 and 1, such as 0.95, not {level}")
