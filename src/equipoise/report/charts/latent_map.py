"""Latent-skill map: what averages hide, agents and tasks in one plane."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.canvas import ACCENT, WARM, ChartView, altair, finished
from equipoise.report.charts.disc import Place
from equipoise.report.charts.scatter import named_points, zero_lines
from equipoise.report.safe_text import short_names

__all__ = ["LatentMap"]


@dataclass(frozen=True, slots=True)
class LatentMap(ChartView):
    """Agents and tasks by the two strongest latent skills.

    Attributes
    ----------
    agents, tasks
        Places; the product of an agent's and a task's places is what averages miss of that score.
    share
        Share of the rest (what averages do not explain) that the two skills hold, 0 to 1.
    """

    name: ClassVar[str] = "latent-skills"
    title: ClassVar[str] = "Talents that averages hide"
    about: ClassVar[str] = "latent-skill map of agents and tasks"

    agents: Sequence[Place]
    tasks: Sequence[Place]
    share: float

    def caption(self) -> str:
        """Say how the two kinds of marks relate."""
        return (
            f"Dots are agents, triangles tasks; the two directions hold {self.share:.0%} of what averages do not"
            " explain. An agent scores better than its average on tasks that lie in its own direction from the"
            " centre, and worse on tasks on the other side. Near the centre: averages tell all there is to tell."
        )

    def draw(self, width: int) -> Any:
        """Draw dots and triangles around the centre."""
        alt = altair()
        reach = 1.1 * max((abs(v) for place in (*self.agents, *self.tasks) for v in place[1:]), default=1.0) or 1.0
        scale = alt.Scale(domain=[-reach, reach], nice=False)
        x = alt.X("x:Q", scale=scale, title="first latent skill")
        y = alt.Y("y:Q", scale=scale, title="second latent skill")
        layers = zero_lines()
        for kind, places, colour, shape in (
            ("task", self.tasks, WARM, "triangle-up"),
            ("agent", self.agents, ACCENT, "circle"),
        ):
            names = short_names(place.name for place in places)
            rows = [
                {"shown": name, "x": place.x, "y": place.y, "tip": f"{kind} {name}"}
                for name, place in zip(names, places, strict=True)
            ]
            if rows:
                layers += named_points(rows, x, y, width=width, colour=alt.value(colour), shape=shape)
        side = min(width, 620)
        return finished(*layers, width=side, height=side)
