"""Charts of a page: drawings for a desk and a telephone, matrices of pairs, and the numbers behind them."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import permutations
from typing import Any

from equipoise.report.charts.boards.head_to_head import HeadToHead
from equipoise.report.charts.drawing.canvas import ChartView, Spec, names_in
from equipoise.report.charts.drawing.images import inline_svg, spec
from equipoise.report.charts.games.response_graph import ResponseGraphChart
from equipoise.report.charts.scores.improvement import ProbabilityOfImprovement
from equipoise.report.render.export import harmless_cell
from equipoise.report.render.safe_text import harmless
from equipoise.report.render.sheets import LONGEST_CELL

WIDE, NARROW = 900, 326
"""Widths of the drawings: on a desk, and on a telephone 360 pixels wide."""
LARGE_DRAWING = 60_000
"""A drawing of more characters stands in a page once: on a telephone it scrolls."""
MATRIX = 20
"""Agents of a matrix of pairs."""
MOST_NUMBERS = 500
"""Rows of numbers behind a chart; documents have all of them."""


def figure(chart: ChartView, key: str, *, folded: bool = False) -> dict[str, Any]:
    """Draw a chart; ``key`` names it within the page. Pairs of agents are a table, which a click asks for games.

    A ``folded`` one has one drawing, for all widths, and its numbers in the table beside it.
    """
    about = {"id": f"chart-{key}", "name": chart.name, "title": chart.heading(), "caption": chart.caption()}
    pairs = _games(chart) if isinstance(chart, HeadToHead) else _runs(chart)
    if pairs is not None:
        return about | {"wide": "", "narrow": "", "numbers": None, "matrix": pairs}
    drawn = spec(chart, WIDE)
    wide = inline_svg(chart, WIDE, drawn)
    narrow = "" if folded or len(wide) > LARGE_DRAWING else inline_svg(chart, NARROW, bare=True)
    numbers = None if folded else _numbers(chart, drawn, key)
    return about | {"wide": wide, "narrow": narrow, "numbers": numbers, "matrix": None}


def _games(chart: HeadToHead) -> dict[str, Any] | None:
    """Give the cells of the first agents: share, games, and how sure it is who of the two is better; none of a star."""
    if chart.hub is not None:
        return None
    shown = chart.with_agents(chart.agents[:MATRIX])
    names = [harmless(name, LONGEST_CELL) for name in shown.agents]
    met = sum(rate is not None for i, line in enumerate(shown.rates) for rate in line[:i])
    rows = [
        (name, [None if rate is None or i == j else _met(shown, i, j, rate) for j, rate in enumerate(shown.rates[i])])
        for i, name in enumerate(names)
    ]
    pairs = f"{met} of {len(names) * (len(names) - 1) // 2} met"
    of = "All pairs" if len(names) == len(chart.agents) else f"All pairs of the first {len(names)}"
    return {"names": names, "rows": rows, "folded": of, "hint": pairs, "counted": chart.games is not None,
            "caption": shown.caption()}  # fmt: skip


def _runs(chart: ChartView) -> dict[str, Any] | None:
    """Give how often a run of the row's agent beats one of the column's; none where there are many or few agents."""
    if not isinstance(chart, ProbabilityOfImprovement) or not 2 < len(agents := chart.ordered()) <= MATRIX:
        return None
    cells: dict[tuple[str, str], tuple[str, str, str, str]] = {}
    for pair in chart.pairs:
        for (row, column), one in zip(permutations(names_in(pair.name)), (pair, pair.turned()), strict=True):
            ends = "" if one.low is None or one.high is None else f"{100 * one.low:.0f} to {100 * one.high:.0f}"
            better = one.settled and one.chance > 0.5
            strength = f"{0.2 + 1.1 * (one.chance - 0.5):.2g}" if better else ""
            cells[row, column] = f"{one.chance:.0%}", ends, "w" if better else "", strength
    rows = [(harmless(row, LONGEST_CELL), [cells.get((row, column)) for column in agents]) for row in agents]
    caption = (
        "How often a run of the row's agent beats a run of the column's on the same task, a tie counting half, averaged"
        f" over tasks; with {chart.interval}s, one by one. Blue: the row's agent is better."
    )
    names = [name for name, _ in rows]
    return {"names": names, "rows": rows, "folded": "", "hint": "", "counted": True, "caption": caption}


def _met(chart: HeadToHead, i: int, j: int, rate: float) -> tuple[str, str, str, str]:
    sure = chart.evidence[i][j]
    games = "" if chart.games is None else f"{chart.games[i][j]:,.0f}"
    return f"{100 * rate:.0f}", games, "w" if sure > 0 else "l" if sure < 0 else "", f"{abs(sure):.2g}" if sure else ""


def _numbers(chart: ChartView, drawn: Spec, key: str) -> dict[str, Any] | None:
    rows = numbers_of(chart, drawn)
    if not rows:
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_figure_cell(row.get(name)) for name in names] for row in rows[:MOST_NUMBERS])
    first = f"the first {MOST_NUMBERS:,} of {len(rows):,}" if len(rows) > MOST_NUMBERS else f"{len(rows):,}"
    return {"id": f"numbers-{key}", "count": first, "csv": text.getvalue()}


def _figure_cell(value: object) -> object:
    if isinstance(value, str):
        return harmless_cell(harmless(value, LONGEST_CELL))
    return "" if value is None else f"{value:.5g}" if isinstance(value, float) else value


SHOWN_ONLY = {"tip", "shown"}
"""Columns of a drawing that say again what others say."""


def numbers_of(chart: ChartView, drawn: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the rows behind a chart, as its view model holds them, else as the drawing (a Vega-Lite spec) does."""
    if isinstance(chart, HeadToHead):
        return list(_cells(chart))
    if isinstance(chart, ResponseGraphChart):
        return [{"from": chart.profiles[i], "to": chart.profiles[j]} for i, j in chart.edges]
    return _named(chart) or _drawn(drawn)


def _cells(chart: HeadToHead) -> Iterable[dict[str, Any]]:
    for i, rates in enumerate(chart.rates):
        for j, rate in enumerate(rates):
            if i != j and rate is not None:
                played = {} if chart.games is None else {"games": chart.games[i][j]}
                yield {"agent": chart.agents[i], "opponent": chart.agents[j], "share won": rate, **played}


def _named(chart: Any) -> list[dict[str, Any]]:
    """Rows of a view model that holds one named tuple for each mark."""
    rows: list[dict[str, Any]] = []
    for field in fields(chart):
        value = getattr(chart, field.name)
        if isinstance(value, Sequence) and value and hasattr(value[0], "_asdict"):
            rows += [row._asdict() for row in value]
    return rows if rows and all(_plain(value) for value in rows[0].values()) else []


def _drawn(drawn: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows of the first layer that says something of its marks."""
    tipped = next((rows for rows in drawn.get("datasets", {}).values() if rows and "tip" in rows[0]), ())
    return [{name: value for name, value in row.items() if name not in SHOWN_ONLY and _plain(value)} for row in tipped]


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)
