"""Four indicators side by side: difficulty and discrimination of items, ability and generality of agents."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from equipoise.core.declaration import method
from equipoise.core.errors import ParameterError
from equipoise.core.lazy import pl
from equipoise.core.options import generator, whole
from equipoise.core.results import FloatArray, Interval, Result, frozen, frozen_params
from equipoise.core.wording import Option
from equipoise.data.types.scores import Scores
from equipoise.inference.executors import in_batches
from equipoise.inference.threads import one_thread
from equipoise.items.fit import irt
from equipoise.items.generality.generality import Generality, Units, generality
from equipoise.items.marginal.em import Problem, initial_grid, run_em, starting_bounds
from equipoise.items.marginal.item_step import Bounds, ItemPrior, project
from equipoise.items.models.models import Items
from equipoise.items.models.prepare import to_responses
from equipoise.items.models.responses import Responses
from equipoise.items.result import IRT
from equipoise.items.scoring.ability import estimate_abilities
from equipoise.items.scoring.calibration import ABILITY_UNITS


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Duality(Result):
    """The four indicators with bootstrap intervals.

    Attributes
    ----------
    ability, generality
        Of each agent, with ``_low`` and ``_high``; tasks were resampled.
    difficulty, discrimination
        Of each item, with ``_low`` and ``_high``; agents were resampled and the items refitted.

    With pooled items all but generality's intervals are the fit's own: few agents drawn again are no other few agents.
    """

    main: ClassVar[str] = "ability"
    units: ClassVar[Mapping[str, str]] = ABILITY_UNITS

    agents: tuple[str, ...]
    items: tuple[str, ...]
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
        """Give the agents, highest ability first."""
        return _table(self, "agent", self.agents, ("ability", "generality"))

    def item_frame(self) -> "pl.DataFrame":
        """Give the items, hardest first."""
        return _table(self, "item", self.items, ("difficulty", "discrimination"))

    def summary(self) -> dict[str, object]:
        """Give the items and the interval's kind."""
        return {"items": self.item_frame().to_dicts(), "interval": self.interval}

    @property
    def answer(self) -> tuple[str, ...]:
        """What may be compared with what."""
        return ("Difficulty and ability share one scale; generality is in units of the results.",)


def _table(result: Duality, label: str, names: tuple[str, ...], columns: tuple[str, str]) -> "pl.DataFrame":
    body: dict[str, object] = {label: list(names)}
    for name in columns:
        body |= {name + end: getattr(result, name + end) for end in ("", "_low", "_high")}
    by = pl.col(columns[0]).fill_nan(None)
    return pl.DataFrame(body).sort(by, descending=True, nulls_last=True, maintain_order=True)


@method(
    takes="scores",
    answers="What do difficulty, discrimination, ability and generality say side by side, and how sure is each?",
    reference="Martinez-Plumed and Hernandez-Orallo (2018)",
    checks={"n": whole(2)},
    resampled="it is a bootstrap already",
)
def duality(
    data: Scores,
    fit: IRT,
    *,
    units: Units | None = None,
    n: int = 200,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    executor: Executor | None = None,
) -> Duality:
    """What do the four key indicators say, and how sure is each?

    Parameters
    ----------
    data
        What ``fit`` was fitted to.
    fit
        A fit by marginal maximum likelihood, or with pooled items.
    units
        Of the results that generality looks at; None or ``none`` for the fit's own successes.
    n
        Bootstrap samples.
    level
        Of the percentile intervals.
    rng
        Seed or generator.
    executor
        Who refits the bootstrap samples, as in :func:`bootstrap`; the answer is the same.

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
    >>> both = eq.methods.duality(scores, eq.irt(scores, model="rasch"), n=20)
    >>> bool((both.difficulty_low < both.difficulty).all())
    True
    """
    if not _fits(fit, data):
        way = Option("method", "mml")
        pooled = Option("method", "pooled")
        raise ParameterError(
            Option("fit"), " must be a marginal fit (irt with ", way, " or ", pooled, ") of these very scores"
        )
    draws = generator(rng)
    threshold = fit.params["threshold"]
    cut = float(threshold) if isinstance(threshold, int | float) else None
    if fit.params["method"] == "pooled":
        kind = "posterior (items and abilities), percentile bootstrap over tasks (generality)"
        ends = _own_ends(data, fit, cut, level)
    else:
        kind = "percentile bootstrap over agents (items) and tasks (agents)"
        ends = _drawn_ends(data, fit, cut, n, level, draws, executor)
    own = cut if units in (None, "none") else None
    view: Generality = generality(data, fit, units=units, threshold=own, n=n, level=level, rng=draws, executor=executor)
    assert view.generality_low is not None
    assert view.generality_high is not None
    (ability_low, ability_high), (difficulty_low, difficulty_high), (discrimination_low, discrimination_high) = ends
    return Duality(
        agents=data.agents, items=data.tasks,
        ability=fit.ability, ability_low=ability_low, ability_high=ability_high,
        generality=view.generality, generality_low=view.generality_low, generality_high=view.generality_high,
        difficulty=fit.difficulty, difficulty_low=difficulty_low, difficulty_high=difficulty_high,
        discrimination=fit.discrimination,
        discrimination_low=discrimination_low, discrimination_high=discrimination_high,
        interval=Interval(kind, level),
        params=frozen_params(units=view.params["units"], n=n, level=level), diagnostics=view.diagnostics,
    )  # fmt: skip


def _fits(fit: object, data: Scores) -> bool:
    """Tell whether this is a marginal or pooled fit of these agents and tasks."""
    if not isinstance(fit, IRT) or fit.params["method"] not in ("mml", "pooled"):
        return False
    return fit.agents == data.agents and fit.items == data.tasks


