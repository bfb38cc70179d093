"""A finished fit with the items pooled: what :mod:`equipoise.items.marginal.solve` makes of classical fits.

It goes from the population's scale to the agents' own: abilities with mean 0 and deviation 1 among those present.
With few agents nobody knows where their mean and spread lie in a wider population; where each stands among the others
is what the answers tell. With C the covariance of the abilities theta, and everything by the delta method,

    z = (theta - mean) / S,      S^2 = (|theta - mean|^2 + tr V) / N

where V is C without the directions that only shift or stretch all abilities: estimates are pulled together, the
agents are not, and S is the spread that the agents are expected to have. Items follow: a S and d + a mean.
"""

from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from equipoise.core.diagnostics import Diagnostic, info
from equipoise.core.errors import ParameterError
from equipoise.core.results import Fit, FloatArray
from equipoise.core.wording import Option
from equipoise.items.intervals import ErrorQuantiles, degrees_of_freedom
from equipoise.items.marginal.item_step import Bounds
from equipoise.items.marginal.slope_tests import SlopeTest
from equipoise.items.marginal.solve import FEW_AGENTS, Solved, checks_of
from equipoise.items.models.constant_items import flattened
from equipoise.items.models.models import Items, Model
from equipoise.items.models.responses import Responses
from equipoise.items.pooled.floor import SPEAKS, fit_with_floor
from equipoise.items.pooled.item_integrals import ItemMoments, item_moments, item_scores
from equipoise.items.pooled.item_population import SIZE, Answers, Spread
from equipoise.items.pooled.pooled import Floor, PooledState
from equipoise.items.scoring.ability import Estimator
from equipoise.items.scoring.uncertainty import ItemUncertainty
from equipoise.items.testlets import design_effect

#: The deviation of fewer agents is no unit to measure them in: then they are only centred.
LEAST_FOR_SPREAD = 5
_STEP = 1e-4
#: The most agents whose abilities are relative together, with a covariance of all of them.
MOST_POOLED = 1000


class Relative(NamedTuple):
    """Abilities with their errors, items (a, d) with what is not known of them, all relative to the agents.

    ``ability_quantiles`` and ``slope_quantiles`` say how many errors an interval of an ability and of a slope spans,
    ``lead_se`` is the error of the best agent's lead over each.
    """

    ability: FloatArray
    stderr: FloatArray
    ability_quantiles: ErrorQuantiles
    items: FloatArray
    slope_quantiles: ErrorQuantiles
    uncertainty: ItemUncertainty
    lead_se: FloatArray


class _Scale(NamedTuple):
    """The agents' own scale: their mean, their expected deviation, where each stands, and how that follows theta."""

    mean: float
    spread: float
    standard: FloatArray
    follow: FloatArray


def relative_scale(state: PooledState, items: ItemMoments) -> Relative:
    """Standardise abilities and items to the agents."""
    agents = len(state.ability)
    covariance = state.covariance
    mean, spread, standard, follow = _scale(state.ability, covariance[:agents, :agents])
    variance = _variances(follow, covariance[:agents, :agents])
    moved = np.stack([spread * items.mean[0], items.mean[1] + mean * items.mean[0]])
    by = np.concatenate([items.by_ability, items.by_population], axis=2)  # (2, items, agents + population)
    by = np.stack([spread * by[0], by[1] + mean * by[0]])
    by[0, :, :agents] += (agents >= LEAST_FOR_SPREAD) * np.multiply.outer(items.mean[0], standard) / agents
    by[1, :, :agents] += items.mean[0][:, None] / agents
    turn = np.array([[spread, 0.0], [mean, 1.0]])
    own = np.zeros((3, 3, moved.shape[1]))
    own[:2, :2] = np.einsum("ps,stj,qt->pqj", turn, items.covariance, turn)
    root = _joint_root(covariance, state.floor)
    factor = by @ root
    if state.floor is not None:
        factor[..., -1] += state.floor.stderr * (turn @ items.by_floor)
    shared = np.zeros((factor.shape[2], 3, moved.shape[1]))
    shared[-1, 2] = 0.0 if state.floor is None else state.floor.stderr
    shared[:, :2] = np.moveaxis(factor, 2, 0)
    uncertainty = ItemUncertainty.with_directions(own, shared)
    freedom = degrees_of_freedom(variance, _moves_of_variances(state), _root(covariance[agents:, agents:]))
    whole, moves = uncertainty.blocks[0, 0], np.hstack([items.variance_by_ability, items.variance_by_population])
    slope_quantiles = ErrorQuantiles(
        degrees_of_freedom(whole, spread**2 * moves, root),
        1.0 - np.minimum(items.covariance[0, 0] * Spread.of(state.population).one ** 2, 1.0),
        np.minimum(own[0, 0] / whole, 1.0),
    )
    lead = _variances(follow[np.argmax(standard)] - follow, covariance[:agents, :agents])
    return Relative(
        standard, np.sqrt(variance), ErrorQuantiles(freedom), moved, slope_quantiles, uncertainty, np.sqrt(lead)
    )  # fmt: skip


