"""What all charts share: the base of their view models, colours, and the last strokes."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from equipoise.errors import MissingDependencyError

__all__ = [
    "ACCENT", "CATEGORIES", "GRID", "INK", "MOST", "MUTED", "PALE", "WARM",
    "ChartView", "altair", "finished", "plot", "some_first",
]  # fmt: skip

INK, MUTED, GRID = "#20242b", "#59626e", "#d9dde3"
ACCENT, WARM, PALE = "#2563a8", "#b3470b", "#9db8d6"
"""Each of these is a colour of the page too: in the dark it is swapped for a lighter one of the same meaning."""
CATEGORIES = (ACCENT, WARM, "#3a7d44", "#8a4fa3", "#8c6d00", "#007c89", "#a83264", "#5f6b1f")
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
MOST = 60
"""Most agents, tasks or items that one chart of rows shows; the table holds them all."""


class ChartView(ABC):
    """A view model that draws itself: it holds plain rows, knows no data set and computes no estimate.

    Subclasses are frozen dataclasses. ``name`` is what the command line calls the chart.
    """

    __slots__ = ()
    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    """What the chart shows, in a few words, for the list of charts."""

    @abstractmethod
    def caption(self) -> str:
        """Say in plain words what to look for."""

    @abstractmethod
    def draw(self, width: int) -> Any:
        """Draw, at most ``width`` pixels wide."""

    def heading(self) -> str:
        """Give the title above this very chart."""
        return self.title


def plot(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Start a chart of plain rows."""
    alt = altair()
    return alt.Chart(alt.InlineData(values=[dict(row) for row in rows]))


def altair() -> Any:
    """Load Altair, or say how to get it."""
    try:
        import altair
    except ImportError as error:
        raise MissingDependencyError(
            'charts and reports need Altair, vl-convert and Jinja; install them with: pip install "equipoise[report]"'
        ) from error
    return altair


def finished(*layers: Any, width: int, height: int) -> Any:
    """Put layers into one chart of this size, axes and legends included, in the house style."""
    alt = altair()
    chart = alt.layer(*layers).properties(
        width=width, height=height, autosize=alt.AutoSizeParams(type="fit", contains="padding"), padding=8
    )
    narrow = width < 480
    chart = chart.configure(font=FONT, background="transparent").configure_view(stroke=None)
    chart = chart.configure_axis(
        labelColor=INK, titleColor=MUTED, tickColor=GRID, domainColor=GRID, gridColor=GRID,
        labelFontSize=12, titleFontSize=12, titleFontWeight="normal", titlePadding=8,
        labelLimit=104 if narrow else 220, tickCount=4 if narrow else 7,
    )  # fmt: skip
    return chart.configure_legend(
        labelColor=INK, titleColor=MUTED, labelFontSize=12, titleFontSize=12, titleFontWeight="normal",
        orient="bottom", direction="horizontal", columns=2 if narrow else 4, labelLimit=130 if narrow else 180,
    )  # fmt: skip


def some_first(rows: Sequence[Any], most: int = MOST) -> tuple[Sequence[Any], str]:
    """Give the first rows, and a sentence that says so if there are more."""
    if len(rows) <= most:
        return rows, ""
    return rows[:most], f" Only the first {most} of {len(rows):,} are drawn; the table has them all."