def _own_ends(data: Scores, fit: IRT, cut: float | None, level: float) -> list[tuple[FloatArray, FloatArray]]:
    """Return the bounds of ability, difficulty and discrimination that the fit itself gives, at this level."""
    same = fit.params["level"] == level
    own: IRT = fit if same else irt(data, method="pooled", threshold=cut, level=level)
    assert own.difficulty_low is not None
    assert own.difficulty_high is not None
    assert own.discrimination_low is not None
    assert own.discrimination_high is not None
    return [
        (own.ability_low, own.ability_high),
        (own.difficulty_low, own.difficulty_high),
        (own.discrimination_low, own.discrimination_high),
    ]


def _drawn_ends(
    data: Scores,
    fit: IRT,
    cut: float | None,
    n: int,
    level: float,
    rng: np.random.Generator,
    executor: Executor | None,
) -> list[tuple[FloatArray, FloatArray]]:
    """Return bootstrap bounds of ability, difficulty and discrimination."""
    agents, items = ~np.isnan(fit.ability), ~np.isnan(fit.difficulty)
    used = to_responses(data, cut).rows(agents).columns(items)
    parameters = fit.calibration().parameters
    difficulty, discrimination = _item_draws(used, parameters, fit, n, rng, executor)
    ability = _ability_draws(used, parameters, n, rng, executor)
    return [
        _bounds(ability, fit.ability, agents, level),
        _bounds(difficulty, fit.difficulty, items, level),
        _bounds(discrimination, fit.discrimination, items, level),
    ]


def _item_draws(
    responses: Responses, items: Items, fit: IRT, n: int, rng: np.random.Generator, executor: Executor | None
) -> tuple[FloatArray, FloatArray]:
    """Refit the items to resampled agents; NaN where an item became constant."""
    agents = len(responses.successes)
    prior = fit.params["prior"]
    assert isinstance(prior, ItemPrior)
    grid = initial_grid(responses, items)
    bounds = starting_bounds(Bounds(slope=float(np.max(np.abs(items.slope)) * 2 + 10)), grid)
    again = partial(_refitted, Problem(responses, fit.model, prior, bounds), items, grid)
    out = np.array(in_batches(again, partial(_times, agents, rng), n, "bootstrap samples of agents", executor))
    return out[:, 0], out[:, 1]


def _times(count: int, rng: np.random.Generator, samples: int) -> list[FloatArray]:
    """How often each of so many is drawn, in each of several samples."""
    return list(rng.multinomial(count, np.full(count, 1.0 / count), size=samples).astype(np.float64))


def _refitted(whole: Problem, items: Items, grid: tuple[float, int], samples: Sequence[FloatArray]) -> list[FloatArray]:
    """Difficulties and slopes of each sample, with each agent counted as often as it was drawn."""
    with one_thread(max(whole.responses.shape)):
        return [_refitted_once(whole, items, grid, often) for often in samples]


def _refitted_once(whole: Problem, items: Items, grid: tuple[float, int], often: FloatArray) -> FloatArray:
    responses, bounds = whole.responses, whole.bounds
    drawn = Responses(responses.successes, responses.trials, often).rows(often > 0)
    won, tried = drawn.item_totals()
    varied = (won > 0) & (won < tried)
    problem = whole._replace(responses=drawn.columns(varied))
    state = run_em(
        problem, project(items.take(varied), whole.model, bounds),
        half_width=grid[0], points=grid[1], tolerance=1e-3, max_iterations=60, gain=1e-4,
    )  # fmt: skip
    out = np.full((2, len(varied)), np.nan)
    out[:, varied] = state.items.difficulty, state.items.slope
    return out


def _ability_draws(
    responses: Responses, items: Items, n: int, rng: np.random.Generator, executor: Executor | None
) -> FloatArray:
    """Rescore the agents with resampled items.

    Posterior means shrink towards the prior's, and so move less than what is known of an ability: their variance is
    s^2 (1 - s^2), with s the posterior deviation, where an interval for the ability needs s^2. Draws are spread so.
    """
    columns = responses.shape[1]
    centre, error = estimate_abilities(responses, items)
    again = partial(_rescored, responses, items)
    out = np.array(in_batches(again, partial(_times, columns, rng), n, "bootstrap samples of items", executor))
    return np.asarray(centre + (out - centre) / np.sqrt(np.maximum(1.0 - error**2, 0.05)))


def _rescored(responses: Responses, items: Items, samples: Sequence[FloatArray]) -> list[FloatArray]:
    """Abilities in each sample, with each item counted as often as it was drawn."""
    tried = np.ones(responses.shape) if responses.trials is None else responses.trials.astype(np.float64)
    won = responses.successes.astype(np.float64)
    abilities = []
    with one_thread(max(responses.shape)):
        for often in samples:
            drawn = often > 0
            sample = Responses(won[:, drawn] * often[drawn], tried[:, drawn] * often[drawn], responses.weight)
            abilities.append(estimate_abilities(sample, items.take(drawn)).estimate)
    return abilities


def _bounds(
    draws: FloatArray, estimate: FloatArray, used: NDArray[np.bool_], level: float
) -> tuple[FloatArray, FloatArray]:
    """Percentiles of the draws, and whatever lies between them and the estimate."""
    low, high = np.full(len(used), np.nan), np.full(len(used), np.nan)
    inner = np.nanquantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0, method="weibull")
    low[used], high[used] = np.fmin(inner[0], estimate[used]), np.fmax(inner[1], estimate[used])
    return frozen(low), frozen(high)
