"""Charts as specs, SVG, PDF and PNG, without a browser."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from equipoise.core.errors import MissingDependencyError, ParameterError
from equipoise.report.charts.drawing.canvas import FONT, INK, KEY_END, KEY_ROW, MUTED, ROOMY, ChartView, Spec
from equipoise.report.charts.drawing.lettering import wrapped
from equipoise.report.render.safe_text import harmless

WIDTH = 720
PAPER = "#ffffff"
LONGEST_NAME = 200
SVG = "http://www.w3.org/2000/svg"
TITLE, CAPTION, MARGIN = 16, 12, 10
LEAST_TITLE = 560
"""Width of a title and a caption above a small drawing, where there is room."""
POINT = 72 / 96
"""Pixels of a PDF file are points, 72 to the inch."""
DOTS = 192
"""Pixels of a PNG file in an inch."""
TRIES = 12
LEAST_ROW, LEAST_PLANE = 15, 90
"""Least height of a row with a name, and of a plot without rows, in pixels."""
DROPPED = {"class", "pointer-events", "aria-hidden", "aria-roledescription", "role", "aria-label", "version"}
"""Attributes that say nothing inside a page, where the whole drawing is one image with a name."""
PLACES = {"d", "transform", "x", "y", "x1", "x2", "y1", "y2"}
SAID_ANYWAY = {
    "opacity": "1", "stroke-width": "1", "fill-opacity": "1", "transform": "translate(0,0)", "font-family": FONT
}  # fmt: skip
"""Attributes that are so without being said, or because the whole drawing says it."""
UNSEEN = "M-4,-4h8v8h-8z"
"""The shape of marks that are not seen and only say something."""
DIGITS = re.compile(r"(\.\d)\d+")
"""Digits of places in a page behind the first: a tenth of a pixel is finer than any screen."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a picture is, in pixels, 96 to the inch.

    It is drawn ``width`` wide at most, and exactly so if it is to be ``filled``. With a ``height``, too, a filled
    picture is of that height; otherwise all of it is made smaller where it would be higher. Letters and marks are
    ``zoom`` times as large as on a page; ``titled`` has the title and the caption above it, ``legend`` the key.
    """

    width: float = WIDTH
    height: float | None = None
    zoom: float = 1.0
    titled: bool = True
    legend: bool = True
    filled: bool = False


USUAL = Size()


def spec(view: ChartView, width: int = WIDTH, *, titled: bool = False) -> Spec:
    """Give the Vega-Lite spec; ``titled`` with a title and the caption above it, for a picture that stands alone."""
    drawn = view.draw(width)
    return _titled(drawn, view, width) if titled else drawn


def _spec(view: ChartView, size: Size) -> Spec:
    if size.filled and size.height is not None:
        return _fitted(view, size, size.height)
    return _drawn(view, size, size.zoom)


def _drawn(view: ChartView, size: Size, zoom: float) -> Spec:
    """Draw to the width of a picture, whose pixels are ``zoom`` times as large."""
    width = round(size.width / zoom)
    drawn = view.draw(width) if size.legend else _without_key(view.draw(width))
    return _titled(drawn, view, width) if size.titled else drawn


def _fitted(view: ChartView, size: Size, height: float) -> Spec:
    """Draw to the width and the height of a picture: the plot is stretched, and where that is too much, all smaller.

    What may not be stretched is made smaller afterwards, as it is.
    """
    zoom = size.zoom
    drawn = _drawn(view, size, zoom)
    for _ in range(TRIES if view.may_stretch() else 0):
        around = drawn["padding"]["top"] + drawn["padding"]["bottom"]
        least = _least_height(drawn)
        drawn = {**drawn, "height": max(least, height / zoom - around)}
        if around + least <= height / zoom:
            break
        zoom = height / (around + least)
        drawn = _drawn(view, size, zoom)
    return drawn


def _least_height(drawn: Spec) -> float:
    """Give the least height of a plot: of rows with names, or of a plane."""
    rows = {
        str(row[layer["encoding"]["y"]["field"]])
        for layer in drawn["layer"]
        if layer["encoding"].get("y", {}).get("type") == "nominal"
        for row in drawn["datasets"][layer["data"]["name"]]
    }
    return LEAST_ROW * len(rows) if rows else LEAST_PLANE


def _without_key(drawn: Spec) -> Spec:
    """Leave out the key above the plot, and its room."""
    entries = [layer for layer in drawn["layer"] if _is_key(drawn, layer)]
    rows = {layer["encoding"]["y"]["value"] for layer in entries if layer["mark"]["type"] == "text"}
    room = drawn["padding"]["top"] - (KEY_ROW * len(rows) + KEY_END if rows else 0)
    kept = [layer for layer in drawn["layer"] if not _is_key(drawn, layer)]
    return {**drawn, "layer": kept, "padding": {**drawn["padding"], "top": room}}


def _is_key(drawn: Spec, layer: Spec) -> bool:
    return all(row.keys() == {"key"} for row in drawn["datasets"][layer["data"]["name"]] or [{}])


def _titled(drawn: dict[str, Any], view: ChartView, width: int) -> dict[str, Any]:
    """Write title and caption above a drawing, as marks: a title of Vega's would lie on the key."""
    room = drawn["padding"]
    total = drawn["width"] + room["left"] + room["right"]
    wide = max(total, min(width, MARGIN * 2 + LEAST_TITLE))
    across = (wide - 2 * MARGIN) / ROOMY  # a viewer without our font has a wider one
    lines = [(line, TITLE, INK, "bold") for line in wrapped(view.heading(), across, 1.08 * TITLE) if line]
    lines += [(line, CAPTION, MUTED, "normal") for line in wrapped(view.caption(), across, CAPTION) if line]
    top = MARGIN + sum(size + 5 for _, size, *_ in lines)
    y: float = MARGIN - top - room["top"]
    layers = []
    for text, size, colour, weight in lines:
        y += size + 5
        mark = {"type": "text", "align": "left", "fontSize": size, "fontWeight": weight, "color": colour, "aria": False}
        encoding = {"x": {"value": MARGIN - room["left"]}, "y": {"value": y - 5}, "text": {"field": "line"}}
        layers.append({"data": {"values": [{"line": text}]}, "mark": mark, "encoding": encoding})
    grown = {**room, "top": room["top"] + top, "right": room["right"] + wide - total}
    return {**drawn, "padding": grown, "layer": [*drawn["layer"], *layers]}


