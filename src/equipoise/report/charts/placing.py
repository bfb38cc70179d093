"""Where names go beside their points: where they cover neither each other, nor a point, nor leave the drawing."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from equipoise.report.charts.lettering import fitted, text_width

__all__ = ["Box", "Label", "Line", "place_labels"]

Line = tuple[tuple[float, float], tuple[float, float]]
"""From one point to another, in pixels."""
SIZE, AWAY = 11, 7
"""Size of the letters, and how far from its point a name stands."""


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: "Box") -> bool:
        """Tell whether two rectangles share more than an edge."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class Label(NamedTuple):
    """A name with its place: the number of its point, where it is anchored, and to which side it is set."""

    point: int
    text: str
    x: float
    y: float
    align: str


def place_labels(
    points: Sequence[tuple[float, float]], names: Sequence[str], within: Box, *, most: int, cuts: Sequence[int] = (),
    lines: Sequence[Line] = (),
) -> list[Label]:  # fmt: skip
    """Give the names that find a place, the first points first; the others say who they are when pointed at.

    ``points`` are in pixels, ``within`` is what a name must not leave; a name without a place is cut to the widths in
    ``cuts`` one after the other. A name stands on one of the ``lines`` only where there is no other place.
    """
    drawn = [box for line in lines for box in _along(line)]
    dots = [Box(x - 4, y - 4, x + 4, y + 4) for x, y in points]
    taken: list[Box] = []
    placed: list[Label] = []
    for index, name in enumerate(names):
        if len(placed) == most:
            break
        others = [*taken, *dots[:index], *dots[index + 1 :]]
        for text in dict.fromkeys([name, *(fitted(name, cut, SIZE) for cut in cuts)]):
            found = _free(text, index, points[index], within, [*others, *drawn]) or _free(
                text, index, points[index], within, others
            )
            if found is not None:
                taken.append(found[0])
                placed.append(found[1])
                break
    return placed


def _free(
    text: str, index: int, point: tuple[float, float], within: Box, taken: Sequence[Box]
) -> tuple[Box, Label] | None:
    """Find a place for a text beside its point."""
    x, y = point
    width = 1.04 * text_width(text, SIZE) + 2
    for align, left, down in _candidates(width):
        box = Box(x + left, y + down - 7, x + left + width, y + down + 7)
        inside = within.left <= box.left and box.right <= within.right
        if inside and within.top <= box.top and box.bottom <= within.bottom and not any(map(box.covers, taken)):
            anchor = {"left": box.left + 1, "right": box.right - 1, "center": x}[align]
            return box, Label(index, text, anchor, y + down, align)
    return None


def _along(line: Line) -> list[Box]:
    """Cover a line with small boxes."""
    (x, y), (x1, y1) = line
    steps = max(1, int(math.hypot(x1 - x, y1 - y) / 6))
    spots = [(x + (x1 - x) * k / steps, y + (y1 - y) * k / steps) for k in range(steps + 1)]
    return [Box(across - 1, down - 1, across + 1, down + 1) for across, down in spots]


def _candidates(width: float) -> list[tuple[str, float, float]]:
    """Alignments with the left edge and the middle's height, relative to the point, the best first."""
    return [
        ("left", AWAY, 0), ("right", -AWAY - width, 0), ("center", -width / 2, -13), ("center", -width / 2, 13),
        ("left", AWAY - 2, -10), ("left", AWAY - 2, 10), ("right", 2 - AWAY - width, -10),
        ("right", 2 - AWAY - width, 10),
    ]  # fmt: skip
