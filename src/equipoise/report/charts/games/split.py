"""Split: how much of the differences a single rating describes, and how much is intransitive."""

from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import ACCENT, INK, WARM, ChartView, Frame, Sign, finished, plot


@dataclass(frozen=True, slots=True)
class Split(ChartView):
    """Shares of the signal.

    Attributes
    ----------
    cyclic
        Share that ratings do not explain, 0 to 1.
    low, high
        Its interval, or None.
    explained, rest
        What the two parts are called.
    corrected
        Whether noise was taken out first.
    subject
        What was counted: games, or scores.
    """

    name: ClassVar[str] = "split"
    title: ClassVar[str] = "Does a single rating describe these games?"
    about: ClassVar[str] = "how much of the differences is transitive, how much intransitive"
    estimator: ClassVar[str | None] = ""

    cyclic: float
    low: float | None = None
    high: float | None = None
    explained: str = "a single rating describes it"
    rest: str = "is intransitive"
    corrected: bool = True
    subject: str = "games"

    def caption(self) -> str:
        """Say what a long orange part means."""
        noise = "beyond noise" if self.corrected else "noise included"
        spread = " The thin line is the interval of the boundary." if self.low is not None else ""
        return (
            f"The bar is all that the results say about differences between agents ({noise}). Blue: {self.explained}."
            f" Orange: it {self.rest}, so that no single rating can describe it.{spread} The longer the orange"
            " part, the more a leaderboard leaves out."
        )

    def draw(self, width: int) -> Any:
        """Draw one bar of two parts."""
        explained = 1 - self.cyclic
        parts = ["transitive", "intransitive"] if self.subject == "games" else ["averages", "the rest"]
        rows = [
            {"part": parts[0], "from": 0.0, "to": explained, "tip": f"{self.explained}: {explained:.0%}"},
            {"part": parts[1], "from": explained, "to": 1.0, "tip": f"{self.rest}: {self.cyclic:.0%}"},
        ]
        colour = vega.channel("part:N", scale=vega.scale(domain=parts, range=[ACCENT, WARM]), legend=None)
        x = vega.channel(
            "from:Q", scale=vega.scale(domain=[0, 1]), title="share of the differences", axis=vega.axis(format=".0%")
        )
        bar = plot(rows).mark("bar", height=34).encode(x=x, x2="to:Q", color=colour, description="tip:N")
        layers = [bar]
        signs = [
            Sign("bar", ACCENT, f"left: {parts[0]}, {explained:.0%}"),
            Sign("bar", WARM, f"right: {parts[1]}, {self.cyclic:.0%}"),
        ]
        if self.low is not None and self.high is not None:
            ends = [
                {
                    "from": 1 - self.high,
                    "to": 1 - self.low,
                    "tip": f"intransitive share: {self.low:.0%} to {self.high:.0%}",
                }
            ]
            layers.append(plot(ends).mark("rule", color=INK, strokeWidth=3).encode(x=x, x2="to:Q", description="tip:N"))
            signs.append(Sign("line", INK, "interval of the boundary"))
        return finished(*layers, frame=Frame(width, 50, left=16, right=20, signs=signs))