def to_svg(view: ChartView, size: Size = USUAL, *, pixel: float = 1.0) -> str:
    """Give a picture that stands alone, on white paper; ``pixel`` is how many of the file's units a pixel has."""
    root = ElementTree.fromstring(_converter().vegalite_to_svg(_spec(view, size) | {"background": PAPER}))
    _resize(root, size, pixel)
    for element in list(root.iter()):
        element.tag = element.tag.rpartition("}")[2]
        tip = _tip(element)
        if tip:
            # Browsers show it while the pointer rests on the mark, without a script.
            ElementTree.SubElement(element, "title").text = tip
    root.set("xmlns", SVG)
    root.set("role", "img")
    root.set("aria-label", view.label())
    return ElementTree.tostring(root, encoding="unicode")


def _resize(root: ElementTree.Element, size: Size, pixel: float) -> None:
    """Give a drawing its size on paper; what it holds is drawn to the measure of its view box, in its middle."""
    wide, high = (float(root.get(side, "1")) for side in ("width", "height"))
    scale = size.zoom if size.height is None else min(size.zoom, size.height / high)
    on_paper = [wide * scale, high * scale]
    if size.filled:
        scale = min(scale, size.width / wide)
        on_paper = [size.width, high * scale if size.height is None else size.height]
        across, down = (side / scale for side in on_paper)
        x, y = (wide - across) / 2, (high - down) / 2
        root.set("viewBox", f"{x:g} {y:g} {across:g} {down:g}")
        for sheet in [each for each in root if each.get("fill") == PAPER][:1]:
            for name, value in {"x": x, "y": y, "width": across, "height": down}.items():
                sheet.set(name, f"{value:g}")
    for side, length in zip(("width", "height"), on_paper, strict=True):
        root.set(side, f"{length * pixel:.8g}")


def to_pdf(view: ChartView, size: Size = USUAL) -> bytes:
    """Give a picture for a paper, its letters embedded."""
    drawn: bytes = _converter().svg_to_pdf(to_svg(view, size, pixel=POINT))
    return drawn


def to_png(view: ChartView, size: Size = USUAL) -> bytes:
    """Give a picture of twice the resolution, on white paper, that knows its size in inches."""
    drawn: bytes = _converter().svg_to_png(to_svg(view, size, pixel=POINT), ppi=DOTS)
    return drawn


