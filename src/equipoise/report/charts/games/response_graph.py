"""Response graph: which deviations pay, and where they end.

It is laid out so that it can be read: rounds of nodes that reach each other, in layers, and no arrow that follows from
others.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import ACCENT, ARROW, MUTED, WARM, ChartView, Frame, Sign, finished, plot
from equipoise.report.charts.drawing.domains import Domain
from equipoise.report.charts.drawing.lettering import tip_names
from equipoise.report.charts.drawing.scatter import Plane, label_layers


class Arrow(NamedTuple):
    """An arrow between nodes, and how many more like it are not drawn."""

    source: int
    target: int
    more: int = 0


class Layout(NamedTuple):
    """Places of nodes in pixels from the upper left corner, the height that they take, and the arrows to draw."""

    places: Sequence[tuple[float, float]]
    height: float
    arrows: Sequence[Arrow]


def layered(count: int, edges: Sequence[tuple[int, int]], width: float) -> Layout:
    """Place nodes so that arrows go up: whatever nobody leaves is at the top.

    Nodes that reach each other form a round and stand on a circle. Between rounds only those arrows are drawn that do
    not follow from others (the transitive reduction).
    """
    reach = _reachable(count, edges)
    rounds = _rounds(count, reach)
    of = {node: k for k, nodes in enumerate(rounds) for node in nodes}
    steps = {(of[i], of[j]) for i, j in edges if of[i] != of[j]}
    between_rounds = {a for a, _ in steps}
    kept = {
        (a, b)
        for a, b in steps
        if not any(c != b and (a, c) in steps and rounds[b][0] in reach[rounds[c][0]] for c in between_rounds)
    }
    arrows = [Arrow(i, j) for i, j in edges if of[i] == of[j]]
    for a, b in sorted(kept):
        between = [(i, j) for i, j in edges if (of[i], of[j]) == (a, b)]
        arrows.append(Arrow(*min(between), len(between) - 1))
    places, height = _places(rounds, _layers(len(rounds), kept), width)
    return Layout([places[k] for k in range(count)], height, arrows)


def _reachable(count: int, edges: Sequence[tuple[int, int]]) -> list[set[int]]:
    """Give the nodes that can be reached from each, itself included."""
    reach = [{k} | {j for i, j in edges if i == k} for k in range(count)]
    for middle in range(count):
        for targets in reach:
            if middle in targets:
                targets.update(reach[middle])
    return reach


def _rounds(count: int, reach: Sequence[set[int]]) -> list[list[int]]:
    """Give the strongly connected components, in the order of their first nodes."""
    rounds: list[list[int]] = []
    seen: set[int] = set()
    for k in range(count):
        if k not in seen:
            rounds.append(sorted(j for j in reach[k] if k in reach[j]))
            seen.update(rounds[-1])
    return rounds


def _layers(count: int, steps: set[tuple[int, int]]) -> list[list[int]]:
    """Put each round below all that it leads to."""
    depth = [0] * count
    for _ in range(count):
        for a, b in steps:
            depth[a] = max(depth[a], depth[b] + 1)
    return [[k for k in range(count) if depth[k] == level] for level in range(max(depth, default=-1) + 1)]


def _places(
    rounds: Sequence[Sequence[int]], layers: Sequence[Sequence[int]], width: float
) -> tuple[dict[int, tuple[float, float]], float]:
    places: dict[int, tuple[float, float]] = {}
    top = 0.0
    per_row = max(1, int(width // SLOT))
    for layer in layers:
        cuts = [*range(0, len(layer), per_row), len(layer)]
        for start, end in pairwise(cuts):
            blocks = layer[start:end]
            radii = [_radius(len(rounds[k])) for k in blocks]
            height = 2 * max(radii) + LAYER
            slot = width / len(blocks)
            for position, (block, radius) in enumerate(zip(blocks, radii, strict=True)):
                x, y = slot * (position + 0.5), top + height / 2
                across = min(1.5 * radius, max(0.0, slot / 2 - 60))
                for k, node in enumerate(rounds[block]):
                    turn = math.tau * k / len(rounds[block])
                    places[node] = (x + across * math.sin(turn), y - radius * math.cos(turn))
            top += height
    return places, top


def _radius(count: int) -> float:
    return 0.0 if count == 1 else min(170.0, 30 + 11.0 * count)


MOST_PROFILES = 14


@dataclass(frozen=True, slots=True)
class ResponseGraphChart(ChartView):
    """Profiles, arrows from worse to better, and the sink components.

    Attributes
    ----------
    profiles
        Names, the most important first.
    edges
        Index pairs from the worse profile to the better one.
    chains
        For each profile the number of its Markov-Conley chain, or None.
    mass
        Long-run share of time at each profile, if known.
    """

    name: ClassVar[str] = "response-graph"
    title: ClassVar[str] = "Response graph"
    about: ClassVar[str] = "response graph with its sink components (Markov-Conley chains) marked"

    profiles: Sequence[str]
    edges: Sequence[tuple[int, int]]
    chains: Sequence[int | None]
    mass: Sequence[float] | None = None

    def caption(self) -> str:
        """Say what the marked profiles are."""
        count = len({chain for chain in self.chains if chain is not None})
        ends = "one sink component" if count == 1 else f"{count} sink components"
        more, left = "", len(self.profiles) - MOST_PROFILES
        if left > 0:
            hidden = sum(chain is not None for chain in self.chains[MOST_PROFILES:])
            fate = f"{hidden:,} belong to a sink component" if hidden else "none belongs to a sink component"
            which = "where play stays most, and those that lead there" if self.mass is not None else "sinks first"
            more = f" {MOST_PROFILES} of {len(self.profiles):,} are drawn ({which}); of the other {left:,}, {fate}."
            if self._onward(MOST_PROFILES):
                more += " A dashed arrow leads to some that are not drawn: there play does not end."
        return (
            "Each arrow goes up to a strategy profile that pays better for whoever deviates. Along arrows, play ends"
            f" in the orange diamonds ({ends}) and never leaves. Profiles on one ring form a cycle."
            " Arrows that follow from others are left out, so that a ranking is one column."
            f" Larger marks are visited more.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw the first profiles, survivors at the top."""
        count = min(len(self.profiles), MOST_PROFILES)
        edges = [(i, j) for i, j in self.edges if i < count and j < count]
        total = min(width, 680)
        layout = layered(count, edges, total - 32)
        frame = Frame(total, round(layout.height), left=16, right=16, bottom=16, signs=self._signs(count, bool(edges)))
        plane = Plane(frame, Domain(0, frame.width), Domain(0, layout.height))
        nodes = [self._node(k, layout, name) for k, name in enumerate(tip_names(self.profiles[:count]))]
        lines = [_line(arrow, nodes) for arrow in layout.arrows]
        layers = []
        onward = [_stub(nodes[k], layout.height) for k in self._onward(count)]
        if onward:
            stubs = plot(onward).mark("rule", color=ARROW, strokeWidth=1.5, strokeDash=[3, 2])
            stubs = stubs.encode(x=plane.x("x"), y=plane.y("y"), x2="x1:Q", y2="y1:Q", description="tip:N")
            ends_of = plot(onward).mark("point", shape="triangle", filled=True, color=ARROW, size=50, aria=False)
            layers = [stubs, ends_of.encode(x=plane.x("x1"), y=plane.y("y1"), angle=vega.channel("turn:Q", scale=None))]
        if lines:
            faint = 0.9 if len(lines) <= 40 else 0.45
            rules = plot(lines).mark("rule", color=ARROW, opacity=faint, strokeWidth=1.5)
            rules = rules.encode(x=plane.x("x"), y=plane.y("y"), x2="x1:Q", y2="y1:Q", description="tip:N")
            heads = plot(lines).mark(
                "point", shape="triangle", filled=True, color=ARROW, size=70, opacity=1, aria=False
            )
            turn = vega.channel("turn:Q", scale=None)
            layers += [rules, heads.encode(x=plane.x("hx"), y=plane.y("hy"), angle=turn)]
        for ends, shape, colour in ((True, "diamond", WARM), (False, "circle", ACCENT)):
            some = [node for node in nodes if node["ends"] == ends]
            if some:
                dots = plot(some).mark("point", filled=True, opacity=1, shape=shape, color=colour)
                size = vega.channel("size:Q", scale=None)
                layers.append(dots.encode(x=plane.x("x"), y=plane.y("y"), size=size, description="tip:N"))
        crossed = [(layout.places[arrow.source], layout.places[arrow.target]) for arrow in layout.arrows]
        labels = label_layers(plane, layout.places, self.profiles[:count], cuts=(110, 70, 45), lines=crossed)
        return finished(*layers, *labels, frame=frame)

    def _signs(self, count: int, arrows: bool) -> list[Sign]:
        drawn = self.chains[:count]
        signs = [Sign("diamond", WARM, "in a sink component")] if any(chain is not None for chain in drawn) else []
        signs += [Sign("circle", ACCENT, "transient")] if any(chain is None for chain in drawn) else []
        signs += [Sign("triangle-right", ARROW, "towards the better")] if arrows else []
        signs += [Sign("dash", ARROW, "to some that are not drawn")] if self._onward(count) else []
        left = len(self.profiles) - count
        return [*signs, *([Sign("square", MUTED, f"{left:,} more are not drawn")] if left else [])]

    def _onward(self, count: int) -> list[int]:
        """Give the drawn profiles that are left only for others that are not drawn: they would look final."""
        leads = {i for i, j in self.edges if i < count <= j}
        return sorted(leads - {i for i, j in self.edges if i < count and j < count})

    def _node(self, k: int, layout: Layout, name: str) -> dict[str, Any]:
        chain = self.chains[k]
        fate = f"{name}: sink component {chain + 1}" if chain is not None else f"{name}: transient"
        mass = self.mass[k] if self.mass is not None else None
        tip = fate if mass is None else f"{fate}; stationary probability {mass:.1%}"
        x, y = layout.places[k]
        size = 110 if mass is None else 70 + 120 * mass  # larger ones would cover their names
        return {
            "x": x, "y": layout.height - y, "ends": chain is not None, "tip": tip, "size": size, "name": name,
        }  # fmt: skip


