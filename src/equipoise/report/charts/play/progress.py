"""Sampling progress: what was played, and where the next games should go."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import (
    ACCENT,
    INK,
    PALE,
    ChartView,
    Sign,
    finished,
    plot,
    sentence,
    some_first,
)
from equipoise.report.charts.drawing.rows import named_rows, people, row_frame, y_axis

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
            "Each bar begins with the games played and ends with those that the budget should buy next. Long ends are"
            " pairs that would tell most; pairs without one are settled, or of no use for the question."
            f" {decided:,} of {len(self.pairs):,} pairs are decided already.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw stacked bars."""
        pairs, more = some_first(self.pairs, MOST_PAIRS)
        named = named_rows(pairs, width, numbers=lambda pair: pair[1:])
        if named.all_alike and not more:
            return sentence(f"All {len(pairs):,} pairs: {_words(pairs[0])}.", width)
        rows, ends = [], []
        for row in named.rows:
            pair = row.entry
            tip = f"{row.told}: {_words(pair)}"
            total = pair.played + pair.next
            of = {"shown": row.shown, **people(row), "tip": tip}
            rows.append({**of, "part": "played", "from": 0.0, "to": pair.played})
            rows.append({**of, "part": "next", "from": pair.played, "to": total})
            ends += [{**of, "at": total}] if pair.decided else []
        most = max((row["to"] for row in rows), default=1.0) or 1.0
        scale = vega.scale(domain=[0, 1.06 * most], nice=False)
        colours = vega.scale(domain=["played", "next"], range=[PALE, ACCENT])
        bars = plot(rows).mark("bar", height=13)
        bars = bars.encode(
            x=vega.channel("from:Q", title="games", scale=scale), x2="to:Q", y=y_axis(),
            color=vega.channel("part:N", scale=colours, legend=None), description="tip:N",
        )  # fmt: skip
        done = plot(ends).mark("point", shape="diamond", filled=True, color=INK, size=60, opacity=1, xOffset=7)
        done = done.encode(x=vega.channel("at:Q", scale=scale), y=y_axis(), description="tip:N")
        signs = [Sign("bar", PALE, "played"), Sign("bar", ACCENT, "to play next")]
        signs += [Sign("diamond", INK, "decided")] if ends else []
        layers = [bars, done] if ends else [bars]
        return finished(*layers, frame=row_frame(width, named.left, len(named.rows), signs))


def _words(pair: PairGames) -> str:
    return f"{pair.played:,.0f} played, {pair.next:,.0f} next{', decided' if pair.decided else ''}"
