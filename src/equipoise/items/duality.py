"""Four indicators side by side: difficulty and discrimination of items, ability and generality of agents."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from equipoise.data.scores import Scores
from equipoise.declaration import method
from equipoise.diagnostics import info
from equipoise.errors import ParameterError
from equipoise.items.ability import estimate_abilities
from equipoise.items.em import Problem, initial_grid, run_em, starting_bounds
from equipoise.items.fit import IRT
from equipoise.items.generality import Generality, Units, generality
from equipoise.items.item_step import Bounds, ItemPrior, project
from equipoise.items.models import Items
from equipoise.items.prepare import to_responses
from equipoise.items.responses import Responses
from equipoise.results import FloatArray, Interval, Result, frozen, frozen_params

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Duality", "duality"]


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Duality(Result):
    """The four indicators with bootstrap intervals.

    Attributes
    ----------
    ability, generality
        Of each agent, with ``_low`` and ``_high``; tasks were resampled.
    difficulty, discrimination
        Of each item, with ``_low`` and ``_high``; agents were resampled and the items refitted.
    """

    main: ClassVar[str] = "ability"

    agents: tuple[str, ...]
    tasks: tuple[str, ...]
    ability: FloatArray
    ability_low: FloatArray
    ability_high: FloatArray
    generality: FloatArray
    generality_low: FloatArray
    generality_high: FloatArray
    difficulty: FloatArray
    difficulty_low: FloatArray
    difficulty_high: FloatArray
    discrimination: FloatArray
    discrimination_low: FloatArray
    discrimination_high: FloatArray
    interval: Interval

    def frame(self) -> "pl.DataFrame":
        """Give the agents, ablest first."""
        return _table(self, "agent", self.agents, ("ability", "generality"))

    def item_frame(self) -> "pl.DataFrame":
        """Give the items, hardest first."""
        return _table(self, "item", self.tasks, ("difficulty", "discrimination"))

    def summary(self) -> dict[str, object]:
        """Give the items and the interval's kind."""
        return {"items": self.item_frame().to_dicts(), "interval": self.interval}


def _table(result: Duality, label: str, names: tuple[str, ...], columns: tuple[str, str]) -> "pl.DataFrame":
    import polars as pl

    body: dict[str, object] = {label: list(names)}
    for name in columns:
        body |= {name + end: getattr(result, name + end) for end in ("", "_low", "_high")}
    by = pl.col(columns[0]).fill_nan(None)
    return pl.DataFrame(body).sort(by, descending=True, nulls_last=True, maintain_order=True)


