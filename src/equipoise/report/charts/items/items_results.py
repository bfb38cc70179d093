"""Charts of items and abilities.

Agent curves: how results fall with difficulty, and how much they vary at each level of it. Item curves: the chance to
solve each item, over ability. Item map: difficulty against discrimination.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from equipoise.items.models.curves import item_curve_frame
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import (
    ACCENT,
    INK,
    MUTED,
    WARM,
    ChartView,
    Frame,
    Sign,
    category_signs,
    finished,
    plot,
)
from equipoise.report.charts.drawing.domains import Domain, domain_of
from equipoise.report.charts.drawing.label_positions import SIZE, Box, Line, place_labels
from equipoise.report.charts.drawing.lettering import fitted, tip_names
from equipoise.report.charts.drawing.lines import coloured, line_names, lines_with_marks
from equipoise.report.charts.drawing.rows import beyond_words
from equipoise.report.charts.drawing.scatter import BEYOND_PLANE, Plane, named_places
from equipoise.report.charts.items.spread import mean_variance
from equipoise.report.views.view import known

if TYPE_CHECKING:
    from equipoise.items.generality.generality import Generality
    from equipoise.items.result import IRT


MOST_CURVES = 6


class AgentCurve(NamedTuple):
    """Mean result of an agent in each bin of difficulty, and the variance around it; None where it has none.

    ``expected`` is the mean that the fitted item curves give at its ability; empty where nothing was fitted.
    """

    name: str
    mean: Sequence[float | None]
    variance: Sequence[float | None]
    expected: Sequence[float | None] = ()


@dataclass(frozen=True, slots=True)
class AgentCurvesChart(ChartView):
    """Curves of agents over bins of difficulty, the most interesting first.

    Attributes
    ----------
    spread
        Whether the first curves are of agents from the best to the worst, rather than of the best.
    """

    name: ClassVar[str] = "agent-curves"
    title: ClassVar[str] = "Who fails on hard tasks only, and who in pockets?"
    about: ClassVar[str] = "agent characteristic curves with variance ribbons"
    agents_in: ClassVar[str] = "curves"
    elastic: ClassVar[bool] = True

    difficulties: Sequence[float]
    curves: Sequence[AgentCurve]
    spread: bool = False

    def caption(self) -> str:
        """Say what a narrow ribbon means."""
        more = len(self.curves) - MOST_CURVES
        which = ", from the best to the worst at even distances" if self.spread else ""
        left_out = f" {MOST_CURVES} of {len(self.curves):,} agents are drawn{which}." if more > 0 else ""
        if any(curve.expected for curve in self.curves):
            left_out = f" Dashed: what the fitted item curves expect at the agent's ability.{left_out}"
        far = domain_of(self.difficulties, margin=0).beyond
        if far:
            places = "One difficulty lies" if far == 1 else f"{far:,} difficulties lie"
            left_out += f" {places} far from all others and would squeeze them: they are not drawn."
        return (
            "Mean result of each agent on tasks from easy (left) to hard (right). The ribbon reaches one standard"
            " deviation to both sides as far as results can go, over tasks of like difficulty. A narrow ribbon that"
            " falls at one place is a general agent: it solves what is easier than its level and fails above. A wide"
            f" ribbon is an agent good in pockets only.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw lines in ribbons."""
        drawn = self.curves[:MOST_CURVES]
        names = line_names([curve.name for curve in drawn], width)
        in_tips = tip_names(curve.name for curve in drawn)
        least, most = self._limits()
        across = domain_of(self.difficulties, margin=0)
        rows = [
            row
            for name, tip, curve in zip(names, in_tips, drawn, strict=True)
            for row in self._rows(name, tip, curve, least, most)
            if not across.side(row["difficulty"])
        ]
        x = vega.channel("difficulty:Q", title="difficulty", scale=vega.scale(domain=across.ends, nice=False))

        def y(field: str) -> Any:
            return vega.channel(f"{field}:Q", title="result", scale=vega.scale(domain=[least, most], nice=False))

        signs = [*category_signs(names), Sign("band", MUTED, "one standard deviation")]
        lines = lines_with_marks(rows, names, x, y, value="mean", ribbons=True)
        fitted_rows = [row for row in rows if row["expected"] is not None]
        if fitted_rows:
            dashes = plot(fitted_rows).mark("line", strokeWidth=1.5, strokeDash=[5, 4], aria=False)
            lines.append(dashes.encode(x=x, y=y("expected"), color=coloured(names)))
            signs.append(Sign("dash", MUTED, "expected by the fitted curves"))
        return finished(*lines, frame=Frame(width, 300, signs=signs))

    def _limits(self) -> tuple[float, float]:
        """Give the least and largest result that is possible: shares stay between 0 and 1, others where they are."""
        means = [mean for curve in self.curves for mean in curve.mean if mean is not None]
        if not means or (min(means) >= 0 and max(means) <= 1):
            return 0.0, 1.0
        ends = [
            mean + side * variance**0.5
            for curve in self.curves[:MOST_CURVES]
            for mean, variance in zip(curve.mean, curve.variance, strict=True)
            if mean is not None and variance is not None
            for side in (-1, 1)
        ]
        return min(ends), max(ends)

    def _rows(
        self, name: str, tip_name: str, curve: AgentCurve, least: float, most: float
    ) -> list[dict[str, Any]]:  # fmt: skip
        rows = []
        expected = curve.expected or [None] * len(self.difficulties)
        for difficulty, mean, variance, mean_expected in zip(
            self.difficulties, curve.mean, curve.variance, expected, strict=True
        ):
            if mean is None or variance is None:
                continue
            spread = variance**0.5
            tip = f"{tip_name} at difficulty {difficulty:.2f}: {mean:.2f}, standard deviation {spread:.2f}"
            ends = {"low": max(least, mean - spread), "high": min(most, mean + spread)}
            rows.append({"shown": name, "name": tip_name, "difficulty": difficulty, "mean": mean, "tip": tip, **ends})
            rows[-1]["expected"] = mean_expected
        return rows


