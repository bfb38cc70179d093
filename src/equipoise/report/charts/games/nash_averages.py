"""Nash averages against plain ones, for agents and for tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import canvas, vega
from equipoise.report.charts.drawing.domains import Domain, domain_of
from equipoise.report.charts.drawing.rows import BEYOND, arrows, beyond_words, named_rows, row_frame, y_axis


class Averages(NamedTuple):
    """A mean score, a Nash average and the probability in the Nash mixture."""

    name: str
    uniform: float
    nash: float
    mass: float


@dataclass(frozen=True, slots=True)
class NashAgents(canvas.ChartView):
    """Averages of agents, best Nash average first.

    Attributes
    ----------
    quantity
        What the axis shows, with its unit.
    """

    name: ClassVar[str] = "nash-agents"
    title: ClassVar[str] = "Who is best when redundant opponents and tasks do not count twice?"
    about: ClassVar[str] = "Nash against uniform averages of agents"
    in_rows: ClassVar[bool] = True
    estimator: ClassVar[str | None] = "Nash averaging"
    agents_in: ClassVar[str] = "rows"
    elastic: ClassVar[bool] = True
    one: ClassVar[str] = "agent"
    core: ClassVar[str] = "in the Nash mixture, which nobody beats on average"
    core_sign: ClassVar[str] = "Nash average, in the Nash mixture"
    hint: ClassVar[str] = (
        "A long line between ring and dot is an agent whose mean score depends much on whom, or on what, it happened"
        " to be tested; mean scores change when weak opponents or easy tasks are repeated, Nash averages do not."
    )
    level: ClassVar[str] = "all are equally good against the Nash mixture."

    rows: Sequence[Averages]
    quantity: str

    def caption(self) -> str:
        """Say what the distance between the two averages means."""
        more = canvas.some_first(self.rows)[1] + beyond_words(self._far(), self.one)
        if self._level():
            return (
                f"Ring: mean score. The Nash average of all {len(self.rows):,} {self.one}s is the same,"
                f" {self.rows[0].nash:.3g}, and is not drawn: {self.level}{more}"
            )
        return f"Ring: mean score. Dot: Nash average; orange diamonds: {self.core}. {self.hint}{more}"

    def draw(self, width: int) -> Any:
        """Draw a ring and a dot for each row; rings alone where all dots would stand in one line."""
        level = self._level()
        named = named_rows(canvas.some_first(self.rows)[0], width, numbers=_numbers)
        if named.all_alike:
            row = self.rows[0]
            return canvas.sentence(
                f"All {len(self.rows):,} {self.one}s have the same averages: mean {row.uniform:.3g}, Nash"
                f" {row.nash:.3g}. They are not different.",
                width,
            )
        domain = self._domain()
        rows = [
            row.entry._asdict()
            | {"shown": row.shown, "name": row.tip_name, "core": row.entry.mass > 0}
            | {"plain_at": domain.inside(row.entry.uniform), "nash_at": domain.inside(row.entry.nash)}
            | {"tip": f"{row.tip_name}: {_words(row.entry)}"}
            for row in named.rows
        ]

        def x(field: str) -> Any:
            scale = vega.scale(domain=domain.ends, zero=False, nice=False)
            return vega.channel(f"{field}:Q", scale=scale, title=self.quantity)

        def marks(shown: list[dict[str, Any]], field: str, **how: Any) -> Any:
            mark = canvas.plot(shown).mark("point", opacity=1, **how)
            return mark.encode(y=y_axis(), x=x(field), description="tip:N")

        near = {key: [row for row in rows if domain.side(row[key]) == 0] for key in ("uniform", "nash")}
        ring = marks(near["uniform"], "plain_at", color=canvas.MUTED, size=60, strokeWidth=2)
        signs = [canvas.Sign("ring", canvas.MUTED, "mean score")]
        if level:
            far = arrows(rows, ("uniform",), domain, x)
            return canvas.finished(
                ring, *far, frame=row_frame(width, named.left, len(rows), [*signs, *([BEYOND] if far else [])])
            )
        far = arrows(rows, ("uniform", "nash"), domain, x)
        line = canvas.plot(rows).mark("rule", color=canvas.GRID, strokeWidth=3)
        layers = [line.encode(y=y_axis(), x=x("plain_at"), x2="nash_at:Q", description="tip:N"), ring]
        for core, shape, colour, text in (
            (False, "circle", canvas.ACCENT, "Nash average"), (True, "diamond", canvas.WARM, self.core_sign)
        ):  # fmt: skip
            some = [row for row in near["nash"] if row["core"] == core]
            if some:
                layers.append(marks(some, "nash_at", filled=True, size=80, shape=shape, color=colour))
                signs.append(canvas.Sign(shape, colour, text))
        signs += [BEYOND] if far else []
        return canvas.finished(*layers, *far, frame=row_frame(width, named.left, len(rows), signs))

    def _level(self) -> bool:
        """Whether all Nash averages are the same, up to rounding."""
        values = [row.nash for row in self.rows]
        plain = [row.uniform for row in self.rows]
        return len(values) > 2 and max(values) - min(values) <= 1e-6 * max(1.0, max(plain) - min(plain))

    def _domain(self) -> Domain:
        drawn = canvas.some_first(self.rows)[0]
        return domain_of(value for row in drawn for value in (row[1:2] if self._level() else row[1:3]))

    def _far(self) -> int:
        domain = self._domain()
        ends = slice(1, 2) if self._level() else slice(1, 3)
        return sum(any(domain.side(value) for value in row[ends]) for row in canvas.some_first(self.rows)[0])


def _numbers(row: Averages) -> object:
    return (round(row.uniform, 6), round(row.nash, 6), row.mass > 0)


def _words(row: Averages) -> str:
    return f"mean {row.uniform:.3g}, Nash {row.nash:.3g}, Nash probability {row.mass:.1%}"


@dataclass(frozen=True, slots=True)
class NashTasks(NashAgents):
    """Averages of tasks, hardest first."""

    name: ClassVar[str] = "nash-tasks"
    title: ClassVar[str] = "Which tasks have weight in the Nash mixture?"
    about: ClassVar[str] = "Nash against uniform difficulty of tasks"
    in_rows: ClassVar[bool] = True
    agents_in: ClassVar[str] = ""
    one: ClassVar[str] = "task"
    core: ClassVar[str] = "a task with weight in the Nash mixture"
    core_sign: ClassVar[str] = "Nash average, has weight"
    hint: ClassVar[str] = (
        "The further to the right, the harder. Only the orange tasks have weight; the others could be dropped"
        " and the Nash averages of agents would stay as they are."
    )
    level: ClassVar[str] = (
        "the leader has the same advantage on all of them, so that no task has more weight. The further"
        " to the right, the harder on average."
    )
