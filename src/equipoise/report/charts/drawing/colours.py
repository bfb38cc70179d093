"""Colours that somebody chooses for agents, so that an agent is the same in all figures of a paper.

A drawing is finished before: lines take their colours from a scale, other marks have one of their own, and the key says
it again. Each of these gets the agents that are to look otherwise.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.wording import Option
from equipoise.report.charts.drawing.canvas import PALE, ChartView, Spec

COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})|[a-zA-Z]+")
MARKS = ("point", "bar", "rule", "line")
"""Marks that stand for an agent where their rows name one; text keeps its ink."""
FAINT = 0.45
OPTION = Option("colours")


def chosen_colours(given: Mapping[str, str] | str | None) -> dict[str, str]:
    """Read colours by agent: a mapping, or ``"IQN=#b3470b,DQN=gray"``.

    Fails when
        there is no colour beside a name, or it is neither ``#rrggbb`` nor a word.
    """
    if isinstance(given, str):
        pairs = [one.rpartition("=") for one in given.split(",") if one.strip()]
        given = {name.strip(): colour.strip() for name, _, colour in pairs}
    found = dict(given or {})
    for name, colour in found.items():
        if not name or not COLOUR.fullmatch(colour):
            raise ParameterError(OPTION, f" are AGENT=#rrggbb or AGENT=word, not {f'{name}={colour}'!r}")
    return found


def check_colours(colours: Mapping[str, str], chart: ChartView) -> None:
    """Refuse colours of agents that the chart does not draw."""
    known = chart.agent_names()
    for name in colours:
        if name not in known:
            raise ParameterError(OPTION, f': the {chart.name} chart has no "{name}"{did_you_mean(name, known)}')


def recoloured(drawn: Spec, colours: Mapping[str, str]) -> Spec:
    """Give the drawing with the colours of these agents."""
    if not colours:
        return drawn
    shown = {
        str(row["shown"]): colours[row["name"]]
        for rows in drawn["datasets"].values()
        for row in rows
        if "shown" in row and row.get("name") in colours
    }
    return {
        **drawn,
        "layer": [_layer(each, drawn["datasets"], colours, {**colours, **shown}) for each in drawn["layer"]],
    }


def _layer(
    layer: Spec, datasets: Mapping[str, Sequence[Mapping[str, Any]]], colours: Mapping[str, str],
    shown: Mapping[str, str],
) -> Spec:  # fmt: skip
    mark, encoding = layer["mark"], layer["encoding"]
    rows = datasets[layer["data"]["name"]]
    key = rows[0].get("key") if len(rows) == 1 else None
    if key is not None:
        return {**layer, "mark": {**mark, "color": shown[key]}} if key in shown and mark["type"] != "text" else layer
    colour = encoding.get("color", {})
    places = colour.get("scale") or {}
    if "range" in places and set(shown) & set(places.get("domain", ())):
        steps = [shown.get(name, usual) for name, usual in zip(places["domain"], places["range"], strict=True)]
        return {**layer, "encoding": {**encoding, "color": {**colour, "scale": {**places, "range": steps}}}}
    named = {str(row.get("name")) for row in rows} & set(colours)
    if mark["type"] not in MARKS or not named or "range" in places:
        return layer
    tests = [{"test": f"datum.name === {json.dumps(name)}", "value": colours[name]} for name in sorted(named)]
    otherwise = colour if "field" in colour else {"value": mark.get("color", colour.get("value"))}
    changed = {**encoding, "color": {"condition": tests, **otherwise}}
    if mark.get("color") == PALE and "opacity" not in encoding:  # intervals stay paler than their estimates
        faint = [{**test, "value": FAINT} for test in tests]
        changed["opacity"] = {"condition": faint, "value": mark.get("opacity", 1)}
    return {**layer, "encoding": changed}
