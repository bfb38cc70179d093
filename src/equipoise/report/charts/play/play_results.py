"""Charts of what to play next (what was played, where the next games should go), and of luck.

Variance reduction: standard errors before and after luck was taken out. Sample sizes: how many games are enough.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from equipoise.core.wording import digits_for
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing import canvas, vega
from equipoise.report.charts.drawing.lettering import PairName
from equipoise.report.charts.drawing.rows import named_rows, people, row_frame, y_axis
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.inference.sample_size import SampleSizes
    from equipoise.luck.luck_table import LuckTable
    from equipoise.schedule.plan import Plan


def plan_charts(result: "Plan") -> tuple[canvas.ChartView, ...]:
    """Draw what each pair has played and should still play."""
    rows = result.frame().to_dicts()
    pairs = [
        PairGames(PairName(row["first"], "vs", row["second"]), row["games"], row["play"], row["verdict"] != "undecided")
        for row in rows
    ]
    return (Progress(pairs),)


def luck_charts(result: "LuckTable") -> tuple[canvas.ChartView, ...]:
    """Draw the win per hand, and how much luck was taken out."""
    rows = result.frame().to_dicts()
    spans = [Span(row["agent"], *(known(row[key]) for key in ("estimate", "low", "high"))) for row in rows]
    cuts = [Reduction(row["agent"], known(row["reduction"]), known(row["multiplier"])) for row in rows]
    return (Forest(spans, "win per hand", str(result.interval), digits_for(result.stderr)), VarianceReduction(cuts))


MOST_PAIRS = 40


class PairGames(NamedTuple):
    """Games of a pair: played, proposed next, and whether the pair is decided."""

    name: str
    played: float
    next: float
    decided: bool = False


@dataclass(frozen=True, slots=True)
class Progress(canvas.ChartView):
    """Pairs, those to play most first."""

    name: ClassVar[str] = "progress"
    title: ClassVar[str] = "Where should the next games go?"
    about: ClassVar[str] = "games played and games proposed, pair by pair"
    agents_in: ClassVar[str] = "pairs"
    elastic: ClassVar[bool] = True

    pairs: Sequence[PairGames]

    def caption(self) -> str:
        """Say which pairs are settled."""
        decided = sum(pair.decided for pair in self.pairs)
        _, more = canvas.some_first(self.pairs, MOST_PAIRS)
        return (
            "Each bar begins with the games played and ends with those that the budget should buy next. Long ends are"
            " the most informative pairs; pairs without one are decided, or do not matter for the question."
            f" {decided:,} of {len(self.pairs):,} pairs are decided already.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw stacked bars."""
        pairs, more = canvas.some_first(self.pairs, MOST_PAIRS)
        named = named_rows(pairs, width, numbers=lambda pair: pair[1:])
        if named.all_alike and not more:
            return canvas.sentence(f"All {len(pairs):,} pairs: {_words(pairs[0])}.", width)
        rows, ends = [], []
        for row in named.rows:
            pair = row.entry
            tip = f"{row.tip_name}: {_words(pair)}"
            total = pair.played + pair.next
            of = {"shown": row.shown, **people(row), "tip": tip}
            rows.append({**of, "part": "played", "from": 0.0, "to": pair.played})
            rows.append({**of, "part": "next", "from": pair.played, "to": total})
            ends += [{**of, "at": total}] if pair.decided else []
        most = max((row["to"] for row in rows), default=1.0) or 1.0
        scale = vega.scale(domain=[0, 1.06 * most], nice=False)
        colours = vega.scale(domain=["played", "next"], range=[canvas.PALE, canvas.ACCENT])
        bars = canvas.plot(rows).mark("bar", height=13)
        bars = bars.encode(
            x=vega.channel("from:Q", title="games", scale=scale), x2="to:Q", y=y_axis(),
            color=vega.channel("part:N", scale=colours, legend=None), description="tip:N",
        )  # fmt: skip
        done = canvas.plot(ends).mark(
            "point", shape="diamond", filled=True, color=canvas.INK, size=60, opacity=1, xOffset=7
        )
        done = done.encode(x=vega.channel("at:Q", scale=scale), y=y_axis(), description="tip:N")
        signs = [canvas.Sign("bar", canvas.PALE, "played"), canvas.Sign("bar", canvas.ACCENT, "to play next")]
        signs += [canvas.Sign("diamond", canvas.INK, "decided")] if ends else []
        layers = [bars, done] if ends else [bars]
        return canvas.finished(*layers, frame=row_frame(width, named.left, len(named.rows), signs))


def _words(pair: PairGames) -> str:
    return f"{pair.played:,.0f} played, {pair.next:,.0f} next{', decided' if pair.decided else ''}"


class Reduction(NamedTuple):
    """Reduction of a standard error in percent, and how many unadjusted hands equal one; None where unknown."""

    name: str
    percent: float | None
    worth: float | None


