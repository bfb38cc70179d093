"""Where names go beside their points: where they cover neither each other, nor a point, nor leave the drawing."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from equipoise.report.charts.drawing.lettering import fitted, text_width

Line = tuple[tuple[float, float], tuple[float, float]]
"""From one point to another, in pixels."""
SIZE, AWAY = 11, 7
"""Size of the letters, and how far from its point a name stands."""
CELL = 24
"""Pixels of a cell, to each side, in which dots are looked up."""


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def covers(self, other: "Box") -> bool:
        """Say whether two rectangles share more than an edge."""
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


class _Near:
    """Boxes sorted into cells of a grid, so that only those nearby are looked at."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._boxes = boxes
        self._cells: dict[tuple[int, int], list[int]] = {}
        for index, box in enumerate(boxes):
            for cell in self._touched(box):
                self._cells.setdefault(cell, []).append(index)

    def meet(self, box: Box, but: int) -> bool:
        """Say whether a box covers any of them but one."""
        return any(
            index != but and box.covers(self._boxes[index])
            for cell in self._touched(box)
            for index in self._cells.get(cell, ())
        )

    @staticmethod
    def _touched(box: Box) -> Iterator[tuple[int, int]]:
        left, top, right, bottom = (int(end // CELL) for end in box)
        return ((x, y) for x in range(left, right + 1) for y in range(top, bottom + 1))


def place_labels(
    points: Sequence[tuple[float, float]], names: Sequence[str], within: Box, *, most: int, cuts: Sequence[int] = (),
    lines: Sequence[Line] = (),
) -> list[Label]:  # fmt: skip
    """Give the names that find a place, the first points first; the others say who they are when pointed at.

    ``points`` are in pixels, ``within`` is what a name must not leave; a name without a place is cut to the widths in
    ``cuts`` one after the other. A name stands on one of the ``lines`` only where there is no other place.
    """
    drawn = [box for line in lines for box in _along(line)]
    dots = _Near([Box(x - 4, y - 4, x + 4, y + 4) for x, y in points])
    taken: list[Box] = []
    placed: list[Label] = []
    for index, name in enumerate(names):
        if len(placed) == most:
            break
        for text in dict.fromkeys([name, *(fitted(name, cut, SIZE) for cut in cuts)]):
            free = partial(_free, text, index, points[index], within, dots)
            place = (free([*taken, *drawn]) if drawn else None) or free(taken)
            if place is not None:
                taken.append(place[0])
                placed.append(place[1])
                break
    return placed


def _free(
    text: str, index: int, point: tuple[float, float], within: Box, dots: "_Near", taken: Sequence[Box]
) -> tuple[Box, Label] | None:
    """Find a place for a text beside its point, where it covers neither another dot nor what is taken."""
    x, y = point
    width = 1.04 * text_width(text, SIZE) + 2
    for align, left, down in _candidates(width):
        box = Box(x + left, y + down - 7, x + left + width, y + down + 7)
        inside = within.left <= box.left and box.right <= within.right
        inside = inside and within.top <= box.top and box.bottom <= within.bottom
        if inside and not dots.meet(box, index) and not any(map(box.covers, taken)):
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
