"""What the maps share: named points in a plane, names where there is room, and marks for what lies beyond it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import INK, MUTED, Frame, Sign, plot
from equipoise.report.charts.drawing.domains import Domain
from equipoise.report.charts.drawing.label_positions import SIZE, Box, Line, place_labels
from equipoise.report.charts.drawing.lettering import fitted_names, tip_names

FEWEST_TICKS = 3
MOST_NAMES, MOST_NAMES_NARROW = 40, 16
"""Most names written beside points; the rest say who they are when pointed at."""
BEYOND_PLANE = Sign("triangle-right", MUTED, "at the edge: lies beyond it")
TOWARDS = {(-1, 0): "triangle-left", (1, 0): "triangle-right", (0, 1): "triangle-up", (0, -1): "triangle-down"}


@dataclass(frozen=True, slots=True)
class Plane:
    """A frame with two axes.

    Attributes
    ----------
    across, up
        What the two axes cover.
    titles
        Of the two axes; None for axes that show no numbers.
    shares
        Whether the second axis shows percentages.
    logs
        Whether places are decimal logarithms of the numbers that the axes show.
    """

    frame: Frame
    across: Domain
    up: Domain
    titles: tuple[str | None, str | None] = (None, None)
    shares: bool = False
    logs: bool = False

    def x(self, field: str) -> Any:
        """Give the channel of a field along the first axis."""
        return self._channel(field, self.across, self.titles[0], shares=False)

    def y(self, field: str) -> Any:
        """Give the channel of a field along the second axis."""
        return self._channel(field, self.up, self.titles[1], shares=self.shares)

    def _channel(self, field: str, domain: Domain, title: str | None, *, shares: bool) -> Any:
        scale = vega.scale(domain=domain.ends, nice=False, zero=False)
        how: dict[str, Any] = {"axis": vega.axis(format=".0%")} if shares else {}
        if self.logs:
            how = {"axis": vega.axis(values=_round_logs(domain), labelExpr="format(pow(10, datum.value), ',~r')")}
        if title is None:
            how = {"axis": vega.axis(labels=False, ticks=False, grid=False, domain=False)}
        return vega.channel(f"{field}:Q", scale=scale, title=title, **how)

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Say where in the plot a point lies."""
        across, up = self.across, self.up
        return (
            (across.inside(x) - across.low) / (across.high - across.low) * self.frame.width,
            (up.high - up.inside(y)) / (up.high - up.low) * self.frame.height,
        )

    def from_pixels(self, x: float, y: float) -> tuple[float, float]:
        """Say which numbers belong to a place in the plot."""
        across, up = self.across, self.up
        return (
            across.low + x / self.frame.width * (across.high - across.low),
            up.high - y / self.frame.height * (up.high - up.low),
        )

    def zero_lines(self, *, vertical: bool = True) -> list[Any]:
        """Draw the axes through zero."""
        line = plot([{"zero": 0}]).mark("rule", color=MUTED, strokeDash=[2, 3], aria=False)
        return [line.encode(y=self.y("zero")), *([line.encode(x=self.x("zero"))] if vertical else [])]

    def beyond(self, rows: Sequence[Mapping[str, Any]]) -> int:
        """Count the points that lie beyond the axes."""
        return sum(bool(self.across.side(row["x"]) or self.up.side(row["y"])) for row in rows)


def _round_logs(domain: Domain) -> list[float]:
    """Give the logarithms of round numbers on an axis: powers of ten, with 2 and 5 between where they are few."""
    decades = range(math.floor(domain.low), math.ceil(domain.high) + 1)
    for steps in ((1,), (1, 3), (1, 2, 5), range(1, 10)):
        found = [decade + math.log10(step) for decade in decades for step in steps]
        found = [value for value in found if domain.low <= value <= domain.high]
        if len(found) >= FEWEST_TICKS:
            break
    return found


def named_places(rows: Sequence[dict[str, Any]], plane: Plane, *, size: int = 60) -> list[Any]:
    """Draw rows with ``name``, ``x``, ``y``, ``shape``, ``colour`` and ``words``, the first of them with their names.

    ``words`` follow the name in what a mark says.
    """
    drawn = []
    for tip_name, row in zip(tip_names(row["name"] for row in rows), rows, strict=True):
        across, up = plane.across.side(row["x"]), plane.up.side(row["y"])
        shape = TOWARDS[across, 0 if across else up] if across or up else row["shape"]
        places = {"x": plane.across.inside(row["x"]), "y": plane.up.inside(row["y"])}
        tip = f"{row.get('kind', '')}{tip_name}: {row['words']}"
        drawn.append({"name": tip_name, "tip": tip, "shape": shape, "colour": row["colour"], **places})
    layers = []
    for shape, colour in dict.fromkeys((row["shape"], row["colour"]) for row in drawn):
        some = [
            {key: row[key] for key in ("name", "x", "y", "tip")}
            for row in drawn
            if (row["shape"], row["colour"]) == (shape, colour)
        ]
        dots = plot(some).mark("point", filled=True, size=size, shape=shape, color=colour, opacity=0.9)
        layers.append(dots.encode(x=plane.x("x"), y=plane.y("y"), description="tip:N"))
    points = [plane.pixels(row["x"], row["y"]) for row in drawn]
    return [*layers, *label_layers(plane, points, [row["name"] for row in rows])]


def label_layers(
    plane: Plane, points: Sequence[tuple[float, float]], names: Sequence[str], *, cuts: Sequence[int] = (),
    lines: Sequence[Line] = (),
) -> list[Any]:  # fmt: skip
    """Write names beside points (in pixels) where there is room; ``cuts`` and ``lines`` as for placing names."""
    frame = plane.frame
    shown = fitted_names(names, 100 if frame.narrow else 170, SIZE)
    within = Box(1, 1, frame.width + frame.right - 2, frame.height - 1)
    most = MOST_NAMES_NARROW if frame.narrow else MOST_NAMES
    labels = place_labels(points, shown, within, most=most, cuts=cuts, lines=lines)
    layers = []
    for align in dict.fromkeys(label.align for label in labels):
        some = [
            dict(zip(("tx", "ty"), plane.from_pixels(label.x, label.y), strict=True)) | {"shown": label.text}
            for label in labels
            if label.align == align
        ]
        text = plot(some).mark("text", align=align, baseline="middle", fontSize=SIZE, color=INK, aria=False)
        layers.append(text.encode(x=plane.x("tx"), y=plane.y("ty"), text="shown:N"))
    return layers
