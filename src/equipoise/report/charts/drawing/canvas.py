"""What all charts share: the base of their view models, colours, the frame around a plot and the key above it."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

from equipoise.core.errors import ParameterError, did_you_mean
from equipoise.core.wording import Option
from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.lettering import PairName, fitted, text_width, wrapped

Spec = dict[str, Any]
"""A drawing, as Vega-Lite reads it."""
INK, MUTED, GRID = "#20242b", "#59626e", "#d9dde3"
ACCENT, WARM, PALE, ARROW = "#2563a8", "#b3470b", "#9db8d6", "#6f7f92"
CATEGORIES = (ACCENT, WARM, "#3a7d44", "#8a4fa3", "#8c6d00", "#007c89", "#a83264", "#5f6b1f")
"""Each of these is a colour of the page too: in the dark it is swapped for a lighter one of the same meaning."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
"""One for each of the categories: a colour never stands alone."""
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
MOST = 60
"""Most agents, tasks or items that one chart of rows shows; the table has them all."""
NARROW = 480
"""Below this width a drawing is one for a telephone."""
AXIS = {
    "labelColor": INK, "titleColor": MUTED, "tickColor": GRID, "domainColor": GRID, "gridColor": GRID,
    "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 8,
    "labelLimit": 0, "titleLimit": 0,
}  # fmt: skip
KEY_ROW, KEY_SIGN, KEY_GAP, KEY_END, MARGIN = 20, 24, 18, 8, 10
ROOMY = 1.17
"""By how much fonts that stand in for Arial (DejaVu, Verdana) are wider: texts must neither meet nor be cut off."""


class ChartView(ABC):
    """A view model that draws itself: it has plain rows, knows no data set and computes no estimate.

    Subclasses are frozen dataclasses. ``name`` is what the command line calls the chart.
    """

    __slots__ = ()
    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    """What the chart shows, in a few words, for the list of charts."""
    estimator: ClassVar[str | None] = None
    """What the numbers are estimates by, where that is not the method of the whole answer; nothing if captions say."""
    agents_in: ClassVar[str] = ""
    """The field with an entry for each agent or pair of agents, which have a ``name``; nothing if there is none."""
    aside: ClassVar[bool] = False
    """Whether it is drawn only where it is asked for: pages and notebooks do without."""
    in_rows: ClassVar[bool] = False
    """Whether a table with intervals drawn in its rows says the same: pages show that."""
    elastic: ClassVar[bool] = False
    """Whether the plot may be made higher or lower and still says the same."""

    @abstractmethod
    def caption(self) -> str:
        """Say in plain words what to look for."""

    @abstractmethod
    def draw(self, width: int) -> Spec:
        """Draw, at most ``width`` pixels wide."""

    def heading(self) -> str:
        """Give the title above this very chart."""
        return self.title

    def estimated_by(self) -> str | None:
        """Name the estimator; None where it is that of the whole answer."""
        return self.estimator

    def label(self) -> str:
        """Say what the picture shows to those who do not see it."""
        return f"{self.heading()} {self.caption()}"

    def may_stretch(self) -> bool:
        """Say whether the plot may have another height."""
        return self.elastic

    def agent_names(self) -> list[str]:
        """Name the agents that are drawn one by one; none where a chart shows other things."""
        entries = getattr(self, self.agents_in) if self.agents_in else ()
        return list(dict.fromkeys(name for entry in entries for name in names_in(entry.name)))

    def only(self, agents: Sequence[str]) -> "ChartView":
        """Give the chart with these agents alone, in its own order.

        Fails when
            there is no such agent, or the chart draws no agents, or too few are left of it.
        """
        known = self.agent_names()
        if not known:
            raise ParameterError(f"the {self.name} chart does not draw agents one by one; leave out ", _SHOWN)
        for name in agents:
            if name not in known:
                raise ParameterError(_SHOWN, f': the {self.name} chart has no "{name}"{did_you_mean(name, known)}')
        kept = self.with_agents(set(agents))
        if not kept.agent_names():
            raise ParameterError(_SHOWN, f": the {self.name} chart draws pairs of agents; name two or more")
        return kept

    def with_agents(self, agents: Collection[str]) -> "ChartView":
        """Give the chart with the entries of these agents alone."""
        entries = [one for one in getattr(self, self.agents_in) if all(name in agents for name in names_in(one.name))]
        return replace(self, **{self.agents_in: entries})  # type: ignore[type-var]  # charts are dataclasses


_SHOWN = Option("agents_shown")


def names_in(name: str) -> tuple[str, ...]:
    """Give the agents of an entry: one, or the two of a pair."""
    return (name.first, name.second) if isinstance(name, PairName) else (name,)


class Sign(NamedTuple):
    """An entry of the key: a shape of points, a ring, line, dash, bar, cell or band by that name, and what it means."""

    shape: str
    colour: str
    text: str


def category_signs(names: Sequence[str]) -> list[Sign]:
    """Give each name its colour and its shape."""
    return [Sign(shape, colour, name) for shape, colour, name in zip(SHAPES, CATEGORIES, names, strict=False)]