@dataclass(frozen=True, slots=True)
class VarianceReduction(canvas.ChartView):
    """How much smaller each standard error became."""

    name: ClassVar[str] = "variance-reduction"
    title: ClassVar[str] = "How much of the noise was luck?"
    about: ClassVar[str] = "reduction of each standard error"
    agents_in: ClassVar[str] = "reductions"
    elastic: ClassVar[bool] = True

    reductions: Sequence[Reduction]

    def caption(self) -> str:
        """Say what long bars buy."""
        _, more = canvas.some_first(self.reductions)
        return (
            "Reduction of the standard error by removing luck, against as many independent hands without adjustment."
            " Half the error is equivalent to four times the hands. A bar to the left means that the error grew: the"
            f" control variate does not fit these games.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw bars."""
        known = [entry for entry in self.reductions if entry.percent is not None]
        named = named_rows(canvas.some_first(known)[0], width, numbers=lambda entry: entry[1:])
        if named.all_alike:
            return canvas.sentence(
                f"The standard error of all {len(known):,} agents: {_variance_reduction_words(known[0])}.", width
            )
        rows = [
            {"shown": row.shown, "name": row.tip_name, "percent": row.entry.percent}
            | {"tip": f"{row.tip_name}: {_variance_reduction_words(row.entry)}"}
            for row in named.rows
        ]
        least, most = min((row["percent"] for row in rows), default=0), max((row["percent"] for row in rows), default=1)
        scale = vega.scale(domain=[min(0, 1.05 * least), max(1, 1.05 * most)], nice=False)
        x = vega.channel("percent:Q", title="reduction of the standard error, in %", scale=scale)
        colour = vega.condition("datum.percent < 0", vega.value(canvas.WARM), vega.value(canvas.PALE))
        bars = canvas.plot(rows).mark("bar", height=14, cornerRadiusEnd=3)
        bars = bars.encode(x=x, y=y_axis(), color=colour, description="tip:N")
        zero = (
            canvas.plot([{"at": 0}])
            .mark("rule", color=canvas.INK, aria=False)
            .encode(x=vega.channel("at:Q", scale=scale))
        )
        signs = [canvas.Sign("bar", canvas.PALE, "smaller error")] if most >= 0 else []
        signs += [canvas.Sign("bar", canvas.WARM, "larger error, to the left of zero")] if least < 0 else []
        return canvas.finished(bars, zero, frame=row_frame(width, named.left, len(rows), signs))


def _variance_reduction_words(entry: Reduction) -> str:
    worth = "" if entry.worth is None else f"; equivalent to {entry.worth:.2f} times the hands"
    return f"{entry.percent:.1f}% smaller{worth}" if (entry.percent or 0) >= 0 else f"{entry.percent:.1f}%{worth}"


@dataclass(frozen=True, slots=True)
class SampleSizeMap(canvas.ChartView):
    """Games for each gap (columns) and each probability of failure (rows).

    Attributes
    ----------
    strategies
        The game's shape, in words.
    games
        Games for each profile, gaps x deltas.
    """

    name: ClassVar[str] = "sample-size"
    title: ClassVar[str] = "How many games are enough?"
    about: ClassVar[str] = "heat map of the games that recover a response graph, by gap and probability of failure"
    estimator: ClassVar[str | None] = "Theorem 3.2 of Rowland et al. (2019)"
    elastic: ClassVar[bool] = True

    strategies: str
    gaps: Sequence[float]
    deltas: Sequence[float]
    games: Sequence[Sequence[float]]

    def caption(self) -> str:
        """Say what a cell promises."""
        return (
            f"Games of each profile of a game of {self.strategies} after which, except with the probability of the row,"
            " every arrow of the response graph points the right way, if payoffs that a deviation compares differ by at"
            " least the gap of the column. A bound for the worst case: fewer are often enough."
        )

    def draw(self, width: int) -> Any:
        """Draw cells with their numbers, darker for more."""
        total = min(width, 560)
        signs = [canvas.Sign("cell", "#eef3f9", "fewest games"), canvas.Sign("cell", canvas.ACCENT, "most games")]
        frame = canvas.Frame(total, max(130, 40 * len(self.deltas)), left=76, bottom=48, signs=signs)
        rows: list[dict[str, Any]] = [
            {"gap": f"{gap:g}", "delta": f"{delta:g}", "size": math.log10(games), "shown": _short(games)}
            | {"tip": f"gap {gap:g}, probability of failure {delta:g}: {games:,.0f} games of each profile"}
            for gap, line in zip(self.gaps, self.games, strict=True)
            for delta, games in zip(self.deltas, line, strict=True)
        ]
        middle = (min(row["size"] for row in rows) + max(row["size"] for row in rows)) / 2
        axis = vega.axis(ticks=False, domain=False, labelAngle=0, labelPadding=6)
        x = vega.channel("gap:N", sort=None, title="smallest gap between payoffs", axis=axis)
        y = vega.channel("delta:N", sort=None, title="probability of failure", axis=axis)
        scale = vega.scale(range=["#eef3f9", canvas.ACCENT], zero=False)
        cells = canvas.plot(rows).mark("rect", stroke="#ffffff", strokeWidth=1)
        cells = cells.encode(x=x, y=y, color=vega.channel("size:Q", scale=scale, legend=None), description="tip:N")
        colour = vega.condition(f"datum.size > {middle}", vega.value("#ffffff"), vega.value("#1a1a1a"))
        text = canvas.plot(rows).mark("text", fontSize=12, aria=False)
        return canvas.finished(cells, text.encode(x=x, y=y, text="shown:N", color=colour), frame=frame)


def _short(games: float) -> str:
    """Write a number of games in a few signs."""
    if games < 100_000:
        return f"{games:,.0f}"
    return f"{games / 1e6:.3g}M" if games < 1e9 else f"{games:.0e}".replace("e+0", "e").replace("e+", "e")


def size_charts(result: "SampleSizes") -> tuple[canvas.ChartView, ...]:
    """Draw the games for each gap and each probability of failure."""
    sides = " x ".join(map(str, result.shape))
    many = len(result.shape) > 1
    words = f"{sides} strategies" if many else f"one population and {sides} strategies"
    return (SampleSizeMap(words, result.gaps, result.deltas, result.games.tolist()),)


CHARTS = {"LuckTable": luck_charts, "Plan": plan_charts, "SampleSizes": size_charts}
"""Who draws which class of results."""
