"""Disc: agents placed so that areas and turning directions show who is better."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing.canvas import ACCENT, GRID, MUTED, ChartView, Frame, Sign, finished, plot
from equipoise.report.charts.drawing.domains import Domain
from equipoise.report.charts.drawing.scatter import Plane, named_places


class Place(NamedTuple):
    """A named point."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Disc(ChartView):
    """One disc of the Schur form of a table of log-odds.

    Attributes
    ----------
    places
        Agents, farthest from the centre first.
    share
        Share of the squared table that this disc explains, 0 to 1.
    of
        What it is a share of.
    """

    name: ClassVar[str] = "disc"
    title: ClassVar[str] = "The strongest cyclic pattern"
    about: ClassVar[str] = "disc plot of the strongest cyclic component"
    estimator: ClassVar[str | None] = "Schur decomposition"
    agents_in: ClassVar[str] = "places"

    places: Sequence[Place]
    share: float
    of: str = "the pairwise results"

    def caption(self) -> str:
        """Say how areas, phases and lines are read."""
        return (
            f"This disc explains {self.share:.0%} of {self.of}. An agent beats those that follow it anticlockwise"
            " (up to half a turn), the more strongly the larger the triangle that the two span with the centre: far"
            " apart in angle and far from the centre. Agents on one line through the centre are about even"
            " here; agents all on one line beside the centre form a ranking; agents spread around it form"
            " cycles. Near the centre: this disc says little about them."
        )

    def draw(self, width: int) -> Any:
        """Draw points around the centre."""
        reach = max((math.hypot(place.x, place.y) for place in self.places), default=1.0) or 1.0
        side = min(width, 560)
        across, up = ([0.0, *ends] for ends in zip(*((place.x, place.y) for place in self.places), strict=True))
        wide, high = (_around(ends, 0.15 * reach) for ends in (across, up))
        if high.high - high.low > wide.high - wide.low:
            wide = _around([*wide.ends], (high.high - high.low - wide.high + wide.low) / 2)
        tall = round((side - 32) * (high.high - high.low) / (wide.high - wide.low))  # a pixel is as much up as across
        signs = [Sign("circle", ACCENT, "agent"), Sign("cross", MUTED, "centre: even with everybody")]
        frame = Frame(side, tall, left=16, right=16, bottom=16, signs=signs)
        plane = Plane(frame, wide, high)
        rows = []
        for place in self.places:
            turn = math.degrees(math.atan2(place.y, place.x)) % 360
            words = f"{math.hypot(place.x, place.y):.2f} from the centre, at {turn:.0f} degrees"
            rows.append({**place._asdict(), "words": words, "shape": "circle", "colour": ACCENT})
        rays = plot([{"x": 0.0, "y": 0.0, "x1": place.x, "y1": place.y} for place in self.places])
        rays = rays.mark("rule", color=GRID, aria=False).encode(x=plane.x("x"), y=plane.y("y"), x2="x1:Q", y2="y1:Q")
        centre = plot([{"x": 0.0, "y": 0.0}]).mark(
            "point", shape="cross", filled=True, color=MUTED, size=60, aria=False
        )
        centre = centre.encode(x=plane.x("x"), y=plane.y("y"))
        return finished(rays, centre, *named_places(rows, plane), frame=frame)


def _around(values: Sequence[float], room: float) -> Domain:
    return Domain(min(values) - room, max(values) + room)