@method(
    takes="scores",
    answers="What do difficulty, discrimination, ability and generality say side by side, and how sure is each?",
    reference="Martinez-Plumed and Hernandez-Orallo (2018)",
)
def duality(
    scores: Scores,
    fit: IRT,
    *,
    units: Units = "none",
    n: int = 200,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Duality:
    """What do the four key indicators say, and how sure is each?

    Parameters
    ----------
    scores
        What ``fit`` was fitted to.
    fit
        A fit by marginal maximum likelihood.
    units
        Of the results that generality looks at; with ``none`` those are the fit's own successes.
    n
        Bootstrap resamples.
    level
        Of the percentile intervals.
    rng
        Seed or generator.

    Fails when
        ``fit`` is not a marginal fit of these scores, or there are too few items for generality.

    Notes
    -----
    Items are refitted from where they are with each agent counted as often as it was drawn; agents are rescored with
    each item counted as often as it was drawn.

    References
    ----------
    Martinez-Plumed and Hernandez-Orallo (2018), Analysing results from AI benchmarks, section VI.

    Examples
    --------
    >>> import equipoise as eq
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> chance = 1 / (1 + np.exp(rng.normal(size=20) - rng.normal(size=(40, 1))))
    >>> scores = eq.Scores.from_matrix((rng.random((40, 20)) < chance).astype(float))
    >>> both = eq.duality(scores, eq.irt(scores, model="rasch"), n=20)
    >>> bool((both.difficulty_low < both.difficulty).all())
    True
    """
    if n < 2 or not 0 < level < 1:
        raise ParameterError(f"n is at least 2 and level between 0 and 1, not {n} and {level}")
    if fit.agents != scores.agents or fit.tasks != scores.tasks or fit.params["method"] != "mml":
        raise ParameterError("fit must be a marginal fit (method=mml) of these very scores")
    generator = np.random.default_rng(rng)
    threshold = fit.params["threshold"]
    cut = float(threshold) if isinstance(threshold, int | float) else None
    responses = to_responses(scores, cut)
    agents, tasks = ~np.isnan(fit.ability), ~np.isnan(fit.difficulty)
    used = responses.rows(agents).columns(tasks)
    items = fit.calibration().items
    resampled = _item_draws(used, items, fit, n, generator)
    ability = _ability_draws(used, items, n, generator)
    view: Generality = generality(
        scores, fit, units=units, threshold=cut if units == "none" else None, n=n, level=level, rng=generator
    )
    parts = {"difficulty": _bounds(resampled[0], tasks, level), "discrimination": _bounds(resampled[1], tasks, level)}
    able = _bounds(ability, agents, level)
    note = info("indicators", "Difficulty and ability share one scale; generality is in units of the results.")
    return Duality(
        agents=scores.agents, tasks=scores.tasks,
        ability=fit.ability, ability_low=able[0], ability_high=able[1],
        generality=view.generality, generality_low=view.generality_low, generality_high=view.generality_high,
        difficulty=fit.difficulty, difficulty_low=parts["difficulty"][0], difficulty_high=parts["difficulty"][1],
        discrimination=fit.discrimination,
        discrimination_low=parts["discrimination"][0], discrimination_high=parts["discrimination"][1],
        interval=Interval("percentile bootstrap over agents (items) and tasks (agents)", level),
        params=frozen_params(units=units, n=n, level=level), diagnostics=(*view.diagnostics, note),
    )  # fmt: skip


def _item_draws(
    responses: Responses, items: Items, fit: IRT, n: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Refit the items to resampled agents; NaN where an item became constant."""
    agents, columns = responses.shape
    prior = fit.params["prior"]
    assert isinstance(prior, ItemPrior)
    grid = initial_grid(responses, items)
    bounds = starting_bounds(Bounds(slope=float(np.max(np.abs(items.slope)) * 2 + 10)), grid)
    out = np.full((2, n, columns), np.nan)
    for k in range(n):
        often = rng.multinomial(agents, np.full(agents, 1.0 / agents)).astype(np.float64)
        drawn = Responses(responses.successes, responses.trials, often).rows(often > 0)
        won, tried = drawn.item_totals()
        whole = (won > 0) & (won < tried)
        part = drawn.columns(whole)
        problem = Problem(part, fit.model, prior, bounds)
        state = run_em(
            problem, project(items.take(whole), fit.model, bounds),
            half_width=grid[0], points=grid[1], tolerance=1e-3, max_iterations=60, gain=1e-4,
        )  # fmt: skip
        out[0, k, whole], out[1, k, whole] = state.items.difficulty, state.items.slope
    return out[0], out[1]


def _ability_draws(responses: Responses, items: Items, n: int, rng: np.random.Generator) -> FloatArray:
    """Rescore the agents with resampled items.

    Posterior means shrink towards the prior's, and so move less than what is known of an ability: their variance is
    s^2 (1 - s^2), with s the posterior deviation, where an interval for the ability needs s^2. Draws are spread so.
    """
    agents, columns = responses.shape
    centre, error = estimate_abilities(responses, items)
    tried = np.ones(responses.shape) if responses.trials is None else responses.trials.astype(np.float64)
    won = responses.successes.astype(np.float64)
    out = np.empty((n, agents))
    for k in range(n):
        often = rng.multinomial(columns, np.full(columns, 1.0 / columns)).astype(np.float64)
        drawn = often > 0
        sample = Responses(won[:, drawn] * often[drawn], tried[:, drawn] * often[drawn], responses.weight)
        out[k] = estimate_abilities(sample, items.take(drawn)).estimate
    return np.asarray(centre + (out - centre) / np.sqrt(np.maximum(1.0 - error**2, 0.05)))


def _bounds(
    draws: FloatArray, kept: np.ndarray[tuple[int], np.dtype[np.bool_]], level: float
) -> tuple[FloatArray, FloatArray]:
    low, high = np.full(len(kept), np.nan), np.full(len(kept), np.nan)
    inner = np.nanquantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull")
    low[kept], high[kept] = inner
    return frozen(low), frozen(high)