ABOVE = 20
"""Room for the numbers of an axis above the plot."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the plot lies in a drawing, in pixels, and the key above it: everything is measured, nothing is cut off.

    Attributes
    ----------
    total
        Width of the drawing.
    height
        Of the plot alone.
    left, right, bottom
        Room for labels and titles of axes.
    signs
        The key.
    above
        Room for labels above the plot, under the key.
    long
        Whether the axis below stands above as well, since who looks at the first rows does not see it.
    """

    total: int
    height: int
    left: int = 56
    right: int = 16
    bottom: int = 48
    signs: Sequence[Sign] = ()
    above: int = 0
    long: bool = False

    @property
    def width(self) -> int:
        """Width of the plot alone."""
        return max(60, self.total - self.left - self.right)

    @property
    def narrow(self) -> bool:
        """Whether this is a drawing for a telephone."""
        return self.total < NARROW

    @property
    def top(self) -> int:
        """Room above the plot."""
        rows = 1 + max((row for *_, row in self.key()), default=-1)
        return MARGIN + KEY_ROW * rows + (KEY_END if rows else 0) + self.above + ABOVE * self.long

    def key(self) -> list[tuple[Sign, str, float, int]]:
        """Place the entries of the key: each with its text as it fits, how far to the right, and in which row."""
        room = self.total - 2 * MARGIN
        x, row, placed = 0.0, 0, []
        for sign in self.signs:
            text = fitted(sign.text, (room - KEY_SIGN) / ROOMY)
            width = KEY_SIGN + ROOMY * text_width(text)
            if x > 0 and x + width > room:
                x, row = 0.0, row + 1
            placed.append((sign, text, x, row))
            x += width + KEY_GAP
        return placed


def plot(rows: Sequence[Mapping[str, Any]]) -> vega.Layer:
    """Start a layer of plain rows."""
    return vega.Layer(rows)


def finished(*layers: vega.Layer, frame: Frame) -> Spec:
    """Put layers into one drawing with this frame, in the house style; texts are fitted before, none is cut here."""
    if frame.long:
        layers = _with_axis_above(layers)
    return vega.layered(
        [*layers, *_key_layers(frame)], width=frame.width, height=frame.height, autosize={"type": "none"},
        padding={"left": frame.left, "right": frame.right, "top": frame.top, "bottom": frame.bottom},
        config={
            "font": FONT, "background": "transparent",
            "view": {"continuousWidth": 300, "continuousHeight": 300, "stroke": None},
            "axis": {**AXIS, "tickCount": 4 if frame.narrow else 7},
        },
        **({"resolve": {"axis": {"x": "independent"}}} if frame.long else {}),
    )  # fmt: skip


def _with_axis_above(layers: Sequence[vega.Layer]) -> tuple[vega.Layer, ...]:
    """Leave the axis to the layer that describes it, and draw it once more above."""
    numbers = [layer for layer in layers if layer.encoding.get("x", {}).get("type") == "quantitative"]
    bearer = next((layer for layer in numbers if layer.encoding["x"].get("axis")), numbers[0])
    across = bearer.encoding["x"]
    quiet = {
        id(layer): layer.encode(x={**layer.encoding["x"], "axis": None}) for layer in numbers if layer is not bearer
    }
    again = {**across, "title": None, "axis": {**(across.get("axis") or {}), "orient": "top", "grid": False}}
    above = plot(bearer.rows[:1]).mark("tick", opacity=0, aria=False).encode(x=again)
    return (*(quiet.get(id(layer), layer) for layer in layers), above)


def _key_layers(frame: Frame) -> list[vega.Layer]:
    """Draw the key as marks of its own: the legends of Vega know no lines with dots on them."""
    layers = []
    for sign, text, x, row in frame.key():
        at, y = x - frame.left + MARGIN, row * KEY_ROW + MARGIN + 6 - frame.top
        middle, ends = {"x": vega.value(at + 9), "y": vega.value(y)}, {"x": vega.value(at), "x2": vega.value(at + 18)}
        base = plot([{"key": text}])
        if sign.shape in ("line", "dash"):
            dash = {"strokeDash": [3, 3]} if sign.shape == "dash" else {}
            mark = base.mark("rule", color=sign.colour, strokeWidth=3, aria=False, **dash).encode(
                **ends, y=vega.value(y)
            )
        elif sign.shape in ("bar", "band", "cell"):
            seen = 0.25 if sign.shape == "band" else 1.0
            edge = {"stroke": MUTED, "strokeWidth": 1} if sign.shape == "cell" else {}
            mark = base.mark("rect", color=sign.colour, opacity=seen, aria=False, **edge)
            mark = mark.encode(**ends, y=vega.value(y - 5), y2=vega.value(y + 5))
        else:
            shape, filled = ("circle", False) if sign.shape == "ring" else (sign.shape, True)
            mark = base.mark(
                "point", shape=shape, filled=filled, color=sign.colour, size=64, strokeWidth=2, opacity=1, aria=False
            ).encode(**middle)
        words = base.mark("text", align="left", baseline="middle", fontSize=12, color=INK, aria=False)
        layers += [mark, words.encode(x=vega.value(at + KEY_SIGN), y=vega.value(y), text="key:N")]
    return layers


def sentence(text: str, width: int) -> Spec:
    """Say it in words, where there is nothing that a picture would show."""
    lines = wrapped(text, width - 2 * MARGIN, 14)
    frame = Frame(width, 22 * len(lines), left=MARGIN, right=MARGIN, bottom=MARGIN)
    said = [
        plot([{"words": line}])
        .mark("text", align="left", baseline="middle", fontSize=14, color=INK)
        .encode(x=vega.value(0), y=vega.value(11 + 22 * k), text="words:N")
        for k, line in enumerate(lines)
    ]
    return finished(*said, frame=frame)


def some_first(rows: Sequence[Any], most: int = MOST) -> tuple[Sequence[Any], str]:
    """Give the first rows, and a sentence that says so if there are more."""
    if len(rows) <= most:
        return rows, ""
    return rows[:most], f" Only the first {most} of {len(rows):,} are drawn; the table has them all."
