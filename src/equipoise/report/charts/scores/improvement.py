"""Probability of improvement: how likely a run of one agent beats a run of another."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import canvas, vega
from equipoise.report.charts.drawing.rows import named_rows, people, row_frame, y_axis

MOST_PAIRS = 30


class Chance(NamedTuple):
    """The chance that a run of the first of a pair beats a run of the second; None for ends that are not known."""

    name: str
    chance: float
    low: float | None = None
    high: float | None = None

    @property
    def settled(self) -> bool:
        """Whether the interval leaves out one half."""
        return self.low is not None and self.high is not None and not self.low <= 0.5 <= self.high

    def turned(self) -> "Chance":
        """The chance that a run of the second beats a run of the first."""
        low, high = (None if end is None else 1.0 - end for end in (self.high, self.low))
        return Chance(self.name, 1.0 - self.chance, low, high)


@dataclass(frozen=True, slots=True)
class ProbabilityOfImprovement(canvas.ChartView):
    """Pairs of agents, the most informative first.

    Attributes
    ----------
    interval
        Kind and level of the intervals.
    informative
        How many of the pairs, from the first on, are worth drawing: adjacent in the order, and undecided ones; None for
        all.
    order
        The agents as the matrix has them; empty for whoever beats most others first.
    """

    name: ClassVar[str] = "improvement"
    title: ClassVar[str] = "Probability of improvement"
    about: ClassVar[str] = "probability of improvement of each pair of agents, with intervals"
    estimator: ClassVar[str | None] = "Probability of improvement"
    agents_in: ClassVar[str] = "pairs"
    elastic: ClassVar[bool] = True

    pairs: Sequence[Chance]
    interval: str
    informative: int | None = None
    order: Sequence[str] = ()

    def caption(self) -> str:
        """Say where the even chance lies."""
        drawn, more = self._drawn()
        if self.informative is not None and more:
            more = (
                " Drawn are adjacent pairs in the order, then undecided pairs;"
                f" {len(self.pairs) - len(drawn):,} of {len(self.pairs):,} are left out: the numbers have them all."
            )
        settled = sum(pair.settled for pair in self.pairs)
        return (
            "Probability that a run of the first agent beats a run of the second on the same task, a tie counting half,"
            f" averaged over tasks; lines are {self.interval}s, one by one. To the right of the dashed line the first"
            f" is the better one. {settled:,} of {len(self.pairs):,} intervals leave out one half; rings mark those"
            f" that do not.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw chances on lines."""
        drawn, more = self._drawn()
        named = named_rows(drawn, width, numbers=lambda pair: tuple(pair[1:]))
        if named.all_alike and not more:
            return canvas.sentence(f"All {len(drawn):,} pairs: {_words(drawn[0])}.", width)
        rows = [
            {**row.entry._asdict(), **people(row), "shown": row.shown, "settled": row.entry.settled}
            | {"tip": f"{row.tip_name}: {_words(row.entry)}"}
            for row in named.rows
        ]

        def x(field: str) -> Any:
            axis = vega.axis(format=".0%", tickCount=5)
            return vega.channel(
                f"{field}:Q", scale=vega.scale(domain=[0, 1]), axis=axis, title="probability of improvement"
            )

        known = [row for row in rows if row["low"] is not None and row["high"] is not None]
        even = (
            canvas.plot([{"even": 0.5}])
            .mark("rule", color=canvas.INK, strokeDash=[2, 3], aria=False)
            .encode(x=x("even"))
        )
        line = canvas.plot(known).mark("rule", color=canvas.PALE, strokeWidth=5, strokeCap="round")
        layers = [even, line.encode(x=x("low"), x2="high:Q", y=y_axis(), description="tip:N")] if known else [even]
        signs = []
        for settled, shape, colour, text in (
            (True, "circle", canvas.ACCENT, "settled"), (False, "ring", canvas.MUTED, "open")
        ):  # fmt: skip
            some = [row for row in rows if row["settled"] == settled]
            if some:
                mark = canvas.plot(some).mark("point", color=colour, filled=settled, size=65, strokeWidth=2, opacity=1)
                layers.append(mark.encode(x=x("chance"), y=y_axis(), description="tip:N"))
                signs.append(canvas.Sign(shape, colour, text))
        signs += [canvas.Sign("line", canvas.PALE, self.interval)] if known else []
        signs.append(canvas.Sign("dash", canvas.INK, "even"))
        return canvas.finished(*layers, frame=row_frame(width, named.left, len(rows), signs))

    def with_agents(self, agents: Collection[str]) -> "ProbabilityOfImprovement":
        """Give the pairs of these agents, all of them."""
        pairs = [one for one in self.pairs if all(name in agents for name in canvas.names_in(one.name))]
        return replace(self, pairs=pairs, informative=None)

    def ordered(self) -> list[str]:
        """Name the agents of all pairs in their order."""
        if self.order:
            return [name for name in self.order if name in self.agent_names()]
        beaten = dict.fromkeys(self.agent_names(), 0.0)
        for pair in self.pairs:
            for name, one in zip(canvas.names_in(pair.name), (pair, pair.turned()), strict=False):
                beaten[name] += one.chance
        return sorted(beaten, key=lambda name: -beaten[name])

    def _drawn(self) -> tuple[Sequence[Chance], str]:
        return canvas.some_first(self.pairs, min(MOST_PAIRS, self.informative or MOST_PAIRS))


def _words(pair: Chance) -> str:
    ends = "" if pair.low is None or pair.high is None else f" ({pair.low:.0%} to {pair.high:.0%})"
    return f"{pair.chance:.0%}{ends}"
