"""From answers to a finished fit, still without names: estimates, errors, fit statistics and flags together."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from equipoise.core.diagnostics import Diagnostic, info, warning
from equipoise.core.results import Fit, FloatArray
from equipoise.core.wording import Advice, Option
from equipoise.items.flags import flag_notes, item_flags
from equipoise.items.intervals import ErrorQuantiles
from equipoise.items.item_fit import AgentFit, ItemFit, mean_squares, s_x2
from equipoise.items.marginal.covariance import inverse_information, large_test_uncertainty
from equipoise.items.marginal.em import (
    AGREEMENT,
    EMState,
    Problem,
    agreeing_starts,
    best_start,
    fine_enough,
    maximise,
)
from equipoise.items.marginal.information import EXACT_BUDGET, NEWTON_BUDGET, Information, exact_cost
from equipoise.items.marginal.item_step import Bounds, ItemPrior
from equipoise.items.marginal.newton import informed, newton_polish
from equipoise.items.marginal.quadrature import Grid, reached_grid
from equipoise.items.marginal.slope_tests import SlopeTest, negative_slopes
from equipoise.items.models.models import FREE_PER_ITEM, Items, Model, n_free
from equipoise.items.models.responses import Responses, collapse
from equipoise.items.scoring.ability import Estimator, ability_interval_kind, estimate_abilities, with_items
from equipoise.items.scoring.uncertainty import ItemUncertainty

#: A round's largest move, or a Newton decrement, below which the search is over.
FINISHED = 1e-6
ErrorKind = Literal["observed information", "large-test approximation", "none", "abilities known", "population"]
#: Below this many agents no item's own curve is known well, and items are pooled unless another fit is asked for.
FEW_AGENTS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """A finished fit on the items and agents that could be used.

    ``ability_quantiles`` and ``slope_quantiles`` say how many errors intervals span; None for normal quantiles.
    ``constant`` are curves of the items that everybody solved or nobody, where the fit says anything of them;
    ``more_notes`` is what else the fit has to say. ``spread`` is the deviation of abilities on the scale of the items,
    ``lead_se`` the error of the best agent's lead over each, where abilities are known together, ``design_effect`` what
    groups of items do to variances of abilities.
    """

    model: Model
    bounds: Bounds
    items: Items
    covariance: FloatArray
    uncertainty: ItemUncertainty | None
    errors: ErrorKind
    estimator: Estimator
    ability: FloatArray
    ability_se: FloatArray
    log_likelihood: float
    n_parameters: int
    points: int
    starts: tuple[float, ...]
    fit: Fit
    negative: SlopeTest
    checks: "Checks"
    ability_quantiles: ErrorQuantiles | None = None
    slope_quantiles: ErrorQuantiles | None = None
    constant: Items | None = None
    more_notes: tuple[Diagnostic, ...] = ()
    spread: float = 1.0
    lead_se: FloatArray | None = None
    design_effect: float | None = None

    @property
    def stderr(self) -> FloatArray:
        """Standard errors of (a, d, c); NaN for what was fixed or rests on a bound."""
        variance = np.stack([self.covariance[k, k] for k in range(3)])
        with np.errstate(invalid="ignore"):
            return np.where(variance > 0, np.sqrt(variance), np.nan)

    @property
    def interval_kind(self) -> str | None:
        """What the intervals of the items are; None where there are none."""
        kinds: dict[ErrorKind, str | None] = {
            "none": None,
            "abilities known": "Wald (abilities taken as known)",
            "population": "posterior (items from one population)",
        }
        return kinds.get(self.errors, f"Wald ({self.errors})")

    @property
    def ability_interval_kind(self) -> str:
        """What the intervals of the abilities are."""
        if self.errors == "population":
            groups = "" if self.design_effect is None else ", clustered by group of items"
            return f"posterior, relative to these agents (hierarchical item model{groups})"
        return ability_interval_kind(self.estimator, self.uncertainty is not None)

    def notes(self, names: list[str]) -> list[Diagnostic]:
        """Say in words what is worth knowing."""
        out = flag_notes(names, self.checks.flagged, self.items, self.negative, self.bounds)
        if not self.fit.converged:
            text = f"The search stopped after {self.fit.iterations} rounds before it converged."
            out.append(warning("not-converged", text))
        agreeing = agreeing_starts(self.starts)
        if agreeing < len(self.starts):
            text = f"{agreeing} of {len(self.starts)} starts came within {AGREEMENT} of the best"
            out.append(info("starts-disagree", f"{text}; the likelihood has several peaks and the highest was taken."))
        out += [*self._few_notes(), *self.more_notes]
        if self.errors == "none":
            text = "The information is not positive definite at the optimum, so items have no standard errors."
            simpler = Advice("use a simpler ", Option("model"), " or ", Option("prior", "weak"))
            out.append(warning("no-item-errors", text, advice=[simpler]))
        if self.errors == "abilities known":
            text = "Joint maximum likelihood is biased and its errors take the abilities as known."
            out.append(info("joint-likelihood", text, advice=[Advice("prefer ", Option("method", "mml"))]))
        return out

    def _few_notes(self) -> list[Diagnostic]:
        """Say what few agents mean for the fit at hand."""
        agents = len(self.ability)
        if self.errors == "population":
            text = (
                f"{agents} agents (fewer than {FEW_AGENTS}) are too few for separate item parameters: items were"
                " taken as draws from one population. Abilities are relative to these agents, and their intervals"
                " contain what is not known of the items."
            )
            return [info("pooled-items", text)]
        if agents >= FEW_AGENTS:
            return []
        text = (
            f"{agents} agents are few for separate item parameters: this fit is surer of items and abilities than the"
            " answers allow, and its intervals are too short."
        )
        return [warning("few-agents", text, advice=[Advice("use ", Option("method", "pooled"))])]


class Checks(NamedTuple):
    """How well a fit describes the answers: fit statistics, shares of successes, and which items have each flag."""

    item_fit: ItemFit
    agent_fit: AgentFit
    share: FloatArray
    flagged: dict[str, NDArray[np.bool_]]


def checks_of(
    responses: Responses, items: Items, model: Model, bounds: Bounds, ability: FloatArray, slope_se: FloatArray
) -> Checks:
    """Compare the answers with the fitted curves at these (finite) abilities."""
    statistic, df, p_value = s_x2(responses, items, FREE_PER_ITEM[model])
    infit, outfit, agent_fit = mean_squares(responses, items, ability)
    won, tried = responses.agent_totals()
    flagged = item_flags(items, model, bounds, p_value, slope_se, ability)
    return Checks(ItemFit(statistic, df, p_value, infit, outfit), agent_fit, won / np.maximum(tried, 1.0), flagged)


def solve_marginal(
    responses: Responses,
    model: Model,
    prior: ItemPrior,
    bounds: Bounds,
    estimator: Estimator,
    starts: int,
    rng: np.random.Generator,
) -> Solved:
    """Fit by marginal maximum likelihood and gather everything that belongs to the answer."""
    short, _ = collapse(responses)
    problem = Problem(short, model, prior, bounds)
    start = best_start(problem, starts, rng)
    # Where Newton steps are affordable EM only brings them near: they finish sooner, above all in flat directions.
    rounds, near = (150, 1e-2) if exact_cost(short, start.grid[1], model) <= NEWTON_BUDGET else (1000, FINISHED)
    items, extent = start.items, start.grid
    for _ in range(4):
        rough = maximise(problem, items, grid=extent, max_iterations=rounds, tolerance=near)
        grid = reached_grid(short, rough.items, rough.half_width, rough.points)
        state, fit, known = _polished(problem, rough, grid, near)
        finished = fit.residual < FINISHED or near == FINISHED
        # After a small gain the grid, checked just before, is still fine enough; else it is checked again.
        if finished and (state.objective - rough.objective < 0.05 or fine_enough(problem, state)):
            break
        items, extent = state.items, (state.half_width, state.points)
        near = near if finished else FINISHED
    covariance, uncertainty, errors, whole = _covariance(problem, state.items, grid, known)
    expected = estimate_abilities(responses, state.items)
    if _upside_down(responses, state.items, expected.estimate):
        state = state._replace(items=state.items._replace(slope=-state.items.slope))
        expected = expected._replace(estimate=-expected.estimate)
        covariance[0, 1:] *= -1.0
        covariance[1:, 0] *= -1.0
        uncertainty = uncertainty.carried(-1.0, 0.0) if uncertainty else None
        if whole is not None:
            sign = np.repeat([-1.0, 1.0, 1.0], len(state.items.slope))
            whole = sign[:, None] * whole * sign
    ability = expected if estimator == "eap" else estimate_abilities(responses, state.items, estimator=estimator)
    ability = with_items(responses, state.items, ability, uncertainty)
    slope_se = slope_errors(covariance)
    negative = negative_slopes(problem, state, slope_se, whole)
    return Solved(
        model=model, bounds=bounds, items=state.items, covariance=covariance, uncertainty=uncertainty, errors=errors,
        estimator=estimator, ability=ability.estimate, ability_se=ability.stderr, log_likelihood=state.log_likelihood,
        n_parameters=n_free(model, responses.shape[1]), points=state.points, fit=fit,
        starts=tuple(state.log_likelihood + value - max(start.objectives) for value in start.objectives),
        negative=negative, checks=checks_of(responses, state.items, model, bounds, expected.estimate, slope_se),
    )  # fmt: skip


def slope_errors(covariance: FloatArray) -> FloatArray:
    """Return standard errors of the slopes, NaN for those that were fixed."""
    with np.errstate(invalid="ignore"):
        return np.sqrt(np.where(covariance[0, 0] > 0, covariance[0, 0], np.nan))


def _polished(problem: Problem, state: EMState, grid: Grid, near: float) -> tuple[EMState, Fit, Information | None]:
    """Take the last Newton steps where they are affordable; say how far the optimum still is."""
    if exact_cost(problem.responses, state.points, problem.model) > NEWTON_BUDGET:
        return state, Fit(state.converged, state.iterations, state.residual), None
    items, decrement, known = newton_polish(problem, state.items, grid)
    extra = 0.0 if problem.prior.flat else problem.prior.log_density(items, problem.model)
    residual = decrement if np.isfinite(decrement) else state.residual
    done = state._replace(items=items, log_likelihood=known.value - extra, objective=known.value)
    converged = decrement < FINISHED or (state.converged and near == FINISHED)
    return done, Fit(converged, state.iterations, residual), known


def _upside_down(responses: Responses, items: Items, ability: FloatArray) -> bool:
    """Say whether the scale's sign must change: ability correlates positively with the share of successes."""
    won, tried = responses.agent_totals()
    covariance = float(np.cov(ability, won / np.maximum(tried, 1.0), aweights=responses.weight)[0, 1])
    return not (covariance > 0 or (covariance == 0 and items.slope.sum() >= 0))


def _covariance(
    problem: Problem, items: Items, grid: Grid, known: Information | None
) -> tuple[FloatArray, ItemUncertainty | None, ErrorKind, FloatArray | None]:
    """Return each item's block, what is not known of all items, the kind of errors, and the inverse information.

    That is the covariance where errors are known, and good enough to step with where they are not.
    """
    responses, model, prior, bounds, _ = problem
    if known is None and exact_cost(responses, len(grid.nodes), model) > EXACT_BUDGET:
        uncertainty = large_test_uncertainty(responses, items, grid, model=model, prior=prior, bounds=bounds)
        return uncertainty.blocks, uncertainty, "large-test approximation", None
    free, inverse, exact = inverse_information(
        informed(problem, items, grid) if known is None else known, items, model, bounds
    )
    whole = free.whole(inverse)
    if not exact:
        return np.full((3, 3, len(items.slope)), np.nan), None, "none", whole
    return free.blocks(inverse), ItemUncertainty.of(whole), "observed information", whole
