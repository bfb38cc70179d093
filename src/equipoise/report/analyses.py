"""Everything that fits a data set: which analyses there are, and which charts each makes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from equipoise.alpharank.alpha_rank import alpha_rank
from equipoise.alpharank.alpha_sweep import alpha_sweep
from equipoise.data.episodes import Episodes
from equipoise.data.metagame import MetaGame
from equipoise.data.pairs import PairTable
from equipoise.data.scores import Scores
from equipoise.data.units import Missing
from equipoise.diagnostics import info, warning
from equipoise.errors import EquipoiseError
from equipoise.flows.averages import averages
from equipoise.flows.schur import schur
from equipoise.items.fit import irt
from equipoise.items.generality import generality
from equipoise.luck.baseline import baseline
from equipoise.luck.duplicate import duplicate
from equipoise.nash.agents import AgentNash
from equipoise.nash.audit import audit
from equipoise.nash.average import nash_average
from equipoise.ratings.bradley_terry import bradley_terry
from equipoise.ratings.transitivity import simulated_tables, transitivity
from equipoise.report.benchmark import benchmark_view
from equipoise.report.flow_views import averages_view, disc_view
from equipoise.report.generality import generality_view
from equipoise.report.items import irt_view
from equipoise.report.leaderboard import Scale, leaderboard
from equipoise.report.luck import luck_view
from equipoise.report.metagame import masses_view, sweep_view
from equipoise.report.nash import nash_view
from equipoise.report.plan import plan_view
from equipoise.report.view import View
from equipoise.schedule.plan import plan

__all__ = ["ANALYSES", "Analysis", "Request", "analyse", "charts_for"]

MOST_AGENTS, MOST_PROFILES, MOST_CELLS, MOST_RESAMPLED = 200, 2000, 40_000, 5000
"""Beyond these a report leaves out what weighs every pair or profile; the single commands do it when asked."""


@dataclass(frozen=True, slots=True)
class Request:
    """What all analyses of a report share: the seed, the level of intervals, and the version to note."""

    seed: int = 0
    level: float = 0.95
    version: str = ""

    @property
    def facts(self) -> dict[str, object]:
        """What goes into every view's document."""
        return {"seed": self.seed, "version": self.version}


@dataclass(frozen=True, slots=True)
class Analysis:
    """One analysis: what it is about, the data it takes, the charts it makes, how it is run, and which data it fits."""

    title: str
    takes: tuple[type, ...]
    charts: tuple[str, ...]
    run: Callable[[Any, Request], View | tuple[View, ...]]
    fits: Callable[[Any], bool] = lambda _: True

    def takes_on(self, data: Any) -> bool:
        """Tell whether these data can be analysed so."""
        return isinstance(data, self.takes) and self.fits(data)


def analyse(data: Any, request: Request, *, chart: str | None = None) -> list[View]:
    """Run all that fits the data; what fails is said in a view of its own and does not stop the rest.

    With ``chart`` only the analyses that make that chart are run, and their errors are raised.
    """
    views: list[View] = []
    for analysis in ANALYSES:
        if not analysis.takes_on(data) or (chart and chart not in analysis.charts):
            continue
        try:
            found = analysis.run(data, request)
            views += [found] if isinstance(found, View) else found
        except EquipoiseError as error:
            if chart:
                raise
            views.append(_failed(analysis, error))
    return views


def charts_for(data: Any) -> list[str]:
    """Name the charts that can be made of these data."""
    return [name for analysis in ANALYSES if analysis.takes_on(data) for name in analysis.charts]


def _failed(analysis: Analysis, error: EquipoiseError) -> View:
    note = warning("not-computed", f"{analysis.title} could not be computed: {error}.")
    return View((), (f"{analysis.title}: no answer; see what to know below.",), (note,), title=analysis.title)


def _ratings(data: PairTable, request: Request) -> View:
    apart = bradley_terry(data, islands="separate", level=request.level, rng=request.seed)
    verdict = transitivity(data, n=simulated_tables(data), level=request.level, rng=request.seed)
    view = leaderboard(apart, Scale(), verdict=verdict, facts=request.facts, table=data)
    return replace(view, cites=("bradley_terry", "transitivity"))


def _disc(data: PairTable, request: Request) -> View:
    return disc_view(schur(data), request.facts)


