"""Everything that fits a data set: which analyses there are, and which charts each makes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.data.episodes import Episodes
from equipoise.data.pairs import PairTable
from equipoise.diagnostics import warning
from equipoise.errors import EquipoiseError
from equipoise.luck.baseline import baseline
from equipoise.luck.duplicate import duplicate
from equipoise.ratings.bradley_terry import bradley_terry
from equipoise.report.leaderboard import Scale, leaderboard
from equipoise.report.luck import luck_view
from equipoise.report.view import View

__all__ = ["ANALYSES", "Analysis", "Request", "analyse", "charts_for"]


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
    """One analysis: what it is about, the data it takes, the charts it can make, and how it is run."""

    title: str
    takes: tuple[type, ...]
    charts: tuple[str, ...]
    run: Callable[[Any, Request], View]


def analyse(data: Any, request: Request, *, chart: str | None = None) -> list[View]:
    """Run all that fits the data; what fails is said in a view of its own and does not stop the rest.

    With ``chart`` only the analyses that make that chart are run, and their errors are raised.
    """
    views = []
    for analysis in ANALYSES:
        if not isinstance(data, analysis.takes) or (chart and chart not in analysis.charts):
            continue
        try:
            views.append(analysis.run(data, request))
        except EquipoiseError as error:
            if chart:
                raise
            views.append(_failed(analysis, error))
    return views


def charts_for(data: Any) -> list[str]:
    """Name the charts that can be made of these data."""
    return [name for analysis in ANALYSES if isinstance(data, analysis.takes) for name in analysis.charts]


def _failed(analysis: Analysis, error: EquipoiseError) -> View:
    note = warning("not-computed", f"{analysis.title} could not be computed: {error}.")
    return View((), (f"{analysis.title}: no answer; see what to know below.",), (note,), title=analysis.title)


def _ratings(data: PairTable, request: Request) -> View:
    apart = bradley_terry(data, islands="separate", level=request.level, rng=request.seed)
    return leaderboard(apart, Scale(), facts=request.facts, table=data)


def _luck(data: Episodes, request: Request) -> View:
    """Use the controls the file has; without any, the deals that were played in every seat."""
    if not data.controls:
        return luck_view(duplicate(data, level=request.level), facts=request.facts)
    return luck_view(baseline(data, control=list(data.controls), level=request.level), facts=request.facts)


ANALYSES: Sequence[Analysis] = (
    Analysis("Ratings", (PairTable,), ("forest", "ranks", "head-to-head"), _ratings),
    Analysis("Luck", (Episodes,), ("forest", "variance-reduction"), _luck),
)
