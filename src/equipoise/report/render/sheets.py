"""Tables of pages: the texts of their cells, and intervals drawn in their rows on one axis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from equipoise.report.charts.drawing.domains import round_numbers
from equipoise.report.render.safe_text import harmless
from equipoise.report.views.view import Column, Row, TableView, known

MOST_ROWS, LONGEST_CELL, LONGEST_PROSE, LONGEST_HEADING = 1000, 200, 2000, 40
MOST_FOLDED = 100
"""Rows of a table that is not the main one."""
LONG = 12
"""Rows from which on the axis stands below them, too."""
FAR = 6.0
"""Spreads from the middle half at which a bar's axis ends: one wild interval must not flatten the others."""
SMALL_FIRST = frozenset({"rank", "mean rank", "optimality gap", "gap", "p", "fit p"})
"""Headings of columns in which the smallest is the best."""
RANKS = ("rank_low", "rank_high")


def sheet(view: TableView, identity: str, title: str, *, main: bool = False) -> dict[str, Any]:
    """Give what a page shows of a table; of the ``main`` one more rows, which a telephone has in two lines each."""
    most = MOST_ROWS if main else MOST_FOLDED
    view = replace(view, columns=[column for column in view.columns if not (main and column.aside)])
    rows, more = view.rows[:most], len(view.rows) - most
    plots = {
        k: axis for k, column in enumerate(view.columns) if (axis := _Axis.of(column, rows, main=main)) is not None
    }
    board = main and bool(plots)
    kinds = _kinds(view.columns, board)
    ranks = _Ranks.of(rows) if board else None
    order = list(_order(view.columns, plots))
    grids = [f"--g:{axis.grid}" for axis in plots.values()] + ([] if ranks is None else [f"--h:{ranks.grid}"])
    return {
        "id": identity,
        "title": harmless(title, LONGEST_CELL),
        "board": board,
        "columns": [_head(view.columns[k], kinds[k], plotted) for k, plotted in order],
        "rows": [
            (
                "out" if ranks is not None and ranks.ruled_out(row) else "",
                [_cell(view.columns[k], kinds[k], row, plots[k] if plotted else None, ranks) for k, plotted in order],
            )
            for row in rows
        ],
        "axes": [plots[k].shown if plotted else None for k, plotted in order] if plots else [],
        "long": len(rows) > LONG,
        "ranks": None if ranks is None else ranks.shown,
        "ruled_out": ranks is not None and any(ranks.ruled_out(row) for row in rows),
        "grid": ";".join(grids if len(plots) == 1 else []),
        "note": f"The first {most:,} rows; {more:,} more are in the command's CSV and JSON." if more > 0 else "",
    }  # fmt: skip


def _order(columns: Sequence[Column], plots: dict[int, "_Axis"]) -> Iterator[tuple[int, bool]]:
    """Put each drawing before the numbers that it shows: the estimate and its interval."""
    early = {k - 1 if k and columns[k - 1].right and columns[k - 1].heading != "rank" else k: k for k in plots}
    for k in range(len(columns)):
        if k in early:
            yield early[k], True
        yield k, False


def _kinds(columns: Sequence[Column], board: bool) -> list[str]:
    """Give each column's classes: how it is set, and on a board where a telephone puts it."""
    kinds = ["n" if column.right else "prose" if column.prose else "i" if column.bar else "" for column in columns]
    if not board:
        return kinds
    bar = next(k for k, column in enumerate(columns) if column.bar)
    name = next((k for k, column in enumerate(columns) if not column.right and not column.bar), None)
    for k, column in enumerate(columns):
        if k == name:
            kinds[k] = "a"
        elif column.heading == "rank" and k < bar:
            kinds[k] = "n k"
        elif k == bar - 1 and column.right:
            kinds[k] = "n v"
        elif k != bar:
            kinds[k] = f"{kinds[k]} o".strip()
    return kinds


def _head(column: Column, kind: str, plotted: bool) -> dict[str, Any]:
    small = column.heading in SMALL_FIRST
    return {
        "text": "" if plotted else harmless(column.heading, LONGEST_HEADING),
        "kind": "p" if plotted else kind,
        "plot": plotted,
        "small": small,
    }


def _cell(column: Column, kind: str, row: Row, axis: "_Axis | None", ranks: "_Ranks | None") -> tuple[str, str, str]:
    """Give the class of a cell, its text, and where its bar stands if it is drawn."""
    if axis is not None and column.bar is not None:
        return "p", "", ";".join(filter(None, (axis.bar(row, column.bar), "" if ranks is None else ranks.bar(row))))
    return kind, harmless(column.cell(row), LONGEST_PROSE if column.prose else LONGEST_CELL), ""


