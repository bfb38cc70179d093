"""How a picture is to look: its size on paper, its letters, its title and caption, and whom it shows."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from equipoise.core.errors import ParameterError
from equipoise.core.wording import Option
from equipoise.report.charts.drawing.canvas import ChartView, Spec
from equipoise.report.charts.drawing.colours import check_colours, chosen_colours, recoloured
from equipoise.report.charts.drawing.images import USUAL, Size, to_svg, write_chart

LENGTHS: Mapping[str, float] = {"px": 1.0, "in": 96.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "pt": 96 / 72}
"""Pixels in each unit of length."""
NAMED: Mapping[str, float] = {"column": 3.25 * 96, "page": 6.75 * 96}
"""Usual widths in papers: of one of two columns, and of both."""
SHORTEST = 72.0
LETTERS = 9.0
"""Size of the letters of a usual picture, in points: 12 pixels."""
SMALLEST_LETTERS, LARGEST_LETTERS = 4.0, 48.0
THEMES: Mapping[str, Size] = {
    "screen": USUAL, "paper": replace(USUAL, titled=False), "slides": replace(USUAL, zoom=1.5, width=960)
}  # fmt: skip
"""On a screen title and caption stand above; in a paper they stand in its text; on slides all is larger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartLook:
    """How a chart is drawn.

    Attributes
    ----------
    width, height
        Of the picture: pixels, 96 to the inch, or lengths like ``"3.25in"`` and ``"82mm"``, ``"column"`` or ``"page"``.
        The picture is as wide as that; with both it is exactly of that size, and a height alone is the most it has.
    theme
        ``"screen"``; ``"paper"``, without title and caption; or ``"slides"``, with larger letters.
    title, caption
        In the place of the chart's own; in a paper they are drawn if they are given.
    font_size
        Of names and numbers, in points.
    agents_shown
        Names of the agents to draw, a sequence or separated by commas; the others are computed with, and not drawn.
    legend
        Whether there is a key above the plot: ``"on"`` or ``"off"``.
    colours
        Colours by agent, a mapping or ``"IQN=#b3470b,DQN=gray"``; the others keep their own.

    Fails when
        a length or a size makes no sense, or there is no such theme.
    """

    width: float | str | None = None
    height: float | str | None = None
    theme: Literal["screen", "paper", "slides"] = "screen"
    title: str | None = None
    caption: str | None = None
    font_size: float | None = None
    agents_shown: Sequence[str] | str | None = None
    legend: Literal["on", "off"] | bool = "on"
    colours: Mapping[str, str] | str | None = None

    def __post_init__(self) -> None:
        # Before anything is computed.
        if self.theme not in THEMES:
            raise ParameterError(Option("theme"), f" is one of {', '.join(THEMES)}, not {self.theme!r}")
        if self.font_size is not None and not SMALLEST_LETTERS <= self.font_size <= LARGEST_LETTERS:
            limits = f"{SMALLEST_LETTERS:g} to {LARGEST_LETTERS:g} points"
            raise ParameterError(Option("font_size"), f" is {limits}, not {self.font_size!r}")
        if self.legend not in ("on", "off", True, False):
            raise ParameterError(Option("legend"), f" is on or off, not {self.legend!r}")
        chosen_colours(self.colours)
        for option in ("width", "height"):
            if getattr(self, option) is not None:
                pixels(option, getattr(self, option))

    @property
    def size(self) -> Size:
        """What a drawing needs to know of it."""
        size = replace(THEMES[self.theme], legend=self.legend in ("on", True), titled=self._titled)
        if self.font_size is not None:
            size = replace(size, zoom=self.font_size / LETTERS)
        if self.width is not None:
            size = replace(size, width=pixels("width", self.width), filled=True)
        if self.height is not None:
            size = replace(size, height=pixels("height", self.height))
        return size

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents to draw; none where all are."""
        given = self.agents_shown
        named = given.split(",") if isinstance(given, str) else given or ()
        return tuple(name.strip() for name in named if name.strip())

    @property
    def _titled(self) -> bool:
        return THEMES[self.theme].titled or self.title is not None or self.caption is not None

    def of(self, chart: ChartView, origin: str = "") -> "LookedAt":
        """Give the chart as it is to be drawn; ``origin`` says which estimator and which data it shows.

        Fails when
            the chart has no such agent.
        """
        shown = chart.only(self.agents) if self.agents else chart
        colours = chosen_colours(self.colours)
        check_colours(colours, shown)
        left, all_of_them = len(shown.agent_names()), len(chart.agent_names())
        words = [shown.caption(), f"Only {left:,} of {all_of_them:,} agents are drawn." if left < all_of_them else ""]
        usual = THEMES[self.theme].titled
        title, caption = (given if usual or given is not None else "" for given in (self.title, self.caption))
        said = " ".join(filter(None, [*words, origin]))
        return LookedAt(shown, title, said if caption is None else caption, said, colours)


@dataclass(frozen=True, slots=True)
class LookedAt(ChartView):
    """A chart under another title, with another caption, as somebody wants to see it.

    ``described`` is its own caption, for those who do not see the picture, and for the text of a paper.
    """

    view: ChartView
    above: str | None
    below: str
    described: str
    colours: Mapping[str, str] = field(default_factory=dict)

    def heading(self) -> str:
        """Give the title above it."""
        return self.view.heading() if self.above is None else self.above

    def caption(self) -> str:
        """Give the caption under the title."""
        return self.below

    def label(self) -> str:
        """Say what the picture shows to those who do not see it."""
        return f"{self.heading() or self.view.heading()} {self.caption() or self.described}"

    def may_stretch(self) -> bool:
        """Say whether the plot may have another height."""
        return self.view.may_stretch()

    def draw(self, width: int) -> Spec:
        """Draw the chart itself."""
        return recoloured(self.view.draw(width), self.colours)


@dataclass(frozen=True, slots=True, repr=False)
class Plot:
    """A chart of a result as it is to look: ``save`` writes it, and notebooks show it.

    ``origin`` says which estimator and which data it shows.
    """

    chart: ChartView
    look: ChartLook = ChartLook()
    origin: str = ""

    @property
    def name(self) -> str:
        """What the chart is called."""
        return self.chart.name

    @property
    def caption(self) -> str:
        """What stands above it on a screen; in a paper it belongs into the text."""
        caption = self.look.caption
        return self.look.of(self.chart, self.origin).described if caption is None else caption

    def save(self, path: str | Path, *, title: str | None = None, caption: str | None = None) -> Path:
        """Write the chart as .svg, .pdf, .png, .html (a page by itself), or .json (its Vega-Lite spec)."""
        given = {name: text for name, text in (("title", title), ("caption", caption)) if text is not None}
        look = replace(self.look, **given)  # type: ignore[arg-type]  # both are texts
        write_chart(look.of(self.chart, self.origin), Path(path), look.size)
        return Path(path)

    def __repr__(self) -> str:
        return f"Plot({self.name!r}, {self.origin!r})"

    def _repr_html_(self) -> str:
        return to_svg(self.look.of(self.chart, self.origin), self.look.size)


def pixels(option: str, given: float | str) -> float:
    """Read a length: a number of pixels, a number with its unit, or a name.

    >>> pixels("width", "3.25in"), pixels("width", 400), pixels("width", "column")
    (312.0, 400.0, 312.0)
    """
    found = re.fullmatch(rf"(\d+\.?\d*|\.\d+)\s*({'|'.join(LENGTHS)})?", str(given).strip())
    value = float(found[1]) * LENGTHS[found[2] or "px"] if found else NAMED.get(str(given), 0.0)
    if value < SHORTEST:
        units = ", ".join(LENGTHS)
        names = " or ".join(NAMED)
        raise ParameterError(
            Option(option), f" is {SHORTEST:g} pixels or more: a number, a length ({units}), or {names}; not {given!r}"
        )
    return value