def _root(covariance: FloatArray) -> FloatArray:
    out: FloatArray = np.linalg.cholesky(covariance + 1e-12 * np.eye(len(covariance))).astype(np.float64)
    return out


def _joint_root(covariance: FloatArray, floor: Floor | None) -> FloatArray:
    """Return a root of the covariance whose last column, where there is a floor, is how all moves with its error."""
    if floor is None:
        return _root(covariance)
    along = floor.stderr * floor.move[:, None]
    return np.hstack([_root(covariance - along @ along.T), along])


def _scale(ability: FloatArray, covariance: FloatArray) -> _Scale:
    agents = len(ability)
    mean = float(ability.mean())
    spread = expected_spread(ability - mean, covariance)
    standard = (ability - mean) / spread
    along = (agents >= LEAST_FOR_SPREAD) * np.outer(standard, standard) / agents
    return _Scale(mean, spread, standard, (np.eye(agents) - 1.0 / agents - along) / spread)


def _variances(follow: FloatArray, covariance: FloatArray) -> FloatArray:
    out: FloatArray = np.einsum("ij,jk,ik->i", follow, covariance, follow, optimize=True)
    return out


def _moves_of_variances(state: PooledState) -> FloatArray:
    """Return how each ability's variance given the population moves with it, (agents, population)."""
    agents = len(state.ability)
    whole, moving = state.covariance[:agents, :agents], state.moving
    moves = []
    for ability, covariance in zip(moving.ability, moving.covariance, strict=True):
        ends = []
        for side in (_STEP, -_STEP):
            follow = _scale(state.ability + side * ability, whole + side * covariance).follow
            ends.append(_variances(follow, moving.given + side * covariance))
        moves.append((ends[0] - ends[1]) / (2.0 * _STEP))
    return np.stack(moves, axis=1)


def spread_of_others(agents: int) -> float:
    """Return the deviation of other agents' abilities on the scale of these, if all come from one normal population.

    A further value, standardised by mean and deviation (divisor N) of N others, is sqrt((N + 1) / (N - 1)) times a t of
    N - 1 degrees of freedom, whose variance is (N - 1) / (N - 3). Where agents are only centred, it is 1 + 1 / N.

    >>> round(spread_of_others(8), 3), round(spread_of_others(50), 3)
    (1.342, 1.042)
    """
    if agents < LEAST_FOR_SPREAD:
        return float(np.sqrt(1.0 + 1.0 / agents))
    return float(np.sqrt((agents + 1.0) / (agents - 3.0)))


def expected_spread(away: FloatArray, covariance: FloatArray) -> float:
    """Return the deviation that the agents are expected to have, 1 where they are too few to have one."""
    agents = len(away)
    size = float(np.linalg.norm(away))
    if agents < LEAST_FOR_SPREAD or size == 0.0:
        return 1.0
    along = away / size
    rest = np.eye(agents) - 1.0 / agents - np.outer(along, along)
    return float(np.sqrt((size**2 + np.trace(rest @ covariance @ rest)) / agents))


def fitting_method(agents: int, model: Model | None, prior: object, estimator: Estimator) -> Literal["mml", "pooled"]:
    """Choose the method where none is asked for: few agents cannot give separate item parameters."""
    free = model is None and prior is None and estimator == "eap"
    return "pooled" if free and agents < FEW_AGENTS else "mml"