def to_page(view: ChartView, size: Size = USUAL) -> str:
    """Give a page with the picture alone, that needs nothing else; marks say their numbers under the pointer."""
    rules = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    style = "body{margin:1rem;background:#fff}svg{display:block;max-width:100%;height:auto}"
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{rules}">\n'
        f"<title>{escape(view.heading() or view.label())}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{to_svg(view, size)}\n</body>\n</html>\n"
    )


def inline_svg(view: ChartView, width: int, drawn: Spec | None = None, *, bare: bool = False) -> str:
    """Give a drawing to put into a page: no background, no address, a name for readers who do not see it.

    ``drawn`` is its spec, where that is at hand; ``bare`` leaves out marks that are not seen and only say something.
    What a mark says (its description) stays with it as ``data-tip``, and whom it is of as ``data-agent``.
    """
    drawn = spec(view, width) if drawn is None else drawn
    rows = {row["tip"]: row for dataset in drawn.get("datasets", {}).values() for row in dataset if "tip" in row}
    root = ElementTree.fromstring(_converter().vegalite_to_svg(drawn))
    _rename(root, hashlib.sha256(json.dumps(drawn).encode()).hexdigest()[:8])
    for around in list(root.iter()) if bare else ():
        for element in [each for each in around if each.get("opacity") == "0"]:
            around.remove(element)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        if element.get("opacity") == "0" and "d" in element.attrib:
            element.set("d", UNSEEN)
            for name in ("fill", "stroke-width"):
                element.attrib.pop(name, None)
        tip = _tip(element)
        if tip:
            element.set("data-tip", tip)
            _name_agents(element, rows.get(tip, {}))
        for name in [name for name in list(element.attrib) if name in DROPPED or name.startswith("{")]:
            del element.attrib[name]
        for name in [name for name, value in element.attrib.items() if SAID_ANYWAY.get(name) == value]:
            del element.attrib[name]
        for name in PLACES & element.attrib.keys():
            element.set(name, DIGITS.sub(r"\1", element.attrib[name]))
    root.set("font-family", FONT)
    root.set("role", "img")
    root.set("aria-label", f"{view.heading()} {view.caption()}")
    return ElementTree.tostring(root, encoding="unicode")


def _name_agents(element: ElementTree.Element, row: Mapping[str, Any]) -> None:
    """Say whom a mark is of, and against whom: a page opens their games from it."""
    for name, value in (("data-agent", row.get("name")), ("data-opponent", row.get("opponent"))):
        if value is not None:
            element.set(name, harmless(str(value), LONGEST_NAME))


def _tip(element: ElementTree.Element) -> str | None:
    """Give what a mark says of itself; axes and titles say nothing."""
    if element.get("role") != "graphics-symbol" or element.get("aria-roledescription") in ("axis", "legend", "title"):
        return None
    return element.get("aria-label")


def _rename(root: ElementTree.Element, key: str) -> None:
    """Give gradients and clips names of their own: Vega numbers them anew for every drawing of a page."""
    places = [element for element in root.iter() if element.get("id")]
    names = {f"url(#{element.get('id')})": f"{key}-{k}" for k, element in enumerate(places)}
    for k, element in enumerate(places):
        element.set("id", f"{key}-{k}")
    for element in root.iter():
        for name, value in element.attrib.items():
            if value in names:
                element.set(name, f"url(#{names[value]})")


def write_chart(view: ChartView, path: Path, size: Size = USUAL) -> None:
    """Write a chart in the form that the file's name asks for: .svg, .pdf, .png, .html, or .json for the spec."""
    forms: dict[str, Callable[[ChartView], bytes]] = {
        ".svg": lambda chart: to_svg(chart, size).encode(),
        ".pdf": lambda chart: to_pdf(chart, size),
        ".png": lambda chart: to_png(chart, size),
        ".html": lambda chart: to_page(chart, size).encode(),
        ".json": lambda chart: (json.dumps(_spec(chart, size), indent=2, ensure_ascii=False) + "\n").encode(),
    }
    write = forms.get(path.suffix.lower())
    if write is None:
        raise ParameterError(f'{path}: a chart is written as {", ".join(forms)}, not "{path.suffix}"')
    content = write(view)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise ParameterError(f"cannot write {path}: {error.strerror}") from error


def _converter() -> Any:
    try:
        import vl_convert
    except ImportError as error:
        raise MissingDependencyError(
            'pictures need vl-convert; install it with: pip install "equipoise[report]"'
        ) from error
    return vl_convert
