"""Where the texts of a drawing lie: boxes in pixels, computed from the SVG."""

import re
from typing import NamedTuple
from xml.etree import ElementTree

from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.drawing.images import inline_svg
from equipoise.report.charts.drawing.label_positions import Box
from equipoise.report.charts.drawing.lettering import text_width


class Text(NamedTuple):
    words: str
    box: Box


def texts(view: ChartView, width: int) -> tuple[list[Text], float, float]:
    """Give the texts with their boxes, and the size of the drawing."""
    root = ElementTree.fromstring(inline_svg(view, width))
    found: list[Text] = []
    _walk(root, 0.0, 0.0, found)
    return found, float(root.get("width", 0)), float(root.get("height", 0))


def overlapping(found: list[Text]) -> list[tuple[str, str]]:
    """Give the pairs of texts that cover each other."""
    return [
        (one.words, other.words) for k, one in enumerate(found) for other in found[k + 1 :] if one.box.covers(other.box)
    ]


def _walk(element: ElementTree.Element, x: float, y: float, found: list[Text]) -> None:
    transform = element.get("transform", "")
    move = re.search(r"translate\(([-\d.e]+)[ ,]+([-\d.e]+)\)", transform)
    if move:
        x, y = x + float(move[1]), y + float(move[2])
    if element.tag == "text" and element.text and element.get("opacity") != "0":
        size = float(element.get("font-size", "11px").removesuffix("px"))
        wide = text_width(element.text, size)
        start = {"start": 0.0, "middle": -wide / 2, "end": -wide}[element.get("text-anchor", "start")]
        # Letters reach from 0.72 of their size above the line to a fifth below it.
        upright = Box(x + start, y - 0.72 * size, x + start + wide, y + 0.2 * size)
        turned = Box(x - 0.72 * size, y - start - wide, x + 0.2 * size, y - start)
        found.append(Text(element.text, turned if re.search(r"rotate\((-90|270)", transform) else upright))
    for child in element:
        _walk(child, x, y, found)