def check_pooled(agents: int, model: Model | None, prior: object, estimator: Estimator) -> None:
    """Refuse what does not go together with pooled items."""
    pooled = Option("method", "pooled")
    if model not in (None, "2pl"):
        raise ParameterError(pooled, " goes with ", Option("model", "2pl"), f" only, not {model}")
    if prior is not None:
        raise ParameterError(pooled, " estimates its own population of items; leave out ", Option("prior"))
    if estimator != "eap":
        raise ParameterError(pooled, " goes with ", Option("estimator", "eap"), f" only, not {estimator}")
    if agents > MOST_POOLED:
        other = Option("method", "mml")
        raise ParameterError(pooled, f" is for at most {MOST_POOLED:,} agents, not {agents:,}; use ", other)


def _design_effect(answers: Answers, state: PooledState, groups: NDArray[np.intp]) -> float:
    agents = len(state.ability)
    follow = _scale(state.ability, state.covariance[:agents, :agents]).follow
    scores = item_scores(answers, state.nodes, state.ability, state.population)
    return design_effect(scores, state.covariance, follow, groups)


def _clustered(relative: Relative, effect: float, freedom: int) -> Relative:
    """Return errors of abilities as they are where so many groups of items, less one, are the sample."""
    root = np.sqrt(effect)
    return relative._replace(
        stderr=relative.stderr * root,
        lead_se=relative.lead_se * root,
        ability_quantiles=ErrorQuantiles(np.minimum(relative.ability_quantiles.freedom, float(freedom))),
    )


def _floor_notes(floor: Floor | None) -> tuple[Diagnostic, ...]:
    """Say that agents guess, where the likelihood ratio does."""
    if floor is None or floor.ratio <= SPEAKS:
        return ()
    text = (
        f"Weak agents succeed more often than their ability explains: no chance falls below about {floor.value:.0%} on"
        f" these items (likelihood ratio {floor.ratio:.1f}; above {SPEAKS} once in twenty if nobody guesses). Abilities"
        " and their intervals allow for it."
    )
    return (info("guessing", text),)


def solve_pooled(
    responses: Responses, uniform: Responses, bounds: Bounds, groups: NDArray[np.intp] | None = None
) -> Solved:
    """Fit abilities in the hierarchical item model, and put all of it on the scale of these agents.

    Constant items (``uniform``) are draws from the population like the others: without them it would seem narrower
    than it is, and the other items easier or harder than they are. ``groups`` are those of all items that are the
    sample for the errors of abilities.
    """
    answers = Answers.of(responses, uniform)
    state = fit_with_floor(answers)
    floor = 0.0 if state.floor is None else state.floor.value
    answers = replace(answers, floor=floor)
    moments = item_moments(answers, state.nodes, state.ability, state.population)
    relative, effect = relative_scale(state, moments), None
    if groups is not None:
        effect = _design_effect(answers, state, groups)
        relative = _clustered(relative, effect, int(groups.max()))
    won, tried = responses.agent_totals()
    if float(np.cov(relative.ability, won / np.maximum(tried, 1.0))[0, 1]) < 0:
        relative = relative._replace(
            ability=-relative.ability,
            items=relative.items * [[-1.0], [1.0]],
            uncertainty=relative.uncertainty.carried(-1.0, 0.0),
        )
    used = np.arange(len(moments.mean[0])) < responses.shape[1]
    every = Items(relative.items[0], relative.items[1], np.full(len(used), floor))
    items, uncertainty = every.take(used), relative.uncertainty.take(used)
    slope, covariance = items.slope, uncertainty.blocks
    constant = flattened(every.take(~used), relative.uncertainty.blocks[1, 1, ~used])
    slope_se = np.sqrt(covariance[0, 0])
    negative = scipy.special.ndtr(-slope / slope_se)
    return Solved(
        model="2pl", bounds=bounds, items=items, covariance=covariance, uncertainty=uncertainty,
        errors="population", estimator="eap", ability=relative.ability, ability_se=relative.stderr,
        ability_quantiles=relative.ability_quantiles, slope_quantiles=relative.slope_quantiles.take(used),
        log_likelihood=state.log_likelihood, n_parameters=SIZE + (floor > 0.0),
        points=state.nodes.slope.shape[1], starts=(),
        fit=Fit(state.converged, state.iterations, state.residual), negative=SlopeTest(negative, "posterior"),
        checks=checks_of(responses, items, "2pl", bounds, relative.ability, slope_se), constant=constant,
        more_notes=_floor_notes(state.floor), lead_se=relative.lead_se, design_effect=effect,
    )  # fmt: skip
