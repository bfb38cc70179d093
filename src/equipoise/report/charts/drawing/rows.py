"""What charts of rows share: names at the left, rows that are all alike joined, and marks beyond the axis."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from equipoise.report.charts.drawing import vega
from equipoise.report.charts.drawing.canvas import MUTED, NARROW, ROOMY, Frame, Sign, plot
from equipoise.report.charts.drawing.domains import Domain
from equipoise.report.charts.drawing.lettering import PairName, fitted_names, text_width, tip_names

ALIKE = 10
"""So many rows with the same numbers are drawn as one."""
LONG = 25
"""So many rows have their axis above and below."""
ROW = 22
BEYOND = Sign("triangle-right", MUTED, "beyond the axis")


class Row(NamedTuple):
    """A row of a chart: the label at the left, the name in tips, what is drawn, and how many it is of."""

    shown: str
    tip_name: str
    entry: Any
    behind: int = 1


class NamedRows(NamedTuple):
    """Rows of a chart, and the room that their names take."""

    rows: Sequence[Row]
    left: int

    @property
    def all_alike(self) -> bool:
        """Whether one row stands for everything."""
        return len(self.rows) == 1 and self.rows[0].behind > 1


def named_rows(
    entries: Sequence[Any], width: int, *, numbers: Callable[[Any], object] | None = None
) -> NamedRows:  # fmt: skip
    """Name the rows of a chart; many in a row with the same ``numbers`` become one."""
    groups: list[list[Any]] = []
    for _, part in groupby(entries, numbers or id):
        alike = list(part)
        groups += [alike] if len(alike) >= ALIKE else [[entry] for entry in alike]
    whole = [
        group[0].name if len(group) == 1 else f"{len(group):,} alike: {group[0].name} to {group[-1].name}"
        for group in groups
    ]
    shown, left = row_names(whole, width)
    return NamedRows(
        [
            Row(label, tip_name, group[0], len(group))
            for label, tip_name, group in zip(shown, tip_names(whole), groups, strict=True)
        ],
        left,
    )


def people(row: Row) -> dict[str, str]:
    """Name whom a row is about, and against whom where it is about a pair."""
    name = row.entry.name
    if isinstance(name, PairName) and row.behind == 1:
        return {"name": name.first, "opponent": name.second}
    return {"name": row.tip_name}


def row_names(names: Sequence[str], width: int) -> tuple[list[str], int]:
    """Cut names to the room at the left of a chart of rows, and say how much they take."""
    shown = fitted_names(names, 0.36 * width / ROOMY if width < NARROW else 240)
    return shown, 18 + round(ROOMY * max((text_width(name) for name in shown), default=20))


def row_frame(
    width: int, left: int, count: int, signs: Sequence[Sign] = (), *, row: int = ROW, bottom: int = 48
) -> Frame:
    """Give the frame of a chart of so many rows."""
    return Frame(width, row * max(1, count), left=left, signs=signs, bottom=bottom, long=count >= LONG)


def y_axis() -> Any:
    """Give the axis of names, in the order of the rows, every one of them."""
    axis = vega.axis(ticks=False, domain=False, labelPadding=6, labelOverlap=False, grid=False)
    return vega.channel("shown:N", sort=None, title=None, axis=axis)


def arrows(rows: Sequence[dict[str, Any]], keys: Sequence[str], domain: Domain, x: Callable[[str], Any]) -> list[Any]:
    """Draw an arrow at the edge for each row that has a number beyond it; ``x`` gives the channel of a field."""
    beyond = []
    for side, shape, edge in ((-1, "triangle-left", domain.low), (1, "triangle-right", domain.high)):
        far = [
            row | {"edge": edge}
            for row in rows
            if any(row[key] is not None and domain.side(row[key]) == side for key in keys)
        ]
        if far:
            mark = plot(far).mark("point", shape=shape, filled=True, color=MUTED, size=80, opacity=1)
            beyond.append(mark.encode(x=x("edge"), y=y_axis(), description="tip:N"))
    return beyond


def beyond_words(count: int, what: str) -> str:
    """Say how many lie beyond the axis, and how they are drawn."""
    if not count:
        return ""
    lie = f"One {what} lies" if count == 1 else f"{count:,} {what}s lie"
    return f" {lie} beyond the axis, which would squeeze all others: an arrow at the edge marks where."
