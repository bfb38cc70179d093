"""What charts of lines share: a colour and a shape for each line, ribbons around them, names in the key."""

from collections.abc import Callable, Sequence
from typing import Any

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import CATEGORIES, SHAPES, plot
from equipoise.report.charts.drawing.lettering import fitted_names

MOST_LINES = len(CATEGORIES)
"""Most lines in one chart: more could not be followed."""
MARKS, SAYING = 7, 25
"""About how many points give a line its shape, and how many say their numbers."""


def line_names(names: Sequence[str], width: int) -> list[str]:
    """Cut the names of lines to what the key has room for."""
    return fitted_names(names[:MOST_LINES], min(260, width - 60))


def coloured(names: Sequence[str]) -> dict[str, Any]:
    """Give each line the colour of its place."""
    return vega.channel(
        "shown:N", scale=vega.scale(domain=list(names), range=list(CATEGORIES[: len(names)])), legend=None
    )


def lines_with_marks(
    rows: Sequence[dict[str, Any]],
    names: Sequence[str],
    x: Any,
    y: Callable[[str], Any],
    *,
    value: str,
    ribbons: bool = False,
) -> list[Any]:
    """Draw a line for each name in ``shown``; for ``ribbons`` the rows have ``low`` and ``high``.

    Where a line has many points only some give its shape, at places of its own, and only some say their numbers.
    """
    names = list(names)
    colour = coloured(names)
    shape = vega.channel("shown:N", scale=vega.scale(domain=names, range=list(SHAPES[: len(names)])), legend=None)
    layers = []
    if ribbons:
        area = plot(rows).mark("area", opacity=0.16 if len(names) <= 4 else 0.1, aria=False)
        layers.append(area.encode(x=x, y=y("low"), y2="high:Q", color=colour))
    layers.append(plot(rows).mark("line", strokeWidth=2, aria=False).encode(x=x, y=y(value), color=colour))
    marked: list[dict[str, Any]] = []
    bare: list[dict[str, Any]] = []
    for place, name in enumerate(names):
        line = [row for row in rows if row["shown"] == name]
        step, often = (max(1, round(len(line) / many)) for many in (MARKS, SAYING))
        for k, row in enumerate(line):
            if k % step == place * step // len(names):
                marked.append(row)
            elif k % often == 0:
                bare.append(row)
    for some, how in ((bare, {"size": 60, "opacity": 0}), (marked, {"size": 45, "opacity": 1})):
        if some:
            dots = plot(some).mark("point", filled=True, **how)
            layers.append(dots.encode(x=x, y=y(value), color=colour, shape=shape, description="tip:N"))
    return layers
