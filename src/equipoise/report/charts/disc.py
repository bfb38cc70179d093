"""Disc: agents placed so that who beats whom shows as areas and turning directions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.canvas import ACCENT, GRID, MUTED, ChartView, altair, finished, plot
from equipoise.report.charts.scatter import named_points
from equipoise.report.safe_text import short_names

__all__ = ["Disc", "Place"]


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
        Share of the squared table that this disc holds, 0 to 1.
    of
        What it is a share of.
    """

    name: ClassVar[str] = "disc"
    title: ClassVar[str] = "Who chases whom"
    about: ClassVar[str] = "disc plot of the strongest cyclic pattern"

    places: Sequence[Place]
    share: float
    of: str = "who beats whom"

    def caption(self) -> str:
        """Say how areas, phases and lines are read."""
        return (
            f"This disc holds {self.share:.0%} of {self.of}. An agent beats those that follow it anticlockwise"
            " (up to half a turn), the more strongly the larger the triangle that the two span with the centre: far"
            " apart in angle and far from the centre. Agents on one line through the centre are as good as even"
            " here; agents all on one line beside the centre form a plain ranking; agents spread around it chase"
            " each other in a cycle. Near the centre: this disc says little about them."
        )

    def draw(self, width: int) -> Any:
        """Draw points around the centre."""
        alt = altair()
        names = short_names(place.name for place in self.places)
        reach = 1.15 * max((math.hypot(place.x, place.y) for place in self.places), default=1.0) or 1.0
        rows = []
        for name, place in zip(names, self.places, strict=True):
            turn = math.degrees(math.atan2(place.y, place.x)) % 360
            tip = f"{name}: {math.hypot(place.x, place.y):.2f} from the centre, at {turn:.0f} degrees"
            rows.append({"shown": name, "x": place.x, "y": place.y, "tip": tip})
        scale, axis = alt.Scale(domain=[-reach, reach]), alt.Axis(labels=False, ticks=False, grid=False, domain=False)
        x, y = alt.X("x:Q", scale=scale, axis=axis, title=None), alt.Y("y:Q", scale=scale, axis=axis, title=None)
        rays = plot([{"x": 0.0, "y": 0.0, "x1": row["x"], "y1": row["y"]} for row in rows])
        rays = rays.mark_rule(color=GRID, aria=False).encode(x=x, y=y, x2="x1:Q", y2="y1:Q")
        centre = (
            plot([{"x": 0.0, "y": 0.0}]).mark_point(shape="cross", color=MUTED, size=60, aria=False).encode(x=x, y=y)
        )
        points = named_points(rows, x, y, width=width, colour=alt.value(ACCENT))
        side = min(width, 560)
        return finished(rays, centre, *points, width=side, height=side)
