"""Response graph: which deviations pay, and where they end."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from equipoise.report.charts.canvas import ACCENT, INK, MUTED, PALE, WARM, ChartView, altair, finished, plot
from equipoise.report.safe_text import short_names

__all__ = ["ResponseGraphChart"]

MOST_PROFILES = 30


@dataclass(frozen=True, slots=True)
class ResponseGraphChart(ChartView):
    """Profiles, arrows from worse to better, and the chains in which evolution ends.

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
    title: ClassVar[str] = "Where better responses lead"
    about: ClassVar[str] = "response graph with its Markov-Conley chains marked"

    profiles: Sequence[str]
    edges: Sequence[tuple[int, int]]
    chains: Sequence[int | None]
    mass: Sequence[float] | None = None

    def caption(self) -> str:
        """Say what the marked profiles are."""
        count = len({chain for chain in self.chains if chain is not None})
        ends = "one chain" if count == 1 else f"{count} chains"
        more = ""
        if len(self.profiles) > MOST_PROFILES:
            more = f" Only the first {MOST_PROFILES} of {len(self.profiles):,} profiles are drawn."
        return (
            "Each arrow goes from a profile to one that pays better for whoever deviates. Following arrows, play"
            f" ends in the orange profiles ({ends}) and never leaves: these are the survivors. Several orange ones in"
            f" one chain beat each other in a circle. Larger dots are visited more.{more}"
        )

    def draw(self, width: int) -> Any:
        """Draw the profiles on a circle."""
        alt = altair()
        count = min(len(self.profiles), MOST_PROFILES)
        names = short_names(self.profiles[:count], 28)
        places = [(math.sin(math.tau * k / count), math.cos(math.tau * k / count)) for k in range(count)]
        nodes = [self._node(k, names[k], *places[k]) for k in range(count)]
        edges = [_edge(places, i, j, names) for i, j in self.edges if i < count and j < count]
        scale, axis = alt.Scale(domain=[-1.45, 1.45]), alt.Axis(labels=False, ticks=False, grid=False, domain=False)
        x, y = alt.X("x:Q", scale=scale, axis=axis, title=None), alt.Y("y:Q", scale=scale, axis=axis, title=None)
        faint = 0.9 if len(edges) <= 60 else 0.35
        lines = (
            plot(edges).mark_rule(color=PALE, opacity=faint).encode(x=x, y=y, x2="x1:Q", y2="y1:Q", description="tip:N")
        )
        heads = plot(edges).mark_point(shape="triangle", filled=True, color=MUTED, size=45, opacity=faint, aria=False)
        heads = heads.encode(
            x=alt.X("hx:Q", scale=scale), y=alt.Y("hy:Q", scale=scale), angle=alt.Angle("turn:Q", scale=None)
        )
        dots = plot(nodes).mark_point(filled=True, opacity=1)
        dots = dots.encode(
            x=x, y=y, size=alt.Size("size:Q", scale=None), description="tip:N",
            color=alt.condition("datum.ends", alt.value(WARM), alt.value(ACCENT)),
        )  # fmt: skip
        texts = [
            plot(side)
            .mark_text(align=align, fontSize=11, color=INK, limit=110, aria=False)
            .encode(x=alt.X("tx:Q", scale=scale), y=alt.Y("ty:Q", scale=scale), text="shown:N")
            for align in ("left", "right", "center")
            if (side := [node for node in nodes if node["align"] == align])
        ]
        size = min(width, 600)
        layers = [lines, heads] if edges else []
        return finished(*layers, dots, *texts, width=size, height=size)

    def _node(self, k: int, name: str, x: float, y: float) -> dict[str, Any]:
        chain = self.chains[k]
        fate = f"{name}: survives, chain {chain + 1}" if chain is not None else f"{name}: left sooner or later"
        mass = self.mass[k] if self.mass is not None else None
        tip = fate if mass is None else f"{fate}; {mass:.1%} of the time"
        align = "center" if abs(x) < 0.2 else "left" if x > 0 else "right"
        return {
            "shown": name, "x": x, "y": y, "tx": 1.1 * x, "ty": 1.12 * y, "align": align, "ends": chain is not None,
            "tip": tip, "size": 90 if mass is None else 60 + 700 * mass,
        }  # fmt: skip


def _edge(places: Sequence[tuple[float, float]], i: int, j: int, names: Sequence[str]) -> dict[str, Any]:
    (x, y), (x1, y1) = places[i], places[j]
    dx, dy = x1 - x, y1 - y
    return {
        "x": x, "y": y, "x1": x1, "y1": y1, "hx": x + 0.72 * dx, "hy": y + 0.72 * dy,
        "turn": math.degrees(math.atan2(dx, dy)), "tip": f"from {names[i]} to {names[j]}",
    }  # fmt: skip
