"""Maps of agents by how much they can do and how evenly.

Ability-generality map: how much agents can do, and how evenly. Mean and variance: how much of what they get right hangs
on which tasks they were given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from equipoise.report.charts.drawing.canvas import ACCENT, MUTED, ChartView, Frame, Sign, finished, plot
from equipoise.report.charts.drawing.domains import Domain, domain_of
from equipoise.report.charts.drawing.rows import beyond_words
from equipoise.report.charts.drawing.scatter import BEYOND_PLANE, Plane, named_places
from equipoise.report.charts.games.games_results import Place

if TYPE_CHECKING:
    from equipoise.items.generality.generality import Generality
    from equipoise.items.result import IRT

CURVE_STEPS = 50


@dataclass(frozen=True, slots=True)
class GeneralityMap(ChartView):
    """Agents by ability (x) and generality (y), highest ability first.

    Attributes
    ----------
    infinite
        Agents whose generality is infinite or unknown; they have no place.
    axes
        What lies across and up, where that is another pair of indicators.
    """

    name: ClassVar[str] = "generality-map"
    title: ClassVar[str] = "Ability and generality"
    about: ClassVar[str] = "map of ability and generality"
    agents_in: ClassVar[str] = "places"

    places: Sequence[Place]
    infinite: int = 0
    axes: tuple[str, str] = ("ability", "generality")

    def heading(self) -> str:
        """Name the two indicators."""
        return f"{self.axes[0].capitalize()} and {self.axes[1]}"

    def caption(self) -> str:
        """Say what the corners mean."""
        if self.axes != ("ability", "generality"):
            far = beyond_words(self._plane(900).beyond([place._asdict() for place in self.places]), "agent")
            return f"Each point is an agent: to the right more {self.axes[0]}, up more {self.axes[1]}.{far}"
        left_out = ""
        if self.infinite:
            left_out = f" {self.infinite:,} agents are left out: their generality is infinite or unknown."
        left_out += beyond_words(self._plane(900).beyond([place._asdict() for place in self.places]), "agent")
        return (
            "To the right: higher ability. Up: more general, that is, more alike on tasks of like difficulty. The upper"
            " right does all that is easier than its level; the lower right has a high ability but fails in pockets;"
            f" the upper left is weak, but predictably so.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw points with names."""
        plane = self._plane(width)
        rows = [
            {
                **p._asdict(),
                "words": f"{self.axes[0]} {p.x:.2f}, {self.axes[1]} {p.y:.3g}",
                "shape": "circle",
                "colour": ACCENT,
            }
            for p in self.places
        ]
        return finished(*named_places(rows, plane), frame=plane.frame)

    def _plane(self, width: int) -> Plane:
        across, up = domain_of(place.x for place in self.places), domain_of(place.y for place in self.places)
        signs = [Sign("circle", ACCENT, "agent"), *([BEYOND_PLANE] if across.beyond or up.beyond else [])]
        return Plane(Frame(width, 340, signs=signs), across, up, self.axes)


@dataclass(frozen=True, slots=True)
class MeanVariance(ChartView):
    """Agents by the mean (x) and the variance (y) of their results, highest mean first.

    Attributes
    ----------
    bounded
        Whether results lie between 0 and 1, so that no variance is above that of right and wrong answers.
    """

    name: ClassVar[str] = "mean-variance"
    title: ClassVar[str] = "Mean and variance of results"
    about: ClassVar[str] = "mean and variance of each agent's results, with the bound of right and wrong answers"
    estimator: ClassVar[str | None] = "Observed results"
    agents_in: ClassVar[str] = "agents"
    elastic: ClassVar[bool] = True
    aside: ClassVar[bool] = True

    agents: Sequence[Place]
    bounded: bool = True

    def caption(self) -> str:
        """Say what the curve is."""
        bound = (
            " The curve is the variance m (1 - m) of right and wrong answers with mean m (Bernoulli), which no results"
            " between 0 and 1 exceed: agents on it solve or fail, agents far below it do everything about equally well."
        )
        far = beyond_words(self._plane(900).beyond([one._asdict() for one in self.agents]), "agent")
        return (
            "Each point is an agent: to the right, better on average; up, results that vary more from task to task."
            f"{bound if self.bounded else ''}{far}"
        )

    def draw(self, width: int) -> Any:
        """Draw points with names, under the curve."""
        plane = self._plane(width)
        rows = [
            {**one._asdict(), "words": f"mean {one.x:.3f}, variance {one.y:.3f}", "shape": "circle", "colour": ACCENT}
            for one in self.agents
        ]
        places = np.linspace(max(plane.across.low, 0.0), min(plane.across.high, 1.0), CURVE_STEPS + 1).tolist()
        curve = plot([{"mean": m, "most": m * (1 - m)} for m in places])
        line = curve.mark("line", color=MUTED, strokeDash=[4, 3], strokeWidth=1.5, aria=False)
        layers = [line.encode(x=plane.x("mean"), y=plane.y("most"))] if self.bounded else []
        return finished(*layers, *named_places(rows, plane), frame=plane.frame)

    def _plane(self, width: int) -> Plane:
        if self.bounded:
            across, up = Domain(-0.02, 1.02), Domain(-0.005, 0.262)
        else:
            across, up = domain_of(one.x for one in self.agents), domain_of(one.y for one in self.agents)
        signs = [Sign("circle", ACCENT, "agent")]
        signs += [Sign("dash", MUTED, "variance of right and wrong: m (1 − m)")] if self.bounded else []
        signs += [BEYOND_PLANE] if across.beyond or up.beyond else []
        return Plane(Frame(width, 320, left=60, signs=signs), across, up, ("mean", "variance"))


def mean_variance(result: "Generality") -> tuple[ChartView, ...]:
    """Place agents by the mean and the variance of their results; nobody without spread that is known."""
    with np.errstate(divide="ignore"):
        variance = 1.0 / result.regularity  # infinitely regular: no variance at all
    known = np.flatnonzero(np.isfinite(result.mean) & np.isfinite(variance))
    order = known[np.argsort(-result.mean[known], kind="stable")]
    agents = [Place(result.agents[k], float(result.mean[k]), float(variance[k])) for k in order]
    least = 1e-9
    bounded = all(-least <= one.x <= 1 + least and one.y <= one.x * (1 - one.x) + 1e-6 for one in agents)
    return (MeanVariance(agents, bounded),) if agents else ()


def generality_map(fit: "IRT", result: "Generality") -> GeneralityMap:
    """Place agents by ability and generality, highest ability first."""
    ability = dict(zip(fit.agents, fit.ability.tolist(), strict=True))
    places = [
        Place(agent, ability[agent], float(value))
        for agent, value in zip(result.agents, result.generality, strict=True)
        if np.isfinite(value) and np.isfinite(ability[agent])
    ]
    return GeneralityMap(sorted(places, key=lambda place: -place.x), len(result.agents) - len(places))