@dataclass(frozen=True, slots=True)
class _Axis:
    """The shared axis of the bars of a column; ``form`` writes a tick as the cells are written."""

    low: float
    high: float
    percent: bool = False
    signs: bool = False
    zero: float = 0.0
    ticks: int = 6

    @classmethod
    def of(cls, column: Column, rows: Sequence[Row], *, main: bool) -> "_Axis | None":
        """Look for intervals; the ``main`` table has its estimates drawn without any, too."""
        if column.bar is None or not (main or any(known(row.get(column.bar[0])) is not None for row in rows)):
            return None
        ends = sorted(end for row in rows for key in column.bar if (end := known(row.get(key))) is not None)
        if len(ends) < 2 or ends[0] == ends[-1]:
            return None
        quarter, three = ends[len(ends) // 4], ends[(3 * len(ends)) // 4]
        reach = FAR * (three - quarter) or ends[-1] - ends[0]
        low, high = max(ends[0], quarter - reach), min(ends[-1], three + reach)
        room = 0.02 * (high - low)
        cells = [column.cell(row) for row in rows[:5]]
        percent, signs = (any(sign in cell for cell in cells) for sign in "%+")
        return cls(low - room, high + room, percent, signs, column.zero, 6 if main else 3)

    def bar(self, row: Row, keys: tuple[str, str, str]) -> str:
        """Give left end, width and estimate in percent of the axis, as CSS; nothing where nothing is known."""
        values = [known(row.get(key)) for key in keys]
        if values[1] is None:
            return ""
        estimate = values[1]
        low, at, high = (
            self.place(min(max(estimate if value is None else value, self.low), self.high)) for value in values
        )
        if values[0] is None:
            return f"--w:0%;--m:{at:.1f}%"
        return f"--l:{low:.1f}%;--w:{max(high - low, 0.5):.1f}%;--m:{at:.1f}%"

    def place(self, value: float) -> float:
        """Give the place of a value in percent."""
        return 100.0 * (value - self.low) / (self.high - self.low)

    @property
    def shown(self) -> list[tuple[str, str]]:
        """The ticks: place and label."""
        return [(f"{self.place(tick):.1f}%", self._label(tick)) for tick in self._ticks]

    @property
    def grid(self) -> str:
        """Lines at the ticks, as CSS."""
        return _lines([(self.place(tick), tick == self.zero) for tick in self._ticks])

    @property
    def _ticks(self) -> list[float]:
        shown = round_numbers(self.low - self.zero, self.high - self.zero, self.ticks)
        return [tick + self.zero for tick in shown]

    def _label(self, tick: float) -> str:
        tick = round(tick - self.zero, 10)
        if self.percent:
            return f"{100 * tick:.10g}%"
        sign = "+" if self.signs and tick > 0 else ""
        return f"{sign}{tick:,.10g}".replace("-", "−")


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Rank intervals of a board, on an axis of their own."""

    most: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "_Ranks | None":
        """Look for ranks; None where there are none, or one agent."""
        ends = [row.get(key) for row in rows for key in RANKS]
        known_ends = [end for end in ends if end is not None]
        return cls(max(known_ends)) if known_ends and max(known_ends) > 1 else None

    def ruled_out(self, row: Row) -> bool:
        """Whether an agent cannot be the best."""
        return (row.get("rank_low") or 1) > 1

    def bar(self, row: Row) -> str:
        """Give left end and width in percent, as CSS."""
        low, high = (row.get(key) for key in RANKS)
        if low is None or high is None:
            return ""
        left, right = self._place(low - 0.4), self._place(high + 0.4)
        return f"--a:{left:.1f}%;--b:{right - left:.1f}%"

    @property
    def shown(self) -> list[tuple[str, str]]:
        """The ticks: place and label."""
        return [(f"{self._place(tick):.1f}%", f"{tick:g}") for tick in self._ticks]

    @property
    def grid(self) -> str:
        """Lines at the ticks, as CSS."""
        return _lines([(self._place(tick), False) for tick in self._ticks])

    @property
    def _ticks(self) -> list[float]:
        return [1.0, *(tick for tick in round_numbers(1, self.most) if tick > 1 and tick == int(tick))]

    def _place(self, rank: float) -> float:
        return 100.0 * (rank - 0.5) / self.most


def _lines(places: Sequence[tuple[float, bool]]) -> str:
    """Draw lines at these places, in percent; the line of zero is darker."""
    colour = {True: "var(--muted)", False: "var(--line)"}
    return ",".join(
        f"linear-gradient({colour[zero]},{colour[zero]}) {place:.1f}% 0/1px 100% no-repeat" for place, zero in places
    )
