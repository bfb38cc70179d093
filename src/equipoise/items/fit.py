"""Item response models: how hard is each item, how well does it discriminate between agents, how able is each agent?"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.declaration import method
from equipoise.core.errors import ParameterError
from equipoise.core.options import generator, positive, whole
from equipoise.core.results import FloatArray, FrozenMap, Interval, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.data.types.scores import Scores
from equipoise.inference.threads import one_thread
from equipoise.items.intervals import difficulty_ends
from equipoise.items.item_fit import AgentFit, ItemFit
from equipoise.items.marginal.covariance import difficulty_stderr
from equipoise.items.marginal.item_step import WEAK_PRIOR, Bounds, ItemPrior
from equipoise.items.marginal.joint import solve_joint
from equipoise.items.marginal.rasch import solve_rasch
from equipoise.items.marginal.solve import Solved, solve_marginal
from equipoise.items.models.constant_items import constant_curves
from equipoise.items.models.models import Items, Model
from equipoise.items.models.prepare import PreparedAnswers, prepare
from equipoise.items.pooled.solve import check_pooled, fitting_method, solve_pooled, spread_of_others
from equipoise.items.result import IRT
from equipoise.items.scoring.ability import Estimator
from equipoise.items.scoring.calibration import FINITE, Calibration, endless_notes
from equipoise.items.testlets import LEAST_GROUPS, moves_together, testlet_notes

FEW_ANSWERS = 1_000_000
"""Answers up to which products over agents, items and nodes are too short for a second thread to pay."""
#: The fewest items with which each model is determined by binary answers.
LEAST_ITEMS: dict[Model, int] = {"rasch": 2, "1pl": 2, "2pl": 3, "3pl": 4}


@method(
    takes="scores",
    answers="How hard is each item, how well does it discriminate between agents, and how able is each agent?",
    reference="Birnbaum (1968); Bock and Aitkin (1981); Martinez-Plumed and Hernandez-Orallo (2018)",
    checks={"threshold": FINITE, "starts": whole(1, none=True), "max_discrimination": positive()},
    resampled="the scale of abilities is made of the tasks, and other tasks make another; duality has intervals",
)
def irt(
    data: Scores,
    *,
    model: Model | None = None,
    method: Literal["mml", "jml", "pooled"] | None = None,
    prior: Literal["weak"] | ItemPrior | None = None,
    threshold: float | None = None,
    estimator: Estimator = "eap",
    starts: int | None = None,
    max_discrimination: float = 100.0,
    unit_variance: bool = False,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> IRT:
    r"""How hard is each item, how sharply does it separate agents, and how able is each agent?

    .. math:: P(\text{agent } j \text{ solves item } i) = c_i + (1 - c_i)\, \sigma(a_i (\theta_j - b_i)),
              \qquad \theta \sim N(0, 1)

    Parameters
    ----------
    data
        Right (1) or wrong (0); or any scores with a ``threshold``; or success rates with trials, which are
        fitted as binomial counts. Missing cells are left out of the likelihood.
    model
        ``rasch`` (a = 1, the abilities' spread estimated), ``1pl`` (one a), ``2pl`` (a signed a for each item), ``3pl``
        (and a lower asymptote c); None for ``2pl``.
    method
        ``mml``: marginal likelihood, over abilities. ``jml``: items and abilities in turn (Birnbaum), which is biased.
        ``pooled``: hierarchical item model, items as draws from one population, with one floor c for all; abilities are
        relative to the agents. None: ``pooled`` for fewer than 100 agents where no model, prior or other estimator is
        asked for, else ``mml``.
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
    unit_variance
        With ``rasch``: abilities are N(0, 1), their spread not estimated.
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
    errors of items come from the observed information, or are posterior deviations where items are pooled; a
    difficulty's by the delta method. Errors of abilities contain what is not known of the items, where that is known
    (``ability_interval`` says so).

    References
    ----------
    Bock and Aitkin (1981), Psychometrika 46; De Boeck (2008), Psychometrika 73; Martinez-Plumed and Hernandez-Orallo
    (2018), Analysing results from AI benchmarks.

    Examples
    --------
    >>> import equipoise as eq
    >>> fit = eq.irt(eq.load("lsat"), model="rasch")
    >>> fit.difficulty.round(3).tolist()
    [-2.73, -0.999, -0.24, -1.306, -2.099]
    """
    chosen = _prior(prior)
    bounds = Bounds(slope=float(max_discrimination))
    curves: Model = model or "2pl"
    ready = prepare(data, threshold=threshold, least_items=LEAST_ITEMS[curves])
    agents = len(ready.responses.weight)
    way = method or fitting_method(agents, model, prior, estimator)
    if unit_variance and model != "rasch":
        raise ParameterError(Option("unit_variance"), " goes with ", Option("model", "rasch"), " only")
    count = starts or (4 if ready.responses.successes.size <= 100_000 else 1)
    if way == "pooled":
        check_pooled(agents, model, prior, estimator)
    few, groups = ready.responses.successes.size <= FEW_ANSWERS, _groups(data)
    with one_thread(agents if way == "pooled" else 0 if few else max(ready.responses.shape)):
        if way == "pooled":
            solved = solve_pooled(ready.responses, ready.uniform, bounds, _sampled(groups, ready))
        elif way == "mml" and model == "rasch" and not unit_variance:
            solved = solve_rasch(ready.responses, chosen, bounds, estimator, count, generator(rng))
        elif way == "mml":
            solved = solve_marginal(ready.responses, curves, chosen, bounds, estimator, count, generator(rng))
        else:
            solved = solve_joint(ready.responses, curves, chosen, bounds)
    if groups is not None:
        p_value = moves_together(ready.responses, solved.items, solved.ability, groups[ready.items], generator(rng))
        notes = testlet_notes(p_value, int(groups.max()) + 1, solved.design_effect)
        solved = replace(solved, more_notes=(*solved.more_notes, *notes))
    params = frozen_params(
        model=curves, method=way, prior=chosen, threshold=threshold, estimator=estimator, starts=count,
        max_discrimination=bounds.slope, max_guessing=bounds.guessing, unit_variance=unit_variance, level=level,
    )  # fmt: skip
    return _result(data, ready, solved, level, params)


def _groups(data: Scores) -> NDArray[np.intp] | None:
    """Return the number of each task's group of items, where the data name groups of several."""
    if data.testlets is None:
        return None
    names, codes = np.unique(np.array(data.testlets), return_inverse=True)
    return codes.astype(np.intp) if 1 < len(names) < len(codes) else None


def _sampled(groups: NDArray[np.intp] | None, ready: PreparedAnswers) -> NDArray[np.intp] | None:
    """Return the groups of fitted and constant items where they are enough to be a sample."""
    if groups is None:
        return None
    used = np.concatenate([groups[ready.items], groups[ready.constant]])
    names, codes = np.unique(used, return_inverse=True)
    return codes.astype(np.intp) if len(names) >= LEAST_GROUPS else None


def _result(data: Scores, ready: PreparedAnswers, solved: Solved, level: float, params: Mapping[str, object]) -> IRT:
    """Put what was fitted back into the order of the data, NaN where an item or agent could not be used."""

    def by_item(values: FloatArray) -> FloatArray:
        return _in_place(values, ready.items)

    def by_agent(values: FloatArray) -> FloatArray:
        return _in_place(values, ready.agents)

    kind = solved.interval_kind
    z = float(scipy.special.ndtri(0.5 + level / 2))
    half = solved.ability_se * (z if solved.ability_quantiles is None else solved.ability_quantiles.quantiles(level))

    def bounds(ends: tuple[FloatArray, FloatArray]) -> tuple[FloatArray | None, FloatArray | None]:
        return (None, None) if kind is None else (by_item(ends[0]), by_item(ends[1]))

    with np.errstate(invalid="ignore"):  # an infinite ability has an infinite error and no interval
        ability_low, ability_high = (solved.ability + side * half for side in (-1.0, 1.0))
    fitted, se = solved.items, solved.stderr
    a, b = fitted.slope, fitted.difficulty
    b_se = difficulty_stderr(fitted, solved.covariance)
    if solved.slope_quantiles is None:
        a_ends, b_ends = (a - z * se[0], a + z * se[0]), (b - z * b_se, b + z * b_se)
    else:
        slope_half = solved.slope_quantiles.quantiles(level) * se[0]
        a_ends, b_ends = (a - slope_half, a + slope_half), difficulty_ends(fitted, solved.covariance, level)
    (a_low, a_high), (b_low, b_high) = bounds(a_ends), bounds(b_ends)
    names, agents = _chosen(data.tasks, ready.items), _chosen(data.agents, ready.agents)
    remedy = Option("method", "mml") if solved.errors == "abilities known" else Option("estimator", "eap")
    notes = (*ready.diagnostics, *solved.notes(names), *endless_notes(agents, solved.ability, remedy))
    return IRT(
        agents=data.agents, items=data.tasks, model=solved.model,
        ability=by_agent(solved.ability), ability_se=by_agent(solved.ability_se),
        ability_low=by_agent(ability_low), ability_high=by_agent(ability_high),
        difficulty=by_item(b), difficulty_se=by_item(b_se),
        difficulty_low=b_low, difficulty_high=b_high,
        discrimination=by_item(a), discrimination_se=by_item(se[0]),
        discrimination_low=a_low, discrimination_high=a_high,
        guessing=by_item(fitted.guessing), guessing_se=by_item(se[2]),
        slope=by_item(a * (1.0 - fitted.guessing) / 4.0), share=by_agent(_share(ready)),
        log_likelihood=solved.log_likelihood,
        aic=2.0 * solved.n_parameters - 2.0 * solved.log_likelihood,
        bic=np.log(float(len(agents))) * solved.n_parameters - 2.0 * solved.log_likelihood,
        points=solved.points, starts=solved.starts, flags=_flag_table(data.tasks, names, solved, ready),
        negative_p=by_item(_only(solved, "test")), negative_probability=by_item(_only(solved, "posterior")),
        item_fit=ItemFit(*(by_item(part) for part in solved.checks.item_fit)),
        agent_fit=AgentFit(*(by_agent(part) for part in solved.checks.agent_fit)),
        interval=None if kind is None else Interval(kind, level),
        ability_interval=Interval(solved.ability_interval_kind, level), uncertainty=solved.uncertainty,
        ability_sd=spread_of_others(len(agents)) if solved.errors == "population" else solved.spread,
        lead_se=by_agent(_lead_errors(solved)), constant=_constant(data, ready, solved, params),
        params=params, fit=solved.fit, diagnostics=(*data.diagnostics, *notes),
    )  # fmt: skip


def _share(ready: PreparedAnswers) -> FloatArray:
    """Return each agent's share of successes, in all items that it tried."""
    totals = [part.agent_totals() for part in (ready.responses, ready.uniform)]
    won, tried = (sum(part[k] for part in totals) for k in (0, 1))
    return np.asarray(won / np.maximum(tried, 1.0), dtype=np.float64)


def _lead_errors(solved: Solved) -> FloatArray:
    """Return the error of the best agent's lead over each; errors are independent where agents are many."""
    if solved.lead_se is not None:
        return solved.lead_se
    best = int(np.argmax(np.where(np.isfinite(solved.ability), solved.ability, -np.inf)))
    out: FloatArray = np.hypot(solved.ability_se, solved.ability_se[best])
    return out


def _constant(data: Scores, ready: PreparedAnswers, solved: Solved, params: Mapping[str, object]) -> Calibration | None:
    """Return curves of the items with one answer from everybody: they predict, and measure nobody."""
    if not ready.constant.any():
        return None
    curves: Items = constant_curves(ready.uniform, solved.items) if solved.constant is None else solved.constant
    bank = Calibration.from_parameters(
        _chosen(data.tasks, ready.constant), difficulty=curves.difficulty, discrimination=curves.slope,
        guessing=curves.guessing, model=solved.model,
    )  # fmt: skip
    threshold = params["threshold"]
    return replace(bank, threshold=float(threshold) if isinstance(threshold, int | float) else None)


def _only(solved: Solved, kind: Literal["test", "posterior"]) -> FloatArray:
    """Return p-values of slopes, or posterior probabilities: NaN where the fit has the other."""
    values = solved.negative.p_value
    here = (solved.negative.test == "posterior") == (kind == "posterior")
    return values if here else np.full(len(values), np.nan)


def _chosen(names: tuple[str, ...], used: NDArray[np.bool_]) -> list[str]:
    return [name for name, here in zip(names, used, strict=True) if here]


def _in_place(values: FloatArray, used: NDArray[np.bool_]) -> FloatArray:
    if len(values) == len(used):
        return frozen(values)
    out = np.full(len(used), np.nan)
    out[used] = values
    return frozen(out)


def _flag_table(
    items: tuple[str, ...], names: list[str], solved: Solved, ready: PreparedAnswers
) -> Mapping[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {items[i]: ("constant",) for i in np.flatnonzero(ready.constant)}
    for k, name in enumerate(names):
        mine = tuple(flag for flag, where in solved.checks.flagged.items() if where[k])
        if mine:
            table[name] = mine
    return FrozenMap({item: table[item] for item in items if item in table})


def _prior(prior: object) -> ItemPrior:
    if prior is None:
        return ItemPrior()
    if prior == "weak":
        return WEAK_PRIOR
    if isinstance(prior, ItemPrior):
        return prior
    given = f'"{prior}"' if isinstance(prior, str) else repr(prior)
    raise ParameterError(Option("prior"), f' is None, "weak" or an ItemPrior, not {given}')