def _benchmark(data: Scores, request: Request) -> View:
    """Drop the tasks with gaps where most have none; otherwise fill the gaps in. Either is said."""
    gaps = data.missing.any(axis=0)
    missing: Missing = "error" if not gaps.any() else "drop-tasks" if gaps.mean() < 0.5 else "complete"
    resamples = 200 if data.values.size <= MOST_RESAMPLED else 0
    nash = nash_average(data, missing=missing, n=resamples, level=request.level, rng=request.seed)
    return benchmark_view(nash, audit(data, missing=missing), facts=request.facts)


def _averages(data: Scores, request: Request) -> View:
    view = averages_view(averages(data, units="min-max", rng=request.seed), request.facts)
    # The map of latent skills stands with the benchmark already.
    return replace(view, charts=tuple(chart for chart in view.charts if chart.name != "latent-skills"))


def _nash(data: PairTable, request: Request) -> View:
    found = nash_average(data, level=request.level, rng=request.seed)
    assert isinstance(found, AgentNash)
    return nash_view(found, request.facts)


def _plan(data: PairTable, request: Request) -> View:
    return plan_view(plan(data, delta=1 - request.level, rng=request.seed), True)


def _masses(data: PairTable | MetaGame, request: Request) -> View:
    return masses_view(alpha_rank(data.unordered() if isinstance(data, PairTable) else data, level=request.level))


def _sweep(data: PairTable | MetaGame, _: Request) -> View:
    return sweep_view(alpha_sweep(data.unordered() if isinstance(data, PairTable) else data))


def _items(data: Scores, request: Request) -> tuple[View, ...]:
    """Fit once for the items, the agents and their generality; too few items have no bins of difficulty."""
    fit = irt(data, level=request.level, rng=request.seed)
    try:
        found = generality(data, fit, level=request.level, rng=request.seed)
    except EquipoiseError as error:
        note = info("no-generality", f"Generality could not be computed: {error}.")
        view = irt_view(fit, request.facts)
        return (replace(view, diagnostics=(*view.diagnostics, note)),)
    return irt_view(fit, request.facts), generality_view(found, fit, request.facts)


def _luck(data: Episodes, request: Request) -> View:
    """Use the controls the file has; without any, the deals that were played in every seat."""
    if not data.controls:
        return luck_view(duplicate(data, level=request.level), facts=request.facts)
    return luck_view(baseline(data, control=list(data.controls), level=request.level), facts=request.facts)


def _small(data: PairTable | MetaGame) -> bool:
    """Whether every pair met, and a table of all pairs is small enough to weigh at leisure."""
    if isinstance(data, MetaGame):
        return bool(np.prod(data.shape) <= MOST_PROFILES)
    return len(data.agents) <= MOST_AGENTS and data.complete


def _counted(data: PairTable) -> bool:
    return data.counted and len(data.agents) <= MOST_AGENTS


def _moderate(data: Scores) -> bool:
    """Whether leaving out tasks and agents one by one takes seconds."""
    return data.values.size <= MOST_CELLS


def _whole(data: Scores) -> bool:
    return not np.isnan(data.values).any()


def _answers(data: Scores) -> bool:
    """Whether the scores are answers, right or wrong: what item response models are for."""
    seen = data.values[~np.isnan(data.values)]
    counted = data.trials is not None and data.repeats is None
    return counted or bool(np.isin(seen, (0.0, 1.0)).all())


ITEM_CHARTS = ("forest", "item-map", "item-curves", "generality-map", "agent-curves")
ANALYSES: Sequence[Analysis] = (
    Analysis("Ratings", (PairTable,), ("forest", "ranks", "split", "head-to-head"), _ratings),
    Analysis("Discs", (PairTable,), ("disc",), _disc, _small),
    Analysis("Nash averages", (PairTable,), ("nash-agents",), _nash, _small),
    Analysis("alpha-Rank", (PairTable, MetaGame), ("response-graph",), _masses, _small),
    Analysis("Sweep over alpha", (PairTable, MetaGame), ("alpha-sweep",), _sweep, _small),
    Analysis("What to play next", (PairTable,), ("progress",), _plan, _counted),
    Analysis("Benchmark", (Scores,), ("nash-agents", "nash-tasks", "latent-skills"), _benchmark, _moderate),
    Analysis("Averages", (Scores,), ("split",), _averages, _whole),
    Analysis("Items and abilities", (Scores,), ITEM_CHARTS, _items, _answers),
    Analysis("Luck", (Episodes,), ("forest", "variance-reduction"), _luck),
)
"""In the order in which a page tells them."""
