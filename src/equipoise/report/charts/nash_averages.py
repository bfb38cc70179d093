"""Nash averages against plain ones, for agents and for tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.canvas import ACCENT, GRID, MUTED, WARM, ChartView, altair, finished, plot, some_first
from equipoise.report.safe_text import short_names

__all__ = ["Averages", "NashAgents", "NashTasks"]


class Averages(NamedTuple):
    """A plain average, a Nash average and the mass behind it."""

    name: str
    uniform: float
    nash: float
    mass: float


@dataclass(frozen=True, slots=True)
class NashAgents(ChartView):
    """Averages of agents, best Nash average first.

    Attributes
    ----------
    quantity
        What the axis shows, with its unit.
    """

    name: ClassVar[str] = "nash-agents"
    title: ClassVar[str] = "Who is best when copies and easy tasks cannot count twice?"
    about: ClassVar[str] = "Nash against uniform averages of agents"
    core: ClassVar[str] = "a member of the team that nobody beats on average"
    hint: ClassVar[str] = (
        "A long line between ring and dot is an agent whose plain average owes much to whom, or on what, it happened"
        " to be tested; such averages move when weak opponents or easy tasks are copied, Nash averages do not."
    )

    rows: Sequence[Averages]
    quantity: str

    def caption(self) -> str:
        """Say what the distance between the two averages means."""
        _, more = some_first(self.rows)
        return f"Ring: plain average. Dot: Nash average; orange dots: {self.core}. {self.hint}{more}"

    def draw(self, width: int) -> Any:
        """Draw a ring and a dot for each row."""
        alt = altair()
        shown, _ = some_first(self.rows)
        names = short_names(row.name for row in shown)
        rows = [
            row._asdict()
            | {"shown": name, "core": row.mass > 0}
            | {"tip": f"{name}: plain {row.uniform:.3g}, Nash {row.nash:.3g}, mass {row.mass:.1%}"}
            for name, row in zip(names, shown, strict=True)
        ]
        y = alt.Y("shown:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False))
        scale = alt.Scale(zero=False)
        base = plot(rows).encode(y=y, description="tip:N")
        line = base.mark_rule(color=GRID, strokeWidth=3).encode(
            x=alt.X("uniform:Q", scale=scale, title=self.quantity), x2="nash:Q"
        )
        ring = base.mark_point(color=MUTED, size=60, strokeWidth=2, opacity=1).encode(x=alt.X("uniform:Q", scale=scale))
        colour = alt.condition("datum.core", alt.value(WARM), alt.value(ACCENT))
        dot = base.mark_point(filled=True, size=70, opacity=1).encode(x=alt.X("nash:Q", scale=scale), color=colour)
        return finished(line, ring, dot, width=width, height=64 + 22 * max(1, len(rows)))


@dataclass(frozen=True, slots=True)
class NashTasks(NashAgents):
    """Averages of tasks, hardest first."""

    name: ClassVar[str] = "nash-tasks"
    title: ClassVar[str] = "Which tasks carry the evaluation?"
    about: ClassVar[str] = "Nash against uniform difficulty of tasks"
    core: ClassVar[str] = "a task of the suite that decides"
    hint: ClassVar[str] = (
        "The further to the right, the harder. Only the orange tasks decide who is best; the others could be dropped"
        " and the Nash averages of agents would stay as they are."
    )
