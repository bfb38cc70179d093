"""Variance reduction: standard errors before and after luck was taken out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import (
    INK,
    PALE,
    WARM,
    ChartView,
    Sign,
    finished,
    plot,
    sentence,
    some_first,
)
from equipoise.report.charts.drawing.rows import named_rows, row_frame, y_axis

__all__ = ["Reduction", "VarianceReduction"]


class Reduction(NamedTuple):
    """By how many percent a standard error shrank, and how many plain hands a hand is worth; None where unknown."""

    name: str
    percent: float | None
    worth: float | None


@dataclass(frozen=True, slots=True)
class VarianceReduction(ChartView):
    """How much smaller each standard error became."""

    name: ClassVar[str] = "variance-reduction"
    title: ClassVar[str] = "How much of the noise was luck?"
    about: ClassVar[str] = "bars of how much each standard error shrank"

    reductions: Sequence[Reduction]

    def caption(self) -> str:
        """Say what long bars buy."""
        _, more = some_first(self.reductions)
        return (
            "How much smaller the standard error became when luck was taken out, against as many independent hands as"
            " they stand. Half the error is worth four times the hands. A bar to the left means that the error grew:"
            f" the control does not fit these games.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw bars."""
        known = [entry for entry in self.reductions if entry.percent is not None]
        named = named_rows(some_first(known)[0], width, numbers=lambda entry: entry[1:])
        if named.all_alike:
            return sentence(f"The standard error of all {len(known):,} agents: {_words(known[0])}.", width)
        rows = [
            {"shown": row.shown, "name": row.told, "percent": row.entry.percent}
            | {"tip": f"{row.told}: {_words(row.entry)}"}
            for row in named.rows
        ]
        least, most = min((row["percent"] for row in rows), default=0), max((row["percent"] for row in rows), default=1)
        scale = vega.scale(domain=[min(0, 1.05 * least), max(1, 1.05 * most)], nice=False)
        x = vega.channel("percent:Q", title="standard error cut by, in %", scale=scale)
        colour = vega.condition("datum.percent < 0", vega.value(WARM), vega.value(PALE))
        bars = plot(rows).mark("bar", height=14, cornerRadiusEnd=3)
        bars = bars.encode(x=x, y=y_axis(), color=colour, description="tip:N")
        zero = plot([{"at": 0}]).mark("rule", color=INK, aria=False).encode(x=vega.channel("at:Q", scale=scale))
        signs = [Sign("bar", PALE, "smaller error")] if most >= 0 else []
        signs += [Sign("bar", WARM, "larger error, to the left of zero")] if least < 0 else []
        return finished(bars, zero, frame=row_frame(width, named.left, len(rows), signs))


def _words(entry: Reduction) -> str:
    worth = "" if entry.worth is None else f"; one hand is worth {entry.worth:.2f}"
    return f"{entry.percent:.1f}% smaller{worth}" if (entry.percent or 0) >= 0 else f"{entry.percent:.1f}%{worth}"
