"""Sampling progress: what was played, and where the next games should go."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.canvas import ACCENT, PALE, ChartView, altair, finished, plot, some_first
from equipoise.report.safe_text import short_names

__all__ = ["PairGames", "Progress"]

MOST_PAIRS = 40


class PairGames(NamedTuple):
    """Games of a pair: played, proposed next, and whether the pair is decided."""

    name: str
    played: float
    next: float
    decided: bool = False


@dataclass(frozen=True, slots=True)
class Progress(ChartView):
    """Pairs, those to play most first."""

    name: ClassVar[str] = "progress"
    title: ClassVar[str] = "Where should the next games go?"
    about: ClassVar[str] = "games played and games proposed, pair by pair"

    pairs: Sequence[PairGames]

    def caption(self) -> str:
        """Say which pairs are settled."""
        decided = sum(pair.decided for pair in self.pairs)
        _, more = some_first(self.pairs, MOST_PAIRS)
        return (
            "Light: games played. Dark: games that the budget should buy next. Long dark bars are pairs that would"
            f" tell most; pairs without one are settled, or of no use for the question. {decided:,} of"
            f" {len(self.pairs):,} pairs are decided already.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw stacked bars."""
        alt = altair()
        pairs, _ = some_first(self.pairs, MOST_PAIRS)
        rows = []
        for name, pair in zip(short_names((pair.name for pair in pairs), 48), pairs, strict=True):
            tip = f"{name}: {pair.played:,.0f} played, {pair.next:,.0f} next{', decided' if pair.decided else ''}"
            total = pair.played + pair.next
            rows.append({"shown": name, "part": "played", "from": 0.0, "to": pair.played, "tip": tip})
            rows.append({"shown": name, "part": "next", "from": pair.played, "to": total, "tip": tip})
        y = alt.Y("shown:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False))
        colour = alt.Color(
            "part:N", scale=alt.Scale(domain=["played", "next"], range=[PALE, ACCENT]), legend=alt.Legend(title=None)
        )
        bars = (
            plot(rows)
            .mark_bar(height=13)
            .encode(x=alt.X("from:Q", title="games"), x2="to:Q", y=y, color=colour, description="tip:N")
        )
        return finished(bars, width=width, height=90 + 22 * max(1, len(pairs)))