MOST_ITEM_CURVES, MOST_NAMED, POINTS, NAME_HEIGHT = 60, 12, 8, 14


class Curve(NamedTuple):
    """The curve of an item over the abilities of the chart, and whether it falls."""

    name: str
    chance: Sequence[float]
    negative: bool = False


@dataclass(frozen=True, slots=True)
class ItemCurves(ChartView):
    """Curves of items, those that fall first."""

    name: ClassVar[str] = "item-curves"
    title: ClassVar[str] = "How each item depends on ability"
    about: ClassVar[str] = "item response curves"

    abilities: Sequence[float]
    curves: Sequence[Curve]

    def caption(self) -> str:
        """Say what steep, flat and falling curves mean."""
        more = len(self.curves) - MOST_ITEM_CURVES
        left_out = f" {MOST_ITEM_CURVES} of {len(self.curves):,} are drawn, those that fall first." if more > 0 else ""
        return (
            "Probability of a correct answer to each item, over ability. A steep curve discriminates around its middle;"
            " a flat one hardly does; one far to the right is hard. Orange, dashed curves fall (negative"
            " discrimination): the higher the ability, the less often the answer is correct: a sign of a wrong key"
            f" or a flawed item.{left_out}"
        )

    def draw(self, width: int) -> Any:
        """Draw lines."""
        ordered = sorted(self.curves, key=lambda curve: not curve.negative)[:MOST_ITEM_CURVES]
        in_tips = tip_names(curve.name for curve in ordered)
        low, high = (min(self.abilities, default=-1.0), max(self.abilities, default=1.0))
        signs = [Sign("line", ACCENT, "item")]
        signs += [Sign("dash", WARM, "negative discrimination")] if any(curve.negative for curve in ordered) else []
        frame = Frame(width, 300, left=64, signs=signs)
        plane = Plane(frame, Domain(low, high), Domain(0.0, 1.0), ("ability", "probability correct"), shares=True)
        fade = 0.9 if len(ordered) <= MOST_NAMED else 0.5
        layers = []
        for falls, colour, dash in ((False, ACCENT, [1, 0]), (True, WARM, [5, 3])):
            some = [
                {"curve": k, "ability": ability, "chance": chance}
                for k, curve in enumerate(ordered)
                if curve.negative == falls
                for ability, chance in zip(self.abilities, curve.chance, strict=True)
            ]
            if some:
                line = plot(some).mark("line", strokeWidth=1.8, opacity=fade, color=colour, strokeDash=dash, aria=False)
                layers.append(line.encode(x=plane.x("ability"), y=plane.y("chance"), detail="curve:N"))
        dots = plot(self._said(ordered, in_tips)).mark("point", size=60, opacity=0, filled=True)
        dots = dots.encode(x=plane.x("ability"), y=plane.y("chance"), description="tip:N")
        return finished(*layers, dots, *self._names(ordered, in_tips, plane), frame=frame)

    def _said(self, ordered: Sequence[Curve], in_tips: Sequence[str]) -> list[dict[str, Any]]:
        """Give some places of each curve with their numbers: a line says one thing only, points can say them."""
        step = max(1, len(self.abilities) // POINTS)
        return [
            {"item": name, "ability": ability, "chance": chance, "falls": curve.negative}
            | {"tip": f"{name}: {chance:.0%} at ability {ability:.2f}"}
            for name, curve in zip(in_tips, ordered, strict=True)
            for ability, chance in list(zip(self.abilities, curve.chance, strict=True))[step // 2 :: step]
        ]

    def _names(self, ordered: Sequence[Curve], in_tips: Sequence[str], plane: Plane) -> list[Any]:
        """Write names at the right ends of the curves, or where they are apart, those that fall first."""
        if not self.abilities:
            return []
        named = [k for k, curve in enumerate(ordered) if curve.negative or len(ordered) <= MOST_NAMED][:MOST_NAMED]
        at = [self._apart(ordered, k, plane) for k in named]
        ends = [plane.pixels(self.abilities[i], ordered[k].chance[i]) for k, i in zip(named, at, strict=True)]
        shown = [fitted(in_tips[k], 120, SIZE) for k in named]
        within = Box(0, 0, plane.frame.width, plane.frame.height)
        rows: dict[str, list[dict[str, Any]]] = {}
        for label in place_labels(ends, shown, within, most=MOST_NAMED, lines=self._lines(ordered, plane)):
            x, y = plane.from_pixels(label.x, label.y)
            rows.setdefault(label.align, []).append({"tx": x, "ty": y, "name": label.text})
        layers = []
        for align, named_so in rows.items():
            text = plot(named_so)
            text = text.mark("text", align=align, baseline="middle", fontSize=SIZE, color=INK, aria=False)
            layers.append(text.encode(x=plane.x("tx"), y=plane.y("ty"), text="name:N"))
        return layers

    def _apart(self, ordered: Sequence[Curve], k: int, plane: Plane) -> int:
        """Give the place of a curve for its name: its right end, or where it is furthest from all others."""
        own, others = np.array(ordered[k].chance), np.array([one.chance for j, one in enumerate(ordered) if j != k])
        gaps = np.abs(others - own).min(axis=0, initial=1.0)
        return len(own) - 1 if gaps[-1] * plane.frame.height >= NAME_HEIGHT else int(gaps.argmax())

    def _lines(self, ordered: Sequence[Curve], plane: Plane) -> list[Line]:
        """Give the curves as lines in pixels, so that names keep clear of them."""
        if len(ordered) > MOST_NAMED:
            return []
        return [
            (plane.pixels(*one), plane.pixels(*two))
            for curve in ordered
            for one, two in pairwise(zip(self.abilities, curve.chance, strict=True))
        ]


class ItemPlace(NamedTuple):
    """An item's difficulty and discrimination."""

    name: str
    difficulty: float
    discrimination: float


@dataclass(frozen=True, slots=True)
class ItemMap(ChartView):
    """Items by how hard they are and how well they discriminate."""

    name: ClassVar[str] = "item-map"
    title: ClassVar[str] = "Which items discriminate?"
    about: ClassVar[str] = "map of difficulty and discrimination, negative ones marked"

    items: Sequence[ItemPlace]

    def caption(self) -> str:
        """Say what high, low and orange mean."""
        bad = sum(item.discrimination < 0 for item in self.items)
        count = {0: "There is none here.", 1: "There is one here."}.get(bad, f"There are {bad:,} here.")
        far = self._plane(900).beyond([{"x": item.difficulty, "y": item.discrimination} for item in self.items])
        return (
            "To the right: harder. Up: discriminates more. Items near the dotted line hardly discriminate and could be"
            f" dropped. Orange diamonds below it have negative discrimination: check them. {count}"
            f"{beyond_words(far, 'item')}"
        )

    def draw(self, width: int) -> Any:
        """Draw points, negative ones first so that they get their names."""
        ordered = sorted(self.items, key=lambda item: item.discrimination)
        plane = self._plane(width)
        rows = [
            {
                "name": item.name, "x": item.difficulty, "y": item.discrimination,
                "words": f"difficulty {item.difficulty:.2f}, discrimination {item.discrimination:.2f}",
                "shape": "diamond" if item.discrimination < 0 else "circle",
                "colour": WARM if item.discrimination < 0 else ACCENT,
            }
            for item in ordered
        ]  # fmt: skip
        size = 60 if len(rows) <= 100 else 30
        return finished(*plane.zero_lines(vertical=False), *named_places(rows, plane, size=size), frame=plane.frame)

    def _plane(self, width: int) -> Plane:
        across = domain_of(item.difficulty for item in self.items)
        up = domain_of((item.discrimination for item in self.items), keep=(0.0,))
        signs = [Sign("circle", ACCENT, "item")]
        if any(item.discrimination < 0 for item in self.items):
            signs.append(Sign("diamond", WARM, "negative discrimination"))
        signs.append(Sign("dash", MUTED, "no discrimination"))
        signs += [BEYOND_PLANE] if across.beyond or up.beyond else []
        return Plane(Frame(width, 340, signs=signs), across, up, ("difficulty", "discrimination"))


CURVE_POINTS = 33


def irt_charts(result: "IRT") -> tuple[ChartView, ...]:
    """Draw abilities, where the items lie, and their curves."""
    rows = result.frame().to_dicts()
    spans = [Span(row["agent"], *(known(row[key]) for key in ("ability", "low", "high"))) for row in rows]
    items = [
        ItemPlace(row["item"], row["difficulty"], row["discrimination"])
        for row in result.item_frame().to_dicts()
        if known(row["difficulty"]) is not None and known(row["discrimination"]) is not None
    ]
    forest = Forest(spans, "ability", f"{100 * result.ability_interval.level:g}% interval", 2)
    if not items:
        return (forest,)
    return (forest, ItemMap(items), _item_curves(result, items))


def _item_curves(result: "IRT", items: list[ItemPlace]) -> ItemCurves:
    frame = item_curve_frame(result, points=CURVE_POINTS)
    abilities = frame["ability"][:CURVE_POINTS].to_list()
    chances: dict[str, Any] = {
        str(name): part["probability"].to_list() for (name,), part in frame.group_by(["item"], maintain_order=True)
    }
    curves = [Curve(item.name, chances[item.name], item.discrimination < 0) for item in items if item.name in chances]
    return ItemCurves(abilities, curves)


def generality_charts(result: "Generality") -> tuple[ChartView, ...]:
    """Draw how results fall with difficulty."""
    order = np.argsort(-np.nan_to_num(result.mean, nan=-np.inf), kind="stable")
    curves = [
        AgentCurve(
            result.agents[i],
            [known(value) for value in result.curves.mean[i]],
            [known(value) for value in result.curves.variance[i]],
            [] if np.isnan(result.expected[i]).all() else [known(value) for value in result.expected[i]],
        )
        for i in order
    ]
    drawn = AgentCurvesChart(result.curves.difficulty.tolist(), _spread_out(curves), spread=True)
    return (drawn, *mean_variance(result))


def _spread_out(curves: list[AgentCurve], most: int = 6) -> list[AgentCurve]:
    """Put first a few agents from the best to the worst: agents adjacent in a ranking look alike."""
    if len(curves) <= most:
        return curves
    chosen = sorted({round(k * (len(curves) - 1) / (most - 1)) for k in range(most)})
    return [curves[k] for k in chosen] + [curve for k, curve in enumerate(curves) if k not in chosen]


CHARTS = {"IRT": irt_charts, "Generality": generality_charts}
"""Who draws which class of results."""
