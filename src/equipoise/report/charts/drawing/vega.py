"""Drawings in Vega-Lite, as plain dictionaries: the few words of that language that our charts need.

>>> dots = Layer([{"share": 0.5}]).mark("point", size=60).encode(x=channel("share:Q", title=None), x2="share:Q")
>>> drawn = layered([dots], width=100)
>>> drawn["layer"][0]["mark"], drawn["layer"][0]["encoding"]["x"]
({'type': 'point', 'size': 60}, {'field': 'share', 'type': 'quantitative', 'title': None})
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
TYPES = {"Q": "quantitative", "N": "nominal"}
SECOND = ("x2", "y2")
"""Channels that have the type of another."""


@dataclass(frozen=True, slots=True)
class Layer:
    """Rows, the mark that stands for each of them, and what of a row the mark shows by which channel."""

    rows: Sequence[Mapping[str, Any]]
    marks: Mapping[str, Any] = field(default_factory=dict)
    encoding: Mapping[str, Any] = field(default_factory=dict)

    def mark(self, kind: str, /, **how: Any) -> "Layer":
        """Draw each row as a point, rule, line, area, bar, rect or text."""
        return replace(self, marks={"type": kind, **how})

    def encode(self, **channels: Any) -> "Layer":
        """Show fields of the rows by more channels: dictionaries, or a field with the letter of its type."""
        shown = {name: _encoded(name, how) for name, how in channels.items()}
        return replace(self, encoding={**self.encoding, **shown})


def channel(shorthand: str, /, **how: Any) -> dict[str, Any]:
    """Show a field, named with the letter of its type: ``channel("score:Q", title="score")``."""
    name, _, letter = shorthand.rpartition(":")
    return {"field": name, "type": TYPES[letter], **how}


def scale(**how: Any) -> dict[str, Any]:
    """Say how numbers or names become places and colours."""
    return how


def axis(**how: Any) -> dict[str, Any]:
    """Say how an axis looks."""
    return how


def value(shown: object) -> dict[str, object]:
    """Show the same for all rows."""
    return {"value": shown}


def condition(test: str, then: Mapping[str, Any], otherwise: Mapping[str, Any]) -> dict[str, Any]:
    """Show one thing for rows that pass a test, and another for the rest."""
    return {"condition": {"test": test, **then}, **otherwise}


def layered(layers: Sequence[Layer], **properties: Any) -> dict[str, Any]:
    """Give the spec of layers on top of each other; rows that several of them draw stand in it once."""
    datasets: dict[str, Sequence[Mapping[str, Any]]] = {}
    names: dict[int, str] = {}
    drawn = []
    for layer in layers:
        if id(layer.rows) not in names:
            names[id(layer.rows)] = _name(layer.rows)
        name = names[id(layer.rows)]
        datasets.setdefault(name, layer.rows)
        drawn.append({"data": {"name": name}, "mark": layer.marks, "encoding": layer.encoding})
    return {"$schema": SCHEMA, **properties, "layer": drawn, "datasets": datasets}


def _encoded(name: str, shown: Any) -> Mapping[str, Any]:
    if not isinstance(shown, str):
        return dict(shown)
    whole = channel(shown)
    return {"field": whole["field"]} if name in SECOND else whole


def _name(rows: Sequence[Mapping[str, Any]]) -> str:
    """Name rows by what they are, so that the same rows have the same name in every drawing."""
    return "data-" + hashlib.sha256(json.dumps(rows, sort_keys=True, default=str).encode()).hexdigest()[:32]
