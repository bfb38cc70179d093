"""Residual interactions: agents and tasks in one plane."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.drawing.canvas import ACCENT, MUTED, WARM, ChartView, Frame, Sign, finished
from equipoise.report.charts.drawing.domains import Domain
from equipoise.report.charts.drawing.scatter import Plane, named_places
from equipoise.report.charts.games.disc import Place


@dataclass(frozen=True, slots=True)
class LatentMap(ChartView):
    """Agents and tasks by the two strongest factors.

    Attributes
    ----------
    agents, tasks
        Places; the product of an agent's and a task's places is what averages miss of that score.
    share
        Share of the rest (what averages do not explain) that the two factors explain, 0 to 1.
    """

    name: ClassVar[str] = "latent-skills"
    title: ClassVar[str] = "Residual interactions"
    about: ClassVar[str] = "map of residual interactions between agents and tasks"
    estimator: ClassVar[str | None] = "Singular value decomposition of residual scores"

    agents: Sequence[Place]
    tasks: Sequence[Place]
    share: float

    def caption(self) -> str:
        """Say how the two kinds of marks relate."""
        return (
            f"Dots are agents, triangles tasks; the two directions explain {self.share:.0%} of what averages do"
            " not. An agent scores better than its average on tasks that lie in its own direction from the"
            " centre, and worse on tasks on the other side. Near the centre: no interaction."
        )

    def draw(self, width: int) -> Any:
        """Draw dots and triangles around the centre."""
        places = [
            (max(abs(place.x), abs(place.y)), kind, place)
            for kind, some in (("agent", self.agents), ("task", self.tasks))
            for place in some
        ]
        reach = 1.1 * max((far for far, *_ in places), default=1.0) or 1.0
        side = min(width, 680)
        marks = {"agent": ("circle", ACCENT), "task": ("triangle-up", WARM)}
        signs = [Sign(*marks[kind], kind) for kind in marks]
        frame = Frame(side, side - 72, signs=[*signs, Sign("dash", MUTED, "no interaction")])
        plane = Plane(frame, Domain(-reach, reach), Domain(-reach, reach), ("first factor", "second factor"))
        # The farthest from the centre get their names first, of agents and tasks alike.
        rows = [
            {
                **place._asdict(), "kind": f"{kind} ", "words": f"{place.x:+.2f} and {place.y:+.2f}",
                "shape": marks[kind][0], "colour": marks[kind][1],
            }
            for _, kind, place in sorted(places, key=lambda entry: -entry[0])
        ]  # fmt: skip
        return finished(*plane.zero_lines(), *named_places(rows, plane), frame=frame)
