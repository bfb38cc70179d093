"""A view for every result: its own where it has one, else its table, its words and its main estimate as a chart."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

from equipoise.analyses.reports.everything import Section
from equipoise.catalogue import method_named
from equipoise.core.diagnostics import warning
from equipoise.core.errors import EquipoiseError
from equipoise.core.results import Result
from equipoise.core.units import frame_in_points, units_in_words
from equipoise.report.charts.boards.forest import Forest, Span
from equipoise.report.charts.drawing.canvas import ChartView
from equipoise.report.charts.registry import charts_of
from equipoise.report.views import cells
from equipoise.report.views.view import Column, TableView, View, answer_of, known


def section_view(section: Section) -> View:
    """Make the view of one section of a report; what could not be computed is said."""
    if section.result is None:
        return _failed(section)
    view = view_of(section.result, whole=True)
    said = (*section.words, *view.whole_answer)
    return replace(
        view, title=view.title or section.title, sentences=(*section.words, *view.sentences), said=said
    )  # fmt: skip


def _failed(section: Section) -> View:
    error = section.error or EquipoiseError("the reason is unknown")
    words = (f"{section.title} could not be computed: ", *error.words, ".")
    note = warning("not-computed", words, advice=error.advice)
    return View((), (f"{section.title}: no answer; see the notes below.",), (note,), title=section.title)


def view_of(result: Result, *, whole: bool = False) -> View:
    """Make the view of any result; the ``whole`` of it, where a report shows more than a command."""
    for each in type(result).__mro__:
        module = _shown_in(each.__name__) if each.__module__.startswith("equipoise.") else None
        if module is not None:
            own = {**module.VIEWS, **getattr(module, "WHOLE_VIEWS", {})} if whole else module.VIEWS
            view: View = own[each.__name__](result)
            return view
    return _plain_view(result)


def _shown_in(name: str) -> ModuleType | None:  # noqa: PLR0912  # one case a module is the clearest form of a table
    """Give the module that shows a class of results, by its name, of which there is one; it loads when one is shown."""
    match name:
        case "Benchmark" | "Additivity" | "PerformanceProfile":
            from equipoise.report.views import benchmark

            return benchmark
        case "CategoryBoards":
            from equipoise.report.views import categories

            return categories
        case "BoardChanges" | "GateResult" | "JointGate" | "LengthControlled" | "PairComparison":
            from equipoise.report.views import boards

            return boards
        case "AlphaRank" | "AlphaSweep" | "WeighedGame" | "Schur" | "AgentNash" | "DeviationRatings":
            from equipoise.report.views import games

            return games
        case "IRT" | "Scored" | "Predicted":
            from equipoise.report.views import items

            return items
        case "Judges" | "WeighedVoters":
            from equipoise.report.views import judges

            return judges
        case "Standings" | "BradleyTerry" | "Elo" | "Melo":
            from equipoise.report.views import leaderboard

            return leaderboard
        case "MethodList":
            from equipoise.report.views import listings

            return listings
        case "HandsWithoutLuck":
            from equipoise.report.views import luck

            return luck
        case "VotingBoard" | "SocialChoice" | "Explanation":
            from equipoise.report.views import choice

            return choice
        case "PlackettLuce" | "WholeHistory" | "StrengthChange":
            from equipoise.report.views import races

            return races
        case "Plan":
            from equipoise.report.views import plan

            return plan
        case "StyleControl":
            from equipoise.report.views import style

            return style
        case _:
            return None


def _plain_view(result: Result) -> View:
    """Show table, words and chart as they are: what a method of another package gets without doing anything."""
    rows, units = frame_in_points(result).to_dicts(), units_in_words(result.units)
    name = _method_of(result)
    return View(
        tables=(TableView(result.rows_name, rows, _columns(rows, result, units), units=units),),
        **answer_of(result, name),
        method=f"{type(result).__name__}.",
        charts=partial(_charts, result, rows, units),
        cites=(name,),
    )


def _method_of(result: Result) -> str:
    """Name the method behind a result, as far as its type's name says."""
    try:
        return method_named(
            "".join(f"_{c.lower()}" if c.isupper() else c for c in type(result).__name__).strip("_")
        ).name
    except EquipoiseError:
        return type(result).__name__


def _columns(rows: list[dict[str, Any]], result: Result, units: Mapping[str, str]) -> list[Column]:
    """Show every column of the frame; numbers to the right, with their unit in the heading."""
    if not rows:
        return []
    shown = []
    for k, (name, value) in enumerate(rows[0].items()):
        number = isinstance(value, float)
        unit = units.get(name)
        heading = f"{name} ({unit})" if unit else name
        cell = cells.decimal(name, 3) if number else cells.text(name)
        stays = k == 0 or name in (result.main, "low", "high", "rank_low", "rank_high")
        shown.append(Column(heading, cell, right=isinstance(value, int | float), drop=0 if stays else k))
    return shown


def _charts(result: Result, rows: list[dict[str, Any]], units: Mapping[str, str]) -> tuple[ChartView, ...]:
    """Draw what the result's type is known for, else its main estimate with its interval."""
    special = charts_of(result)
    main = _estimate(result, rows)
    if special or main is None:
        return special
    names = [name for name, value in rows[0].items() if isinstance(value, str)]
    label = names[: list(rows[0]).index(main)] or names[:1]
    if not label and len(rows) > 1:
        label = next(([name] for name in rows[0] if name != main), [])
    ends = ("low", "high") if {"low", "high"} <= rows[0].keys() else ()
    unit = units.get(main)
    quantity = f"{main.replace('_', ' ')} ({unit})" if unit else main.replace("_", " ")
    spans = []
    for row in rows:
        named = ", ".join(str(row[one]) if isinstance(row[one], str) else f"{one} {row[one]}" for one in label)
        spans.append(Span(named or quantity, *(known(row.get(key)) for key in (main, *ends))))
    kind = getattr(result, "interval", None)
    described = str(kind) if kind and any(one.low is not None for one in spans) else ""
    ranked = label == ["agent"] and result.main == main
    return (Forest(spans, quantity, described, 2, "" if ranked else f"{quantity[0].upper()}{quantity[1:]}"),)


def _estimate(result: Result, rows: list[dict[str, Any]]) -> str | None:
    """Give the column of the main estimate: the result says it, or it stands before its interval, or is a number."""
    if not rows:
        return None
    columns = list(rows[0])
    before = columns[columns.index("low") - 1] if "low" in columns[1:] else result.main
    floats = [name for name, value in rows[0].items() if isinstance(value, float)]
    for name in (result.main, before, *floats):
        if isinstance(rows[0].get(name), int | float) and not isinstance(rows[0].get(name), bool):
            return name
    return None


def plain_charts(result: Result) -> tuple[ChartView, ...]:
    """Draw the main estimate of a result whose view has no charts."""
    return _charts(result, frame_in_points(result).to_dicts(), units_in_words(result.units))