def _stub(node: dict[str, Any], height: float) -> dict[str, Any]:
    """Draw a short arrow up and to the right, out of a node."""
    near, far = math.sqrt(node["size"]) / 2 + 2, math.sqrt(node["size"]) / 2 + 20
    return {
        "x": node["x"] + 0.5 * near, "y": node["y"] + 0.85 * near, "x1": node["x"] + 0.5 * far,
        "y1": min(node["y"] + 0.85 * far, height), "turn": 30.0,
        "tip": f"from {node['name']} to profiles that are not drawn",
    }  # fmt: skip


def _line(arrow: Arrow, nodes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Draw an arrow up to the edge of its target."""
    source, target = nodes[arrow.source], nodes[arrow.target]
    dx, dy = target["x"] - source["x"], target["y"] - source["y"]
    length = math.hypot(dx, dy) or 1.0
    near = max(0.0, length - math.sqrt(target["size"]) / 2 - 5)
    more = f" (and {arrow.more} more between these)" if arrow.more else ""
    return {
        "x": source["x"], "y": source["y"], "x1": source["x"] + dx * near / length,
        "y1": source["y"] + dy * near / length, "hx": source["x"] + dx * near / length,
        "hy": source["y"] + dy * near / length, "turn": math.degrees(math.atan2(dx, dy)),
        "tip": f"from {source['name']} to {target['name']}{more}",
    }  # fmt: skip


SLOT, LAYER = 110, 46
"""Room that a node asks for: beside it, and from one layer to the next."""
