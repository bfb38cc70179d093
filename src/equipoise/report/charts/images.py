"""Charts as specs, SVG and PNG, without a browser."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from equipoise.errors import MissingDependencyError, ParameterError
from equipoise.report.charts.canvas import ChartView, altair

__all__ = ["inline_svg", "spec", "to_png", "to_svg", "write_chart"]

WIDTH = 720
PAPER = "#ffffff"
DROPPED = {"class", "pointer-events", "aria-hidden", "aria-roledescription", "role", "aria-label", "version"}
"""Attributes that say nothing inside a page, where the whole drawing is one image with a name."""


def spec(view: ChartView, width: int = WIDTH) -> dict[str, Any]:
    """Give the Vega-Lite spec.

    Altair holds each part of a chart against its schema again and again, which takes longer than drawing it; the tests
    do so once for every chart.
    """
    altair()
    from altair.utils.schemapi import debug_mode

    with debug_mode(False):
        drawn: dict[str, Any] = view.draw(width).to_dict(validate=False)
    return drawn


def to_svg(view: ChartView, width: int = WIDTH) -> str:
    """Give a picture that stands alone, on white paper."""
    drawn: str = _converter().vegalite_to_svg(spec(view, width) | {"background": PAPER})
    return drawn


def to_png(view: ChartView, width: int = WIDTH) -> bytes:
    """Give a picture of twice the resolution, on white paper."""
    drawn: bytes = _converter().vegalite_to_png(spec(view, width) | {"background": PAPER}, scale=2)
    return drawn


def inline_svg(view: ChartView, width: int) -> str:
    """Give a drawing to put into a page: no background, no address, a name for readers who do not see it.

    What a mark says (its description) stays with it as ``data-tip``.
    """
    drawn = spec(view, width)
    root = ElementTree.fromstring(_converter().vegalite_to_svg(drawn))
    _rename(root, hashlib.sha256(json.dumps(drawn).encode()).hexdigest()[:8])
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        tip = element.get("aria-label") if element.get("role") == "graphics-symbol" else None
        if tip and element.get("aria-roledescription") not in ("axis", "legend", "title"):
            element.set("data-tip", tip)
        for name in [name for name in list(element.attrib) if name in DROPPED or name.startswith("{")]:
            del element.attrib[name]
    root.set("role", "img")
    root.set("aria-label", f"{view.heading()} {view.caption()}")
    return ElementTree.tostring(root, encoding="unicode")


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


def write_chart(view: ChartView, path: Path) -> None:
    """Write a chart in the form that the file's name asks for: .svg, .png, or .json for the spec."""
    forms: dict[str, Callable[[ChartView], bytes]] = {
        ".svg": lambda chart: to_svg(chart).encode(),
        ".png": to_png,
        ".json": lambda chart: (json.dumps(spec(chart), indent=2, ensure_ascii=False) + "\n").encode(),
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
