"""Variance reduction: standard errors before and after luck was taken out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.canvas import ACCENT, PALE, WARM, ChartView, altair, finished, plot, some_first
from equipoise.report.safe_text import short_names

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
        alt = altair()
        known, _ = some_first([entry for entry in self.reductions if entry.percent is not None])
        names = short_names(entry.name for entry in known)
        rows = [
            {"shown": name, "percent": entry.percent, "tip": _tip(name, entry)}
            for name, entry in zip(names, known, strict=True)
        ]
        y = alt.Y("shown:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False))
        colour = alt.condition("datum.percent < 0", alt.value(WARM), alt.value(PALE))
        bars = (
            plot(rows)
            .mark_bar(height=14, cornerRadiusEnd=3)
            .encode(x=alt.X("percent:Q", title="standard error cut by, in %"), y=y, color=colour, description="tip:N")
        )
        zero = plot([{"at": 0}]).mark_rule(color=ACCENT, aria=False).encode(x="at:Q")
        return finished(bars, zero, width=width, height=64 + 22 * max(1, len(rows)))


def _tip(name: str, entry: Reduction) -> str:
    worth = "" if entry.worth is None else f"; one hand is worth {entry.worth:.2f}"
    return f"{name}: {entry.percent:.1f}%{worth}"
